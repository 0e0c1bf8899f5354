/*!
How tokens are reported once they are found: their offsets, and the text of ids.

Neither setting changes an id. Both come from `tokenizer.json`.
*/

/// Which white space the offsets of a token leave out. By default they cover all of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrimOffsets {
    /// None.
    #[default]
    Nothing,
    /// All at both ends of the token.
    Spaces,
    /// The same, except that the first token of a text keeps a single space at its start, as if it had
    /// been put there (`add_prefix_space`).
    SpacesButFirst,
}

/// How ids become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decoder {
    /// The bytes of the tokens, concatenated.
    #[default]
    Text,
    /// The tokens as a `tokenizer.json` writes them, bytes in GPT-2's alphabet, with a space between two.
    Spaced,
}
