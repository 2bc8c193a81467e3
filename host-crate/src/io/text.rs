//! Samples written as text: decimal numbers, or hexadecimal bytes.

use std::io::{self, Read};
use std::str::FromStr;

use super::layout::Layout;
use super::samples::{FromInteger, SAMPLES, StoredSamples, narrow};
use super::source::{Left, Source};
use super::{Amount, FileProblem, StoredType};
use crate::{
    grid::{Sample, SampleType},
    memory,
};

/// Longer numbers are not numbers.
const WORD: usize = 512;

/// Samples as decimal numbers, separated by white space or commas.
pub(crate) struct Decimal<'s, 'a> {
    pub source: &'s mut Source<'a>,
    pub layout: &'s Layout,
    /// Numbers before the first of the volume.
    pub before: u64,
}

impl StoredSamples for Decimal<'_, '_> {
    fn fill<T: Sample>(&mut self, first: u64, out: &mut [T]) -> Result<(), FileProblem> {
        match self.layout.stored {
            StoredType::U8 => self.parse_all::<u8, T>(first, out),
            StoredType::I8 => self.parse_all::<i8, T>(first, out),
            StoredType::U16 => self.parse_all::<u16, T>(first, out),
            StoredType::I16 => self.parse_all::<i16, T>(first, out),
            StoredType::I32 if T::TYPE == SampleType::I32 => self.parse_all::<i32, T>(first, out),
            StoredType::F32 => self.parse_all::<f32, T>(first, out),
            StoredType::F64 => self.parse_all::<f64, T>(first, out),
            StoredType::U32 | StoredType::U64 | StoredType::I64 | StoredType::I32 => {
                if T::TYPE == SampleType::F64 {
                    self.integers::<f64>(first, bytemuck::cast_slice_mut(out))
                } else {
                    self.integers::<i32>(first, bytemuck::cast_slice_mut(out))
                }
            }
        }
    }
}

impl Decimal<'_, '_> {
    /// Reads numbers of the type that `out` has; `T` is the same type by another name.
    fn parse_all<S: Sample + FromStr, T: Sample>(
        &mut self,
        first: u64,
        out: &mut [T],
    ) -> Result<(), FileProblem> {
        self.each(first, bytemuck::cast_slice_mut(out), |_, value: S| {
            Ok(value)
        })
    }

    fn integers<S: FromInteger>(&mut self, first: u64, out: &mut [S]) -> Result<(), FileProblem> {
        let (stored, before) = (self.layout.stored, self.before);
        self.each(first, out, |index, value| {
            narrow(value, index - before, stored)
        })
    }

    fn each<P: FromStr, S>(
        &mut self,
        first: u64,
        out: &mut [S],
        convert: impl Fn(u64, P) -> Result<S, FileProblem>,
    ) -> Result<(), FileProblem> {
        for (sample, index) in out.iter_mut().zip(self.before + first..) {
            let word = self.next_word(index)?;
            *sample = convert(index, parse(index, &word, self.layout)?)?;
        }
        Ok(())
    }

    /// Passes over the numbers of the file in this range.
    pub fn skip(&mut self, range: std::ops::Range<u64>) -> Result<(), FileProblem> {
        for index in range {
            self.next_word(index)?;
        }
        Ok(())
    }

    fn next_word(&mut self, index: u64) -> Result<Vec<u8>, FileProblem> {
        let end = || {
            let bytes = index * self.layout.stored.bytes() as u64;
            self.layout.too_short(Amount::Exactly(bytes))
        };
        self.source.word(WORD)?.ok_or_else(end)
    }

    /// Fails if something follows the last number.
    pub fn check_end(&mut self) -> Result<(), FileProblem> {
        match self.source.word(WORD)? {
            None => Ok(()),
            Some(word) => Err(not_a_number(
                self.layout.numbers(),
                &word,
                self.layout.stored,
            )),
        }
    }
}

/// A number takes a digit, and a separator but for the last: finds out what is surely too short.
pub(crate) fn check_decimal_length(left: Left, layout: &Layout) -> Result<(), FileProblem> {
    let characters = layout.numbers().saturating_mul(2).saturating_sub(1);
    if left.fewer_than(characters).is_some() {
        return Err(layout.too_short(Amount::Exactly(0)));
    }
    Ok(())
}

fn parse<T: FromStr>(index: u64, word: &[u8], layout: &Layout) -> Result<T, FileProblem> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.trim_start_matches('+').parse().ok())
        .ok_or_else(|| not_a_number(index, word, layout.stored))
}

fn not_a_number(index: u64, word: &[u8], stored: StoredType) -> FileProblem {
    let text = String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned();
    FileProblem::NotANumber {
        index,
        text,
        stored,
    }
}

/// A source of the bytes that another one has as two hexadecimal digits each.
pub(crate) fn from_hexadecimal(source: Source<'_>, stored: StoredType) -> Source<'_> {
    let left = match source.left() {
        Left::Exactly(left) | Left::AtMost(left) => Left::AtMost(left / 2),
        Left::Unknown => Left::Unknown,
    };
    let digits = Hexadecimal {
        source,
        stored,
        high: None,
        bytes: Vec::new(),
        given: 0,
        made: 0,
    };
    Source::from_decoder(digits, left)
}

struct Hexadecimal<'a> {
    source: Source<'a>,
    stored: StoredType,
    /// The first digit of a byte, where the second is still to come.
    high: Option<u8>,
    /// Bytes of the last word.
    bytes: Vec<u8>,
    /// How many of them have been given out.
    given: usize,
    /// Bytes decoded so far.
    made: u64,
}

impl Hexadecimal<'_> {
    /// Decodes the next word; false at the end.
    fn next_word(&mut self) -> Result<bool, FileProblem> {
        let Some(word) = self.source.word(WORD)? else {
            return Ok(false);
        };
        self.bytes.clear();
        self.given = 0;
        memory::try_reserve(SAMPLES, &mut self.bytes, word.len())?;
        for &digit in &word {
            let value = (digit as char).to_digit(16).ok_or_else(|| {
                not_a_number(self.made / self.stored.bytes() as u64, &word, self.stored)
            })? as u8;
            match self.high.take() {
                None => self.high = Some(value << 4),
                Some(high) => {
                    self.bytes.push(high | value);
                    self.made += 1;
                }
            }
        }
        Ok(true)
    }
}

impl Read for Hexadecimal<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.bytes.len() {
            if !self.next_word().map_err(io::Error::other)? {
                return Ok(0);
            }
        }
        let rest = &self.bytes[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}
