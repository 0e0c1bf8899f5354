//! Groups of code points to UTF-8. The plain form is in here; the SIMD form is in `x86_64`.

/// How many code points are converted at a time.
pub const UTF8_GROUP: usize = 16;

/// The plain form: how many bytes were written, none if one of them is no character.
#[inline(always)]
pub(super) fn plain(codes: &[u32; UTF8_GROUP], into: &mut [u8; 4 * UTF8_GROUP]) -> Option<usize> {
    codes.iter().try_fold(0, |len, &code| Some(len + write_utf8(code, &mut into[len..])?))
}

/// Writes a character to the start of `buffer`, which has room for four bytes; returns how many it
/// takes.
///
/// PERF: one byte and two without a branch, as letters and spaces alternate.
#[inline(always)]
pub fn write_utf8(code: u32, buffer: &mut [u8]) -> Option<usize> {
    if code < 0x800
        && let Some(two) = buffer.first_chunk_mut::<2>()
    {
        let wide = code >= 0x80;
        let first = if wide { 0xC0 | code >> 6 } else { code };
        *two = [first as u8, 0x80 | (code & 0x3F) as u8];
        return Some(1 + usize::from(wide));
    }
    char::from_u32(code).map(|c| c.encode_utf8(buffer).len())
}
