//! 6-connected components of the background of a component.

use crate::{
    memory::{ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind},
    skeleton::medial::voxels::object::Object,
    union_find::UnionFind,
};
use std::ops::Range;

/// Background as runs along x, with a union-find structure of its 6-connected components.
///
/// Rows without voxels, and the parts of a row before its first and after its last voxel, belong to
/// the outer background. Only gaps between voxels are stored, so the time is linear in the number
/// of runs.
pub struct Background<'a> {
    object: &'a Object,
    /// Index of the first gap of each row, followed by the number of gaps.
    starts: Vec<usize>,
    /// Half-open range of x of each gap.
    gaps: Vec<[i32; 2]>,
    /// Half-open range of x from the first to the last voxel of each row; empty (`[i32::MAX,
    /// i32::MIN]`) without voxels.
    ends: Vec<[i32; 2]>,
    /// Union-find structure of the gaps; the element after the last gap is the outer background.
    sets: UnionFind<usize>,
    /// Number of components other than the outer one.
    enclosed: u64,
}

/// Directions to the four rows that share a face with a row.
const ACROSS: [usize; 4] = [1, 3, 5, 7];

impl<'a> Background<'a> {
    /// Builds the background of an object.
    pub fn new(object: &'a Object) -> Self {
        let mut starts = vec![0];
        let mut gaps = Vec::new();
        let mut ends = with_capacity_or_unwind(object.row_count());
        for row in 0..object.row_count() {
            let mut row_ends = [i32::MAX, i32::MIN];
            for [start, end] in object.row_runs(row, |word| object.words()[word].bits) {
                match row_ends[0] {
                    i32::MAX => row_ends[0] = start,
                    _ => gaps.push_or_unwind([row_ends[1], start]),
                }
                row_ends[1] = end;
            }
            ends.push_or_unwind(row_ends);
            starts.push_or_unwind(gaps.len());
        }
        let mut background = Self {
            object,
            starts,
            sets: unwrap_or_unwind(UnionFind::try_new(gaps.len() + 1)),
            enclosed: gaps.len() as u64,
            gaps,
            ends,
        };
        for row in 0..object.row_count() {
            background.join_row(row);
        }
        background
    }

    /// Returns the number of enclosed components.
    pub fn cavities(&self) -> u64 {
        self.enclosed
    }

    /// Returns the union-find element of the outer background.
    fn outside(&self) -> usize {
        self.gaps.len()
    }

    /// Returns the gaps of a row.
    fn row_gaps(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Joins the gaps of a row with those that share a face with them.
    fn join_row(&mut self, row: usize) {
        for direction in ACROSS {
            let own_gaps = self.row_gaps(row);
            if own_gaps.is_empty() {
                return;
            }
            let adjacent_row = self.object.adjacent_row(row, direction);
            // missing rows and rows without voxels belong to the outer background
            let (mut adjacent_gaps, [low, high]) = match adjacent_row {
                Some(adjacent_row) => (self.row_gaps(adjacent_row), self.ends[adjacent_row]),
                None => (0..0, [i32::MAX, i32::MIN]),
            };
            for gap in own_gaps {
                let [start, end] = self.gaps[gap];
                if start < low || end > high {
                    self.join_sets(gap, self.outside());
                }
                while adjacent_gaps.start < adjacent_gaps.end
                    && self.gaps[adjacent_gaps.start][1] <= start
                {
                    adjacent_gaps.start += 1;
                }
                for adjacent_row in adjacent_gaps.clone() {
                    if self.gaps[adjacent_row][0] >= end {
                        break;
                    }
                    self.join_sets(gap, adjacent_row);
                }
            }
        }
    }

    /// Joins the components of two gaps.
    fn join_sets(&mut self, first: usize, second: usize) {
        self.enclosed -= u64::from(self.sets.join(first, second));
    }
}
