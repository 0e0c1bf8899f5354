//! Training: counts and settings in, a model and a log out.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use subword_core::Error;
use subword_core::Vocab;
use subword_core::trainer::{
    self, Alphabet, BpeSettings, Control, Effort, Learned, LearnedMerge, Score, Stop, Superwords,
    TargetSize, Ties, Trained, TrainingStart, UnigramSettings, UnigramTraining, WatchMerges,
    WordPieceSettings,
};

use crate::arguments::{choice, natural, optional, threads_of, token};
use crate::counts::Counts;
use crate::engine::Engine;
use crate::interrupts::{Raised, detached};
use crate::model::Model;

/// How a model came about.
#[pyclass(frozen, module = "subword._core")]
pub(crate) struct TrainingLog {
    model: Arc<subword_core::Model>,
    merges: Vec<LearnedMerge>,
    helped: Vec<u32>,
    stop: Stop,
    effort: Effort,
}

#[pymethods]
impl TrainingLog {
    /// The merges in their order: left and right token, how often the pair occurred, and by how many
    /// tokens the text became shorter.
    fn merges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let token = |id| PyBytes::new(py, self.model.token_bytes(id).unwrap_or_default());
        let merge = |merge: &LearnedMerge| {
            (token(merge.pair.0), token(merge.pair.1), merge.count, merge.saved)
        };
        PyList::new(py, self.merges.iter().map(merge))
    }

    /// The source that each merge was the best one for; empty where the sources were one text.
    fn helped(&self) -> Vec<u32> {
        self.helped.clone()
    }

    /// Why there are no more merges: "full", "no pair left", "min_count" or "on_merge".
    #[getter]
    fn stop(&self) -> &'static str {
        match self.stop {
            Stop::Full => "full",
            Stop::NoPair => "no pair left",
            Stop::MinCount => "min_count",
            Stop::Asked => "on_merge",
        }
    }

    /// What it took.
    fn effort<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let effort = PyDict::new(py);
        effort.set_item("index_seconds", self.effort.index.as_secs_f64())?;
        effort.set_item("merge_seconds", self.effort.merge.as_secs_f64())?;
        effort.set_item("index_bytes", self.effort.bytes)?;
        effort.set_item("queue_operations", self.effort.queue_operations)?;
        effort.set_item("stale_candidates", self.effort.stale_candidates)?;
        effort.set_item("stale_places", self.effort.stale_places)?;
        effort.set_item("scans", self.effort.scans)?;
        Ok(effort)
    }

    fn __len__(&self) -> usize {
        self.merges.len()
    }
}

/// `initial_vocab=`: "bytes", "chars", or tokens.
pub(crate) enum InitialVocab {
    Bytes,
    Characters,
    Given(Vec<Vec<u8>>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for InitialVocab {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.cast::<PyString>() {
            return match name.to_str()? {
                "bytes" => Ok(InitialVocab::Bytes),
                "chars" => Ok(InitialVocab::Characters),
                other => Err(PyValueError::new_err(format!(
                    "initial_vocab must be \"bytes\", \"chars\" or a list of bytes, not {other:?}"
                ))),
            };
        }
        let token = |given: PyResult<Bound<'py, PyAny>>| token(&given?);
        Ok(InitialVocab::Given(object.try_iter()?.map(token).collect::<PyResult<_>>()?))
    }
}

/// What Python decides while merges are learned.
struct PythonControl<'a> {
    raised: &'a Raised,
    /// Called with the token of a merge: whether it must not be made.
    veto: Option<&'a Py<PyAny>>,
    /// Called with both tokens of a merge, its count and what it saved: whether it is enough.
    merged: Option<&'a Py<PyAny>>,
}

impl Control for PythonControl<'_> {
    fn vetoes(&mut self, token: &[u8]) -> Result<bool, Error> {
        let Some(veto) = self.veto else { return Ok(false) };
        self.raised.call(|py| veto.bind(py).call1((PyBytes::new(py, token),))?.is_truthy())
    }

    fn merged(&mut self, merge: &LearnedMerge, vocab: &Vocab) -> Result<bool, Error> {
        let Some(merged) = self.merged else { return Ok(false) };
        self.raised.call(|py| {
            let token = |id| PyBytes::new(py, vocab.bytes_of(id).unwrap_or_default());
            let (left, right) = (token(merge.pair.0), token(merge.pair.1));
            merged.bind(py).call1((left, right, merge.count, merge.saved))?.is_truthy()
        })
    }
}

