//! The files are those of the definition, document by document, whatever the threads, the blocks and
//! the interruptions.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::*;
use crate::corpus::{BLOCK, MAX_DOCUMENT};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Merges, Model, Named, Pattern, SpecialToken};
use crate::parallel::locked;
use crate::testing::{Folder, Random};
use crate::tokenizer::Tokenizer;
use crate::vocab::Vocab;

const END: TokenId = 500;
const BEGIN: TokenId = 501;

fn tokenizer() -> Tokenizer {
    let mut vocab = Vocab::bytes();
    for token in ["th", "the", " the", "in", "ing", " a", "\n\n", "an", "and"] {
        vocab.insert(vocab.id_limit(), token.as_bytes()).unwrap();
    }
    let special = vec![SpecialToken::new("<|end|>", END), SpecialToken::new("<|end|>!", 501)];
    let model = Model::new(vocab, Merges::Ranked, Pattern::Named(Named::Gpt2), special);
    Tokenizer::new(Arc::new(model.checked().unwrap()), 1 << 20).unwrap()
}

fn settings(folder: &Folder, format: TokenFileFormat, out: &str) -> TokenFileSettings {
    TokenFileSettings {
        format,
        out: folder.path(out),
        width: Width::Two,
        shard_bytes: 100_000,
        split: Split::At("<|end|>".to_owned()),
        field: "text".to_owned(),
        errors: Errors::Strict,
        on_error: OnError::Stop,
        allowed: Allowed::All,
        prepend: Some(BEGIN),
        append: Some(END),
        threads: NonZeroUsize::new(2),
        max_document: MAX_DOCUMENT,
    }
}

/// Documents of all sizes, one of them of several blocks.
fn documents(seed: u64) -> Vec<String> {
    let words =
        ["the", " the", "thing", " and", "\n\n", "an", " a", "é", "中文", "!", "<|en", "\r"];
    let mut random = Random::new(seed);
    let mut document = |words_in_it: usize| -> String {
        (0..words_in_it).map(|_| words[random.below(words.len())]).collect()
    };
    let mut documents: Vec<String> = (0..300).map(|at| document(at * at % 700)).collect();
    documents[100] = document(3 * BLOCK / 4);
    documents
}

/// The records of a run and of those that it resumes.
type Records = Arc<Mutex<Vec<CommitRecord>>>;

/// Keeps records in memory.
fn recorder(records: &Records) -> Recorder {
    let records = records.clone();
    Box::new(move |record| {
        locked(&records).push(record);
        Ok(())
    })
}

fn run(settings: &TokenFileSettings, path: &Path) -> Result<(Totals, Vec<CommitRecord>)> {
    let (sources, records) = (vec![Source::File(path.to_owned())], Records::default());
    let (resume, recorder) = (Resume::default(), recorder(&records));
    let totals = encode_files(&tokenizer(), sources, settings, &resume, recorder, |_| Ok(()))?;
    Ok((totals, std::mem::take(&mut *locked(&records))))
}

/// Where the records say that a run goes on.
fn resume(records: &Records) -> Resume {
    let mut resume = Resume::default();
    for record in locked(records).iter() {
        resume.place = record.place;
        resume.totals = Totals { read: 0, ..record.totals };
        resume.files = record.files.clone();
        resume.shards += usize::from(!record.finished.is_empty());
        resume.groups.extend(record.group);
    }
    resume
}

fn ids(documents: &[String]) -> Vec<Vec<TokenId>> {
    let tokenizer = tokenizer();
    let encode = |document: &String| {
        let ids = tokenizer.encode(document.as_bytes(), &Allowed::All, None).unwrap();
        [vec![BEGIN], ids, vec![END]].concat()
    };
    documents.iter().map(encode).collect()
}

fn raw(ids: &[Vec<TokenId>]) -> Vec<u8> {
    ids.iter().flatten().flat_map(|&id| (id as u16).to_le_bytes()).collect()
}

