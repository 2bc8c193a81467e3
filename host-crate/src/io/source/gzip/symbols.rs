//! Decoded symbols of a chunk.

use crate::memory;

/// Number of bytes that a match may refer back to.
pub(super) const WINDOW: usize = 1 << 15;
/// Flag of symbols that stand for a byte before the start of the data; the lower 15 bits are the
/// byte's index in the window.
pub(super) const MARKER: u16 = 1 << 15;
/// Longest match, in bytes.
pub(super) const MAX_MATCH: usize = 258;
/// Number of symbols that are copied at a time.
const STEP: usize = 8;
/// Number of symbols after the last that one step of the decoder may write.
pub(super) const SLACK: usize = MAX_MATCH + 2 * STEP;
/// Smallest number of symbols for which memory is allocated.
const MIN_LEN: usize = 8 * WINDOW;

/// Decoded symbols: bytes, or markers.
pub(super) struct Symbols {
    /// The window and the decoded symbols; the rest is unused.
    pub list: Vec<u16>,
    /// End of the decoded symbols.
    pub end: usize,
    /// Index of the first symbol that matches may refer to.
    pub first: usize,
    /// Largest number of symbols.
    limit: usize,
}

impl Symbols {
    pub fn new(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            end: WINDOW,
            first: 0,
            limit: limit + WINDOW + SLACK,
        }
    }

    /// Removes all symbols and sets the bytes before them, at most [`WINDOW`].
    ///
    /// Returns `None` if there is too little memory.
    pub fn start_after(&mut self, window: &[u8]) -> Option<()> {
        self.clear()?;
        self.first = WINDOW - window.len();
        for (symbol, &byte) in self.list[self.first..WINDOW].iter_mut().zip(window) {
            *symbol = byte.into();
        }
        Some(())
    }

    /// Removes all symbols; markers stand for the unknown bytes before them.
    ///
    /// Returns `None` if there is too little memory.
    pub fn start_anywhere(&mut self) -> Option<()> {
        self.clear()?;
        self.first = 0;
        for (symbol, index) in self.list[..WINDOW].iter_mut().zip(0..) {
            *symbol = MARKER | index;
        }
        Some(())
    }

    fn clear(&mut self) -> Option<()> {
        self.end = WINDOW;
        self.resize(self.list.len().max(MIN_LEN))
    }

    /// Removes all symbols, and frees memory for more than `len`.
    pub fn shrink_to(&mut self, len: usize) {
        let len = len.max(MIN_LEN);
        self.end = WINDOW;
        self.list.truncate(len);
        self.list.shrink_to(len);
    }

    /// Returns the decoded symbols.
    pub fn decoded(&self) -> &[u16] {
        &self.list[WINDOW..self.end]
    }

    /// Makes room for more steps of the decoder, up to the limit.
    #[cold]
    pub fn grow(&mut self) -> Option<()> {
        if self.list.len() >= self.limit {
            return None;
        }
        let len = (self.list.len() * 2).min(self.limit);
        self.resize(len)
    }

    fn resize(&mut self, len: usize) -> Option<()> {
        let added = len.saturating_sub(self.list.len());
        memory::try_reserve("decoded symbols", &mut self.list, added).ok()?;
        self.list.resize(len, 0);
        Some(())
    }

    pub fn push_bytes(&mut self, bytes: &[u8]) -> Option<()> {
        while self.end + bytes.len() + SLACK > self.list.len() {
            self.grow()?;
        }
        for (symbol, &byte) in self.list[self.end..].iter_mut().zip(bytes) {
            *symbol = byte.into();
        }
        self.end += bytes.len();
        Some(())
    }
}

/// Copies `length` symbols from `distance` before `end` to `end`. May write up to [`STEP`] symbols
/// more.
#[inline(always)]
pub(super) fn copy_match(list: &mut [u16], end: usize, distance: usize, length: usize) {
    let start = end - distance;
    if distance >= STEP {
        let mut done = 0;
        while done < length {
            let mut step = [0; STEP];
            step.copy_from_slice(&list[start + done..start + done + STEP]);
            list[end + done..end + done + STEP].copy_from_slice(&step);
            done += STEP;
        }
    } else if distance.is_power_of_two() {
        let step: [u16; STEP] = std::array::from_fn(|k| list[start + (k & (distance - 1))]);
        for target in list[end..end + length.next_multiple_of(STEP)].chunks_exact_mut(STEP) {
            target.copy_from_slice(&step);
        }
    } else {
        for k in 0..length {
            list[end + k] = list[start + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_freed_and_allocated_again() {
        let mut symbols = Symbols::new(1 << 20);
        let bytes = vec![3; 1 << 20];
        for _ in 0..2 {
            symbols.start_anywhere().unwrap();
            symbols.push_bytes(&bytes).unwrap();
            assert!(symbols.push_bytes(&bytes).is_none());
            assert!(symbols.decoded().len() == bytes.len());
            symbols.shrink_to(400_000);
            assert!(symbols.decoded().is_empty());
            assert!(symbols.list.capacity() < 500_000);
        }
    }
}
