//! Voxels of a mask as runs along x, and which runs are connected.

use crate::memory::{ExtendOrUnwind, OutOfMemory};
use crate::union_find::UnionFind;
use ferrovox_kernels::distance::sites::BitRows;
use std::ops::Range;

/// Voxels of a row that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: u32,
    /// Excluded.
    pub end: u32,
}

/// Which voxels are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connectivity {
    /// Those that share a face: 6.
    Faces,
    /// Those that touch at a face, an edge or a corner: 26.
    Corners,
}

/// The voxels of a mask as runs, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub bits: BitRows,
    pub list: Vec<Run>,
    /// For each row the first of its runs, and one more at the end.
    pub rows: Vec<usize>,
}

impl Runs {
    /// Those of a mask's words. Unwinds where there is no memory.
    pub fn of(words: &[u32], bits: BitRows) -> Self {
        Self::of_words(words.iter().copied(), bits)
    }

    /// Those of the voxels of the grid that are not of the mask.
    pub fn of_others(words: &[u32], bits: BitRows) -> Self {
        let per_row = bits.per_row.max(1);
        let in_row = (0..per_row).cycle();
        let others = words.iter().zip(in_row);
        Self::of_words(others.map(|(word, at)| !word & bits.voxel_mask(at)), bits)
    }

    fn of_words(mut words: impl Iterator<Item = u32>, bits: BitRows) -> Self {
        let mut list: Vec<Run> = Vec::new();
        let mut rows = Vec::new();
        rows.push_or_unwind(0);
        for _ in 0..u64::from(bits.grid.ny) * u64::from(bits.grid.nz) {
            let first = list.len();
            for at in 0..bits.per_row {
                let word = words.next().unwrap_or(0);
                let mut rest = word;
                let mut passed = 0;
                while rest != 0 {
                    passed += rest.trailing_zeros();
                    let length = (!(word >> passed)).trailing_zeros().min(32 - passed);
                    let (start, end) = (at * 32 + passed, at * 32 + passed + length);
                    match list[first..].last_mut() {
                        Some(last) if last.end == start => last.end = end,
                        _ => list.push_or_unwind(Run { start, end }),
                    }
                    passed += length;
                    rest = word.checked_shr(passed).unwrap_or(0);
                }
            }
            rows.push_or_unwind(list.len());
        }
        Self { bits, list, rows }
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len() - 1
    }

    /// The runs of a row, by the row's number.
    pub fn row(&self, row: usize) -> Range<usize> {
        self.rows[row]..self.rows[row + 1]
    }

    /// The run that a voxel is in. None if it is in none, or not of the grid.
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

    /// The same of a voxel that may be before the grid.
    pub fn at_signed(&self, voxel: [i64; 3]) -> Option<usize> {
        let [x, y, z] = voxel.map(|at| usize::try_from(at).ok());
        self.at([x?, y?, z?])
    }

    /// The runs, those joined that are connected, and room for `more` members after them.
    pub fn joined(&self, by: Connectivity, more: usize) -> Result<UnionFind, OutOfMemory> {
        // how far beyond its end a run still touches another
        let reach = u32::from(by == Connectivity::Corners);
        let mut sets = UnionFind::try_new(self.list.len() + more)?;
        for row in 0..self.row_count() {
            for before in self.rows_before(row, by) {
                let (mut here, mut there) = (self.row(row), self.row(before));
                while here.start < here.end && there.start < there.end {
                    let (a, b) = (self.list[here.start], self.list[there.start]);
                    if a.start < b.end + reach && b.start < a.end + reach {
                        sets.join(here.start, there.start);
                    }
                    let passed = if a.end < b.end { &mut here } else { &mut there };
                    passed.start += 1;
                }
            }
        }
        Ok(sets)
    }

    /// The rows before a row that its voxels can touch: one in its plane, and one or three in the
    /// plane before.
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
