/*!
Where a tokenizer is written: the one rule, which `save` follows and a caller can ask before any work.

```text
path                        format                     what is written
a file                      none                       by the name: *.tiktoken, tokenizer.json, vocab.txt, else native
a file                      any                        that file; gpt2 puts merges.txt beside a vocab.json
folder/, or a folder        gpt2, huggingface, bert    the files of the format, by their usual names
folder/, or a folder        native, tiktoken           refused: these have no usual name
folder/, or a folder        none                       refused: the folder does not say which format
```

A device or a pipe is refused, because a tokenizer is written beside its place and renamed.

A folder is what ends in `/` or exists as one, and for gpt2, whose two files need a place, any name that does
not end in `.json`. A folder that is missing is made; the folder that it or a file is in must exist.

Why a folder without a format is refused: it once meant gpt2 or bert, depending on the model, and a name with a
slash at its end became a file. Whoever typed the folder of all their work found two files in it.
*/

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Format;
use crate::error::{Error, InFile, Result};

/// The file that is written, and in which format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// The file; of several, the one that the others are beside.
    pub file: PathBuf,
    /// The folder to make first.
    missing_folder: Option<PathBuf>,
}

impl Output {
    /// Where a model goes that is saved to `path`, in this format if one is named. Looks at the disk, and
    /// changes nothing.
    pub fn new(path: &Path, format: Option<Format>) -> Result<Output> {
        let refused =
            |message: &str, hint: String| Err(Error::format(message).with_hint(hint).at(path));
        let example = |name: &str| path.join(name).display().to_string();
        let chosen = format.unwrap_or_else(|| Format::of_name(path));
        let folder = names_folder(path) || chosen == Format::Gpt2 && !ends_in_json(path);
        if !folder {
            parent_exists(path)?;
            if path.exists() && !path.is_file() {
                let message = "this is a device or a pipe, and a tokenizer is written to a file";
                return refused(message, "name a file, like tok.json".to_owned());
            }
            return Ok(Output { format: chosen, file: path.to_owned(), missing_folder: None });
        }
        let inside = match format {
            Some(Format::Gpt2) => "vocab.json",
            Some(Format::HuggingFace) => "tokenizer.json",
            Some(Format::Bert) => "vocab.txt",
            Some(Format::Native | Format::Tiktoken) => {
                let name = if chosen == Format::Native { "tok.json" } else { "tok.tiktoken" };
                let message = "this is a folder, and the format is one file of any name";
                return refused(message, format!("name the file: {}", example(name)));
            }
            None => {
                let hint = format!(
                    "name the file, like {}, or pass format=\"huggingface\", format=\"gpt2\" or format=\"bert\"",
                    example("tok.json")
                );
                return refused("this is a folder, which does not say the format", hint);
            }
        };
        let missing_folder = (!path.is_dir()).then(|| path.to_owned());
        if missing_folder.is_some() {
            parent_exists(path)?;
        }
        Ok(Output { format: chosen, file: path.join(inside), missing_folder })
    }

    /// Makes the folder, if it is missing.
    pub(super) fn make_folder(&self) -> Result<()> {
        match &self.missing_folder {
            Some(folder) => fs::create_dir(folder).in_file(folder),
            None => Ok(()),
        }
    }
}

/// Whether a path is that of a folder: it ends in a slash, or is there.
fn names_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last().copied().map(char::from);
    last.is_some_and(std::path::is_separator) || path.is_dir()
}

fn ends_in_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Refuses a path whose folder is not there.
fn parent_exists(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent {
        Some(parent) if !parent.exists() => {
            Err(io::Error::from_raw_os_error(NOT_FOUND)).in_file(path)
        }
        Some(parent) if !parent.is_dir() => {
            Err(io::Error::from(io::ErrorKind::NotADirectory)).in_file(path)
        }
        _ => Ok(()),
    }
}

/// "No such file or directory", by its number on every system.
const NOT_FOUND: i32 = 2;
