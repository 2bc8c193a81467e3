//! Encoding of samples as runs.

use super::{CHUNK_VOXELS, LabelRun, LabelRuns, PURPOSE};
use crate::{
    grid::Sample,
    label_surface::LabelSurfaceError,
    memory::{self, ExtendOrUnwind, OutOfMemory, catch_out_of_memory},
    parallel,
};
use std::{collections::HashMap, ops::Range};

/// Number of voxels that are encoded before their labels are numbered.
const BATCH_VOXELS: usize = 1 << 24;

/// Runs of a volume whose planes arrive one after the other.
///
/// Labels are numbered in the order of their first occurrence until
/// [`finish`](Self::finish) sorts them.
pub(in crate::label_surface) struct RunEncoder {
    dims: [usize; 3],
    runs: LabelRuns,
    numbers: HashMap<i64, u32>,
    /// Labels in the order of their first occurrence.
    labels: Vec<i64>,
}

impl RunEncoder {
    pub fn new(dims: [usize; 3]) -> Result<Self, OutOfMemory> {
        let rows = if dims[0] == 0 {
            0
        } else {
            dims[1].saturating_mul(dims[2])
        };
        Ok(Self {
            dims,
            runs: LabelRuns::with_capacity(rows)?,
            numbers: HashMap::new(),
            labels: Vec::new(),
        })
    }

    /// Adds the samples of further rows, whose labels `to_label` returns.
    ///
    /// # Errors
    /// [`LabelSurfaceError::Fraction`] for the first sample without a label.
    pub fn add<T: Sample>(
        &mut self,
        samples: &[T],
        to_label: impl Fn(T) -> Option<i64> + Sync,
    ) -> Result<(), LabelSurfaceError> {
        let nx = self.dims[0];
        if nx == 0 {
            return Ok(());
        }
        for batch in samples.chunks(BATCH_VOXELS.div_ceil(nx) * nx) {
            let encode = |range: Range<usize>| {
                encode_rows(&batch[range.start * nx..range.end * nx], nx, &to_label)
            };
            let per_chunk = CHUNK_VOXELS.div_ceil(nx);
            catch_out_of_memory(PURPOSE, || {
                for part in parallel::map_ranges(batch.len() / nx, per_chunk, encode) {
                    self.add_rows(part)?;
                }
                Ok::<_, LabelSurfaceError>(())
            })?;
        }
        Ok(())
    }

    fn add_rows(&mut self, part: EncodedRows) -> Result<(), LabelSurfaceError> {
        let ny = self.dims[1];
        let (mut last, mut number) = (0, 0);
        let mut runs = Vec::new();
        memory::try_reserve(PURPOSE, &mut runs, part.runs.len())?;
        for (end, label) in part.runs {
            if label != last {
                (last, number) = (label, self.number(label)?);
            }
            runs.push(LabelRun { end, label: number });
        }
        if let Some((x, value)) = part.fraction {
            let row = self.runs.row_count() + part.counts.len();
            let voxel = [x, row % ny, row / ny];
            return Err(LabelSurfaceError::Fraction { voxel, value });
        }
        self.runs.extend(&part.counts, &runs);
        Ok(())
    }

    /// Returns the number of a label, from 1; 0 for the background.
    fn number(&mut self, label: i64) -> Result<u32, LabelSurfaceError> {
        if label == 0 {
            return Ok(0);
        }
        if let Some(number) = self.numbers.get(&label) {
            return Ok(*number);
        }
        let count = self.labels.len() + 1;
        let number = u32::try_from(count).map_err(|_| LabelSurfaceError::TooMany { count })?;
        self.numbers.push_or_unwind((label, number));
        self.labels.push_or_unwind(label);
        Ok(number)
    }

    /// Returns the runs, whose labels are numbered in ascending order, and the labels.
    pub fn finish(mut self) -> Result<(LabelRuns, Vec<i64>), OutOfMemory> {
        let mut sorted = memory::try_copy(PURPOSE, &self.labels)?;
        sorted.sort_unstable();
        let mut new_indices = memory::try_zeroed::<u32>(PURPOSE, sorted.len() + 1)?;
        for (index, label) in sorted.iter().enumerate() {
            new_indices[self.numbers[label] as usize] = index as u32 + 1;
        }
        self.runs.renumber(&new_indices);
        Ok((self.runs, sorted))
    }
}

/// Runs of some rows, with their labels.
#[derive(Default)]
struct EncodedRows {
    /// Number of runs of each complete row.
    counts: Vec<usize>,
    /// End and label of each run.
    runs: Vec<(u32, i64)>,
    /// Index along x of the first sample without a label, in the row after the complete ones, and
    /// its value.
    fraction: Option<(usize, f64)>,
}

fn encode_rows<T: Sample>(
    samples: &[T],
    nx: usize,
    to_label: impl Fn(T) -> Option<i64>,
) -> EncodedRows {
    let mut rows = EncodedRows::default();
    for row in samples.chunks_exact(nx) {
        let (first, mut x) = (rows.runs.len(), 0);
        for run in row.chunk_by(|one, other| one == other) {
            let Some(label) = to_label(run[0]) else {
                rows.fraction = Some((x, run[0].to_f64()));
                return rows;
            };
            x += run.len();
            let end = x as u32;
            match rows.runs[first..].last_mut() {
                // samples can differ although their labels do not
                Some(last) if last.1 == label => last.0 = end,
                _ => rows.runs.push_or_unwind((end, label)),
            }
        }
        rows.counts.push_or_unwind(rows.runs.len() - first);
    }
    rows
}
