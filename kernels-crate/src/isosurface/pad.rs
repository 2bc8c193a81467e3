//! A volume with one sample more on every side.

use crate::{grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{View, ViewMut, kernel};

/// Copies samples to the inside of a grid that is two larger along each axis, and `outside` around
/// them.
///
/// A thread takes runs of neighbouring samples of the larger grid; it reads at most one sample and
/// writes one value for each. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, `padded` as many as `rows`, which is the extent of
/// the larger grid.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn pad_samples<T: Sample>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    outside: f32,
    padded: ViewMut<f32>,
) {
    let larger = Grid {
        nx: rows.nx,
        ny: rows.ny,
        nz: rows.nz,
    };
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let inside = within(grid, [x, run.y, run.z]);
            let value = match inside {
                Some([x, y, z]) => samples.read(grid.sample(x, y, z)).value(),
                None => outside,
            };
            padded.write(larger.sample(x, run.y, run.z), value);
        }
    });
}

/// Copies a mask to the inside of a grid that is two larger along each axis; each element around it
/// repeats the nearest.
///
/// A thread takes runs of neighbouring elements of the larger grid, reads one and writes one for
/// each.
///
/// # Safety
/// As for [`pad_samples`].
#[kernel]
pub unsafe fn pad_mask(mask: View<u8>, grid: Grid, rows: Rows, padded: ViewMut<u8>) {
    let larger = Grid {
        nx: rows.nx,
        ny: rows.ny,
        nz: rows.nz,
    };
    let nearest = |place: u32, count: u32| {
        if place == 0 {
            0
        } else if place > count {
            count - 1
        } else {
            place - 1
        }
    };
    rows.for_each_run(|run| {
        let (y, z) = (nearest(run.y, grid.ny), nearest(run.z, grid.nz));
        for x in run.start..run.end {
            let value = mask.read(grid.sample(nearest(x, grid.nx), y, z));
            padded.write(larger.sample(x, run.y, run.z), value);
        }
    });
}

/// The sample of the smaller grid at a place of the larger one.
#[inline(always)]
fn within(grid: Grid, place: [u32; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = place;
    let inside = x > 0 && y > 0 && z > 0 && x <= grid.nx && y <= grid.ny && z <= grid.nz;
    if inside {
        Some([x - 1, y - 1, z - 1])
    } else {
        None
    }
}
