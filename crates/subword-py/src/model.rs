//! Models: made from Python's parts, read from files and bytes.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};
use subword_core::formats::{self, LoadOptions};
use subword_core::{Encoder, EndOfWord, Merges, Pattern, TokenId, Units, Vocab};

use crate::errors;
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
        loaded.map(Model::from).map_err(|error| errors::raise(py, error))
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
        units: UnitsArgument,
        end_of_word: Option<String>,
        unk_token: Option<String>,
    ) -> PyResult<Model> {
        let py = vocab.py();
        let vocab = vocab_from(vocab)?;
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
        model.start.units = units.0;
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
        let model = settings.model(vocab_from(vocab)?)?;
        model.map(Model::from).map_err(|error| errors::raise(py, error))
    }

    /// A model that merges any two tokens whose concatenation is a token, the lowest id first.
    #[staticmethod]
    #[pyo3(signature = (ranks, special_tokens, pattern))]
    fn from_ranks(
        ranks: &Bound<'_, PyMapping>,
        special_tokens: Option<SpecialTokens>,
        pattern: PatternArgument,
    ) -> PyResult<Model> {
        let items = ranks.items()?;
        let mut tokens = Vec::with_capacity(items.len());
        for item in items.iter() {
            let (bytes, id): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            tokens.push((token_id(&id)?, token(&bytes)?));
        }
        let vocab = vocab_of(ranks.py(), &tokens)?;
        let mut model = build(ranks.py(), vocab, Merges::Ranked, special_tokens, pattern)?;
        model.ignore_merges = true;
        checked(ranks.py(), model)
    }

    /// The same model with another encoder.
    fn encoded_by(&self, py: Python<'_>, encoder: EncoderArgument) -> PyResult<Model> {
        let model = (*self.0).clone().encoded_by(encoder.0);
        model.map(Model::from).map_err(|error| errors::raise(py, error))
    }
}

/// The tokens that a caller passes, by id.
fn vocab_from(tokens: &Bound<'_, PyMapping>) -> PyResult<Vocab> {
    let items = tokens.items()?;
    let mut vocab = Vec::with_capacity(items.len());
    for item in items.iter() {
        let (id, bytes): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        vocab.push((token_id(&id)?, token(&bytes)?));
    }
    vocab_of(tokens.py(), &vocab)
}

fn build(
    py: Python<'_>,
    vocab: Vocab,
    merges: Merges,
    special_tokens: Option<SpecialTokens>,
    pattern: PatternArgument,
) -> PyResult<subword_core::Model> {
    let wanted = special_tokens.map_or_else(Vec::new, |tokens| tokens.0);
    let special = formats::special_tokens(&vocab, wanted).map_err(|e| errors::raise(py, e))?;
    Ok(subword_core::Model::new(vocab, merges, pattern.0, special))
}

fn checked(py: Python<'_>, model: subword_core::Model) -> PyResult<Model> {
    model.checked().map(Model::from).map_err(|error| errors::raise(py, error))
}

fn vocab_of(py: Python<'_>, tokens: &[(TokenId, Vec<u8>)]) -> PyResult<Vocab> {
    Vocab::new(tokens.iter().map(|(id, bytes)| (*id, bytes.as_slice())))
        .map_err(|error| errors::raise(py, error))
}

/// An id that a caller passes: any integer that is not one is a value error with the number in it.
fn token_id(id: &Bound<'_, PyAny>) -> PyResult<TokenId> {
    id.extract::<TokenId>().map_err(|error| match id.extract::<i128>() {
        Ok(_) => PyValueError::new_err(format!("an id is a number from 0 up, not {id}")),
        Err(_) => error,
    })
}

fn token(bytes: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match bytes.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(_) => {
            let found = bytes.get_type().name()?;
            Err(PyTypeError::new_err(format!("a token is bytes, not {found}")))
        }
    }
}

/// `pattern=`: a name, a regular expression, or a sequence of them.
pub(crate) struct PatternArgument(pub(crate) Pattern);

impl<'a, 'py> FromPyObject<'a, 'py> for PatternArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let one = |text: &Bound<'py, PyString>| -> PyResult<Pattern> {
            Pattern::parse(text.to_str()?).map_err(|error| errors::raise(text.py(), error))
        };
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(PatternArgument(one(&text)?));
        }
        let wrong = || PyTypeError::new_err("pattern must be a string or a sequence of strings");
        let parts = object.try_iter().map_err(|_| wrong())?;
        let part = |part: PyResult<Bound<'py, PyAny>>| -> PyResult<Pattern> {
            let part = part?;
            one(part.cast::<PyString>().map_err(|_| wrong())?)
        };
        Ok(PatternArgument(Pattern::Sequence(parts.map(part).collect::<PyResult<_>>()?)))
    }
}

/// `units=`: "bytes" or "chars".
pub(crate) struct UnitsArgument(Units);

impl<'a, 'py> FromPyObject<'a, 'py> for UnitsArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<&str>()? {
            "bytes" => Ok(UnitsArgument(Units::Bytes)),
            "chars" => Ok(UnitsArgument(Units::Characters)),
            other => {
                let message = format!("units must be \"bytes\" or \"chars\", not {other:?}");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// `encoder=`: "merges" or "longest".
pub(crate) struct EncoderArgument(Encoder);

impl<'a, 'py> FromPyObject<'a, 'py> for EncoderArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<&str>()? {
            "merges" => Ok(EncoderArgument(Encoder::Merge)),
            "longest" => Ok(EncoderArgument(Encoder::Longest)),
            other => {
                let message = format!("encoder must be \"merges\" or \"longest\", not {other:?}");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// `special_tokens=`: strings, or a mapping from strings to ids.
pub(crate) struct SpecialTokens(pub(crate) Vec<(String, Option<TokenId>)>);

impl<'a, 'py> FromPyObject<'a, 'py> for SpecialTokens {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "special_tokens must be a list of strings, not one string",
            ));
        }
        let mut tokens = Vec::new();
        if let Ok(mapping) = object.cast::<PyMapping>() {
            for item in mapping.items()?.iter() {
                let (content, id): (String, Bound<'_, PyAny>) = item.extract()?;
                tokens.push((content, Some(token_id(&id)?)));
            }
        } else {
            for content in object.try_iter()? {
                tokens.push((content?.extract()?, None));
            }
        }
        Ok(SpecialTokens(tokens))
    }
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

/// Special tokens as a dictionary.
pub(crate) fn special_to_python<'py>(
    py: Python<'py>,
    model: &subword_core::Model,
) -> PyResult<Bound<'py, PyDict>> {
    let tokens = PyDict::new(py);
    for token in &model.special_tokens {
        tokens.set_item(&token.content, token.id)?;
    }
    Ok(tokens)
}
