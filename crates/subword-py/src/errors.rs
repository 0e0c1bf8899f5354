//! The engine's errors as the exceptions of `subword._errors`.

use pyo3::BoundObject;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use subword_core::Error;

use crate::trainer::is_without_pieces;

/// The exception for an error.
pub(crate) fn raise(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::ModelFormat { place, message, hint } => {
            new(py, "ModelFormatError", (place, message, hint))
        }
        Error::Pattern { pattern, message } => new(py, "PatternError", (pattern, message)),
        Error::SpecialToken { token, position } => new(py, "SpecialTokenError", (token, position)),
        Error::Text { message, position } => new(py, "TextError", (message, position)),
        Error::Training { ref message, ref hint } => {
            let class = if is_without_pieces(&error) { "NoPiecesError" } else { "TrainingError" };
            new(py, class, (message, hint))
        }
        Error::NotUtf8 { place, position } => {
            let hint = "pass errors=\"replace\" to put U+FFFD in its place";
            new(py, "TextError", (format!("{place}: not UTF-8"), position, hint))
        }
        Error::Counts { place, message, hint } => new(py, "CountsError", (place, message, hint)),
        Error::Corpus { place, message, hint } => new(py, "CorpusError", (place, message, hint)),
        Error::Stopped => PyKeyboardInterrupt::new_err(()),
        Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        Error::Argument { message } => PyValueError::new_err(message),
        Error::UnknownId { id, position } => new(py, "UnknownIdError", (id, position)),
        Error::Io { path, message, code } => match code {
            // With a number, OSError picks the subclass: FileNotFoundError and its kin.
            Some(code) => PyOSError::new_err((code, without_number(&message), path)),
            None => PyOSError::new_err(format!("{path}: {message}")),
        },
    }
}

/// A result of the engine as one of Python's.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for subword_core::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, error))
    }
}

/// An exception of `subword._errors`.
pub(crate) fn new<'py>(
    py: Python<'py>,
    class: &str,
    fields: impl IntoPyObject<'py, Target = PyTuple>,
) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let fields = fields.into_pyobject(py).map_err(Into::into)?.into_bound();
        let class = py.import("subword._errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1(fields)?))
    };
    make().unwrap_or_else(|error| error)
}

/// The error of one text of a batch, with the place of that text: nobody finds it among a million otherwise.
pub(crate) fn of_element(py: Python<'_>, error: PyErr, at: usize) -> PyErr {
    let value = error.value(py);
    let placed = || -> PyResult<PyErr> {
        if error.is_instance_of::<PyTypeError>(py) {
            let message = value.to_string().replacen("text must", &format!("texts[{at}] must"), 1);
            return Ok(PyTypeError::new_err(message));
        }
        let (position, hint) = (value.getattr("position")?, value.getattr("hint")?);
        let message = format!("texts[{at}]: {}", value.getattr("message")?);
        Ok(new(py, "TextError", (message, position, hint)))
    };
    placed().unwrap_or(error)
}

/// An argument of a call that makes no sense. The message names the argument, too.
pub(crate) fn argument(name: &str, message: String) -> PyErr {
    Python::attach(|py| new(py, "ArgumentError", (name, message)))
}

/// The engine's own failure, which no input may cause.
pub(crate) fn internal(message: &str) -> PyErr {
    PyRuntimeError::new_err(format!("internal error: {message}"))
}

/// `No such file or directory (os error 2)` without its end: the exception prints the number
/// itself.
fn without_number(message: &str) -> String {
    message.split(" (os error").next().unwrap_or(message).to_owned()
}
