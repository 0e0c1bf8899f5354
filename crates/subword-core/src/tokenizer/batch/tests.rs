//! Texts go back to the thread that gave them, however a batch ends, and every thread is waited for.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;

use super::*;
use crate::error::Error;
use crate::model::{Merges, Model, Pattern};
use crate::pretok::Named;
use crate::vocab::Vocab;

/// How many texts are held, and the thread that may drop them.
struct Owner {
    thread: ThreadId,
    held: AtomicUsize,
}

impl Owner {
    fn new() -> Owner {
        Owner { thread: std::thread::current().id(), held: AtomicUsize::new(0) }
    }

    fn give<'a>(&'a self, text: Characters<'a>) -> Text<'a> {
        self.held.fetch_add(1, Ordering::Relaxed);
        Text(self, text)
    }
}

struct Text<'a>(&'a Owner, Characters<'a>);

impl Held for Text<'_> {
    fn characters(&self) -> Characters<'_> {
        self.1
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        assert_eq!(std::thread::current().id(), self.0.thread);
        self.0.held.fetch_sub(1, Ordering::Relaxed);
    }
}

fn bytes() -> Tokenizer {
    let pattern = Pattern::Named(Named::Gpt2);
    let model = Model::new(Vocab::bytes(), Merges::Listed(vec![]), pattern, vec![]);
    Tokenizer::new(Arc::new(model.checked().unwrap()), 1 << 20).unwrap()
}

const THREADS: [usize; 3] = [1, 2, 5];

#[test]
fn parts_come_in_order_and_texts_go_back() {
    let (tokenizer, owner) = (bytes(), Owner::new());
    let texts: Vec<Vec<u8>> = (0..3000usize).map(|n| vec![b'a' + n as u8 % 26; n % 700]).collect();
    for threads in THREADS.map(NonZeroUsize::new) {
        let held = texts.iter().map(|text| Some(owner.give(Characters::Utf8(text))));
        let mut all: Vec<Vec<u32>> = Vec::new();
        let take = |parts: &[Ragged]| {
            for part in parts {
                let mut start = 0;
                for &end in &part.bounds {
                    all.push(part.ids[start..end as usize].to_vec());
                    start = end as usize;
                }
            }
            Ok(())
        };
        let done = tokenizer.encode_batch_parts(held, &Allowed::Text, threads, |work| work(), take);
        assert_eq!(done, Ok(true));
        let expected = texts.iter().map(|text| text.iter().map(|&b| u32::from(b)).collect());
        assert!(all.into_iter().eq(expected.collect::<Vec<Vec<u32>>>()));
        assert_eq!(owner.held.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn texts_go_back_if_one_is_missing_or_none_or_the_caller_gives_up() {
    let tokenizer = bytes();
    let (text, surrogate) = (vec![b'a'; LEAST_BYTES], [0xD800]);
    for threads in THREADS.map(NonZeroUsize::new) {
        for (count, last) in [(5, 0), (5, 1), (40, 2), (5, 3)] {
            let owner = Owner::new();
            let whole = (0..count).map(|_| Some(owner.give(Characters::Utf8(&text))));
            let end: Option<Option<Text>> = match last {
                0 => Some(None),
                1 => Some(Some(owner.give(Characters::Two(&surrogate)))),
                _ => None,
            };
            let take = |_: &[Ragged]| if last == 2 { Err(Error::Stopped) } else { Ok(()) };
            let detach = |work: Detached| if last == 3 { Err(Error::Stopped) } else { work() };
            let texts = whole.chain(end);
            let done = tokenizer.encode_batch_parts(texts, &Allowed::Text, threads, detach, take);
            assert_eq!(done, if last < 2 { Ok(false) } else { Err(Error::Stopped) });
            assert_eq!(owner.held.load(Ordering::Relaxed), 0);
        }
    }
}
