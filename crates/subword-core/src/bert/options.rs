/*!
The options of BERT's normaliser, as plain data.

They are here and not in `model`, because the tables of characters depend on them.
*/

/// What BERT's normaliser does, in this order. Each step works character by character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bert {
    /// Removes control characters, and turns white space into spaces.
    pub clean: bool,
    /// Puts spaces around Chinese characters.
    pub cjk: bool,
    /// Decomposes characters, and removes marks without width.
    pub strip_accents: bool,
    /// Turns text into lower case.
    pub lowercase: bool,
}

impl Bert {
    /// The options of uncased models.
    pub const UNCASED: Bert = Bert { clean: true, cjk: true, strip_accents: true, lowercase: true };
    /// The options of cased models.
    pub const CASED: Bert = Bert { strip_accents: false, lowercase: false, ..Bert::UNCASED };
}
