/*!
The one error of the engine.

Every variant says what is wrong and where, and `hint` says what to type instead, where that helps.
`subword-py` turns a variant into the exception class `<variant>Error` of the package, or into the builtin
that a caller would expect: `NotUtf8` becomes a `TextError`, `Stopped` a `KeyboardInterrupt`, `Memory` a
`MemoryError`, `Argument` a `ValueError` and `Io` an `OSError`.
*/

use std::fmt;
use std::io;
use std::path::Path;

use crate::types::TokenId;

/// What every fallible function of the engine returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A file that is not what it claims to be, or asks for something that we do not run.
    ModelFormat {
        /// `path` or `path:line`; empty where there is no file.
        place: String,
        /// What was expected and what was found.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A split pattern that does not compile, or that gave up while matching.
    Pattern {
        /// The pattern as the user wrote it.
        pattern: String,
        /// Why it cannot be used.
        message: String,
    },
    /// Text that spells a special token where `special="error"` forbids it.
    SpecialToken {
        /// The special token.
        token: String,
        /// Where it starts, in bytes.
        position: usize,
    },
    /// A text that this model cannot encode.
    Text {
        /// Why it cannot be encoded.
        message: String,
        /// The byte where that is.
        position: usize,
    },
    /// A corpus or a text that is not UTF-8.
    NotUtf8 {
        /// The file, or which text it is.
        place: String,
        /// Where the first wrong byte is.
        position: u64,
    },
    /// Counts that do not fit together, or a file that does not hold counts.
    Counts {
        /// `path`; empty where there is no file.
        place: String,
        /// What was expected and what was found.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A document that cannot be encoded, or token files that do not fit together.
    Corpus {
        /// `path` or `path:line`.
        place: String,
        /// What was expected and what was found.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The caller does not want the work to go on: see [`crate::interrupt`].
    Stopped,
    /// An allocation of this size failed.
    Memory {
        /// The size, in bytes.
        bytes: usize,
    },
    /// An argument that makes no sense.
    Argument {
        /// What was expected and what was found.
        message: String,
    },
    /// A training that cannot begin or go on.
    Training {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// An id that no token has.
    UnknownId {
        /// The id, wide enough for what a caller may pass by mistake.
        id: i64,
        /// Its position in the sequence.
        position: usize,
    },
    /// An operation on a file failed.
    Io {
        /// The file.
        path: String,
        /// What the system said.
        message: String,
        /// The system's error number, if it gave one.
        code: Option<i32>,
    },
}

impl Error {
    /// An error about a model that did not come out of a file, or whose file is added later by
    /// [`Error::at`].
    pub fn format(message: impl Into<String>) -> Self {
        Error::ModelFormat { place: String::new(), message: message.into(), hint: None }
    }

    /// An error in line `line` (the first is 1) of a file whose name is added later by
    /// [`Error::at`].
    pub fn format_line(line: usize, message: impl Into<String>) -> Self {
        Error::ModelFormat { place: format!(":{line}"), message: message.into(), hint: None }
    }

    /// An error about training.
    pub fn training(message: impl Into<String>) -> Self {
        Error::Training { message: message.into(), hint: None }
    }

    /// An error about counts that did not come out of a file, or whose file is added later by
    /// [`Error::at`].
    pub fn counts(message: impl Into<String>) -> Self {
        Error::Counts { place: String::new(), message: message.into(), hint: None }
    }

    /// An error about documents or token files at `place`, which may be empty if it is added later.
    pub fn corpus(place: impl fmt::Display, message: impl Into<String>) -> Self {
        Error::Corpus { place: place.to_string(), message: message.into(), hint: None }
    }

    /// The same error with a line that says what to do.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        if let Error::ModelFormat { hint, .. }
        | Error::Training { hint, .. }
        | Error::Counts { hint, .. }
        | Error::Corpus { hint, .. } = &mut self
        {
            *hint = Some(text.into());
        }
        self
    }

    /// The same error, in line `line` (the first is 1), unless it knows its line already.
    #[must_use]
    pub fn on_line(mut self, line: usize) -> Self {
        if let Error::ModelFormat { place, .. } = &mut self
            && place.is_empty()
        {
            *place = format!(":{line}");
        }
        self
    }

    /// The same error, in the file `path`, unless it knows its file already.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        if let Error::ModelFormat { place, .. }
        | Error::Counts { place, .. }
        | Error::Corpus { place, .. } = &mut self
            && (place.is_empty() || place.starts_with(':'))
        {
            place.insert_str(0, &path.display().to_string());
        }
        self
    }

    /// An error of the operating system about `path`.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Error::Io {
            path: path.display().to_string(),
            message: error.to_string(),
            code: error.raw_os_error(),
        }
    }

    /// An id that no token has, at `position` of a sequence.
    pub fn unknown_id(id: TokenId, position: usize) -> Self {
        Error::UnknownId { id: i64::from(id), position }
    }
}

/// Turns an error of the operating system into one that names the file.
pub(crate) trait InFile<T> {
    fn in_file(self, path: &Path) -> Result<T>;
}

impl<T> InFile<T> for io::Result<T> {
    fn in_file(self, path: &Path) -> Result<T> {
        self.map_err(|error| Error::io(path, &error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ModelFormat { place, message, hint }
            | Error::Counts { place, message, hint }
            | Error::Corpus { place, message, hint } => {
                if !place.is_empty() {
                    write!(f, "{place}: ")?;
                }
                f.write_str(message)?;
                hint.iter().try_for_each(|hint| write!(f, "\n  hint: {hint}"))
            }
            Error::Pattern { pattern, message } => write!(f, "pattern {pattern:?}: {message}"),
            Error::SpecialToken { token, position } => {
                write!(f, "the text spells the special token {token:?} at byte {position}")
            }
            Error::Text { message, position } => write!(f, "{message} (byte {position})"),
            Error::NotUtf8 { place, position } => {
                write!(f, "{place}: not UTF-8 (byte {position})")
            }
            Error::Stopped => f.write_str("stopped"),
            Error::Memory { bytes } => write!(f, "no memory for {bytes} bytes"),
            Error::Argument { message } => f.write_str(message),
            Error::Training { message, hint } => {
                f.write_str(message)?;
                hint.iter().try_for_each(|hint| write!(f, "\n  hint: {hint}"))
            }
            Error::UnknownId { id, position } => {
                write!(f, "no token has id {id} (position {position})")
            }
            Error::Io { path, message, .. } => write!(f, "{path}: {message}"),
        }
    }
}

impl std::error::Error for Error {}
