//! `bert` by NEON: what is known of a byte is kept as bits of one byte, until the end, where they become masks together.

use std::arch::aarch64::*;

use super::bert::{BERT_BITS, PUNCTUATION, WORD, ascii, first};
use super::lanes_aarch64::{Dealt, close};
use super::non_ascii::Lanes;
use super::{BERT_PUNCTUATION, BLOCK, BertBlock, BertRules};

/// The last byte of punctuation beyond ASCII. The bits below are those of `BERT_BITS`.
const LAST: u8 = 8;
/// A byte of a character beyond ASCII that is handled here.
const KNOWN: u8 = 16;
/// A byte that has no place among those written.
const GONE: u8 = 32;

#[inline]
#[target_feature(enable = "neon")]
pub(super) fn bert_neon(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
    let mut padded = [0; BLOCK];
    let block = text.first_chunk().unwrap_or_else(|| {
        padded[..text.len()].copy_from_slice(text);
        &padded
    });
    let lanes = Dealt::load(block);
    let letters = vdupq_n_u8(if rules.lowercase { 26 } else { 0 });
    let small = lanes.map(|lanes| {
        let upper = vcltq_u8(vsubq_u8(lanes, vdupq_n_u8(b'A')), letters);
        vorrq_u8(lanes, vandq_u8(upper, vdupq_n_u8(0x20)))
    });
    let kinds = lanes.look_up_128(&BERT_BITS);
    let above = lanes.high();
    if above != 0 {
        return wide(lanes, above, small, kinds.only(!above), bytes, rules);
    }
    small.store(bytes);
    // Beyond the end of the text is 0, which is odd.
    let [word, punctuation, odd, ..] = kinds.planes();
    ascii(word, punctuation, odd)
}

/// A block with bytes above 127: all characters of one first byte at once, by tables that their second bytes choose from.
#[inline]
#[target_feature(enable = "neon")]
fn wide(
    lanes: Dealt,
    above: u64,
    small: Dealt,
    mut kinds: Dealt,
    bytes: &mut [u8; BLOCK],
    rules: &BertRules,
) -> BertBlock {
    let equal = |lanes: Dealt, byte: u8| lanes.map(|lanes| vceqq_u8(lanes, vdupq_n_u8(byte)));
    let chosen = |places: Dealt, yes: Dealt, no: Dealt| {
        Dealt(std::array::from_fn(|i| vbslq_u8(places.0[i], yes.0[i], no.0[i])))
    };
    let (next, continued) = (
        following(lanes),
        lanes.map(|lanes| vcltq_s8(vreinterpretq_s8_u8(lanes), vdupq_n_s8(-0x40))),
    );
    let continues = following(continued);
    let mut out = small;
    for letters in &rules.letters {
        let lead = equal(lanes, letters.lead).and(continues);
        if !any(lead) {
            continue;
        }
        let firsts = next.look_up_64(&letters.first);
        let lead = lead.and(firsts.map(|lanes| vtstq_u8(lanes, lanes)));
        let seconds = lanes.look_up_64(&letters.second);
        let second = preceding(lead);
        out = chosen(second, seconds, chosen(lead, firsts, out));
        let gone = second.and(seconds.map(|lanes| vceqzq_u8(lanes)));
        kinds = kinds.or(marked(lead.or(second), WORD | KNOWN)).or(marked(gone, GONE));
    }
    let mut symbols = |lead: Dealt, of: Dealt, len: usize| {
        let known = lead.and(of.map(|lanes| vtstq_u8(lanes, lanes)));
        let is_symbol = |lanes| vtstq_u8(lanes, vdupq_n_u8(BERT_PUNCTUATION));
        let mut symbol = known.and(of.map(is_symbol));
        kinds = kinds.or(marked(symbol, PUNCTUATION));
        let mut bytes = known;
        for _ in 1..len {
            (symbol, bytes) = (preceding(symbol), preceding(bytes).or(known));
        }
        kinds = kinds.or(marked(symbol, LAST)).or(marked(bytes, KNOWN));
    };
    let lead = equal(lanes, 0xC2).and(continues);
    if any(lead) {
        symbols(lead, next.look_up_64(&rules.symbols.c2), 2);
    }
    let lead = equal(lanes, 0xE2).and(equal(next, 0x80)).and(following(continues));
    if any(lead) {
        symbols(lead, following(next).look_up_64(&rules.symbols.e2_80), 3);
    }
    let [word, punctuation, odd, last, known, gone, ..] = kinds.planes();
    let read = (odd | above & !known).trailing_zeros() as usize;
    let valid = first(read);
    let kept = valid & !gone;
    out.store(bytes);
    if gone & valid == 0 {
        let last = last | punctuation & !above;
        let (word, punctuation, last) = (word & valid, punctuation & valid, last & valid);
        return BertBlock { word, punctuation, last, kept, read };
    }
    let ascii_symbols = Dealt::of_mask(punctuation & !above);
    let closed = |bytes: &[u8; BLOCK]| {
        let mut closed = [0; BLOCK + 8];
        close(bytes, kept, &mut closed);
        *closed.first_chunk().expect("a block")
    };
    *bytes = closed(bytes);
    let mut kind = [0; BLOCK];
    kinds.or(marked(ascii_symbols, LAST)).store(&mut kind);
    let [word, punctuation, _, last, ..] = Dealt::load(&closed(&kind)).planes();
    BertBlock { word, punctuation, last, kept, read }
}

/// The byte after each, and 0 at the end.
#[inline]
#[target_feature(enable = "neon")]
fn following(Dealt([a, b, c, d]): Dealt) -> Dealt {
    Dealt([b, c, d, vextq_u8::<1>(a, vdupq_n_u8(0))])
}

/// The byte before each, and 0 at the start.
#[inline]
#[target_feature(enable = "neon")]
fn preceding(Dealt([a, b, c, d]): Dealt) -> Dealt {
    Dealt([vextq_u8::<15>(vdupq_n_u8(0), d), a, b, c])
}

/// These bits where a mask is.
#[inline]
#[target_feature(enable = "neon")]
fn marked(places: Dealt, bits: u8) -> Dealt {
    places.map(|lanes| vandq_u8(lanes, vdupq_n_u8(bits)))
}

/// Whether a byte is not zero.
#[inline]
#[target_feature(enable = "neon")]
fn any(Dealt([a, b, c, d]): Dealt) -> bool {
    vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d))) != 0
}
