//! Voxels of a mask as runs along x, and the connectivity of runs.

use crate::memory::{ExtendOrUnwind, OutOfMemory};
use crate::union_find::UnionFind;
use ferrovox_kernels::distance::sites::BitRows;
use std::ops::Range;

/// Consecutive voxels of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: u32,
    /// End of the run, exclusive.
    pub end: u32,
}

/// Definition of neighbouring voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connectivity {
    /// The 6 voxels that share a face.
    Faces,
    /// The 26 voxels that share a face, an edge or a corner.
    Corners,
}

/// Runs of the voxels of a mask, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub bits: BitRows,
    pub list: Vec<Run>,
    /// Index of the first run of each row, followed by the number of runs.
    pub rows: Vec<usize>,
}

impl Runs {
    /// Creates the runs of the words of a mask. Unwinds if memory runs out.
    pub fn from_words(words: &[u32], bits: BitRows) -> Self {
        Self::from_word_iter(words.iter().copied(), bits)
    }

    /// Creates the runs of the voxels of the grid that are not in the mask. Unwinds if memory runs
    /// out.
    pub fn from_complement(words: &[u32], bits: BitRows) -> Self {
        let per_row = bits.per_row.max(1);
        let in_row = (0..per_row).cycle();
        let numbered = words.iter().zip(in_row);
        Self::from_word_iter(numbered.map(|(word, at)| !word & bits.voxel_mask(at)), bits)
    }

    fn from_word_iter(mut words: impl Iterator<Item = u32>, bits: BitRows) -> Self {
        let mut list: Vec<Run> = Vec::new();
        let mut rows = Vec::new();
        rows.push_or_unwind(0);
        for _ in 0..u64::from(bits.grid.ny) * u64::from(bits.grid.nz) {
            let first = list.len();
            for at in 0..bits.per_row {
                let word = words.next().unwrap_or(0);
                let mut remaining = word;
                let mut passed = 0;
                while remaining != 0 {
                    passed += remaining.trailing_zeros();
                    let length = (!(word >> passed)).trailing_zeros().min(32 - passed);
                    let (start, end) = (at * 32 + passed, at * 32 + passed + length);
                    match list[first..].last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => list.push_or_unwind(Run { start, end }),
                    }
                    passed += length;
                    remaining = word.checked_shr(passed).unwrap_or(0);
                }
            }
            rows.push_or_unwind(list.len());
        }
        Self { bits, list, rows }
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len() - 1
    }

    /// Returns the indices of the runs of a row.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.rows[row]..self.rows[row + 1]
    }

    /// Returns the run that contains a voxel, or `None` if there is none.
    pub fn at(&self, [x, y, z]: [usize; 3]) -> Option<usize> {
        let grid = self.bits.grid;
        if x >= grid.nx as usize || y >= grid.ny as usize || z >= grid.nz as usize {
            return None;
        }
        let row = self.row(z * grid.ny as usize + y);
        let x = x as u32;
        let at = self.list[row.clone()].partition_point(|run| run.end <= x) + row.start;
        (at < row.end && self.list[at].start <= x).then_some(at)
    }

    /// Returns the run that contains a voxel, which may have negative indices.
    pub fn at_signed(&self, voxel: [i64; 3]) -> Option<usize> {
        let [x, y, z] = voxel.map(|at| usize::try_from(at).ok());
        self.at([x?, y?, z?])
    }

    /// Joins connected runs in a disjoint-set forest with `additional` members after the runs.
    pub fn joined(&self, by: Connectivity, additional: usize) -> Result<UnionFind, OutOfMemory> {
        // runs in different rows are also adjacent if they are this far apart along x
        let gap = u32::from(by == Connectivity::Corners);
        let mut sets = UnionFind::try_new(self.list.len() + additional)?;
        for row in 0..self.row_count() {
            for before in self.rows_before(row, by) {
                let (mut current, mut previous) = (self.row(row), self.row(before));
                while current.start < current.end && previous.start < previous.end {
                    let (a, b) = (self.list[current.start], self.list[previous.start]);
                    if a.start < b.end + gap && b.start < a.end + gap {
                        sets.join(current.start, previous.start);
                    }
                    let passed = if a.end < b.end {
                        &mut current
                    } else {
                        &mut previous
                    };
                    passed.start += 1;
                }
            }
        }
        Ok(sets)
    }

    /// Returns the preceding rows that the voxels of a row can touch: one in its plane, and one or
    /// three in the plane before.
    fn rows_before(&self, row: usize, by: Connectivity) -> impl Iterator<Item = usize> {
        let ny = self.bits.grid.ny as usize;
        let (y, z) = (row % ny, row / ny);
        let steps = [(1, 0), (0, 1), (1, 1), (-1, 1)];
        let count = match by {
            Connectivity::Faces => 2,
            Connectivity::Corners => 4,
        };
        steps.into_iter().take(count).filter_map(move |(dy, dz)| {
            let other = y.checked_add_signed(-dy).filter(|&other| other < ny)?;
            Some(z.checked_sub(dz)? * ny + other)
        })
    }
}
