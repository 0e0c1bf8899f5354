/*!
Splitting: the first line is a pattern, all after it a text.

A name or a regular expression; several with a tab between them come one after the other.
*/

use subword_core::Level;
use subword_core::Pattern;
use subword_core::pretok::Splitter;

use crate::plain::defined;

/// The longest pattern and the longest text, in bytes: a pattern may need quadratic time.
const MOST_PATTERN: usize = 200;
const MOST_TEXT: usize = 2000;

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some(end) = data.iter().position(|&byte| byte == b'\n') else { return };
    let (line, text) = (&data[..end.min(MOST_PATTERN)], &data[end + 1..]);
    let Ok(line) = std::str::from_utf8(line) else { return };
    let parts: Result<Vec<_>, _> = line.split('\t').map(Pattern::parse).collect();
    let Ok(parts) = parts else { return };
    let pattern = Pattern::Sequence(parts).canonical();
    let Ok(splitter) = Splitter::new(&pattern) else { return };
    let text = &text[..text.len().min(MOST_TEXT)];
    let mut ends = Vec::new();
    if splitter.append_ends(text, 0, &mut ends).is_err() {
        return;
    }
    let rises = ends.is_sorted_by(|a, b| a < b) && ends.first() != Some(&0);
    assert!(rises, "{pattern:?}: a piece is empty: {ends:?}");
    assert_eq!(ends.last().copied().unwrap_or(0), text.len(), "{pattern:?}: a piece is missing");
    let (mut batches, mut room) = (Vec::new(), Vec::new());
    let batch = |ends: &[usize]| {
        batches.extend_from_slice(ends);
        Ok(())
    };
    splitter.for_each_batch(text, &mut room, batch).expect("a text that was cut before");
    assert_eq!(batches, ends, "{pattern:?}: by the batch");
    for level in Level::available() {
        let mut same = Vec::new();
        let splitter = Splitter::at_level(&pattern, level).expect("a pattern that was read before");
        splitter.append_ends(text, 0, &mut same).expect("a text that was cut before");
        assert_eq!(same, ends, "{pattern:?}: {level:?}");
    }
    if let Pattern::Named(named) = pattern {
        let mut plainly = Vec::new();
        let splitter = defined(named).expect("the definition of a named pattern");
        if !named.regexes().is_empty() && splitter.append_ends(text, 0, &mut plainly).is_ok() {
            assert_eq!(ends, plainly, "{named:?}");
        }
    }
    let cuts: Vec<usize> = (1..text.len()).filter(|&at| splitter.cuts_before(text, at)).collect();
    let missing = cuts.iter().find(|cut| ends.binary_search(cut).is_err());
    assert_eq!(missing, None, "{pattern:?}: a text may be cut within a piece");
}
