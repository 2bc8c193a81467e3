//! Which corners of a cell are below the isovalue, and what follows from that.

use super::table::TRIANGLE_COUNTS;
use crate::{
    grid::Grid,
    rows::{Rows, Run},
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// The corners that two neighbouring cells share: those of the face at one x.
#[derive(Clone, Copy)]
struct Face {
    /// Which of the corners 0, 3, 4 and 7 of the cell at higher x are below, as bits of its case.
    below: u8,
    non_finite: bool,
    masked: bool,
}

impl Face {
    /// The same corners as bits of the case of the cell at lower x, where they are 1, 2, 5 and 6.
    #[inline(always)]
    fn as_right_side(self) -> u8 {
        (self.below & 0b0001_0001) << 1 | (self.below & 0b1000_1000) >> 1
    }
}

/// Where the corners of a run's cells are stored: four rows of samples, from the run's first corner
/// on.
#[derive(Clone, Copy)]
struct CornerRows {
    rows: [usize; 4],
}

impl CornerRows {
    #[inline(always)]
    fn of(grid: Grid, run: &Run) -> Self {
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
    fn face<T: Sample>(&self, samples: View<T>, mask: View<u8>, iso: f32, step: usize) -> Face {
        const BITS: [u8; 4] = [0, 3, 4, 7];
        let mut face = Face {
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

/// Classifies every cell: stage 2 of the topology page (2011).
///
/// A thread takes runs of neighbouring cells and carries the face between them from one to the
/// next. Per cell it reads four samples (eight at the start of a run), and as many mask values if
/// `mask` is not empty; it writes the case, 1 or 0 for occupied, and the number of triangles. Cells
/// with a non-finite or masked corner get case 0. Cells with a non-finite corner that no mask
/// excludes are counted in `non_finite_cells[0]`. Nothing is shared in the block.
///
/// # Safety
/// `samples` (and `mask`, unless empty) hold `grid.samples()` elements; `cases`, `occupied` and
/// `triangle_counts` hold `grid.cells()`; `rows` is the extent of the cells; `non_finite_cells`
/// holds one element.
#[kernel(T = [u8, i8, u16, i16, f32])]
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
        let corners = CornerRows::of(grid, &run);
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
