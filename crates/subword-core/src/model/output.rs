/*!
What is said about tokens once they are found: offsets, and the text of ids.

Neither changes an id. Both are settings of a `tokenizer.json`.
*/

/// Which white space the offsets of a token leave out. By default a token stands for all of its text.
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

/// What the text of ids is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decoder {
    /// What the tokens spell.
    #[default]
    Text,
    /// The tokens as a `tokenizer.json` writes them, bytes in GPT-2's alphabet, with a space between two.
    Spaced,
}
