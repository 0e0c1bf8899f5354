//! Counts are those of the definition, whatever the number of threads, the blocks and the limit.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use super::*;
use crate::model::Bert;
use crate::pretok::{Named, Splitter};
use crate::testing::{Folder, Random};
use crate::types::Count;

type PlainCounts = BTreeMap<Vec<u8>, Count>;

fn content(counts: &Counts) -> PlainCounts {
    let mut content = PlainCounts::new();
    let entry = |piece: &[u8], count| {
        assert!(content.insert(piece.to_vec(), count).is_none());
        Ok(())
    };
    counts.for_each(entry).unwrap();
    assert_eq!(content.len(), counts.len());
    assert_eq!(content.values().sum::<Count>(), counts.total());
    content
}

/// The definition: cut out special tokens, the leftmost first, of those the longest; split the rest.
fn expected(texts: &[&str], settings: &CountSettings) -> PlainCounts {
    let splitter = Splitter::new(&settings.pattern).unwrap();
    let mut pieces = PlainCounts::new();
    let mut count = |text: &str| {
        let text = settings.normalizer.apply(text.as_bytes());
        let (mut ends, mut start) = (Vec::new(), 0);
        splitter.append_ends(&text, 0, &mut ends).unwrap();
        for end in ends {
            *pieces.entry(text[start..end].to_vec()).or_default() += 1;
            start = end;
        }
    };
    for text in texts {
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let here = |token: &&String| text.as_bytes()[at..].starts_with(token.as_bytes());
            match settings.special_tokens.iter().filter(here).map(String::len).max() {
                Some(len) => {
                    count(&text[start..at]);
                    at += len;
                    start = at;
                }
                None => at += 1,
            }
        }
        count(&text[start..]);
    }
    pieces
}

fn settings(named: Named, special: &[&str], threads: usize, limit: Option<usize>) -> CountSettings {
    CountSettings {
        special_tokens: special.iter().map(|&token| token.to_owned()).collect(),
        threads: NonZeroUsize::new(threads),
        memory_limit: limit,
        ..CountSettings::new(Pattern::Named(named))
    }
}

/// Text of words, numbers, and parts of special tokens.
fn random_text(random: &mut Random, words: usize) -> String {
    const PARTS: [&str; 20] = [
        "low",
        "lower",
        "LOW",
        "é",
        "е\u{301}",
        "中文字",
        "中。文",
        "'s",
        "'",
        "1234",
        " ",
        "  ",
        "\n",
        "\r\n",
        ".",
        "<|end",
        "<|end of text|>",
        "of text|>",
        "x|>",
        "…",
    ];
    (0..words).map(|_| PARTS[random.below(PARTS.len())]).collect()
}

fn count_all(texts: &[&str], settings: &CountSettings) -> Counts {
    let feed = |feeder: &mut Feeder<'_, '_>| {
        texts.iter().try_for_each(|text| feeder.push(text.as_bytes()))
    };
    count_texts(settings, |_| Ok(()), feed).unwrap()
}

const SPECIAL: [&str; 3] = ["<|end of text|>", "of text", "x|><|end"];

