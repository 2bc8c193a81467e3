//! Samples as text: decimal numbers or hexadecimal bytes.

use std::io::{self, Read};
use std::str::FromStr;

use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::samples::{FromInteger, SAMPLES, StoredSamples, narrow};
use crate::io::{ByteCount, FileProblem, SampleProblem, StoredType};
use crate::{
    grid::{Sample, SampleType},
    memory,
};

/// Longest number that is accepted, in bytes.
const MAX_WORD: usize = 512;

/// Samples that are stored as decimal numbers, separated by white space or commas.
pub(crate) struct DecimalSamples<'s, 'a> {
    pub source: &'s mut Source<'a>,
    pub layout: &'s Layout,
    /// Number of samples before the selected volume.
    pub before: u64,
}

impl StoredSamples for DecimalSamples<'_, '_> {
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem> {
        match self.layout.stored {
            StoredType::U8 => self.parse_all::<u8, T>(first, out),
            StoredType::I8 => self.parse_all::<i8, T>(first, out),
            StoredType::U16 => self.parse_all::<u16, T>(first, out),
            StoredType::I16 => self.parse_all::<i16, T>(first, out),
            StoredType::I32 if T::TYPE == SampleType::I32 => self.parse_all::<i32, T>(first, out),
            StoredType::F32 => self.parse_floats::<f32, T>(first, out),
            StoredType::F64 => self.parse_floats::<f64, T>(first, out),
            StoredType::U32 | StoredType::U64 | StoredType::I64 | StoredType::I32 => {
                if T::TYPE == SampleType::F64 {
                    self.parse_integers::<f64>(first, bytemuck::cast_slice_mut(out))
                } else if T::TYPE == SampleType::I64 {
                    self.parse_integers::<i64>(first, bytemuck::cast_slice_mut(out))
                } else {
                    self.parse_integers::<i32>(first, bytemuck::cast_slice_mut(out))
                }
            }
        }
    }
}

impl DecimalSamples<'_, '_> {
    /// Reads numbers of type `S`, which is the type `T` of `out`.
    fn parse_all<S: Sample + FromStr, T: Sample>(
        &mut self,
        first: u64,
        out: &mut [T],
    ) -> Result<(), FileProblem> {
        self.parse_each(first, bytemuck::cast_slice_mut(out), |_, _, value: S| {
            Ok(value)
        })
    }

    /// Reads numbers of the floating-point type `S`, which is the type `T` of `out`. Digits that
    /// exceed the range of the type are an error, although the parser returns infinity for them.
    fn parse_floats<S: Sample + FromStr, T: Sample>(
        &mut self,
        first: u64,
        out: &mut [T],
    ) -> Result<(), FileProblem> {
        let stored = self.layout.stored;
        let out: &mut [S] = bytemuck::cast_slice_mut(out);
        self.parse_each(first, out, |index, word, value: S| {
            if value.to_f64().is_infinite() && word.iter().any(u8::is_ascii_digit) {
                return Err(invalid_number(index, word, stored));
            }
            Ok(value)
        })
    }

    fn parse_integers<S: FromInteger>(
        &mut self,
        first: u64,
        out: &mut [S],
    ) -> Result<(), FileProblem> {
        let (stored, before) = (self.layout.stored, self.before);
        self.parse_each(first, out, |index, _, value| {
            narrow(value, index - before, stored)
        })
    }

    fn parse_each<P: FromStr, S>(
        &mut self,
        first: u64,
        out: &mut [S],
        convert: impl Fn(u64, &[u8], P) -> Result<S, FileProblem>,
    ) -> Result<(), FileProblem> {
        for (sample, index) in out.iter_mut().zip(self.before + first..) {
            let word = self.next_word(index)?;
            *sample = convert(index, &word, parse(index, &word, self.layout)?)?;
        }
        Ok(())
    }

    /// Skips the numbers in a range of the file.
    pub fn skip(&mut self, range: std::ops::Range<u64>) -> Result<(), FileProblem> {
        for index in range {
            self.next_word(index)?;
        }
        Ok(())
    }

    fn next_word(&mut self, index: u64) -> Result<Vec<u8>, FileProblem> {
        let end = || {
            let bytes = index * self.layout.stored.bytes() as u64;
            self.layout.too_short(ByteCount::Exactly(bytes))
        };
        self.source.word(MAX_WORD)?.ok_or_else(end)
    }

    /// Fails if anything follows the last number.
    pub fn check_end(&mut self) -> Result<(), FileProblem> {
        match self.source.word(MAX_WORD)? {
            None => Ok(()),
            Some(word) => Err(invalid_number(
                self.layout.value_count(),
                &word,
                self.layout.stored,
            )),
        }
    }
}

/// Fails if the source is certainly too short: every number has a digit and, except the last, a
/// separator.
pub(crate) fn check_decimal_length(left: Remaining, layout: &Layout) -> Result<(), FileProblem> {
    let characters = layout.value_count().saturating_mul(2).saturating_sub(1);
    if left.fewer_than(characters).is_some() {
        return Err(layout.too_short(ByteCount::Exactly(0)));
    }
    Ok(())
}

fn parse<T: FromStr>(index: u64, word: &[u8], layout: &Layout) -> Result<T, FileProblem> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.trim_start_matches('+').parse().ok())
        .ok_or_else(|| invalid_number(index, word, layout.stored))
}

fn invalid_number(index: u64, word: &[u8], stored: StoredType) -> FileProblem {
    let text = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
    SampleProblem::InvalidNumber {
        index,
        text,
        stored,
    }
    .into()
}

/// Returns a source of the bytes that `source` encodes as two hexadecimal digits each.
pub(crate) fn hex_decoder(source: Source<'_>, stored: StoredType) -> Source<'_> {
    let left = match source.remaining() {
        Remaining::Exactly(left) | Remaining::AtMost(left) => Remaining::AtMost(left / 2),
        Remaining::Unknown => Remaining::Unknown,
    };
    let decoder = HexDecoder {
        source,
        stored,
        high: None,
        bytes: Vec::new(),
        returned: 0,
        decoded: 0,
    };
    Source::from_decoder(decoder, left)
}

/// Decoder of hexadecimal digits.
struct HexDecoder<'a> {
    source: Source<'a>,
    stored: StoredType,
    /// First digit of a byte whose second digit has not been read.
    high: Option<u8>,
    /// Bytes of the current word.
    bytes: Vec<u8>,
    /// Number of bytes of the current word that have been returned.
    returned: usize,
    /// Number of bytes decoded so far.
    decoded: u64,
}

impl HexDecoder<'_> {
    /// Decodes the next word. Returns `false` at the end.
    fn next_word(&mut self) -> Result<bool, FileProblem> {
        let Some(word) = self.source.word(MAX_WORD)? else {
            return Ok(false);
        };
        self.bytes.clear();
        self.returned = 0;
        memory::try_reserve(SAMPLES, &mut self.bytes, word.len())?;
        for &digit in &word {
            let value = (digit as char).to_digit(16).ok_or_else(|| {
                invalid_number(
                    self.decoded / self.stored.bytes() as u64,
                    &word,
                    self.stored,
                )
            })? as u8;
            match self.high.take() {
                None => self.high = Some(value << 4),
                Some(high) => {
                    self.bytes.push(high | value);
                    self.decoded += 1;
                }
            }
        }
        Ok(true)
    }
}

impl Read for HexDecoder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.returned == self.bytes.len() {
            if !self.next_word().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let available = &self.bytes[self.returned..];
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.returned += count;
        Ok(count)
    }
}