/// Trains a model. `watch` is called with how many merges there are and how many there will be at most.
#[pyfunction]
#[pyo3(signature = (counts, *, vocab_size=None, num_merges=None, special_tokens=None,
    ties="greatest", min_count=1, max_token_length=None, initial_vocab=None, end_of_word=None,
    unk_token=None, limit_alphabet=None, character_coverage=None, byte_fallback=false,
    split_digits=false, base=None, superwords=None, sources=None, whole_characters=false,
    required=None, veto=None, merged=None, threads=None, release=false, watch=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn train_bpe(
    py: Python<'_>,
    counts: &Counts,
    vocab_size: Option<i128>,
    num_merges: Option<i128>,
    special_tokens: Option<Vec<String>>,
    ties: &str,
    min_count: i128,
    max_token_length: Option<i128>,
    initial_vocab: Option<InitialVocab>,
    end_of_word: Option<String>,
    unk_token: Option<String>,
    limit_alphabet: Option<i128>,
    character_coverage: Option<f64>,
    byte_fallback: bool,
    split_digits: bool,
    base: Option<&Engine>,
    superwords: Option<&str>,
    sources: Option<Vec<(PyRef<'_, Counts>, u64)>>,
    whole_characters: bool,
    required: Option<Vec<Vec<u8>>>,
    veto: Option<Py<PyAny>>,
    merged: Option<Py<PyAny>>,
    threads: Option<i64>,
    release: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<(Model, TrainingLog)> {
    let size = match (optional("vocab_size", vocab_size)?, optional("num_merges", num_merges)?) {
        (Some(size), None) => TargetSize::Vocab(size),
        (None, Some(merges)) => TargetSize::Merges(merges),
        (None, None) => {
            return Err(PyValueError::new_err(
                "how much to learn: pass vocab_size= or num_merges=",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(PyValueError::new_err("pass vocab_size= or num_merges=, not both"));
        }
    };
    let alphabet = match (optional("limit_alphabet", limit_alphabet)?, character_coverage) {
        (Some(_), Some(_)) => {
            return Err(PyValueError::new_err(
                "pass limit_alphabet= or character_coverage=, not both",
            ));
        }
        (None, Some(share)) => Alphabet::Coverage(share),
        (limit, None) => Alphabet::limited(limit),
    };
    let start = match (base, initial_vocab.as_ref().unwrap_or(&InitialVocab::Bytes)) {
        (Some(base), InitialVocab::Bytes) => TrainingStart::Base(base.model()),
        (Some(_), _) => {
            return Err(PyValueError::new_err("pass base= or initial_vocab=, not both"));
        }
        (None, InitialVocab::Characters) => TrainingStart::Characters(alphabet),
        (None, InitialVocab::Bytes) => TrainingStart::Bytes,
        (None, InitialVocab::Given(tokens)) => TrainingStart::Given(tokens),
    };
    if alphabet != Alphabet::All && !matches!(start, TrainingStart::Characters(_)) {
        let limited = matches!(alphabet, Alphabet::Limit(_));
        let name = if limited { "limit_alphabet" } else { "character_coverage" };
        return Err(PyValueError::new_err(format!("{name} goes with initial_vocab=\"chars\"")));
    }
    let settings = BpeSettings {
        start,
        end_of_word,
        unk_token,
        byte_fallback,
        split_digits,
        special_tokens,
        ties: choice(
            "ties",
            ties,
            &[("greatest", Ties::Greatest), ("smallest-ids", Ties::SmallestIds)],
        )?,
        min_count: natural("min_count", min_count)? as u64,
        max_token_length: optional("max_token_length", max_token_length)?,
        superwords: superwords
            .map(|name| {
                let kinds = [("any", Superwords::Any), ("whole", Superwords::Whole)];
                choice("superwords", name, &kinds)
            })
            .transpose()?,
        whole_characters,
        required: required.unwrap_or_default(),
        threads: threads_of(threads)?,
        ..BpeSettings::new(size)
    };
    let sources: Vec<(&Counts, u64)> =
        sources.iter().flatten().map(|(counts, size)| (&**counts, *size)).collect();
    let prepare = || {
        let read: Vec<_> = sources.iter().map(|(counts, size)| (counts.read(), *size)).collect();
        let sources = read.iter().map(|(counts, size)| (&**counts, *size)).collect();
        let settings = BpeSettings { sources, ..settings.clone() };
        counts.prepare(release, |counts| trainer::prepare_bpe(counts, &settings))
    };
    run(py, watch, prepare, |training, watch, raised| {
        let (veto, merged) = (veto.as_ref(), merged.as_ref());
        training.run(watch, &mut PythonControl { raised, veto, merged })
    })
}

/// Whether an error of training says that there are no pieces, and nothing about the settings.
pub(crate) fn is_without_pieces(error: &Error) -> bool {
    *error == trainer::no_pieces()
}

/// Prepares a training and runs it, without the GIL, but for signals and the caller's own function.
/// The counts are unlocked before that function is called.
fn run<T>(
    py: Python<'_>,
    watch: Option<Py<PyAny>>,
    prepare: impl FnOnce() -> Result<T, Error> + Send,
    learn: impl FnOnce(T, WatchMerges<'_>, &Raised) -> Result<Trained, Error> + Send,
) -> PyResult<(Model, TrainingLog)> {
    let trained = detached(py, |raised| {
        let mut watch = |done: usize, most: usize| {
            let Some(watch) = &watch else { return Ok(()) };
            raised.call(|py| watch.call1(py, (done, most)).map(|_| ()))
        };
        learn(prepare()?, &mut watch, raised)
    })?;
    let Learned { merges, helped, stop, effort } = trained.learned;
    let model = Arc::new(trained.model);
    Ok((Model(model.clone()), TrainingLog { model, merges, helped, stop, effort }))
}

/// Trains a WordPiece model. `watch` is called with how many merges there are and how many there
/// will be at most.
#[pyfunction]
#[pyo3(signature = (counts, *, vocab_size, score, special_tokens, unk_token, prefix,
    max_word_chars, min_count, limit_alphabet, max_token_length, threads=None, release=false,
    watch=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn train_wordpiece(
    py: Python<'_>,
    counts: &Counts,
    vocab_size: i128,
    score: &str,
    special_tokens: Vec<String>,
    unk_token: String,
    prefix: String,
    max_word_chars: i128,
    min_count: i128,
    limit_alphabet: Option<i128>,
    max_token_length: Option<i128>,
    threads: Option<i64>,
    release: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<(Model, TrainingLog)> {
    let settings = WordPieceSettings {
        vocab_size: natural("vocab_size", vocab_size)?,
        score: choice(
            "score",
            score,
            &[("likelihood", Score::Likelihood), ("count", Score::Count)],
        )?,
        special_tokens,
        unk_token,
        prefix,
        max_word_chars: natural("max_word_chars", max_word_chars)?.try_into().unwrap_or(u32::MAX),
        min_count: natural("min_count", min_count)? as u64,
        limit_alphabet: optional("limit_alphabet", limit_alphabet)?,
        max_token_length: optional("max_token_length", max_token_length)?,
        threads: threads_of(threads)?,
    };
    let prepare =
        || counts.prepare(release, |counts| trainer::prepare_wordpiece(counts, &settings));
    run(py, watch, prepare, |training, watch, _| training.run(watch, &mut ()))
}

/// Trains a Unigram model. `watch` is called with how many pieces are gone and how many will be.
#[pyfunction]
#[pyo3(signature = (counts, *, vocab_size, special_tokens, unk_token, user_defined_symbols,
    byte_fallback, split_digits, character_coverage, max_piece_length, seed_size, shrinking_factor,
    threads, release=false, watch=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of one Python function")]
pub(crate) fn train_unigram(
    py: Python<'_>,
    counts: &Counts,
    vocab_size: i128,
    special_tokens: Vec<String>,
    unk_token: String,
    user_defined_symbols: Vec<String>,
    byte_fallback: bool,
    split_digits: bool,
    character_coverage: f64,
    max_piece_length: i128,
    seed_size: i128,
    shrinking_factor: f64,
    threads: Option<i64>,
    release: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<(Model, TrainingLog)> {
    let settings = UnigramSettings {
        vocab_size: natural("vocab_size", vocab_size)?,
        special_tokens,
        unk_token,
        user_defined_symbols,
        byte_fallback,
        split_digits,
        character_coverage,
        max_piece_length: natural("max_piece_length", max_piece_length)?,
        seed_size: natural("seed_size", seed_size)?,
        shrinking_factor,
        threads: threads_of(threads)?,
    };
    let prepare = || counts.prepare(release, |counts| trainer::prepare_unigram(counts, &settings));
    run(py, watch, prepare, |training: UnigramTraining, watch, _| training.run(watch))
}
