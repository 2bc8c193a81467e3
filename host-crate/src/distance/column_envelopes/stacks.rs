//! Construction of lower envelopes, column by column, from candidates in order of their planes.

use super::candidate::{Candidate, ColumnCost};
use crate::memory::ExtendOrUnwind;

/// Number of columns that a thread processes at a time.
pub(super) const CHUNK: usize = 1 << 12;

/// Appends a candidate to an envelope, after removing the candidates that it hides.
pub(super) fn push<C: ColumnCost>(
    envelope: &mut Vec<Candidate<C>>,
    candidate: Candidate<C>,
    weight: C,
) {
    while let [.., before, middle] = envelope[..]
        && C::is_hidden(weight, before, middle, candidate)
    {
        envelope.pop();
    }
    envelope.push_or_unwind(candidate);
}

/// Envelopes of a chunk of columns, to which planes are added.
pub(super) struct EnvelopeStacks<C> {
    /// Number of candidates of each column.
    counts: Vec<u32>,
    /// First candidates of all columns, then second candidates, and so on.
    slots: Vec<Candidate<C>>,
}

impl<C: ColumnCost> EnvelopeStacks<C> {
    /// Creates empty envelopes.
    pub fn new(columns: usize) -> Self {
        let mut counts = Vec::new();
        counts.extend_or_unwind(std::iter::repeat_n(0, columns));
        Self {
            counts,
            slots: Vec::new(),
        }
    }

    fn slot(&self, column: usize, index: u32) -> usize {
        index as usize * self.counts.len() + column
    }

    /// Appends a candidate to the envelope of a column, after removing those that it hides.
    pub fn push(&mut self, column: usize, candidate: Candidate<C>, weight: C) {
        while let Some(second) = self.counts[column].checked_sub(2) {
            let before = self.slots[self.slot(column, second)];
            let middle = self.slots[self.slot(column, second + 1)];
            if !C::is_hidden(weight, before, middle, candidate) {
                break;
            }
            self.counts[column] -= 1;
        }
        let slot = self.slot(column, self.counts[column]);
        if slot >= self.slots.len() {
            let row = std::iter::repeat_n(candidate, self.counts.len());
            self.slots.extend_or_unwind(row);
        }
        self.slots[slot] = candidate;
        self.counts[column] += 1;
    }

    /// Sets `envelope` to the candidates of a column.
    pub fn copy_column(&self, column: usize, envelope: &mut Vec<Candidate<C>>) {
        envelope.clear();
        let slots = (0..self.counts[column]).map(|index| self.slots[self.slot(column, index)]);
        envelope.extend_or_unwind(slots);
    }
}
