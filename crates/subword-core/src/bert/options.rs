/*!
The options of BERT's normaliser, as plain data.
*/

/// What BERT's normaliser does, in this order. Each works character by character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bert {
    /// Control characters go, white space becomes a space.
    pub clean: bool,
    /// Spaces around Chinese characters.
    pub cjk: bool,
    /// Canonical decomposition, and marks without width go.
    pub strip_accents: bool,
    /// Lower case.
    pub lowercase: bool,
    /// Whose idea of a character.
    pub tables: BertTables,
}

/// The versions of Hugging Face's library whose tables of characters we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BertTables {
    /// Those of version 0.23 and of all that came before it.
    #[default]
    V0_23,
    /// Those of version 1.0, with newer characters.
    V1_0,
}

impl Bert {
    /// As in the models that know one case only.
    pub const UNCASED: Bert = Bert {
        clean: true,
        cjk: true,
        strip_accents: true,
        lowercase: true,
        tables: BertTables::V0_23,
    };
    /// As in the models that know both.
    pub const CASED: Bert = Bert { strip_accents: false, lowercase: false, ..Bert::UNCASED };
}
