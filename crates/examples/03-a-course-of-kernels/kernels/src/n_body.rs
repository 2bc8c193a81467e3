//! Lesson 5: high arithmetic intensity.

use cuda_std::{prelude::*, shared_view};

/// Threads per block, which is the number of bodies in shared memory at a time.
pub const BLOCK: usize = 64;

/// Position (x, y, z) and mass.
pub type Body = [f32; 4];

/// Computes the acceleration of each body: the sum over all others of mass over squared distance,
/// in their direction. Every body is read once per block.
#[kernel]
pub unsafe fn accelerate(bodies: View<Body>, softening: f32, accelerations: ViewMut<[f32; 3]>) {
    let tile = shared_view![Body; BLOCK];
    let (i, thread) = (thread::index_1d() as usize, thread::thread_idx_x() as usize);
    let own = if i < bodies.len() {
        bodies.read(i)
    } else {
        [0.0; 4]
    };
    let mut sum = [0.0; 3];
    let mut start = 0;
    while start < bodies.len() {
        let next = start + thread;
        // bodies beyond the end have no mass
        tile.write(
            thread,
            if next < bodies.len() {
                bodies.read(next)
            } else {
                [0.0; 4]
            },
        );
        thread::sync_threads();
        for j in 0..BLOCK {
            add_pull(&mut sum, own, tile.read(j), softening);
        }
        thread::sync_threads();
        start += BLOCK;
    }
    if i < bodies.len() {
        accelerations.write(i, sum);
    }
}

/// Adds the acceleration due to another body. It is softened, so that a body does not attract
/// itself and close encounters stay finite.
#[inline(always)]
fn add_pull(sum: &mut [f32; 3], [x, y, z, _]: Body, other: Body, softening: f32) {
    let away = [other[0] - x, other[1] - y, other[2] - z];
    let squared = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + softening * softening;
    let factor = other[3] / (squared * squared.sqrt());
    sum[0] += factor * away[0];
    sum[1] += factor * away[1];
    sum[2] += factor * away[2];
}
