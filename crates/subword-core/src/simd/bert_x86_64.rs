//! `bert` by AVX2 and AVX-512.

use std::arch::x86_64::*;

use super::bert::{BERT_BITS, ODD, PUNCTUATION, WORD, ascii, first, plain};
use super::{BERT_PUNCTUATION, BERT_WHITE, BLOCK, BertBlock, BertRules};

/// ASCII; a block with something else in it goes by the plain form.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bert_avx2(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
    let there = text.len().min(BLOCK);
    *bytes = match text.first_chunk() {
        Some(block) => *block,
        None => {
            let mut block = [0; BLOCK];
            block[..there].copy_from_slice(text);
            block
        }
    };
    let (mut word, mut visible, mut white, mut above) = (0, 0, 0, 0);
    for (half, bytes) in bytes.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        // SAFETY: these are 32 bytes; `loadu` takes any alignment.
        let lanes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        // Bytes above 127 are negative, so they are in no range.
        let range = |from: u8, to: u8| {
            let above = _mm256_cmpgt_epi8(lanes, _mm256_set1_epi8(from as i8 - 1));
            let below = _mm256_cmpgt_epi8(_mm256_set1_epi8((to + 1) as i8), lanes);
            _mm256_and_si256(above, below)
        };
        let mask = |lanes: __m256i| u64::from(_mm256_movemask_epi8(lanes) as u32) << (32 * half);
        let upper = range(b'A', b'Z');
        word |= mask(upper) | mask(range(b'a', b'z')) | mask(range(b'0', b'9'));
        visible |= mask(range(b'!', b'~'));
        let equal = |byte: u8| mask(_mm256_cmpeq_epi8(lanes, _mm256_set1_epi8(byte as i8)));
        white |= mask(range(b'\t', b'\n')) | equal(b'\r') | equal(b' ');
        above |= mask(lanes);
        if rules.lowercase {
            let bit = _mm256_and_si256(upper, _mm256_set1_epi8(0x20));
            // SAFETY: these are 32 bytes; `storeu` takes any alignment.
            unsafe {
                _mm256_storeu_si256(bytes.as_mut_ptr().cast(), _mm256_or_si256(lanes, bit));
            }
        }
    }
    if above != 0 {
        return plain(text, bytes, rules);
    }
    // Beyond the end of the text is 0, which is odd.
    ascii(word, visible & !word, !(visible | white))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
pub(super) fn bert_avx512(text: &[u8], bytes: &mut [u8; BLOCK], rules: &BertRules) -> BertBlock {
    let there = first(text.len());
    // SAFETY: the text has as many bytes as there are ones, and no others are read; the table has 128
    // bytes; these loads take any alignment.
    let (lanes, low, high) = unsafe {
        (
            _mm512_maskz_loadu_epi8(there, text.as_ptr().cast()),
            _mm512_loadu_si512(BERT_BITS.as_ptr().cast()),
            _mm512_loadu_si512(BERT_BITS.as_ptr().add(64).cast()),
        )
    };
    let above = _mm512_movepi8_mask(lanes);
    // The shuffle ignores the eighth bit of an index: bytes above 127 are cleared by the mask.
    let classes = _mm512_maskz_permutex2var_epi8(!above, low, lanes, high);
    let mask = |bit: u8| _mm512_test_epi8_mask(classes, _mm512_set1_epi8(bit as i8));
    let from_a = _mm512_sub_epi8(lanes, _mm512_set1_epi8(b'A' as i8));
    let letters = _mm512_set1_epi8(if rules.lowercase { 26 } else { 0 });
    let upper = _mm512_cmplt_epu8_mask(from_a, letters);
    let small = _mm512_mask_add_epi8(lanes, upper, lanes, _mm512_set1_epi8(0x20));
    let block =
        BertLanes { word: mask(WORD), punctuation: mask(PUNCTUATION), odd: mask(ODD) | !there };
    if above == 0 {
        // SAFETY: the block has 64 bytes; `storeu` takes any alignment.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), small) };
        return ascii(block.word, block.punctuation, block.odd);
    }
    bert_wide(lanes, above, small, block, bytes, rules)
}

