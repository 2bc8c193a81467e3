//! Lesson 3: three-dimensional launches, and kernels with const parameters.

use cuda_std::prelude::*;

/// Computes the mean over boxes of `2 R + 1` samples along each axis, clipped at the boundary. `R`
/// is a compile-time constant, so the loops have a fixed length. The list defines the entry points
/// `box_mean_1` and `box_mean_2`.
#[kernel(R = [1, 2])]
pub unsafe fn box_mean<const R: usize>(samples: View<f32>, dims: [u32; 3], means: ViewMut<f32>) {
    let at = thread::index_3d();
    let [nx, ny, nz] = dims;
    if at.x >= nx || at.y >= ny || at.z >= nz {
        return;
    }
    let index = |x: usize, y: usize, z: usize| x + nx as usize * (y + ny as usize * z);
    let (x, y, z) = (at.x as usize, at.y as usize, at.z as usize);
    let (mut sum, mut count) = (0.0, 0.0);
    for dz in 0..2 * R + 1 {
        for dy in 0..2 * R + 1 {
            for dx in 0..2 * R + 1 {
                // below 0 it wraps around to far above the dims
                let (x, y, z) = (
                    (x + dx).wrapping_sub(R),
                    (y + dy).wrapping_sub(R),
                    (z + dz).wrapping_sub(R),
                );
                if x < nx as usize && y < ny as usize && z < nz as usize {
                    sum += samples.read(index(x, y, z));
                    count += 1.0;
                }
            }
        }
    }
    means.write(index(x, y, z), sum / count);
}
