//! One component of samples that are several numbers each.

use std::io::{self, Read};

use super::FileProblem;
use super::layout::Layout;
use super::source::{Left, Source};

/// Bytes of samples that are taken at a time, about.
const PORTION: usize = 1 << 16;
/// Longer numbers are not numbers.
const WORD: usize = 512;

/// A source of the bytes that belong to one component.
pub(crate) fn one_component<'a>(source: Source<'a>, layout: &Layout, component: u64) -> Source<'a> {
    let left = fewer(source.left(), layout.components);
    let width = layout.stored.bytes();
    // A sample of more bytes than memory has does not come.
    let group = usize::try_from(layout.components)
        .ok()
        .and_then(|count| count.checked_mul(width))
        .unwrap_or(usize::MAX);
    let bytes = Bytes {
        source,
        width,
        group,
        first: (component as usize).saturating_mul(width),
        given: Vec::new(),
        next: 0,
    };
    Source::from_decoder(bytes, left)
}

/// A source of the decimal numbers that belong to one component.
pub(crate) fn one_number(source: Source<'_>, components: u64, component: u64) -> Source<'_> {
    let left = source.left();
    let words = Words {
        source,
        components,
        component,
        number: 0,
        given: Vec::new(),
        next: 0,
    };
    Source::from_decoder(words, left)
}

fn fewer(left: Left, components: u64) -> Left {
    match left {
        Left::Exactly(left) | Left::AtMost(left) => Left::AtMost(left.div_ceil(components)),
        Left::Unknown => Left::Unknown,
    }
}

struct Bytes<'a> {
    source: Source<'a>,
    /// Bytes of a number.
    width: usize,
    /// Bytes of a sample.
    group: usize,
    /// The component's first byte in a sample.
    first: usize,
    /// The component's bytes of the last portion.
    given: Vec<u8>,
    /// The first of them that was not given out.
    next: usize,
}

impl Bytes<'_> {
    /// Takes the next samples; false at the end.
    fn portion(&mut self) -> Result<bool, FileProblem> {
        self.given.clear();
        self.next = 0;
        if self.group > PORTION {
            return self.one_sample();
        }
        let mut samples = vec![0; PORTION / self.group * self.group];
        let found = self.source.fill(&mut samples)?;
        let samples = samples[..found].chunks(self.group);
        for sample in samples {
            let end = sample.len().min(self.first + self.width);
            self.given
                .extend(sample.get(self.first..end).unwrap_or_default());
        }
        // what is left of a sample that is cut off, or of none, is there, but no number of this
        // component
        if self.given.is_empty() && found > 0 {
            self.given.push(0);
        }
        Ok(found > 0)
    }

    /// Takes one sample of many numbers.
    fn one_sample(&mut self) -> Result<bool, FileProblem> {
        let skipped = self.source.skip(self.first as u64)?;
        let mut number = vec![0; self.width];
        let found = self.source.fill(&mut number)?;
        if skipped == 0 && found == 0 {
            return Ok(false);
        }
        self.given.extend(&number[..found.max(1)]);
        self.source
            .skip((self.group - self.first - self.width) as u64)?;
        Ok(true)
    }
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.given.len() && !self.portion().map_err(io::Error::other)? {
            return Ok(0);
        }
        Ok(give(&self.given, &mut self.next, buffer))
    }
}

struct Words<'a> {
    source: Source<'a>,
    components: u64,
    component: u64,
    /// The number that comes next, of its sample.
    number: u64,
    /// The last number, and a space.
    given: Vec<u8>,
    next: usize,
}

impl Words<'_> {
    /// Takes the next number of the component; false at the end.
    fn word(&mut self) -> Result<bool, FileProblem> {
        loop {
            let Some(word) = self.source.word(WORD)? else {
                return Ok(false);
            };
            let number = self.number;
            self.number = (number + 1) % self.components;
            if number == self.component {
                (self.given, self.next) = (word, 0);
                self.given.push(b' ');
                return Ok(true);
            }
        }
    }
}

impl Read for Words<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.given.len() && !self.word().map_err(io::Error::other)? {
            return Ok(0);
        }
        Ok(give(&self.given, &mut self.next, buffer))
    }
}

/// Copies as much as there is, and there is room for.
fn give(bytes: &[u8], next: &mut usize, buffer: &mut [u8]) -> usize {
    let count = buffer.len().min(bytes.len() - *next);
    buffer[..count].copy_from_slice(&bytes[*next..*next + count]);
    *next += count;
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{ByteOrder, StoredType};

    #[test]
    fn every_component_of_any_number_of_bytes() {
        let samples: Vec<u8> = (0..=250).cycle().take(6 * 30_000).collect();
        for (components, stored) in [
            (3, StoredType::U16),
            (2, StoredType::U8),
            (30_000, StoredType::U16),
        ] {
            let group = components * stored.bytes();
            let sizes = [(samples.len() / group) as u64];
            let layout = Layout::new(&sizes, stored, ByteOrder::Little).unwrap();
            let layout = layout.with_components(components as u64).unwrap();
            for component in [0, 1, components - 1] {
                let source = Source::from_bytes(&samples);
                let mut source = one_component(source, &layout, component as u64);
                let mut found = vec![0; samples.len()];
                let count = source.fill(&mut found).unwrap();
                let first = component * stored.bytes();
                let expected: Vec<u8> = samples
                    .chunks(group)
                    .flat_map(|sample| &sample[first..first + stored.bytes()])
                    .copied()
                    .collect();
                assert_eq!(found[..count], expected, "{component} of {components}");
            }
        }
        let mut words = one_number(Source::from_bytes(b"1 2,3\n4 5 6 7"), 3, 1);
        assert_eq!(words.word(9).unwrap().unwrap(), b"2");
        assert_eq!(words.word(9).unwrap().unwrap(), b"5");
        assert_eq!(words.word(9).unwrap(), None);
    }
}
