/*!
The pieces that Unigram begins with: substrings of the segments that occur at least twice.

All places where a character starts are sorted by the text that follows them. Then places with the same beginning
stand side by side, and a substring that is followed by different characters is an interval of the sorted places whose
neighbours share just as many characters (a node of the suffix tree):

```text
hello  5 times     both start with hel   ->   hel is a seed that occurs 8 times, hello one that occurs 5 times
helmet 3 times                                hell occurs as often as hello, so it is none
```

Of a substring that is always followed by the same character only the longer one is a seed: they have the same
places. Those with the most characters in the text (count times length) are kept.
*/

use std::cmp::Ordering;

use super::{END, Segments};
use crate::error::Result;
use crate::types::Count;
use crate::{interrupt, memory, parallel};

/// A place in the text: its first bytes as a number, where it is, and the segment that it is in.
#[derive(Debug, Clone, Copy)]
struct Suffix {
    key: u64,
    at: u32,
    segment: u32,
}

/// A substring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    /// Where it stands in the text, and how many bytes it has.
    pub(super) at: u32,
    pub(super) bytes: u32,
    /// How many characters it has.
    pub(super) characters: u32,
    /// How often it occurs.
    pub(super) count: Count,
}

impl Seed {
    fn weight(&self) -> u128 {
        u128::from(self.count) * u128::from(self.characters)
    }
}

/// The substrings to begin with.
#[derive(Debug)]
pub(super) struct Seeds(pub(super) Vec<Seed>);

impl Seeds {
    /// Those of at most `longest` characters, at most `most` of them.
    pub(super) fn find(
        segments: &Segments,
        longest: usize,
        most: usize,
        threads: usize,
    ) -> Result<Seeds> {
        let text = &segments.text;
        let suffixes = sorted(segments, longest, threads)?;
        let mut seeds = Collector { text, found: Vec::new() };
        // The open intervals: how many characters they share, and the sum of the counts before them.
        let mut open: Vec<(usize, u128)> = Vec::new();
        let (mut sum, mut shared_before) = (0u128, 0);
        for (number, suffix) in suffixes.iter().enumerate() {
            let count = segments.places[suffix.segment as usize].1;
            let next = suffixes.get(number + 1);
            let shared = next.map_or(0, |next| shared(text, suffix.at, next.at, longest));
            // The place by itself, where it goes on further than its neighbours have it in common.
            let alone = characters_at(text, suffix.at, longest);
            if alone > shared.max(shared_before) {
                seeds.add(suffix.at, alone, u128::from(count));
            }
            let mut start = sum;
            sum += u128::from(count);
            while let Some(&(length, before)) = open.last().filter(|last| last.0 > shared) {
                seeds.add(suffix.at, length, sum - before);
                start = before;
                open.pop();
            }
            if open.last().map_or(0, |last| last.0) < shared {
                open.push((shared, start));
            }
            shared_before = shared;
            interrupt::worked(16)?;
        }
        Ok(Seeds(seeds.best(most)))
    }
}

struct Collector<'a> {
    text: &'a [u8],
    found: Vec<Seed>,
}

impl Collector<'_> {
    fn add(&mut self, at: u32, characters: usize, count: u128) {
        if characters < 2 || count < 2 {
            return;
        }
        let rest = &self.text[at as usize..];
        let bytes = bytes_of(rest, characters);
        let count = Count::try_from(count).unwrap_or(Count::MAX);
        self.found.push(Seed { at, bytes: bytes as u32, characters: characters as u32, count });
    }

    /// The seeds of the greatest weight, of equals those that sort first.
    fn best(mut self, most: usize) -> Vec<Seed> {
        let text = self.text;
        let spelled = |seed: &Seed| &text[seed.at as usize..][..seed.bytes as usize];
        let order = |a: &Seed, b: &Seed| {
            b.weight().cmp(&a.weight()).then_with(|| spelled(a).cmp(spelled(b)))
        };
        if self.found.len() > most && most > 0 {
            self.found.select_nth_unstable_by(most - 1, order);
        }
        self.found.truncate(most);
        self.found.sort_unstable_by(order);
        self.found
    }
}

/// All places where a character starts, in the order of what follows.
fn sorted(segments: &Segments, longest: usize, threads: usize) -> Result<Vec<Suffix>> {
    let text = &segments.text;
    let starts = |byte: u8| byte != END && byte & 0xC0 != 0x80;
    let total = text.iter().filter(|&&byte| starts(byte)).count();
    let mut suffixes: Vec<Suffix> = memory::with_capacity(total)?;
    for number in 0..segments.places.len() {
        let start = segments.places[number].0;
        let segment = segments.get(number).0;
        for at in (0..segment.len()).filter(|&at| starts(segment[at])) {
            let at = start + at;
            let mut first = [0; 8];
            let rest = &text[at..text.len().min(at + 8)];
            first[..rest.len()].copy_from_slice(rest);
            let key = u64::from_be_bytes(first);
            suffixes.push(Suffix { key, at: at as u32, segment: number as u32 });
        }
        interrupt::worked(segment.len())?;
    }
    let reach = 4 * longest;
    let follows = |suffix: &Suffix| {
        let at = suffix.at as usize;
        &text[at..text.len().min(at + reach)]
    };
    let order = |a: &Suffix, b: &Suffix| -> Ordering {
        a.key.cmp(&b.key).then_with(|| follows(a).cmp(follows(b)))
    };
    // Parts are sorted side by side, then merged: sorting what is sorted in parts is quick.
    let part = suffixes.len().div_ceil(threads).max(1 << 16);
    let parts: Vec<_> = suffixes.chunks_mut(part).map(std::sync::Mutex::new).collect();
    parallel::map(parts.len(), threads, |jobs| {
        jobs.map(|job| {
            parallel::locked(&parts[job]).sort_unstable_by(order);
            interrupt::worked(1)
        })
    })?;
    drop(parts);
    suffixes.sort_by(order);
    Ok(suffixes)
}

/// How many characters two places have in common, at most `longest`.
fn shared(text: &[u8], one: u32, other: u32, longest: usize) -> usize {
    let (one, other) = (&text[one as usize..], &text[other as usize..]);
    let same = one.iter().zip(other).take(4 * longest).take_while(|(a, b)| a == b && **a != END);
    let bytes = same.count();
    let goes_on = |byte: &u8| *byte & 0xC0 == 0x80;
    let started = one[..bytes].iter().filter(|byte| !goes_on(byte)).count();
    // The last character may be the same at its start only.
    let whole = started - usize::from(bytes > 0 && one.get(bytes).is_some_and(goes_on));
    whole.min(longest)
}

/// How many characters there are up to the end of the segment, at most `longest`.
fn characters_at(text: &[u8], at: u32, longest: usize) -> usize {
    let rest = text[at as usize..].iter().take_while(|&&byte| byte != END);
    rest.filter(|&&byte| byte & 0xC0 != 0x80).take(longest).count()
}

/// How many bytes the first characters have.
fn bytes_of(text: &[u8], characters: usize) -> usize {
    let starts = |&(_, &byte): &(usize, &u8)| byte == END || byte & 0xC0 != 0x80;
    text.iter().enumerate().filter(starts).nth(characters).map_or(text.len(), |(at, _)| at)
}
