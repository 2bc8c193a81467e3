//! Marching-cubes case index of each cell.

use super::table::TRIANGLE_COUNTS;
use crate::{
    grid::Grid,
    rows::{Rows, Run},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// Classification of the four corners that two neighbouring cells share: the face at one x.
#[derive(Clone, Copy)]
struct SharedFace {
    /// Bits 0, 3, 4 and 7 of the case index of the cell at higher x: set for corners that are
    /// below.
    below: u8,
    non_finite: bool,
    masked: bool,
}

impl SharedFace {
    /// Returns the same corners as bits 1, 2, 5 and 6 of the case index of the cell at lower x.
    #[inline(always)]
    fn as_right_side(self) -> u8 {
        (self.below & 0b0001_0001) << 1 | (self.below & 0b1000_1000) >> 1
    }
}

/// Storage indices of the first samples of the four rows along the corners of a run of cells.
#[derive(Clone, Copy)]
struct CornerRows {
    rows: [usize; 4],
}

impl CornerRows {
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn new(grid: Grid, run: &Run) -> Self {
        let at = |y, z| grid.sample(run.start, y, z);
        Self {
            rows: [
                at(run.y, run.z),
                at(run.y + 1, run.z),
                at(run.y, run.z + 1),
                at(run.y + 1, run.z + 1),
            ],
        }
    }

    #[inline(always)]
    fn face<T: Sample>(
        &self,
        samples: View<T>,
        mask: View<u8>,
        iso: f32,
        step: usize,
    ) -> SharedFace {
        const BITS: [u8; 4] = [0, 3, 4, 7];
        let mut face = SharedFace {
            below: 0,
            non_finite: false,
            masked: false,
        };
        let mut corner = 0;
        while corner < 4 {
            let at = self.rows[corner] + step;
            let value = samples.read(at).value();
            face.below |= ((value < iso) as u8) << BITS[corner];
            if T::MAY_BE_NON_FINITE {
                face.non_finite |= !value.is_finite();
            }
            if !mask.is_empty() {
                face.masked |= mask.read(at) == 0;
            }
            corner += 1;
        }
        face
    }
}

/// Computes the marching-cubes case of every cell (stage 2 of the staged method).
///
/// Bit k of a case index is set if corner k is below; corners are numbered as in
/// [`CORNERS`](super::table::CORNERS). Cells with a non-finite or masked corner get case 0; cells
/// with a non-finite corner that are not masked are counted in `non_finite_cells[0]`.
///
/// **Mapping:** runs of neighbouring cells per thread, which carries the face between two cells
/// from one to the next; no shared memory. **Traffic** per cell: four samples read (eight for the
/// first cell of a run), and as many mask elements unless `mask` is empty; case, occupied flag (0
/// or 1) and triangle count written.
///
/// # Safety
/// `samples` (and `mask`, unless empty) hold `grid.samples()` elements; `cases`, `occupied` and
/// `triangle_counts` hold `grid.cells()`; `rows` is the extent of the cells; `non_finite_cells`
/// holds one element.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn classify_cells<T: Sample>(
    samples: View<T>,
    mask: View<u8>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    cases: ViewMut<u8>,
    occupied: ViewMut<u8>,
    triangle_counts: ViewMut<u8>,
    non_finite_cells: ViewMut<u64>,
) {
    rows.for_each_run(|run| {
        let corners = CornerRows::new(grid, &run);
        let first = grid.cell(run.start, run.y, run.z) as usize;
        let mut left = corners.face(samples, mask, iso, 0);
        for step in 0..(run.end - run.start) as usize {
            let right = corners.face(samples, mask, iso, step + 1);
            let mut case = left.below | right.as_right_side();
            let non_finite = left.non_finite | right.non_finite;
            let masked = left.masked | right.masked;
            if non_finite | masked {
                case = 0;
                if !masked {
                    non_finite_cells.atomic_add(0, 1);
                }
            }
            let cell = first + step;
            cases.write(cell, case);
            occupied.write(cell, (case != 0 && case != u8::MAX) as u8);
            triangle_counts.write(cell, TRIANGLE_COUNTS[case as usize]);
            left = right;
        }
    });
}