#[test]
fn a_file_holds_the_ids_of_its_documents() {
    let folder = Folder::new();
    let documents = documents(1);
    let expected = raw(&ids(&documents));
    for ending in ["", "<|end|>"] {
        let path = folder.file("corpus.txt", documents.join("<|end|>") + ending);
        for threads in [1, 2, 5] {
            let mut settings = settings(&folder, TokenFileFormat::Raw, "ids.bin");
            settings.threads = NonZeroUsize::new(threads);
            let (totals, _) = run(&settings, &path).unwrap();
            assert!(fs::read(&settings.out).unwrap() == expected);
            let tokens = expected.len() as u64 / 2;
            let read = fs::metadata(&path).unwrap().len();
            assert_eq!(totals, Totals { documents: 300, tokens, read, skipped: 0 });
        }
    }
}

#[test]
fn shards_end_with_documents_unless_one_is_larger_than_two() {
    let folder = Folder::new();
    let documents = documents(2);
    let path = folder.file("corpus.txt", documents.join("<|end|>"));
    fs::create_dir(folder.path("shards")).unwrap();
    let settings = settings(&folder, TokenFileFormat::Shards, "shards");
    run(&settings, &path).unwrap();
    let expected = ids(&documents);
    let ends: Vec<u64> = expected
        .iter()
        .scan(0, |end, ids| {
            *end += ids.len() as u64;
            Some(*end)
        })
        .collect();
    let (mut all, mut found, mut within) = (Vec::new(), Vec::new(), 0);
    for shard in 0.. {
        let data = settings.out.join(format!("{shard:05}.bin"));
        let Ok(bytes) = fs::read(&data) else { break };
        assert!(bytes.len() < 2 * 100_000 + BLOCK * 2);
        let index = fs::read(settings.out.join(format!("{shard:05}.bin.index"))).unwrap();
        let before = all.len() as u64 / 2;
        let (index, _) = index.as_chunks::<8>();
        found.extend(index.iter().map(|&end| before + u64::from_le_bytes(end)));
        all.extend(bytes);
        within += usize::from(!ends.contains(&(all.len() as u64 / 2)));
    }
    assert!(all == raw(&expected));
    assert_eq!(found, ends);
    assert!(within > 0 && within < 8, "{within}");
}

#[test]
fn a_run_that_is_interrupted_goes_on_to_the_same_bytes() {
    let documents = documents(3);
    for (format, out) in [
        (TokenFileFormat::Raw, "ids.bin"),
        (TokenFileFormat::Npy, "ids.npy"),
        (TokenFileFormat::Shards, "shards"),
        (TokenFileFormat::Megatron, "ids.idx"),
        (TokenFileFormat::Parquet, "ids.parquet"),
    ] {
        let whole = Folder::new();
        let path = whole.file("corpus.txt", documents.join("<|end|>"));
        let once = |folder: &Folder, patience: usize| {
            let mut settings = settings(folder, format, out);
            settings.shard_bytes = 150_000;
            if format == TokenFileFormat::Shards {
                let _ = fs::create_dir(&settings.out);
            }
            if format == TokenFileFormat::Parquet {
                settings.width = Width::Four;
            }
            let (mut left, records) = (patience, Records::default());
            for attempt in 0.. {
                let watch = |totals: Totals| {
                    let more = totals.documents < 300;
                    left = left.saturating_sub(usize::from(more));
                    if left == 0 && more && attempt < 6 { Err(Error::Stopped) } else { Ok(()) }
                };
                let sources = vec![Source::File(path.clone())];
                let (resume, recorder) = (resume(&records), recorder(&records));
                match encode_files(&tokenizer(), sources, &settings, &resume, recorder, watch) {
                    Ok(totals) => {
                        assert_eq!(totals.read, fs::metadata(&path).unwrap().len());
                        break;
                    }
                    Err(error) => assert_eq!(error, Error::Stopped),
                }
                left = patience;
            }
            let read = |path: &Path| {
                if path.is_dir() {
                    let mut names: Vec<_> =
                        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
                    names.sort();
                    names.retain(|name| name.extension().is_none_or(|end| end != "partial"));
                    names.iter().map(|name| fs::read(name).unwrap()).collect()
                } else {
                    vec![fs::read(path).unwrap()]
                }
            };
            read(&settings.out)
        };
        let expected = once(&whole, usize::MAX);
        for patience in 1..3 {
            assert!(once(&Folder::new(), patience) == expected, "{format:?} {patience}");
        }
    }
}

