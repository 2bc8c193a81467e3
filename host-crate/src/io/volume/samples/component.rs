//! Selection of one component from interleaved samples.

use std::io::{self, Read};

use crate::io::FileProblem;
use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;

/// Approximate number of bytes of samples that are read at a time.
const CHUNK: usize = 1 << 16;
/// Longest decimal number that is accepted, in bytes.
const MAX_WORD: usize = 512;

/// Returns a source of the bytes that belong to one component.
pub(crate) fn select_component<'a>(
    source: Source<'a>,
    layout: &Layout,
    component: u64,
) -> Source<'a> {
    let left = divide(source.remaining(), layout.components);
    let width = layout.stored.bytes();
    // A sample larger than memory never arrives.
    let group = usize::try_from(layout.components)
        .ok()
        .and_then(|count| count.checked_mul(width))
        .unwrap_or(usize::MAX);
    let filter = ComponentBytes {
        source,
        width,
        group,
        first: (component as usize).saturating_mul(width),
        selected: Vec::new(),
        next: 0,
    };
    Source::from_decoder(filter, left)
}

/// Returns a source of the decimal numbers that belong to one component.
pub(crate) fn select_decimal_component(
    source: Source<'_>,
    components: u64,
    component: u64,
) -> Source<'_> {
    let left = source.remaining();
    let filter = ComponentNumbers {
        source,
        components,
        component,
        number: 0,
        selected: Vec::new(),
        next: 0,
    };
    Source::from_decoder(filter, left)
}

/// Divides a length by the number of components.
fn divide(left: Remaining, components: u64) -> Remaining {
    match left {
        Remaining::Exactly(left) | Remaining::AtMost(left) => {
            Remaining::AtMost(left.div_ceil(components))
        }
        Remaining::Unknown => Remaining::Unknown,
    }
}

/// Filters the bytes of one component.
struct ComponentBytes<'a> {
    source: Source<'a>,
    /// Size of a number, in bytes.
    width: usize,
    /// Size of a sample, in bytes.
    group: usize,
    /// Offset of the component in a sample, in bytes.
    first: usize,
    /// Bytes of the component in the current chunk.
    selected: Vec<u8>,
    /// Index of the next byte of `selected` to be returned.
    next: usize,
}

impl ComponentBytes<'_> {
    /// Reads the next chunk of samples. Returns `false` at the end.
    fn read_chunk(&mut self) -> Result<bool, FileProblem> {
        self.selected.clear();
        self.next = 0;
        if self.group > CHUNK {
            return self.read_large_sample();
        }
        let mut samples = vec![0; CHUNK / self.group * self.group];
        let found = self.source.fill(&mut samples)?;
        let samples = samples[..found].chunks(self.group);
        for sample in samples {
            let end = sample.len().min(self.first + self.width);
            self.selected
                .extend(sample.get(self.first..end).unwrap_or_default());
        }
        // A truncated sample without bytes of this component still counts as data, so that the file
        // is reported as too short, not as complete.
        if self.selected.is_empty() && found > 0 {
            self.selected.push(0);
        }
        Ok(found > 0)
    }

    /// Reads one sample that is larger than a chunk.
    fn read_large_sample(&mut self) -> Result<bool, FileProblem> {
        let skipped = self.source.skip(self.first as u64)?;
        let mut number = vec![0; self.width];
        let found = self.source.fill(&mut number)?;
        if skipped == 0 && found == 0 {
            return Ok(false);
        }
        self.selected.extend(&number[..found.max(1)]);
        self.source
            .skip((self.group - self.first - self.width) as u64)?;
        Ok(true)
    }
}

impl Read for ComponentBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.selected.len() && !self.read_chunk().map_err(io::Error::other)? {
            return Ok(0);
        }
        Ok(copy_available(&self.selected, &mut self.next, buffer))
    }
}

/// Filters the decimal numbers of one component.
struct ComponentNumbers<'a> {
    source: Source<'a>,
    components: u64,
    component: u64,
    /// Component of the next number in the source.
    number: u64,
    /// Current number, followed by a space.
    selected: Vec<u8>,
    next: usize,
}

impl ComponentNumbers<'_> {
    /// Reads the next number of the component. Returns `false` at the end.
    fn read_number(&mut self) -> Result<bool, FileProblem> {
        loop {
            let Some(word) = self.source.word(MAX_WORD)? else {
                return Ok(false);
            };
            let number = self.number;
            self.number = (number + 1) % self.components;
            if number == self.component {
                (self.selected, self.next) = (word, 0);
                self.selected.push(b' ');
                return Ok(true);
            }
        }
    }
}

impl Read for ComponentNumbers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.selected.len() && !self.read_number().map_err(io::Error::other)? {
            return Ok(0);
        }
        Ok(copy_available(&self.selected, &mut self.next, buffer))
    }
}

/// Copies as many bytes as are available and fit; returns their number.
fn copy_available(bytes: &[u8], next: &mut usize, buffer: &mut [u8]) -> usize {
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
    fn each_component_is_selected_for_any_sample_size() {
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
                let mut source = select_component(source, &layout, component as u64);
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
        let mut words = select_decimal_component(Source::from_bytes(b"1 2,3\n4 5 6 7"), 3, 1);
        assert_eq!(words.word(9).unwrap().unwrap(), b"2");
        assert_eq!(words.word(9).unwrap().unwrap(), b"5");
        assert_eq!(words.word(9).unwrap(), None);
    }
}
