//! Reading of lines and words of text.

use std::io::{BufRead, Read};

use super::Source;
use crate::io::FileProblem;
use crate::io::source::buffered::with_buffer;

impl Source<'_> {
    /// Reads the next line without its end (LF or CR LF); `None` at the end of the source. A line
    /// longer than `limit` is cut there, and the next call continues it.
    pub fn line(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let mut line = Vec::new();
        let mut limited = (&mut self.reader).take(limit as u64);
        let consumed = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| self.problem(error))?;
        self.advance(consumed as u64);
        if consumed == 0 {
            return Ok(None);
        }
        if line.ends_with(b"\n") {
            line.pop();
            if line.ends_with(b"\r") {
                line.pop();
            }
        }
        Ok(Some(line))
    }

    /// Reads the bytes up to the next white space, comma or NUL, after skipping such bytes; `None`
    /// at the end. A word longer than `limit` is cut there.
    pub fn word(&mut self, limit: usize) -> Result<Option<Vec<u8>>, FileProblem> {
        let is_separator = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',' || *byte == 0;
        let mut word = Vec::new();
        loop {
            let mut used = 0;
            let mut done = false;
            let looked = with_buffer(&mut self.reader, |buffer| {
                for byte in buffer {
                    used += 1;
                    if !is_separator(byte) {
                        word.push(*byte);
                        done = word.len() == limit;
                    } else if !word.is_empty() {
                        done = true;
                    }
                    if done {
                        break;
                    }
                }
            });
            looked.map_err(|error| self.problem(error))?;
            if used == 0 {
                return Ok((!word.is_empty()).then_some(word));
            }
            self.reader.consume(used);
            self.advance(used as u64);
            if done {
                return Ok(Some(word));
            }
        }
    }
}
