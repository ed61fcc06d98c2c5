//! Bytes of a file for the XML reader: counts lines, refuses what XML has no place for, and keeps one piece of markup
//! or text from filling the memory.

use super::text::advance;
use crate::model::Position;
use std::io::{self, BufRead, BufReader, Read};

/// One tag, comment or stretch of text has at most this many bytes.
pub const MAX_TOKEN: usize = 16 << 20;

pub(crate) struct Source<R> {
    inner: BufReader<R>,
    /// Of the next byte.
    pub position: Position,
    /// Bytes consumed since the last [`Source::mark`].
    token: usize,
    started: bool,
}

impl<R: Read> Source<R> {
    pub fn new(inner: R, file: u32) -> Source<R> {
        let position = Position { file, line: 1, column: 1 };
        Source { inner: BufReader::with_capacity(1 << 16, inner), position, token: 0, started: false }
    }

    /// A new piece begins here.
    pub fn mark(&mut self) {
        self.token = 0;
    }

    /// Drops the byte order mark of UTF-8 and refuses the others.
    fn start(&mut self) -> io::Result<()> {
        self.started = true;
        let bytes = self.inner.fill_buf()?;
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(bad("the file is in UTF-16; it must be in UTF-8"));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            self.inner.consume(3);
        }
        Ok(())
    }
}

fn bad(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.started {
            self.start()?;
        }
        if self.token > MAX_TOKEN {
            return Err(bad(format!("a tag, a comment or text of more than {} MiB", MAX_TOKEN >> 20)));
        }
        let bytes = self.inner.fill_buf()?;
        // What stands before a bad byte is handed out first, so that the error has the byte's position.
        match bytes.iter().position(|&b| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) {
            Some(0) => Err(bad(format!("the byte {} has no place in XML", bytes[0]))),
            Some(count) => Ok(&bytes[..count]),
            None => Ok(bytes),
        }
    }

    fn consume(&mut self, count: usize) {
        let bytes = self.inner.buffer();
        let count = count.min(bytes.len());
        self.position = advance(self.position, &bytes[..count]);
        self.token += count;
        self.inner.consume(count);
    }
}
