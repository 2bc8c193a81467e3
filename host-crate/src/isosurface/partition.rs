//! A volume that is cut into slabs along z.

use super::{
    IsosurfaceError, IsosurfaceParams, close,
    slab::{Elements, Slab},
};
use crate::{
    device::{Buffer, DeviceError, Element},
    grid::{Geometry, grid_of},
    partition::slab::{Halo, chunks, even_shares},
};
use ferrovox_kernels::{grid::Grid, isosurface::padded::PaddedGrid};
use std::ops::Range;

/// A slab of a volume: some of its planes of cells, and the planes of samples that their part of
/// the mesh depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSlab {
    /// Planes of cells: number z is between the planes of samples z and z + 1. With
    /// [`close`](IsosurfaceParams::close) the border counts too: number z is then between the
    /// samples z - 1 and z.
    pub cells: Range<u32>,
    /// Planes of samples: those at the cells' corners, and one more on each side if there is one.
    pub planes: Range<usize>,
}

/// Planes of samples that some planes of cells need: those at their corners, which are one more,
/// and one more on each side.
const HALO: Halo = Halo { below: 1, above: 2 };

/// A volume of `dims` samples, cut along z into slabs of about as many planes of cells each:
/// `count` of them, or fewer if there are not so many planes.
///
/// The parts of the mesh that are made of them, one after the other, are the mesh: see
/// [`extract_slabs`](super::extract_slabs).
///
/// # Errors
/// [`DeviceError::TooLarge`] if an axis has more than 2³² − 1 samples.
pub fn slabs(dims: [usize; 3], close: bool, count: usize) -> Result<Vec<VolumeSlab>, DeviceError> {
    let params = IsosurfaceParams {
        close,
        ..IsosurfaceParams::default()
    };
    let partition = SlabPartition::new(grid_of(dims)?, Geometry::default(), &params)?;
    Ok(partition.even(count))
}

/// A volume whose isosurface is made in parts.
#[derive(Clone, Copy)]
pub(crate) struct SlabPartition {
    /// All samples, with the border if there is one.
    pub padded: PaddedGrid,
    /// Of `padded`'s first sample.
    pub geometry: Geometry,
}

impl SlabPartition {
    pub fn new(
        stored: Grid,
        geometry: Geometry,
        params: &IsosurfaceParams,
    ) -> Result<Self, DeviceError> {
        Ok(if params.close {
            Self {
                padded: close::padded_grid(stored, params)?,
                geometry: geometry.shifted([-1; 3]),
            }
        } else {
            Self {
                padded: PaddedGrid::unpadded(stored),
                geometry,
            }
        })
    }

    /// Planes of cells; none if there are no cells.
    pub fn cell_planes(&self) -> u32 {
        if self.padded.grid.cells() == 0 {
            0
        } else {
            self.padded.grid.nz - 1
        }
    }

    /// Samples of a stored plane.
    pub fn plane_len(&self) -> usize {
        self.padded.stored.nx as usize * self.padded.stored.ny as usize
    }

    /// Slabs of about as many planes of cells each.
    pub fn even(&self, count: usize) -> Vec<VolumeSlab> {
        let cells = even_shares(self.cell_planes() as usize, count);
        cells.map(|cells| self.slab(narrow(cells))).collect()
    }

    /// Slabs of at most `height` planes of cells, but for the last as high as that.
    pub fn slabs_of_height(&self, height: u32) -> impl Iterator<Item = VolumeSlab> + use<> {
        let partition = *self;
        chunks(self.cell_planes() as usize, height as usize)
            .map(move |cells| partition.slab(narrow(cells)))
    }

    /// The slab with these planes of cells.
    pub fn slab(&self, cells: Range<u32>) -> VolumeSlab {
        let around = self.around(&cells);
        let border = self.padded.offset[2];
        let end = (around.end - border).min(self.padded.stored.nz);
        let planes = around.start.saturating_sub(border) as usize..end as usize;
        VolumeSlab { cells, planes }
    }

    /// The planes, with the border if there is one, that the cells' part of the mesh depends on.
    fn around(&self, cells: &Range<u32>) -> Range<u32> {
        let cells = cells.start as usize..cells.end as usize;
        narrow(HALO.around(&cells, self.padded.grid.nz as usize))
    }

    /// The grid of a slab, as its kernels see it.
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

/// Numbers of planes, which fit in 32 bits.
fn narrow(planes: Range<usize>) -> Range<u32> {
    planes.start as u32..planes.end as u32
}

/// Planes of a volume that are on a device, from which slabs are taken.
pub(crate) struct ResidentSlabs<'a, T> {
    pub partition: SlabPartition,
    pub samples: &'a Buffer<T>,
    /// Empty, or as many elements as samples.
    pub mask: &'a Buffer<u8>,
    /// Which planes of the volume they are.
    pub planes: Range<usize>,
}

impl<'a, T: Element> ResidentSlabs<'a, T> {
    /// Some cells with the samples that they need, if these are there.
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
            geometry: self.partition.geometry,
            plane: low,
            first: slab.cells.start - low,
            last: slab.cells.end - low,
            last_plane_too: slab.cells.end == self.partition.cell_planes(),
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
        // planes of cells 0 and 8 are between the border and the first and last samples
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
            grid_of([2, 2, 11]).unwrap(),
            Geometry::default(),
            &IsosurfaceParams::default(),
        );
        let cells: Vec<_> = partition
            .unwrap()
            .slabs_of_height(4)
            .map(|slab| slab.cells)
            .collect();
        assert_eq!(cells, [0..4, 4..8, 8..10]);
    }
}
