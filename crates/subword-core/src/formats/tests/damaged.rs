//! Damaged and cut files, in every format: errors, never panics.

use super::*;

type NamedFile = (&'static str, Vec<u8>);

/// The same small model in every format: files, and the options to load the first of them.
fn small_files() -> Vec<(Vec<NamedFile>, LoadOptions)> {
    let mut vocab = Vocab::bytes();
    vocab.insert(256, b"ab").unwrap();
    vocab.insert(257, b"abb").unwrap();
    let merges = Merges::Listed(vec![(97, 98), (256, 98)]);
    let special = vec![SpecialToken::new("<s>", 258)];
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::Gpt2), special);
    let (json, merges) = gpt2::write(&model).unwrap();
    let tiktoken = tiktoken::write(&model).unwrap();
    model.template = Template::around(&[258], &[]);
    model.normalizer = Normalizer::Nfc;
    model.pattern = Pattern::Regex("a+".into());
    let none = LoadOptions::default;
    let vocab = "[UNK]\n[CLS]\n[SEP]\nlow\n##er\n".as_bytes();
    let word_piece = bert::read(vocab, &bert::Config::default(), &none()).unwrap();
    let tokenizer_json = huggingface::write(&word_piece).unwrap();
    vec![
        (vec![("vocab.txt", vocab.to_vec())], none()),
        (vec![("bert.json", to_bytes(&word_piece))], none()),
        (vec![("tokenizer.json", tokenizer_json.into_bytes())], none()),
        (vec![("t.json", to_bytes(&model))], none()),
        (vec![("t.tiktoken", tiktoken.into_bytes())], with_pattern(Named::Gpt2)),
        (
            vec![("vocab.json", json.clone().into_bytes()), ("merges.txt", merges.clone().into())],
            none(),
        ),
        (vec![("merges.txt", merges.into_bytes()), ("vocab.json", json.into_bytes())], none()),
        (vec![("tokenizer.json", huggingface::write(&model).unwrap().into_bytes())], none()),
    ]
}

#[test]
fn damaged_files_are_errors_never_panics() {
    let mut random = Random::new(4);
    for (files, options) in small_files() {
        let folder = Folder::new();
        for (name, content) in &files {
            folder.file(name, content);
        }
        let (name, content) = &files[0];
        let main =
            if *name == "merges.txt" { folder.path("vocab.json") } else { folder.path(name) };
        assert!(load(&main, &options).is_ok(), "{name}");
        let ends = (0..content.len()).filter(|end| end % 7 == 0 || content.len() - end < 200);
        for end in ends {
            folder.file(name, &content[..end]);
            let _ = load(&main, &options);
        }
        for _ in 0..400 {
            let mut damaged = content.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(damaged.len());
                match random.below(4) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = random.below(256) as u8,
                    2 => drop(damaged.remove(at)),
                    _ => damaged.insert(at, damaged[random.below(damaged.len())]),
                }
            }
            folder.file(name, &damaged);
            if let Ok(model) = load(&main, &options) {
                assert_eq!(from_bytes(&to_bytes(&model)), Ok(model));
            }
        }
    }
}

#[test]
fn a_cut_off_file_is_always_refused() {
    for (files, options) in small_files() {
        let (name, content) = &files[0];
        if ["merges.txt", "t.tiktoken", "vocab.txt"].contains(name) {
            continue; // every line is complete by itself
        }
        let folder = Folder::new();
        files.iter().for_each(|(name, content)| drop(folder.file(name, content)));
        for end in (0..content.len() - 2).step_by(11) {
            folder.file(name, &content[..end]);
            assert!(load(&folder.path(name), &options).is_err(), "{name} {end}");
        }
    }
}
