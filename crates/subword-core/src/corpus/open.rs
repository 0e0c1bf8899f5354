/*!
Opens a file: its name says what it holds and how it is compressed.

```text
corpus.jsonl.zst    ->   compressed by Zstandard, JSON lines
```
*/

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::FileKind;

/// An open file, decompressed as it is read.
pub(super) struct FileReader {
    from: FileBytes,
    kind: FileKind,
    read: Arc<AtomicU64>,
}

/// The bytes of the file, or those that it decompresses to.
enum FileBytes {
    Plain(Metered),
    Packed(Box<dyn Read + Send>),
}

impl FileReader {
    pub(super) fn new(path: &Path) -> io::Result<FileReader> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let read = Arc::new(AtomicU64::new(0));
        let metered = Metered { file, read: read.clone() };
        let ends =
            |end: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
        let buffered = |file| BufReader::with_capacity(1 << 16, file);
        let from = if ends("gz") {
            FileBytes::Packed(Box::new(MultiGzDecoder::new(buffered(metered))))
        } else if ends("zst") {
            FileBytes::Packed(Box::new(Zstd::new(buffered(metered))))
        } else {
            FileBytes::Plain(metered)
        };
        let packed = matches!(from, FileBytes::Packed(_));
        let name = if packed { path.with_extension("") } else { path.to_owned() };
        let lines = name.extension().is_some_and(|end| {
            end.eq_ignore_ascii_case("jsonl") || end.eq_ignore_ascii_case("ndjson")
        });
        Ok(FileReader { from, kind: if lines { FileKind::Lines } else { FileKind::Text }, read })
    }

    pub(super) fn kind(&self) -> FileKind {
        self.kind
    }

    /// Seeks to the byte `start`, if the file is not compressed; returns the position.
    pub(super) fn skip_to(&mut self, start: u64) -> io::Result<u64> {
        match &mut self.from {
            FileBytes::Plain(file) => {
                self.read.fetch_add(start, Ordering::Relaxed);
                file.file.seek(SeekFrom::Start(start))
            }
            FileBytes::Packed(_) => Ok(0),
        }
    }

    /// How many bytes of the file on disk were read since the last call.
    pub(super) fn take_read(&mut self) -> u64 {
        self.read.swap(0, Ordering::Relaxed)
    }
}

impl Read for FileReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.from {
            FileBytes::Plain(file) => file.read(bytes),
            FileBytes::Packed(from) => from.read(bytes),
        }
    }
}

impl fmt::Debug for FileReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileReader({:?})", self.kind)
    }
}

/// A file that counts how many bytes of it were read.
struct Metered {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Metered {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(bytes)?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

/// Any number of Zstandard frames, one after the other.
struct Zstd<R> {
    from: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(from: R) -> Self {
        Zstd { from, decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Starts the next frame, if there is one. Skippable frames are skipped.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.from.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.from) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.from).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::ReadFrameHeaderError(
                    ReadFrameHeaderError::BadMagicNumber(_),
                )) => return Err(io::Error::other("this is no Zstandard file")),
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame && !self.next_frame()? {
                return Ok(0);
            }
            let len = self.decoder.read(bytes)?;
            if len > 0 || bytes.is_empty() {
                return Ok(len);
            }
            if self.decoder.is_finished() {
                let told = self.decoder.get_checksum_from_data();
                if told.is_some() && told != self.decoder.get_calculated_checksum() {
                    return Err(io::Error::other("the check sum of the data is wrong"));
                }
                self.in_frame = false;
                continue;
            }
            let one = BlockDecodingStrategy::UptoBlocks(1);
            let decoded = self.decoder.decode_blocks(&mut self.from, one);
            decoded.map_err(|error| io::Error::other(error.to_string()))?;
        }
    }
}
