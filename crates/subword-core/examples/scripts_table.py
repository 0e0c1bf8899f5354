"""Writes ``chain/scripts_table.rs``: which characters UnicodeScripts keeps together.

Asks Hugging Face's library about every character. It does not name scripts, it only cuts between two of them, so
the numbers here mean nothing but "the same" and "another"::

    python scripts_table.py > scripts_table.new
    mv scripts_table.new ../src/chain/scripts_table.rs
"""

from tokenizers.pre_tokenizers import UnicodeScripts

split = UnicodeScripts().pre_tokenize_str


def same(one: str, other: str) -> bool:
    """Whether the library keeps two characters in one piece."""
    return len(split(one + other)) == 1


def runs() -> list[tuple[int, int]]:
    """Ranges of characters that follow one another in one piece."""
    characters = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    # What has no script goes with what stands before it, and with nothing before it is dropped.
    codes = [code for code in characters if split(chr(code))]
    found = []
    for _, (start, end) in split("".join(map(chr, codes))):
        piece = codes[start:end]
        first = 0
        for at in range(1, len(piece) + 1):
            if at == len(piece) or piece[at] != piece[at - 1] + 1:
                found.append((piece[first], piece[at - 1]))
                first = at
    return found


def main() -> None:
    """Numbers the scripts in the order of their first character, and writes the ranges."""
    first_of: list[str] = []
    lines = []
    for start, end in runs():
        known = [number for number, first in enumerate(first_of) if same(first, chr(start))]
        if not known:
            first_of.append(chr(start))
        number = known[0] if known else len(first_of) - 1
        lines.append(f"({start:#x},{end:#x},{number})")
    print("// Made by `examples/scripts_table.py` from tokenizers 0.23.3. Do not edit.\n")
    print("/// The script of a character, as a number; none for what has no script, as the space.")
    print("pub(super) fn script(c: char) -> Option<u8> {")
    print("    let code = u32::from(c);")
    print("    let after = SCRIPTS.partition_point(|&(first, ..)| first <= code);")
    print("    let &(_, last, script) = SCRIPTS.get(after.checked_sub(1)?)?;")
    print("    (code <= last).then_some(script)")
    print("}\n")
    print("/// Ranges of characters, and their script.")
    print("#[rustfmt::skip]")
    print("const SCRIPTS: &[(u32, u32, u8)] = &[")
    row = "   "
    for line in lines:
        if len(row) + len(line) > 96:
            print(row)
            row = "   "
        row += f" {line},"
    print(row)
    print("];")


main()
