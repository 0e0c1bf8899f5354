//! Every input in the corpus, which is seeds and whatever was found once, holds what its target checks.

use std::fs;
use std::path::{Path, PathBuf};

fn replay(target: &str) {
    let (_, check) = subword_fuzz::TARGETS.iter().find(|(name, _)| *name == target).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder:?} is empty");
    for path in paths {
        // Shown only if the test fails.
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
    }
}

#[test]
fn files_that_were_loaded_once_load_or_are_refused() {
    replay("load");
}

#[test]
fn files_of_sentencepiece_that_were_loaded_once_load_or_are_refused() {
    replay("sentencepiece");
}

#[test]
fn texts_that_were_encoded_once_have_the_ids_of_the_definition() {
    replay("encode");
}

#[test]
fn large_texts_that_were_encoded_once_have_the_same_ids_on_several_threads() {
    replay("threads");
}

#[test]
fn counts_that_were_read_once_survive_a_round_trip() {
    replay("counts");
}

#[test]
fn counts_that_were_learned_from_once_teach_the_same_merges() {
    replay("train");
}

#[test]
fn patterns_that_cut_once_cut_into_pieces_that_spell_the_text() {
    replay("split");
}
