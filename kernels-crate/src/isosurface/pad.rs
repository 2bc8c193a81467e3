//! Copies of a volume or mask with a border of one sample on every side.

use crate::{grid::Grid, rows::Rows, sample::Sample};
use cuda_std::{View, ViewMut, kernel};

/// Copies a volume into the interior of a grid that is two samples larger along each axis, and
/// fills the border with `outside`.
///
/// **Mapping:** runs of neighbouring samples of the larger grid per thread; no shared memory.
/// **Traffic** per sample of the larger grid: at most one sample read, one `f32` written.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, `padded` one element per item of `rows`, which is the
/// extent of the larger grid.
#[kernel(T = crate::sample::sample_types!)]
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
            let inside = unpadded_index(grid, [x, run.y, run.z]);
            let value = match inside {
                Some([x, y, z]) => samples.read(grid.sample(x, y, z)).value(),
                None => outside,
            };
            padded.write(larger.sample(x, run.y, run.z), value);
        }
    });
}

/// Copies a mask into the interior of a grid that is two samples larger along each axis, and
/// extends it into the border by replicating the nearest element.
///
/// **Mapping:** runs of neighbouring elements of the larger grid per thread; no shared memory.
/// **Traffic** per element of the larger grid: one element read, one written.
///
/// # Safety
/// `mask` holds `grid.samples()` elements, `padded` one element per item of `rows`, which is the
/// extent of the larger grid.
#[kernel]
pub unsafe fn pad_mask(mask: View<u8>, grid: Grid, rows: Rows, padded: ViewMut<u8>) {
    let larger = Grid {
        nx: rows.nx,
        ny: rows.ny,
        nz: rows.nz,
    };
    let nearest = |index: u32, count: u32| {
        if index == 0 {
            0
        } else if index > count {
            count - 1
        } else {
            index - 1
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

/// Returns the index in the smaller grid of sample `[x, y, z]` of the larger grid, or `None` in the
/// border.
#[inline(always)]
fn unpadded_index(grid: Grid, index: [u32; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = index;
    let inside = x > 0 && y > 0 && z > 0 && x <= grid.nx && y <= grid.ny && z <= grid.nz;
    if inside {
        Some([x - 1, y - 1, z - 1])
    } else {
        None
    }
}