#[test]
fn bad_documents_are_left_out_wherever_they_lie() {
    let folder = Folder::new();
    let mut documents = documents(4);
    let good: Vec<String> = documents
        .iter()
        .enumerate()
        .filter(|(at, _)| at % 50 != 0)
        .map(|(_, d)| d.clone())
        .collect();
    let mut bytes = Vec::new();
    for (at, document) in documents.iter_mut().enumerate() {
        bytes.extend(document.bytes());
        // The huge one is bad at its very end.
        bytes.extend((at % 50 == 0).then_some(0xFF));
        bytes.extend(b"<|end|>");
    }
    let path = folder.file("corpus.txt", bytes);
    let stop = settings(&folder, TokenFileFormat::Raw, "ids.bin");
    let Error::NotUtf8 { place, position: 0 } = run(&stop, &path).unwrap_err() else { panic!() };
    assert_eq!(place, format!("{}:1", path.display()));
    let skip = TokenFileSettings {
        on_error: OnError::Skip,
        ..settings(&folder, TokenFileFormat::Raw, "ids.bin")
    };
    let (totals, records) = run(&skip, &path).unwrap();
    assert!(fs::read(&skip.out).unwrap() == raw(&ids(&good)));
    assert_eq!((totals.documents, totals.skipped), (294, 6));
    let skipped = records.iter().flat_map(|record| &record.skipped);
    assert_eq!(skipped.filter(|left| left.message.starts_with("not UTF-8 (byte ")).count(), 6);
}

#[test]
fn what_is_a_document_is_the_callers_choice() {
    let folder = Folder::new();
    let encode = |name: &str, content: &str, split: Split| {
        let path = folder.file(name, content);
        let all = settings(&folder, TokenFileFormat::Raw, "ids.bin");
        let settings = TokenFileSettings { split, prepend: None, ..all };
        let (totals, _) = run(&settings, &path).unwrap();
        let ids = fs::read(&settings.out).unwrap();
        let (ids, _) = ids.as_chunks::<2>();
        let text: Vec<_> = ids.iter().map(|&id| TokenId::from(u16::from_le_bytes(id))).collect();
        (totals.documents, String::from_utf8(tokenizer().decode(&text).unwrap()).unwrap())
    };
    let at = || Split::At("<|end|>".to_owned());
    assert_eq!(encode("a.txt", "", Split::File), (1, "<|end|>".into()));
    assert_eq!(encode("a.txt", "", Split::Line), (0, "".into()));
    assert_eq!(encode("a.txt", "", at()), (0, "".into()));
    assert_eq!(encode("a.txt", "a\nb", Split::File), (1, "a\nb<|end|>".into()));
    assert_eq!(encode("a.txt", "a\r\n\nb\n", Split::Line), (3, "a<|end|><|end|>b<|end|>".into()));
    assert_eq!(encode("a.txt", "a<|end|>b", at()), (2, "a<|end|>b<|end|>".into()));
    assert_eq!(encode("a.txt", "<|end|>b<|end|>", at()), (2, "<|end|>b<|end|>".into()));
    let lines = "{\"text\": \"a\"}\n\n{\"id\": 1, \"text\": \"\\u0062\\n\"}";
    assert_eq!(encode("a.jsonl", lines, at()), (2, "a<|end|>b\n<|end|>".into()));
}

/// The writer stops the other threads by the flag that an interrupt sets, and the caller, who waits for an
/// interrupt, must not take the one for the other.
#[test]
fn the_result_of_a_run_is_never_taken_for_an_interrupt() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good.txt", "a<|end|>b"), folder.file("bad.txt", b"a\xFF"));
    let settings = settings(&folder, TokenFileFormat::Raw, "ids.bin");
    for _ in 0..300 {
        let run = |path| interrupt::scope(|| Ok(()), || run(&settings, path));
        assert_eq!(run(&good).map(|(totals, _)| totals.documents), Ok(2));
        assert!(matches!(run(&bad), Err(Error::NotUtf8 { .. })));
    }
}