#[test]
fn texts_are_counted_by_the_definition() {
    let mut random = Random::new(11);
    for named in Named::ALL {
        let texts: Vec<String> = (0..60).map(|_| random_text(&mut random, 40)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for special in [&SPECIAL[..], &[]] {
            let expected = expected(&texts, &settings(named, special, 1, None));
            for (threads, limit) in [(1, None), (3, None), (1, Some(1)), (2, Some(1))] {
                let counts = count_all(&texts, &settings(named, special, threads, limit));
                assert_eq!(content(&counts), expected);
                assert_eq!(counts.special_tokens().len(), special.len());
            }
        }
    }
}

/// A text that is larger than several blocks.
fn large_text(random: &mut Random) -> String {
    random_text(random, 5 * crate::corpus::BLOCK / 4)
}

#[test]
fn a_large_file_is_cut_without_changing_a_count() {
    let mut random = Random::new(5);
    let folder = Folder::new();
    let text = large_text(&mut random);
    let path = folder.file("corpus.txt", &text);
    let bert = Normalizer::Bert(Bert::UNCASED);
    let forms = [Named::Gpt2, Named::O200k, Named::Whitespace, Named::None]
        .map(|named| (named, Normalizer::None))
        .into_iter()
        .chain([(Named::Bert, bert), (Named::Gpt2, Normalizer::Nfc)]);
    for (named, normalizer) in forms {
        let settings = |special, threads, limit| CountSettings {
            normalizer,
            ..settings(named, special, threads, limit)
        };
        for special in [&SPECIAL[..], &[]] {
            let expected = expected(&[&text], &settings(special, 1, None));
            for (threads, limit) in [(1, None), (2, None), (2, Some(100_000))] {
                let settings = settings(special, threads, limit);
                let mut last = 0;
                let watch = |done| {
                    assert!(done >= last);
                    last = done;
                    Ok(())
                };
                let counts = count_files(vec![path.clone()], &settings, watch).unwrap();
                assert!(content(&counts) == expected, "{named:?} {special:?} {threads} {limit:?}");
                assert_eq!(counts.is_on_disk(), limit.is_some());
                assert_eq!(last, text.len() as u64);
                let counts = count_all(&[&text], &settings);
                assert!(content(&counts) == expected, "{named:?} {special:?} {threads} {limit:?}");
            }
        }
    }
}

#[test]
fn a_regular_expression_sees_whole_texts() {
    let text = "ab".repeat(crate::corpus::BLOCK) + "<s>" + &"ba".repeat(crate::corpus::BLOCK);
    let folder = Folder::new();
    let path = folder.file("corpus.txt", &text);
    let mut settings = settings(Named::None, &["<s>"], 2, None);
    settings.pattern = Pattern::Regex("(?:ab)+|(?:ba)+".to_owned());
    let counts = count_files(vec![path], &settings, |_| Ok(())).unwrap();
    assert_eq!(content(&counts), expected(&[&text], &settings));
    assert_eq!(counts.len(), 2);
}

fn gzip(text: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    file.write_all(text).unwrap();
    file.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn compressed_files_are_read_to_their_end() {
    let folder = Folder::new();
    let text = large_text(&mut Random::new(9));
    let (head, tail) = text.as_bytes().split_at(text.len() / 3 + 1);
    let skipped = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9];
    let settings = settings(Named::Gpt2, &SPECIAL, 2, None);
    let expected = expected(&[&text], &settings);
    for (name, bytes) in [
        ("one.gz", gzip(text.as_bytes())),
        ("two.txt.GZ", [gzip(head), gzip(tail)].concat()),
        ("one.zst", zstd(text.as_bytes())),
        ("two.zst", [&zstd(head)[..], &skipped, &zstd(tail), &skipped].concat()),
    ] {
        let path = folder.file(name, &bytes);
        let mut read = 0;
        let watch = |done| {
            read = done;
            Ok(())
        };
        let counts = count_files(vec![path], &settings, watch).unwrap();
        assert!(content(&counts) == expected, "{name}");
        assert_eq!(read, bytes.len() as u64, "{name}");
        let cut = folder.file(name, &bytes[..bytes.len() - 9]);
        let error = count_files(vec![cut.clone()], &settings, |_| Ok(())).unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if Path::new(path) == cut), "{error:?}");
    }
}

#[test]
fn every_line_is_a_text() {
    let folder = Folder::new();
    let mut random = Random::new(2);
    let texts: Vec<String> = (0..20_000).map(|_| random_text(&mut random, 8)).collect();
    let lines: Vec<String> = texts
        .iter()
        .map(|text| serde_json::json!({"id": 7, "body": text, "more": [text]}).to_string())
        .collect();
    let lines = lines.join("\n");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut settings = settings(Named::Cl100k, &SPECIAL, 2, None);
    settings.field = "body".to_owned();
    let expected = expected(&texts, &settings);
    let files = [("a.jsonl", lines.clone().into_bytes()), ("b.jsonl.gz", gzip(lines.as_bytes()))];
    for (name, bytes) in files {
        let path = folder.file(name, bytes);
        assert!(content(&count_files(vec![path], &settings, |_| Ok(())).unwrap()) == expected);
    }
    let path = folder.file("bad.jsonl", lines + "\n{\"body\": 7}\n");
    let error = count_files(vec![path.clone()], &settings, |_| Ok(())).unwrap_err();
    let place = format!("{}:20001", path.display());
    assert!(matches!(&error, Error::Corpus { place: found, .. } if *found == place), "{error:?}");
}

