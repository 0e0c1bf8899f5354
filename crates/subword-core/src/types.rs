//! The three numbers that everything is made of.

/// The number of a token.
pub type TokenId = u32;

/// How often something occurs. 64 bits: a large corpus overflows 32.
pub type Count = u64;

/// Two adjacent tokens.
pub type Pair = (TokenId, TokenId);
