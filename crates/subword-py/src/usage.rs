//! What a tokenizer makes of counted pieces. `subword._evaluate` and `subword.Tokenizer` add the rest.

use numpy::PyArray1;
use pyo3::prelude::*;
use subword_core::{Normalizer, Result, TokenId, formats};

use crate::arguments::threads_of;
use crate::arrays::array_of;
use crate::counts::Counts;
use crate::engine::Engine;
use crate::interrupts::detached;
use crate::model::Model;

/// How often each id comes out of the pieces, by id.
#[pyfunction]
#[pyo3(signature = (engine, counts, *, threads))]
pub(crate) fn token_counts<'py>(
    py: Python<'py>,
    engine: &Engine,
    counts: &Counts,
    threads: Option<i64>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let threads = threads_of(threads)?;
    let tokenizer = engine.tokenizer();
    let used = run(py, counts, |counts| tokenizer.token_counts(counts, threads))?;
    array_of(py, used)
}

/// The model without the tokens that the pieces do not need, and the new ids by old ones; -1 for
/// those that are gone.
#[pyfunction]
#[pyo3(signature = (engine, counts, *, threads))]
pub(crate) fn pruned<'py>(
    py: Python<'py>,
    engine: &Engine,
    counts: &Counts,
    threads: Option<i64>,
) -> PyResult<(Model, Bound<'py, PyArray1<i64>>)> {
    let threads = threads_of(threads)?;
    let tokenizer = engine.tokenizer();
    let (model, numbers) = run(py, counts, |counts| tokenizer.pruned(counts, threads))?;
    let ids = numbers.into_iter().map(|id| id.map_or(-1, i64::from)).collect();
    Ok((Model::from(model), array_of(py, ids)?))
}

/// The two tokens that each is made from, by id, one after the other; -1 where no merge makes it.
#[pyfunction]
pub(crate) fn pairs_of_tokens<'py>(
    py: Python<'py>,
    engine: &Engine,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let model = engine.model();
    let pairs = py.detach(|| formats::pairs_of_tokens(model));
    let both = |id: TokenId| i64::from(id);
    let flat = pairs.into_iter().flat_map(|pair| match pair {
        Some((left, right)) => [both(left), both(right)],
        None => [-1, -1],
    });
    array_of(py, flat.collect())
}

/// The name of what a text goes through before it is cut; none if that is nothing.
#[pyfunction]
pub(crate) fn normalizer(engine: &Engine) -> Option<String> {
    let normalizer = engine.model().normalizer;
    (normalizer != Normalizer::None).then(|| normalizer.name())
}

/// Runs without the GIL, lets Python interrupt, and raises what went wrong. It works on a copy of the
/// counts: they are not held while the GIL is waited for.
fn run<R: Send>(
    py: Python<'_>,
    counts: &Counts,
    work: impl Send + FnOnce(&subword_core::Counts) -> Result<R>,
) -> PyResult<R> {
    detached(py, |_| {
        let counts = counts.read().clone();
        work(&counts)
    })
}
