//! Models: made from Python's parts, read from files and bytes.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use subword_core::formats::{self, LoadOptions};
use subword_core::{Encoder, EndOfWord, Merges, Pattern, TokenId, Units, Vocab};

use crate::arguments::{PatternArgument, SpecialTokens, choice, token, token_id};
use crate::errors::{self, OrRaise};
use crate::interrupts::detached;
use crate::wordpiece::Settings;

/// Everything that a trained tokenizer is, as plain data.
#[pyclass(frozen, module = "subword._core")]
pub(crate) struct Model(pub(crate) Arc<subword_core::Model>);

impl From<subword_core::Model> for Model {
    fn from(model: subword_core::Model) -> Model {
        Model(Arc::new(model))
    }
}

#[pymethods]
impl Model {
    /// The model in a file, whatever its format, and what is to be said about it.
    #[staticmethod]
    #[pyo3(signature = (path, pattern, special_tokens, merges, lowercase))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        pattern: Option<PatternArgument>,
        special_tokens: Option<SpecialTokens>,
        merges: Option<PathBuf>,
        lowercase: Option<bool>,
    ) -> PyResult<(Model, Vec<String>)> {
        let options = LoadOptions {
            pattern: pattern.map(|pattern| pattern.0),
            special_tokens: special_tokens.map(|tokens| tokens.0),
            merges,
            lowercase,
        };
        let (model, notes) = detached(py, |_| formats::load_noting(&path, &options))?;
        Ok((model.into(), notes.iter().map(ToString::to_string).collect()))
    }

    /// The model in the content of a file that was read before. The path is for errors.
    #[staticmethod]
    fn load_bytes(
        py: Python<'_>,
        data: &[u8],
        path: PathBuf,
        pattern: Option<PatternArgument>,
        special_tokens: Option<SpecialTokens>,
    ) -> PyResult<Model> {
        let options = LoadOptions {
            pattern: pattern.map(|pattern| pattern.0),
            special_tokens: special_tokens.map(|tokens| tokens.0),
            ..LoadOptions::default()
        };
        let loaded = py.detach(|| formats::load_bytes(data, &path, &options));
        loaded.map(Model::from).or_raise(py)
    }

    /// The model whose native file these bytes are.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Model> {
        detached(py, |_| formats::from_bytes(data)).map(Model::from)
    }

    /// A model of listed merges.
    #[staticmethod]
    #[pyo3(signature = (vocab, merges, special_tokens, pattern, units, end_of_word, unk_token))]
    fn from_merges(
        vocab: &Bound<'_, PyMapping>,
        merges: &Bound<'_, PyAny>,
        special_tokens: Option<SpecialTokens>,
        pattern: PatternArgument,
        units: &str,
        end_of_word: Option<String>,
        unk_token: Option<String>,
    ) -> PyResult<Model> {
        let py = vocab.py();
        let vocab = vocab_from(vocab, |item| item)?;
        let mut pairs = Vec::new();
        for (rank, pair) in merges.try_iter()?.enumerate() {
            let (left, right): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
            let id = |bytes: &Bound<'_, PyAny>| -> PyResult<TokenId> {
                let bytes = token(bytes)?;
                vocab.id_of(&bytes).ok_or_else(|| {
                    let bytes = bytes.escape_ascii();
                    let message = format!("merge {rank} uses b\"{bytes}\", which is not a token");
                    errors::raise(py, subword_core::Error::format(message))
                })
            };
            pairs.push((id(&left)?, id(&right)?));
        }
        let mut model = build(py, vocab, Merges::Listed(pairs), special_tokens, pattern)?;
        model.start.units =
            choice("units", units, &[("bytes", Units::Bytes), ("chars", Units::Characters)])?;
        model.start.end_of_word = end_of_word.map(|mark| EndOfWord { mark, joined: false });
        if let Some(unk) = unk_token {
            let special = model.special_tokens.iter().find(|token| token.content == unk);
            let id = special.map(|token| token.id).or_else(|| model.vocab.id_of(unk.as_bytes()));
            let message = || format!("unk_token {unk:?} is no token and no special token");
            model.start.unk =
                Some(id.ok_or_else(|| errors::raise(py, subword_core::Error::format(message())))?);
        }
        checked(py, model)
    }

    /// A WordPiece model.
    #[staticmethod]
    #[pyo3(signature = (vocab, settings))]
    fn word_piece(vocab: &Bound<'_, PyMapping>, settings: Settings) -> PyResult<Model> {
        let py = vocab.py();
        let model = settings.model(vocab_from(vocab, |item| item)?)?;
        model.map(Model::from).or_raise(py)
    }

    /// A model that merges any two tokens whose concatenation is a token, the lowest id first.
    #[staticmethod]
    #[pyo3(signature = (ranks, special_tokens, pattern))]
    fn from_ranks(
        ranks: &Bound<'_, PyMapping>,
        special_tokens: Option<SpecialTokens>,
        pattern: PatternArgument,
    ) -> PyResult<Model> {
        let vocab = vocab_from(ranks, |(bytes, id)| (id, bytes))?;
        let mut model = build(ranks.py(), vocab, Merges::Ranked, special_tokens, pattern)?;
        model.ignore_merges = true;
        checked(ranks.py(), model)
    }

    /// The same model with another encoder.
    fn encoded_by(&self, py: Python<'_>, encoder: &str) -> PyResult<Model> {
        let known = [
            ("merges", Encoder::Merge),
            ("longest", Encoder::Longest),
            ("fewest", Encoder::Fewest),
        ];
        let model = (*self.0).clone().encoded_by(choice("encoder", encoder, &known)?);
        model.map(Model::from).or_raise(py)
    }
}

/// A pair of Python objects.
type Objects<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The tokens that a caller passes: a mapping whose items `ordered` turns to an id and bytes.
fn vocab_from<'py>(
    tokens: &Bound<'py, PyMapping>,
    ordered: impl Fn(Objects<'py>) -> Objects<'py>,
) -> PyResult<Vocab> {
    let items = tokens.items()?;
    let mut vocab = Vec::with_capacity(items.len());
    for item in items.iter() {
        let (id, bytes) = ordered(item.extract()?);
        vocab.push((token_id(&id)?, token(&bytes)?));
    }
    Vocab::new(vocab.iter().map(|(id, bytes)| (*id, bytes.as_slice()))).or_raise(tokens.py())
}

fn build(
    py: Python<'_>,
    vocab: Vocab,
    merges: Merges,
    special_tokens: Option<SpecialTokens>,
    pattern: PatternArgument,
) -> PyResult<subword_core::Model> {
    let wanted = special_tokens.map_or_else(Vec::new, |tokens| tokens.0);
    let special = formats::special_tokens(&vocab, wanted).or_raise(py)?;
    Ok(subword_core::Model::new(vocab, merges, pattern.0, special))
}

fn checked(py: Python<'_>, model: subword_core::Model) -> PyResult<Model> {
    model.checked().map(Model::from).or_raise(py)
}

/// A pattern as `pattern=` takes it.
pub(crate) fn pattern_to_python<'py>(
    py: Python<'py>,
    pattern: &Pattern,
) -> PyResult<Bound<'py, PyAny>> {
    match pattern {
        Pattern::Named(named) => Ok(PyString::new(py, named.name()).into_any()),
        Pattern::Regex(regex) => Ok(PyString::new(py, regex).into_any()),
        Pattern::Sequence(parts) => {
            let parts = parts.iter().map(|part| pattern_to_python(py, part));
            Ok(pyo3::types::PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
    }
}