/// What is known of a block's ASCII.
struct BertLanes {
    word: u64,
    punctuation: u64,
    odd: u64,
}

/// A block with bytes above 127: all characters of one first byte at once, by shuffles that look up
/// what their second bytes ask for.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
fn bert_wide(
    lanes: __m512i,
    above: u64,
    small: __m512i,
    BertLanes { mut word, mut punctuation, odd }: BertLanes,
    bytes: &mut [u8; BLOCK],
    rules: &BertRules,
) -> BertBlock {
    // SAFETY: the tables have 64 bytes; `loadu` takes any alignment.
    let table = |table: &[u8; 64]| unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
    let equal = |byte: u8| _mm512_cmpeq_epi8_mask(lanes, _mm512_set1_epi8(byte as i8));
    // The bytes one and two after each.
    let next = _mm512_permutexvar_epi8(table(&NEXT), lanes);
    let after = _mm512_permutexvar_epi8(table(&NEXT), next);
    let continued = _mm512_cmplt_epi8_mask(lanes, _mm512_set1_epi8(0xC0u8 as i8));
    let (mut out, mut last, mut known, mut gone) = (small, punctuation, !above, 0);
    for letters in &rules.letters {
        let lead = equal(letters.lead) & continued >> 1;
        if lead == 0 {
            continue;
        }
        let firsts = _mm512_permutexvar_epi8(next, table(&letters.first));
        let lead = lead & _mm512_test_epi8_mask(firsts, firsts);
        let seconds = _mm512_permutexvar_epi8(lanes, table(&letters.second));
        gone |= lead << 1 & _mm512_testn_epi8_mask(seconds, seconds);
        out = _mm512_mask_mov_epi8(out, lead, firsts);
        out = _mm512_mask_mov_epi8(out, lead << 1, seconds);
        word |= lead | lead << 1;
        known |= lead | lead << 1;
    }
    let test = |kinds, kind: u8| _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(kind as i8));
    let lead = equal(0xC2) & continued >> 1;
    if lead != 0 {
        let kinds = _mm512_permutexvar_epi8(next, table(&rules.symbols.c2));
        let (symbol, lead) = (
            lead & test(kinds, BERT_PUNCTUATION),
            lead & test(kinds, BERT_PUNCTUATION | BERT_WHITE),
        );
        punctuation |= symbol;
        last |= symbol << 1;
        known |= lead | lead << 1;
    }
    let lead = equal(0xE2) & equal(0x80) >> 1 & continued >> 2;
    if lead != 0 {
        let kinds = _mm512_permutexvar_epi8(after, table(&rules.symbols.e2_80));
        let (symbol, lead) = (
            lead & test(kinds, BERT_PUNCTUATION),
            lead & test(kinds, BERT_PUNCTUATION | BERT_WHITE),
        );
        punctuation |= symbol;
        last |= symbol << 2;
        known |= lead | lead << 1 | lead << 2;
    }
    let read = (odd | !known).trailing_zeros() as usize;
    let valid = first(read);
    let kept = valid & !gone;
    if gone & valid == 0 {
        // SAFETY: the block has 64 bytes; `storeu` takes any alignment.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), out) };
        let (word, punctuation, last) = (word & valid, punctuation & valid, last & valid);
        return BertBlock { word, punctuation, last, kept, read };
    }
    let out = _mm512_maskz_compress_epi8(kept, out);
    // SAFETY: as above.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), out) };
    let written = |bits: u64| _pext_u64(bits, kept);
    BertBlock {
        word: written(word),
        punctuation: written(punctuation),
        last: written(last),
        kept,
        read,
    }
}

/// One more than each place.
const NEXT: [u8; BLOCK] = {
    let mut places = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        places[at] = (at + 1) as u8 % BLOCK as u8;
        at += 1;
    }
    places
};
