//! The numbers that everything is made of.

/// The number of a token.
pub type TokenId = u32;

/// How often something occurs. 64 bits: a large corpus overflows 32.
pub type Count = u64;

/// Two adjacent tokens.
pub type Pair = (TokenId, TokenId);

/// The largest id that a token may have: 2²¹ − 1, eight times the largest published vocabulary. The
/// limit keeps a damaged file from asking for gigabytes, and two ids fit in one word with a rank.
pub const MAX_ID: TokenId = (1 << 21) - 1;
