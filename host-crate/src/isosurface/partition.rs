//! Partition of a volume into slabs along z.

use super::{
    IsosurfaceError, IsosurfaceParams, close,
    slab::{Elements, Slab},
};
use crate::{
    device::{Buffer, DeviceError, Element},
    grid::{Geometry, kernel_grid},
    partition::slab::{Halo, chunks, even_shares},
};
use ferrovox_kernels::{grid::Grid, isosurface::padded::PaddedGrid};
use nalgebra::Point3;
use std::ops::Range;

/// A slab of a volume: a range of planes of cells, and the planes of samples that their part of the
/// mesh depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSlab {
    /// Range of planes of cells: plane z lies between the planes of samples z and z + 1. With
    /// [`close`](IsosurfaceParams::close) the border counts: plane z then lies between the planes
    /// of samples z - 1 and z.
    pub cells: Range<u32>,
    /// Range of planes of samples: those at the corners of the cells, and one more on each side, if
    /// it exists.
    pub planes: Range<usize>,
}

/// Planes of samples that a range of planes of cells needs: those at the corners of the cells, one
/// more than cells, and one more on each side.
const HALO: Halo = Halo { below: 1, above: 2 };

/// Partitions a volume of `dims` samples along z into `count` slabs of approximately equal numbers
/// of planes of cells, or fewer if there are fewer planes.
///
/// Concatenated, the parts of the mesh of these slabs are the whole mesh: see
/// [`extract_slabs`](super::extract_slabs).
///
/// # Errors
/// [`DeviceError::TooLarge`] if an axis has more than 2³² - 1 samples.
pub fn slabs(dims: [usize; 3], close: bool, count: usize) -> Result<Vec<VolumeSlab>, DeviceError> {
    let params = IsosurfaceParams {
        close,
        ..IsosurfaceParams::default()
    };
    let partition = SlabPartition::new(kernel_grid(dims)?, Geometry::default(), &params)?;
    Ok(partition.even(count))
}

/// A volume that is meshed in parts.
#[derive(Clone, Copy)]
pub(crate) struct SlabPartition {
    /// Grid of all samples, with the border if there is one.
    pub padded: PaddedGrid,
    /// World position that vertices are relative to.
    pub origin: Point3<f64>,
    /// Geometry of the grid relative to `origin`; its first sample is that of the border, if any.
    pub geometry: Geometry,
}

impl SlabPartition {
    pub fn new(
        stored: Grid,
        geometry: Geometry,
        params: &IsosurfaceParams,
    ) -> Result<Self, DeviceError> {
        let dims = [stored.nx, stored.ny, stored.nz].map(|n| n as usize);
        let origin = geometry.local_origin(dims);
        Ok(if params.close {
            Self {
                padded: close::padded_grid(stored, params)?,
                origin,
                geometry: geometry.shifted([-1; 3]).relative_to(origin),
            }
        } else {
            Self {
                padded: PaddedGrid::unpadded(stored),
                origin,
                geometry: geometry.relative_to(origin),
            }
        })
    }

    /// Returns the number of planes of cells; 0 if there are no cells.
    pub fn cell_planes(&self) -> u32 {
        if self.padded.grid.cells() == 0 {
            0
        } else {
            self.padded.grid.nz - 1
        }
    }

    /// Returns the number of samples per stored plane.
    pub fn plane_len(&self) -> usize {
        self.padded.stored.nx as usize * self.padded.stored.ny as usize
    }

    /// Returns slabs of approximately equal numbers of planes of cells.
    pub fn even(&self, count: usize) -> Vec<VolumeSlab> {
        let cells = even_shares(self.cell_planes() as usize, count);
        cells.map(|cells| self.slab(narrow(cells))).collect()
    }

    /// Returns slabs of `height` planes of cells each, except for the last, which may have fewer.
    pub fn slabs_with_height(&self, height: u32) -> impl Iterator<Item = VolumeSlab> + use<> {
        let partition = *self;
        chunks(self.cell_planes() as usize, height as usize)
            .map(move |cells| partition.slab(narrow(cells)))
    }

