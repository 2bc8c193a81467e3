//! Density field of metaballs.

use crate::{grid::Grid, rows::Rows};
use cuda_std::{View, ViewMut, kernel};

/// Writes the density of metaballs: the sum over all balls of `r² / d²`, where `d` is the distance
/// from the ball's centre, at least a hundredth of its radius. A single ball has density 1 at
/// distance `r`.
///
/// `balls` holds x, y, z and r of each ball, in voxels. **Mapping:** runs of neighbouring samples
/// per thread; no shared memory. **Traffic** per sample: every ball read (the same for the whole
/// warp), one value written.
///
/// # Safety
/// `balls` holds four elements per ball, `samples` `grid.samples()`; `rows` is the extent of the
/// samples.
#[kernel(baseline)]
pub unsafe fn fill_metaballs(grid: Grid, rows: Rows, balls: View<f32>, samples: ViewMut<f32>) {
    rows.for_each_run(|run| {
        for x in run.start..run.end {
            let mut density = 0.0;
            let mut ball = 0;
            while ball + 3 < balls.len() {
                let dx = x as f32 - balls.read(ball);
                let dy = run.y as f32 - balls.read(ball + 1);
                let dz = run.z as f32 - balls.read(ball + 2);
                let radius = balls.read(ball + 3);
                let square = dx * dx + dy * dy + dz * dz;
                let min_square = 1e-4 * radius * radius;
                density += radius * radius
                    / if square > min_square {
                        square
                    } else {
                        min_square
                    };
                ball += 4;
            }
            samples.write(grid.sample(x, run.y, run.z), density);
        }
    });
}
