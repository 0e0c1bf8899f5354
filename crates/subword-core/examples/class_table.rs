//! Prints `src/pretok/class_table.rs`: the class of every character, from the tables of the regex engine, so that a
//! block and a regular expression can never disagree about what a letter is.

use regex_syntax::hir::{Class, HirKind};

/// The classes by number, as in `pretok::class::Class`; a character is in the first that holds it.
const CLASSES: [(u8, &str); 8] = [
    (7, r"[\s--\r\n]"),
    (8, r"[\r\n]"),
    (1, r"[\p{Lu}\p{Lt}]"),
    (2, r"\p{Ll}"),
    (3, r"[\p{Lm}\p{Lo}]"),
    (4, r"\p{M}"),
    (5, r"\p{N}"),
    (6, r"[\p{P}\p{S}]"),
];
const BLOCK: usize = 128;

fn main() {
    let mut classes = vec![0u8; 0x11_0000];
    for (class, pattern) in CLASSES.into_iter().rev() {
        let hir = regex_syntax::parse(pattern).expect("a character class");
        let HirKind::Class(Class::Unicode(set)) = hir.kind() else {
            panic!("not a class: {pattern}")
        };
        for range in set.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class);
        }
    }

    let mut blocks: Vec<&[u8]> = Vec::new();
    let index: Vec<u8> = classes
        .chunks(BLOCK)
        .map(|block| {
            let at = blocks.iter().position(|known| *known == block).unwrap_or_else(|| {
                blocks.push(block);
                blocks.len() - 1
            });
            u8::try_from(at).expect("at most 256 distinct blocks")
        })
        .collect();

    println!(
        "// Made by: cargo run -p subword-core --example class_table > crates/subword-core/src/pretok/class_table.rs"
    );
    println!("//! The class of every character of Unicode 16.0, in two levels.\n");
    println!("/// The block of a character `c`: `INDEX[c / 128]`.");
    print_array("INDEX", &index);
    println!("\n/// The class of a character `c` in its block `b`: `CLASSES[b * 128 + c % 128]`.");
    print_array("CLASSES", &blocks.concat());
}

fn print_array(name: &str, bytes: &[u8]) {
    println!("#[rustfmt::skip]\npub(super) static {name}: [u8; {}] = [", bytes.len());
    for line in bytes.chunks(32) {
        let line: Vec<String> = line.iter().map(u8::to_string).collect();
        println!("    {},", line.join(","));
    }
    println!("];");
}
