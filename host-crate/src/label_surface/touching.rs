//! Labels whose surfaces touch themselves.

use super::field::{LabelField, LabelIndex, LabelIndices};
use crate::{
    memory::{self, OutOfMemory},
    parallel,
};
use ferrovox_kernels::isosurface::{table::case_by_rows, topology::is_ambiguous_case};
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

impl LabelField {
    /// Returns the labels whose surfaces are not manifolds, in ascending order.
    ///
    /// A surface touches itself in a cell if the voxels of its label at the cell's corners are
    /// connected only by an edge or a corner, or if those of its complement are: exactly in the
    /// ambiguous cells of marching cubes. Only the voxels are visited, not the surface. Time is
    /// linear in the voxels; memory is one byte per label.
    ///
    /// ```
    /// use ferrovox::{grid::{Geometry, Volume}, label_surface::LabelField};
    ///
    /// // two voxels of label 4 touch in an edge, two of label 9 in a face
    /// let samples = vec![4_u8, 0, 9, 0, 4, 9];
    /// let volume = Volume::new(samples, [3, 2, 1], Geometry::default())?;
    /// let field = LabelField::new(&volume.into(), None)?;
    /// assert_eq!(field.touching_labels()?, [4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn touching_labels(&self) -> Result<Vec<i64>, OutOfMemory> {
        let touches = match &self.indices {
            LabelIndices::U8(indices) => self.find_touching(indices),
            LabelIndices::U16(indices) => self.find_touching(indices),
            LabelIndices::U32(indices) => self.find_touching(indices),
        }?;
        let labels = self.labels().iter().zip(touches);
        Ok(labels
            .filter_map(|(&label, touches)| touches.into_inner().then_some(label))
            .collect())
    }

    /// Returns, for each label, `true` if its surface touches itself.
    fn find_touching<T: LabelIndex>(&self, indices: &[T]) -> Result<Vec<AtomicBool>, OutOfMemory> {
        let [nx, ny, nz] = self.dims();
        let none = self.labels().iter().map(|_| AtomicBool::new(false));
        let touches = memory::try_collect("labels", none)?;
        if indices.is_empty() {
            return Ok(touches);
        }
        let is_touching: [bool; 256] =
            std::array::from_fn(|corners| is_ambiguous_case(case_by_rows(corners) as u32));
        // rows of cells, one more than voxels along each axis
        let visit = |cell_rows: Range<usize>| {
            for row in cell_rows {
                let (y, z) = (row % (ny + 1), row / (ny + 1));
                let voxel_row = |y: usize, z: usize| {
                    let exists = (1..=ny).contains(&y) && (1..=nz).contains(&z);
                    exists.then(|| &indices[((z - 1) * ny + y - 1) * nx..][..nx])
                };
                let rows = [
                    voxel_row(y, z),
                    voxel_row(y + 1, z),
                    voxel_row(y, z + 1),
                    voxel_row(y + 1, z + 1),
                ];
                mark_touching(rows, nx, &is_touching, &touches);
            }
        };
        let rows = (ny + 1) * (nz + 1);
        parallel::reduce(rows, parallel::CHUNK_LEN.div_ceil(nx), visit, |(), ()| ());
        Ok(touches)
    }
}

/// Marks the labels that touch themselves in a row of cells, given the four rows of voxels around
/// it.
fn mark_touching<T: LabelIndex>(
    rows: [Option<&[T]>; 4],
    nx: usize,
    is_touching: &[bool; 256],
    touches: &[AtomicBool],
) {
    let at = |x: usize| rows.map(|row| row.map_or(0, |row| row[x].to_index()));
    let mut low = [0; 4];
    for x in 0..=nx {
        let high = if x < nx { at(x) } else { [0; 4] };
        // corners in row order: x fastest, then y, then z
        let corners = [
            low[0], high[0], low[1], high[1], low[2], high[2], low[3], high[3],
        ];
        low = high;
        if corners.iter().all(|&corner| corner == corners[0]) {
            continue;
        }
        for (first, &label) in corners.iter().enumerate() {
            if label == 0 || corners[..first].contains(&label) {
                continue;
            }
            let equal = corners.iter().enumerate();
            let equal = equal.fold(0, |bits, (corner, &other)| {
                bits | usize::from(other == label) << corner
            });
            if is_touching[equal] {
                touches[label as usize - 1].store(true, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        grid::{Geometry, Volume},
        label_surface,
    };

    #[test]
    fn touching_labels_are_those_with_a_surface_that_is_not_a_manifold() {
        let stream = Device::cpu().stream().unwrap();
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut found = [0; 2];
        for round in 0..60 {
            let dims = [0, 1, 2].map(|_| 1 + random(5) as usize);
            let labels = 2 + round % 5;
            let volume = Volume::from_fn(dims, Geometry::default(), |_, _, _| random(labels) as u8);
            let field = LabelField::new(&volume.unwrap().into(), None).unwrap();
            let walls = label_surface::extract(&stream, &field).unwrap();
            let walls = walls.download(&stream, &field).unwrap();
            let touching = field.touching_labels().unwrap();
            for &label in field.labels() {
                let report = walls.label_mesh(label).unwrap().check().unwrap();
                assert_eq!(
                    touching.contains(&label),
                    !report.is_manifold(),
                    "label {label} of {volume_labels:?} in {dims:?}",
                    volume_labels = field.labels()
                );
                found[usize::from(report.is_manifold())] += 1;
            }
        }
        assert!(found[0] > 20 && found[1] > 20, "{found:?}");
    }
}
