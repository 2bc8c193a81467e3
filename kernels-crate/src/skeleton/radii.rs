//! Values of a volume at points.

use crate::{grid::Grid, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// The trilinear interpolant of a volume at points, which are in voxels; outside the volume that of
/// the nearest place in it.
///
/// A thread takes single points: it reads three coordinates and eight samples, and writes a value.
/// Nothing is shared in the block.
///
/// # Safety
/// `samples` hold `grid.samples()` elements, more than none; `points` hold three elements for each
/// point, `values` one, which `items` counts.
#[kernel]
pub unsafe fn sample_at(
    samples: View<f32>,
    grid: Grid,
    points: View<f32>,
    items: Items,
    values: ViewMut<f32>,
) {
    items.for_each(|item| {
        let [x, y, z] = [
            split(points.read(3 * item), grid.nx),
            split(points.read(3 * item + 1), grid.ny),
            split(points.read(3 * item + 2), grid.nz),
        ];
        let mut sum = 0.0;
        let mut corner = 0u32;
        while corner < 8 {
            let [cx, cy, cz] = [
                x.corner(corner & 1),
                y.corner(corner >> 1 & 1),
                z.corner(corner >> 2),
            ];
            let at = (cz.0 * grid.ny as u64 + cy.0) * grid.nx as u64 + cx.0;
            sum += cx.1 * cy.1 * cz.1 * samples.read(at as usize);
            corner += 1;
        }
        values.write(item, sum);
    });
}

/// A place between two voxels of an axis.
#[derive(Clone, Copy)]
struct Between {
    low: u32,
    high: u32,
    part: f32,
}

impl Between {
    /// One of the two, and how much it counts.
    #[inline(always)]
    fn corner(self, which: u32) -> (u64, f32) {
        if which == 0 {
            (self.low as u64, 1.0 - self.part)
        } else {
            (self.high as u64, self.part)
        }
    }
}

/// Where on an axis of `len` voxels a coordinate is.
#[inline(always)]
fn split(at: f32, len: u32) -> Between {
    let last = (len - 1) as f32;
    let at = if at > 0.0 { at } else { 0.0 };
    let at = if at < last { at } else { last };
    let low = at as u32;
    Between {
        low,
        high: if low + 1 < len { low + 1 } else { low },
        part: at - low as f32,
    }
}
