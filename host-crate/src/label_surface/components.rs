//! Removal of voxels from a label field: outside of a mask, and of small connected components.

use super::{LabelField, LabelSurfaceError, VoxelContact, runs::LabelRuns};
use crate::{
    grid::Volume,
    memory::{self, OutOfMemory},
    mesh_filter::ComponentFilter,
    union_find::UnionFind,
};
use ferrovox_kernels::label_surface::cell::joins;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the components of labels";

impl LabelField {
    /// Turns all voxels into background at which `mask` is 0, and returns the labels of which no
    /// voxel remains. Time is linear in the voxels.
    ///
    /// ```
    /// use ferrovox::{grid::{Geometry, Volume}, label_surface::LabelField};
    ///
    /// let volume = |samples| Volume::new(samples, [3, 1, 1], Geometry::default());
    /// let mut field = LabelField::new(&volume(vec![4_u8, 9, 9])?.into(), None)?;
    /// assert_eq!(field.apply_mask(&volume(vec![0, 0, 1])?)?, [4]);
    /// assert_eq!((field.labels(), field.voxels()), (&[9][..], &[1][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LabelSurfaceError::Mask`] for a mask of other dims, and insufficient memory.
    pub fn apply_mask(&mut self, mask: &Volume<u8>) -> Result<Vec<i64>, LabelSurfaceError> {
        if mask.dims() != self.dims() {
            return Err(LabelSurfaceError::Mask {
                mask: mask.dims(),
                volume: self.dims(),
            });
        }
        let mut masked = MaskedRuns::new(self)?;
        masked.add_planes(self, mask.samples())?;
        Ok(self.replace_runs(masked)?)
    }

    /// Replaces the runs by masked ones, and returns the labels of which no voxel remains.
    pub(crate) fn replace_runs(&mut self, masked: MaskedRuns) -> Result<Vec<i64>, OutOfMemory> {
        self.runs = masked.0;
        self.drop_absent_labels()
    }

    /// Turns the connected components into background that `filter` does not keep, and returns the
    /// labels of which no voxel remains.
    ///
    /// Voxels of a label belong to one component if they share a face, or touch in an edge where
    /// `contact` joins them, so that a component is a connected part of the label's surface,
    /// together with the surfaces of its cavities. With [`ComponentFilter::largest`], the component
    /// with the most voxels of each label is kept, the first on ties. Cavities are not filled.
    ///
    /// Runs on the host; time is linear in the voxels, memory is 24 bytes per run of equal labels
    /// along x.
    ///
    /// ```
    /// use ferrovox::{grid::{Geometry, Volume}, mesh_filter::ComponentFilter};
    /// use ferrovox::label_surface::{LabelField, VoxelContact};
    ///
    /// let samples = vec![1_u8, 0, 1, 1, 2, 0, 2];
    /// let volume = Volume::new(samples, [7, 1, 1], Geometry::default())?;
    /// let mut field = LabelField::new(&volume.into(), None)?;
    /// let filter = ComponentFilter { min_voxels: 2, ..ComponentFilter::default() };
    /// assert_eq!(field.filter_components(filter, VoxelContact::Join)?, [2]);
    /// assert_eq!((field.labels(), field.voxels()), (&[1][..], &[2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn filter_components(
        &mut self,
        filter: ComponentFilter,
        contact: VoxelContact,
    ) -> Result<Vec<i64>, OutOfMemory> {
        if filter.keeps_all() {
            return Ok(Vec::new());
        }
        let (dims, labels) = (self.dims(), self.labels().len());
        filter_runs(&mut self.runs, dims, labels, filter, contact)?;
        self.drop_absent_labels()
    }
}

/// The runs of a field within a mask whose planes arrive one after the other.
pub(crate) struct MaskedRuns(LabelRuns);

impl MaskedRuns {
    pub fn new(field: &LabelField) -> Result<Self, OutOfMemory> {
        Ok(Self(LabelRuns::with_capacity(field.runs.row_count())?))
    }

    /// Adds the next planes of the mask.
    pub fn add_planes(&mut self, field: &LabelField, mask: &[u8]) -> Result<(), OutOfMemory> {
        self.0.append_masked(&field.runs, mask, field.dims()[0])
    }
}

/// Removes components until all remaining ones satisfy `filter`: without their neighbours,
/// components can fall apart where contacts are separated.
fn filter_runs(
    runs: &mut LabelRuns,
    dims: [usize; 3],
    labels: usize,
    filter: ComponentFilter,
    contact: VoxelContact,
) -> Result<(), OutOfMemory> {
    loop {
        let mut components = Components::new(runs, dims)?;
        components.join(contact.kernel_rule());
        let removed = components.find_removed(labels, filter)?;
        if removed.is_empty() {
            return Ok(());
        }
        for run in removed {
            runs.clear(run);
        }
    }
}

/// A run of a label other than background.
#[derive(Clone, Copy)]
struct Segment {
    start: u32,
    end: u32,
    label: u32,
    /// Index among all runs.
    run: usize,
}

/// The components that the runs of a field form.
struct Components<'a> {
    dims: [usize; 3],
    field: &'a LabelRuns,
    runs: Vec<Segment>,
    /// Number of segments before each row, and in total.
    rows: Vec<usize>,
    sets: UnionFind<usize>,
}

