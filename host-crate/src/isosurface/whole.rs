//! How a volume is cut into slabs along z.

use super::{
    IsosurfaceError, IsosurfaceParams, close,
    slab::{Part, Slab},
};
use crate::{
    device::{Buffer, DeviceError, Element},
    grid::{Geometry, grid_of},
};
use ferrovox_kernels::{grid::Grid, isosurface::padded::Padded};
use std::ops::Range;

/// A slab of a volume: some of its planes of cells, and the planes of samples that their part of the mesh depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSlab {
    /// Planes of cells: number z is between the planes of samples z and z + 1. With
    /// [`close`](IsosurfaceParams::close) the border counts too: number z is then between the samples z - 1 and z.
    pub cells: Range<u32>,
    /// Planes of samples: those at the cells' corners, and one more on each side if there is one.
    pub planes: Range<usize>,
}

/// A volume of `dims` samples, cut along z into slabs of about as many planes of cells each: `count` of them, or fewer if there
/// are not so many planes.
///
/// The parts of the mesh that are made of them, one after the other, are the mesh: see
/// [`extract_slabs`](super::extract_slabs).
///
/// # Errors
/// [`DeviceError::TooLarge`] if an axis has more than 2³² − 1 samples.
pub fn cut(dims: [usize; 3], close: bool, count: usize) -> Result<Vec<VolumeSlab>, DeviceError> {
    let params = IsosurfaceParams {
        close,
        ..IsosurfaceParams::default()
    };
    let whole = Whole::new(grid_of(dims)?, Geometry::default(), &params)?;
    Ok(whole.cut(count))
}

/// A volume whose isosurface is made in parts.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// All samples, with the border if there is one.
    pub padded: Padded,
    /// Of `padded`'s first sample.
    pub geometry: Geometry,
}

impl Whole {
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
                padded: Padded::none(stored),
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

    pub fn cut(&self, count: usize) -> Vec<VolumeSlab> {
        let planes = self.cell_planes() as u64;
        let count = (count as u64).min(planes);
        let start = |slab: u64| (planes as u128 * slab as u128 / count as u128) as u32;
        (0..count)
            .map(|slab| self.slab(start(slab)..start(slab + 1)))
            .collect()
    }

    /// Slabs of at most `height` planes of cells, but for the last as high as that.
    pub fn slabs_of(&self, height: u32) -> impl Iterator<Item = VolumeSlab> + use<> {
        let whole = *self;
        let (planes, height) = (self.cell_planes(), height.max(1));
        (0..planes.div_ceil(height)).map(move |slab| {
            let start = slab * height;
            whole.slab(start..start + height.min(planes - start))
        })
    }

    /// The slab with these planes of cells.
    pub fn slab(&self, cells: Range<u32>) -> VolumeSlab {
        let (low, high) = self.around(&cells);
        let border = self.padded.low[2];
        let end = (high + 1 - border).min(self.padded.stored.nz);
        let planes = low.saturating_sub(border) as usize..end as usize;
        VolumeSlab { cells, planes }
    }

    /// The first and the last plane that the cells' part of the mesh depends on.
    fn around(&self, cells: &Range<u32>) -> (u32, u32) {
        let last = self.padded.grid.nz - 1;
        (
            cells.start.saturating_sub(1),
            cells.end.saturating_add(1).min(last),
        )
    }

    /// The grid of a slab, as its kernels see it.
    pub fn padded_of(&self, slab: &VolumeSlab) -> Padded {
        let (low, high) = self.around(&slab.cells);
        let mut padded = self.padded;
        padded.grid.nz = high - low + 1;
        padded.stored.nz = slab.planes.len() as u32;
        if low > 0 {
            padded.low[2] = 0;
        }
        padded
    }
}

/// Planes of a volume that are on a device.
pub(super) struct Resident<'a, T> {
    pub whole: Whole,
    pub samples: &'a Buffer<T>,
    /// Empty, or as many elements as samples.
    pub mask: &'a Buffer<u8>,
    /// Which planes of the volume they are.
    pub planes: Range<usize>,
}

impl<'a, T: Element> Resident<'a, T> {
    /// Some cells with the samples that they need, if these are there.
    pub fn slab(&self, cells: Range<u32>) -> Result<Slab<'a, T>, IsosurfaceError> {
        let slab = self.whole.slab(cells);
        let (have, need) = (&self.planes, &slab.planes);
        if need.start < have.start || need.end > have.end {
            return Err(IsosurfaceError::MissingPlanes {
                needed: need.clone(),
                resident: have.clone(),
            });
        }
        let plane = self.whole.plane_len();
        let elements = (need.start - have.start) * plane..(need.end - have.start) * plane;
        let (low, _) = self.whole.around(&slab.cells);
        Ok(Slab {
            samples: Part::of(self.samples, elements.clone()),
            mask: Part::of(self.mask, elements),
            padded: self.whole.padded_of(&slab),
            geometry: self.whole.geometry,
            plane: low,
            first: slab.cells.start - low,
            last: slab.cells.end - low,
            last_plane_too: slab.cells.end == self.whole.cell_planes(),
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
            cut([4, 4, 8], false, 3).unwrap(),
            [slab(0..2, 0..4), slab(2..4, 1..6), slab(4..7, 3..8)]
        );
        // planes of cells 0 and 8 are between the border and the first and last samples
        assert_eq!(
            cut([4, 4, 8], true, 3).unwrap(),
            [slab(0..3, 0..4), slab(3..6, 1..7), slab(6..9, 4..8)]
        );
    }

    #[test]
    fn there_are_no_more_slabs_than_planes_of_cells() {
        for (dims, close, slabs) in [
            ([4, 4, 3], false, 2),
            ([4, 4, 1], false, 0),
            ([4, 4, 1], true, 2),
            ([1, 4, 9], false, 0),
            ([4, 0, 9], true, 0),
            ([4, 4, 0], true, 0),
        ] {
            assert_eq!(cut(dims, close, 8).unwrap().len(), slabs, "{dims:?}");
        }
        assert_eq!(cut([4; 3], false, 0).unwrap(), []);
    }

    #[test]
    fn heights_add_up() {
        let whole = Whole::new(
            grid_of([2, 2, 11]).unwrap(),
            Geometry::default(),
            &IsosurfaceParams::default(),
        );
        let cells: Vec<_> = whole.unwrap().slabs_of(4).map(|slab| slab.cells).collect();
        assert_eq!(cells, [0..4, 4..8, 8..10]);
    }
}
