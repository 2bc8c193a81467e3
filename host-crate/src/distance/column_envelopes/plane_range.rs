//! Restriction of envelopes to ranges of planes.

use super::candidate::{Candidate, ColumnCost};
use std::ops::{Bound, RangeBounds};

/// First and last plane of the positions to which distances are needed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlaneRange {
    first: Option<u32>,
    last: Option<u32>,
}

impl PlaneRange {
    /// Creates the range of the planes within bounds.
    pub fn new(planes: impl RangeBounds<usize>) -> Self {
        Self {
            first: match planes.start_bound() {
                Bound::Included(&first) => Some(first as u32),
                Bound::Excluded(&before) => Some(before as u32 + 1),
                Bound::Unbounded => None,
            },
            last: match planes.end_bound() {
                Bound::Included(&last) => Some(last as u32),
                Bound::Excluded(&end) => Some((end as u32).saturating_sub(1)),
                Bound::Unbounded => None,
            },
        }
    }

    /// Returns the candidates of an envelope that can be nearest to a position in the range.
    pub fn trim<C: ColumnCost>(self, envelope: &[Candidate<C>], weight: C) -> &[Candidate<C>] {
        let mut needed = envelope;
        if let Some(first) = self.first {
            while let [before, after, ..] = needed
                && after
                    .cost_at(first, weight)
                    .is_certainly_less(before.cost_at(first, weight))
            {
                needed = &needed[1..];
            }
        }
        if let Some(last) = self.last {
            while let [.., before, after] = needed
                && before
                    .cost_at(last, weight)
                    .is_certainly_less(after.cost_at(last, weight))
            {
                needed = &needed[..needed.len() - 1];
            }
        }
        needed
    }
}