impl<'a> Components<'a> {
    fn new(field: &'a LabelRuns, dims: [usize; 3]) -> Result<Self, OutOfMemory> {
        let row_segments = |row: usize| {
            let mut start = 0;
            let runs = field.row_range(row).zip(field.row(row));
            runs.filter_map(move |(run, &it)| {
                let segment = Segment {
                    start,
                    end: it.end,
                    label: it.label,
                    run,
                };
                start = it.end;
                (it.label != 0).then_some(segment)
            })
        };
        let count = field.row_count();
        let mut rows = memory::try_zeroed::<usize>(PURPOSE, count + 1)?;
        for row in 0..count {
            rows[row + 1] = rows[row] + row_segments(row).count();
        }
        let mut runs = Vec::new();
        memory::try_reserve(PURPOSE, &mut runs, rows[count])?;
        runs.extend((0..count).flat_map(row_segments));
        Ok(Self {
            dims,
            field,
            sets: UnionFind::try_new(runs.len())?,
            runs,
            rows,
        })
    }

    /// Joins the runs of each component.
    fn join(&mut self, contacts: u32) {
        let [_, ny, nz] = self.dims;
        if self.runs.is_empty() {
            return;
        }
        let row = |y: usize, z: usize| y + ny * z;
        for z in 0..nz {
            for y in 0..ny {
                let own = row(y, z);
                if y > 0 {
                    self.join_rows(own, row(y - 1, z), contacts);
                }
                if z > 0 {
                    self.join_rows(own, row(y, z - 1), contacts);
                }
                if y > 0 && z > 0 {
                    let between = [row(y - 1, z), row(y, z - 1)];
                    self.join_diagonal_rows([own, row(y - 1, z - 1)], between, contacts);
                    let crossed = [row(y - 1, z), row(y, z - 1)];
                    let between = [own, row(y - 1, z - 1)];
                    self.join_diagonal_rows(crossed, between, contacts);
                }
            }
        }
    }

    /// Joins runs of two rows that share a face, and those that touch in an edge along the third
    /// axis.
    fn join_rows(&mut self, row: usize, other_row: usize, contacts: u32) {
        let mut other = self.rows[other_row];
        let end = self.rows[other_row + 1];
        for run in self.rows[row]..self.rows[row + 1] {
            let own = self.runs[run];
            // runs of the other row that overlap this one, or touch it in an edge
            while other < end && self.runs[other].end < own.start {
                other += 1;
            }
            let mut candidate = other;
            while candidate < end && self.runs[candidate].start <= own.end {
                let beside = self.runs[candidate];
                let overlaps = beside.start < own.end && own.start < beside.end;
                let is_joined = beside.label == own.label
                    && (overlaps || {
                        // the last voxel of one run, and the first of the other
                        let (x, other_x) = if beside.start == own.end {
                            (own.end - 1, beside.start)
                        } else {
                            (own.start, beside.end - 1)
                        };
                        let between = self.field.label(row, other_x);
                        let beyond = self.field.label(other_row, x);
                        joins([own.label, between, own.label, beyond], contacts)
                    });
                if is_joined {
                    self.sets.join(run, candidate);
                }
                candidate += 1;
            }
        }
    }

    /// Joins runs of two rows at opposite sides of an edge along x; `between` are the other two
    /// rows at the edge.
    fn join_diagonal_rows(
        &mut self,
        [row, other_row]: [usize; 2],
        between: [usize; 2],
        contacts: u32,
    ) {
        let mut other = self.rows[other_row];
        let end = self.rows[other_row + 1];
        for run in self.rows[row]..self.rows[row + 1] {
            let own = self.runs[run];
            while other < end && self.runs[other].end <= own.start {
                other += 1;
            }
            let mut candidate = other;
            while candidate < end && self.runs[candidate].start < own.end {
                let beside = self.runs[candidate];
                let is_joined_at = |x: u32| {
                    let [between, beyond] = between.map(|row| self.field.label(row, x));
                    joins([own.label, between, own.label, beyond], contacts)
                };
                if beside.label == own.label
                    && (own.start.max(beside.start)..own.end.min(beside.end)).any(is_joined_at)
                {
                    self.sets.join(run, candidate);
                }
                candidate += 1;
            }
        }
    }

    /// Returns the indices of the runs of the components that are not kept.
    fn find_removed(
        &mut self,
        labels: usize,
        filter: ComponentFilter,
    ) -> Result<Vec<usize>, OutOfMemory> {
        let mut voxels = memory::try_zeroed::<u64>(PURPOSE, self.runs.len())?;
        for (index, run) in self.runs.iter().enumerate() {
            voxels[self.sets.root(index)] += u64::from(run.end - run.start);
        }
        // root of the largest component of each label, and its number of voxels
        let mut largest = memory::try_zeroed::<(usize, u64)>(PURPOSE, labels + 1)?;
        for (index, run) in self.runs.iter().enumerate() {
            let entry = &mut largest[run.label as usize];
            if voxels[index] > entry.1 {
                *entry = (index, voxels[index]);
            }
        }
        let mut removed = Vec::new();
        memory::try_reserve(PURPOSE, &mut removed, self.runs.len())?;
        for index in 0..self.runs.len() {
            let root = self.sets.root(index);
            let is_largest = largest[self.runs[index].label as usize].0 == root;
            if voxels[root] < filter.min_voxels || filter.largest && !is_largest {
                removed.push(self.runs[index].run);
            }
        }
        Ok(removed)
    }
}
