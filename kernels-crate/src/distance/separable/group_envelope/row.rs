//! Elements of neighbouring scanlines.

use super::super::layout::Layout;
use cuda_std::{View, ViewMut};

/// Elements of a group at each position.
#[derive(Clone, Copy)]
pub(in crate::distance) struct Row {
    /// Index of the group's first element.
    first: u64,
    /// Stride between consecutive positions.
    along: u64,
    /// Number of scanlines.
    count: usize,
}

impl Row {
    /// Locates a group of `count` scanlines from `column` on.
    #[inline(always)]
    pub fn new(layout: Layout, batch: u64, column: u64, count: usize) -> Self {
        Self {
            first: batch * layout.batch + column,
            along: layout.along,
            count,
        }
    }

    #[inline(always)]
    fn index(self, position: u32) -> usize {
        (self.first + position as u64 * self.along) as usize
    }

    /// Reads the elements at a position, and `other` for lanes without a scanline.
    #[inline(always)]
    pub fn read<const W: usize>(self, costs: View<u32>, position: u32, other: u32) -> [u32; W] {
        let first = self.index(position);
        if self.count == W {
            return costs.read_vector::<W>(first);
        }
        let mut row = [other; W];
        let mut k = 0;
        while k < self.count {
            row[k] = costs.read(first + k);
            k += 1;
        }
        row
    }

    /// Writes the elements at a position.
    #[inline(always)]
    pub fn write<T: Copy, const W: usize>(self, to: ViewMut<T>, position: u32, row: [T; W]) {
        let first = self.index(position);
        if self.count == W {
            to.write_vector(first, row);
            return;
        }
        let mut k = 0;
        while k < self.count {
            to.write(first + k, row[k]);
            k += 1;
        }
    }
}
