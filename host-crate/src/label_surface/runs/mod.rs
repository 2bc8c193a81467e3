//! Label volumes as runs of equal labels along x.

mod encoder;

pub(super) use encoder::RunEncoder;

use crate::{
    memory::{self, ExtendOrUnwind, OutOfMemory, catch_out_of_memory},
    parallel,
};
use std::ops::Range;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the runs of labels";

/// Number of voxels that a thread encodes or decodes at a time, about.
const CHUNK_VOXELS: usize = 1 << 16;

/// A maximal sequence of voxels along x with one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelRun {
    /// Index along x of the voxel after the last one; the run starts at the end of the run before.
    pub end: u32,
    /// Index of the label, from 1; 0 for the background.
    pub label: u32,
}

/// The runs of all rows of a volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LabelRuns {
    /// Number of runs before each row, and in total.
    rows: Vec<usize>,
    runs: Vec<LabelRun>,
}

/// An integer type of label indices.
pub(super) trait LabelIndex: Copy + Send + Sync + bytemuck::Zeroable {
    /// Converts an index that fits the type.
    fn from_index(index: u32) -> Self;
}

macro_rules! label_indices {
    ($($number:ty),+) => {
        $(impl LabelIndex for $number {
            fn from_index(index: u32) -> Self {
                index as Self
            }
        })+
    };
}

label_indices!(u8, u16, u32);

impl LabelRuns {
    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    /// Returns the bytes that the runs occupy.
    pub fn bytes(&self) -> u64 {
        (size_of_val(&*self.rows) + size_of_val(&*self.runs)) as u64
    }

    /// Returns the indices of the runs of a row.
    pub fn row_range(&self, row: usize) -> Range<usize> {
        self.rows[row]..self.rows[row + 1]
    }

    /// Returns the runs of a row.
    pub fn row(&self, row: usize) -> &[LabelRun] {
        &self.runs[self.row_range(row)]
    }

    /// Returns the label index of a voxel, in time logarithmic in the runs of its row.
    pub fn label(&self, row: usize, x: u32) -> u32 {
        let runs = self.row(row);
        runs[runs.partition_point(|run| run.end <= x)].label
    }

    /// Turns a run into background.
    pub fn clear(&mut self, run: usize) {
        self.runs[run].label = 0;
    }

    /// Returns the number of voxels of each of `labels` labels.
    pub fn count_voxels(&self, labels: usize) -> Result<Vec<u64>, OutOfMemory> {
        let mut counts = memory::try_zeroed::<u64>(PURPOSE, labels + 1)?;
        for row in 0..self.row_count() {
            let mut start = 0;
            for run in self.row(row) {
                counts[run.label as usize] += u64::from(run.end - start);
                start = run.end;
            }
        }
        counts.remove(0);
        Ok(counts)
    }

    /// Replaces each label index by its element of `new_indices`, and joins runs with equal labels.
    pub fn renumber(&mut self, new_indices: &[u32]) {
        let (mut kept, mut first) = (0, 0);
        for row in 0..self.row_count() {
            let end = self.rows[row + 1];
            let row_start = kept;
            for at in first..end {
                let run = self.runs[at];
                let label = new_indices[run.label as usize];
                if kept > row_start && self.runs[kept - 1].label == label {
                    self.runs[kept - 1].end = run.end;
                } else {
                    let end = run.end;
                    self.runs[kept] = LabelRun { end, label };
                    kept += 1;
                }
            }
            first = end;
            self.rows[row + 1] = kept;
        }
        self.runs.truncate(kept);
    }