#[test]
fn what_is_not_utf8_is_named_by_its_place() {
    let folder = Folder::new();
    let good = "low lower ".repeat(crate::corpus::BLOCK / 4);
    let bad = [good.as_bytes(), b"x\xFFy ", good.as_bytes(), b"\xE2\x82"].concat();
    let path = folder.file("bad.txt", &bad);
    let mut settings = settings(Named::Gpt2, &[], 2, None);
    let place = path.display().to_string();
    let position = good.len() as u64 + 1;
    let error = Error::NotUtf8 { place, position };
    for _ in 0..5 {
        let found = count_files(vec![path.clone()], &settings, |_| Ok(())).unwrap_err();
        assert_eq!(found, error);
    }
    let texts = |settings: &CountSettings| {
        count_texts(
            settings,
            |_| Ok(()),
            |feeder| {
                feeder.push(b"low")?;
                feeder.push(&bad)
            },
        )
    };
    let error = Error::NotUtf8 { place: "text 1".to_owned(), position };
    assert_eq!(texts(&settings).unwrap_err(), error);

    settings.errors = Errors::Replace;
    let replaced = String::from_utf8_lossy(&bad).into_owned();
    let counts = count_files(vec![path], &settings, |_| Ok(())).unwrap();
    assert!(content(&counts) == expected(&[&replaced], &settings));
    assert!(content(&texts(&settings).unwrap()) == expected(&["low", &replaced], &settings));
}

#[test]
fn whoever_watches_can_stop_it() {
    let folder = Folder::new();
    let path = folder.file("corpus.txt", large_text(&mut Random::new(1)));
    let settings = settings(Named::Gpt2, &[], 2, None);
    let stop = |done| if done > 0 { Err(Error::Stopped) } else { Ok(()) };
    let paths = vec![path.clone(); 20];
    assert_eq!(count_files(paths, &settings, stop).unwrap_err(), Error::Stopped);
    let text = fs::read(path).unwrap();
    let feed = |feeder: &mut Feeder<'_, '_>| (0..20).try_for_each(|_| feeder.push(&text));
    assert_eq!(count_texts(&settings, stop, feed).unwrap_err(), Error::Stopped);
    let fed = count_texts(&settings, |_| Ok(()), |_| Err(Error::counts("no")));
    assert_eq!(fed.unwrap_err(), Error::counts("no"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |settings: &CountSettings| {
        count_files(vec!["nowhere.txt".into()], settings, |_| Ok(())).unwrap_err()
    };
    let good = settings(Named::Gpt2, &[], 2, None);
    assert!(
        matches!(refused(&good), Error::Io { path, code: Some(2), .. } if path == "nowhere.txt")
    );
    let empty = settings(Named::Gpt2, &["<s>", ""], 2, None);
    assert_eq!(refused(&empty), Error::counts("a special token is empty"));
    let long = settings(Named::Gpt2, &[&"x".repeat(1025)], 2, None);
    let message = "a special token has 1025 bytes, the limit is 1024";
    assert_eq!(refused(&long), Error::counts(message));
    let pattern = CountSettings { pattern: Pattern::Regex("(".to_owned()), ..good };
    assert!(matches!(refused(&pattern), Error::Pattern { .. }));
}

#[test]
fn nothing_counts_to_nothing() {
    let folder = Folder::new();
    let empty = folder.file("empty.txt", "");
    let settings = settings(Named::Gpt2, &["<s>"], 2, Some(1));
    let counts = count_files(vec![empty], &settings, |_| Ok(())).unwrap();
    assert!(counts.is_empty() && !counts.is_on_disk());
    assert!(count_all(&[], &settings).is_empty());
    assert!(count_all(&["", "<s>", "<s><s>"], &settings).is_empty());
}