    /// Returns the slab of a range of planes of cells.
    pub fn slab(&self, cells: Range<u32>) -> VolumeSlab {
        let around = self.around(&cells);
        let border = self.padded.offset[2];
        let end = (around.end - border).min(self.padded.stored.nz);
        let planes = around.start.saturating_sub(border) as usize..end as usize;
        VolumeSlab { cells, planes }
    }

    /// Returns the planes of the padded grid that the cells' part of the mesh depends on.
    fn around(&self, cells: &Range<u32>) -> Range<u32> {
        let cells = cells.start as usize..cells.end as usize;
        narrow(HALO.around(&cells, self.padded.grid.nz as usize))
    }

    /// Returns the grid of a slab, as passed to its kernels.
    pub fn slab_grid(&self, slab: &VolumeSlab) -> PaddedGrid {
        let around = self.around(&slab.cells);
        let mut padded = self.padded;
        padded.grid.nz = around.end - around.start;
        padded.stored.nz = slab.planes.len() as u32;
        if around.start > 0 {
            padded.offset[2] = 0;
        }
        padded
    }
}

/// Converts a range of planes to 32 bits.
fn narrow(planes: Range<usize>) -> Range<u32> {
    planes.start as u32..planes.end as u32
}

/// Planes of a volume in device memory, which are divided into slabs.
pub(crate) struct ResidentSlabs<'a, T> {
    pub partition: SlabPartition,
    pub samples: &'a Buffer<T>,
    /// Mask of the same planes; empty, or as many elements as `samples`.
    pub mask: &'a Buffer<u8>,
    /// Range of planes of the volume that are resident.
    pub planes: Range<usize>,
}

impl<'a, T: Element> ResidentSlabs<'a, T> {
    /// Returns a range of cells with the samples that they need, or an error if those are not
    /// resident.
    pub fn slab(&self, cells: Range<u32>) -> Result<Slab<'a, T>, IsosurfaceError> {
        let slab = self.partition.slab(cells);
        let (resident, needed) = (&self.planes, &slab.planes);
        if needed.start < resident.start || needed.end > resident.end {
            return Err(IsosurfaceError::MissingPlanes {
                needed: needed.clone(),
                resident: resident.clone(),
            });
        }
        let plane = self.partition.plane_len();
        let elements =
            (needed.start - resident.start) * plane..(needed.end - resident.start) * plane;
        let low = self.partition.around(&slab.cells).start;
        Ok(Slab {
            samples: Elements::new(self.samples, elements.clone()),
            mask: Elements::new(self.mask, elements),
            padded: self.partition.slab_grid(&slab),
            origin: self.partition.origin,
            geometry: self.partition.geometry,
            plane: low,
            first: slab.cells.start - low,
            end: slab.cells.end - low,
            owns_end_plane: slab.cells.end == self.partition.cell_planes(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_share_the_planes_around_their_cells() {
        let slab = |cells, planes| VolumeSlab { cells, planes };
        assert_eq!(
            slabs([4, 4, 8], false, 3).unwrap(),
            [slab(0..2, 0..4), slab(2..4, 1..6), slab(4..7, 3..8)]
        );
        // planes of cells 0 and 8 lie between the border and the first and last samples
        assert_eq!(
            slabs([4, 4, 8], true, 3).unwrap(),
            [slab(0..3, 0..4), slab(3..6, 1..7), slab(6..9, 4..8)]
        );
    }

    #[test]
    fn there_are_no_more_slabs_than_planes_of_cells() {
        for (dims, close, count) in [
            ([4, 4, 3], false, 2),
            ([4, 4, 1], false, 0),
            ([4, 4, 1], true, 2),
            ([1, 4, 9], false, 0),
            ([4, 0, 9], true, 0),
            ([4, 4, 0], true, 0),
        ] {
            assert_eq!(slabs(dims, close, 8).unwrap().len(), count, "{dims:?}");
        }
        assert_eq!(slabs([4; 3], false, 0).unwrap(), []);
    }

    #[test]
    fn heights_add_up() {
        let partition = SlabPartition::new(
            kernel_grid([2, 2, 11]).unwrap(),
            Geometry::default(),
            &IsosurfaceParams::default(),
        );
        let cells: Vec<_> = partition
            .unwrap()
            .slabs_with_height(4)
            .map(|slab| slab.cells)
            .collect();
        assert_eq!(cells, [0..4, 4..8, 8..10]);
    }
}