    /// Appends the next rows of `other`, with voxels turned into background at which `mask` is 0.
    /// The mask has `nx` elements per row.
    pub fn append_masked(
        &mut self,
        other: &Self,
        mask: &[u8],
        nx: usize,
    ) -> Result<(), OutOfMemory> {
        if nx == 0 {
            return Ok(());
        }
        let first_row = self.row_count();
        let mask_row = |row: usize, list: &mut Vec<LabelRun>| {
            let mask = &mask[row * nx..(row + 1) * nx];
            let (start, mut x) = (list.len(), 0);
            for run in other.row(first_row + row) {
                for part in mask[x..run.end as usize].chunk_by(|a, b| (*a == 0) == (*b == 0)) {
                    x += part.len();
                    let label = if part[0] == 0 { 0 } else { run.label };
                    let end = x as u32;
                    match list.last_mut() {
                        // a run of this row
                        Some(last) if x > part.len() && last.label == label => last.end = end,
                        _ => list.push_or_unwind(LabelRun { end, label }),
                    }
                }
            }
            list.len() - start
        };
        let list_rows = |range: Range<usize>| {
            let (mut counts, mut list) = (Vec::new(), Vec::new());
            for row in range {
                counts.push_or_unwind(mask_row(row, &mut list));
            }
            (counts, list)
        };
        catch_out_of_memory(PURPOSE, || {
            let per_part = CHUNK_VOXELS.div_ceil(nx);
            for (counts, list) in parallel::map_ranges(mask.len() / nx, per_part, list_rows) {
                self.extend(&counts, &list);
            }
            Ok(())
        })
    }

    /// Creates an empty list for a number of rows.
    pub fn with_capacity(rows: usize) -> Result<Self, OutOfMemory> {
        let mut starts = memory::try_zeroed::<usize>(PURPOSE, 1)?;
        memory::try_reserve(PURPOSE, &mut starts, rows)?;
        Ok(Self {
            rows: starts,
            runs: Vec::new(),
        })
    }

    /// Adds rows with these numbers of runs.
    fn extend(&mut self, counts: &[usize], runs: &[LabelRun]) {
        self.runs.extend_or_unwind(runs.iter().copied());
        for count in counts {
            let end = self.rows.last().map_or(0, |start| start + count);
            self.rows.push_or_unwind(end);
        }
    }

    /// Returns the label indices of the voxels of a range of rows, which have `nx` voxels each.
    pub fn decode<N: LabelIndex>(
        &self,
        rows: Range<usize>,
        nx: usize,
    ) -> Result<Vec<N>, OutOfMemory> {
        let mut indices = memory::try_zeroed::<N>(PURPOSE, rows.len() * nx)?;
        if nx == 0 {
            return Ok(indices);
        }
        let per_chunk = CHUNK_VOXELS.div_ceil(nx);
        parallel::for_each_chunk_mut(&mut indices, per_chunk * nx, |first, chunk| {
            let first_row = rows.start + first / nx;
            for (row, voxels) in (first_row..).zip(chunk.chunks_exact_mut(nx)) {
                let mut start = 0;
                for run in self.row(row) {
                    let end = run.end as usize;
                    if run.label != 0 {
                        voxels[start..end].fill(N::from_index(run.label));
                    }
                    start = end;
                }
            }
        });
        Ok(indices)
    }

    /// Returns the number of pairs of voxels that share a face and have different labels, for rows
    /// of a grid of these dims. Voxels outside of the grid are background.
    pub fn count_walls(&self, [_, ny, nz]: [usize; 3]) -> u64 {
        let count_row = |row: usize| {
            let own = self.row(row);
            let along_x = own.windows(2).count() as u64
                + u64::from(own.first().is_some_and(|it| it.label != 0))
                + u64::from(own.last().is_some_and(|it| it.label != 0));
            let (y, z) = (row % ny, row / ny);
            let before = [(y > 0).then(|| row - 1), (z > 0).then(|| row - ny)];
            let at_end = [y + 1 == ny, z + 1 == nz];
            let mut sum = along_x;
            for (before, at_end) in before.into_iter().zip(at_end) {
                sum += count_different(own, before.map_or(&[], |it| self.row(it)));
                if at_end {
                    sum += count_different(own, &[]);
                }
            }
            sum
        };
        let count = |range: Range<usize>| range.map(count_row).sum::<u64>();
        let rows = self.row_count();
        parallel::reduce(rows, 64, count, |one, other| one + other).unwrap_or(0)
    }
}

/// Returns the number of voxels whose labels differ between two rows; the second may be empty, for
/// background.
fn count_different(one: &[LabelRun], other: &[LabelRun]) -> u64 {
    let (mut count, mut start, mut at) = (0, 0, 0);
    for run in one {
        while start < run.end {
            let (end, label) = match other.get(at) {
                Some(beside) if beside.end <= run.end => {
                    at += 1;
                    (beside.end, beside.label)
                }
                Some(beside) => (run.end, beside.label),
                None => (run.end, 0),
            };
            if label != run.label {
                count += u64::from(end - start);
            }
            start = end;
        }
    }
    count
}
