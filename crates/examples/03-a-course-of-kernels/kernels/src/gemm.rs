//! Lesson 4: tiles in shared memory, in a two-dimensional launch.

use cuda_std::{prelude::*, shared_view};

/// Threads of a block and elements of a tile, along x and y.
pub const TILE: usize = 16;

/// Computes `c = a b`. The sizes are the rows of `a`, the columns of `a` (and rows of `b`), and the
/// columns of `b`. Each element of a tile is read once from global memory and used by 16 threads.
#[kernel]
pub unsafe fn multiply(a: View<f32>, b: View<f32>, sizes: [u32; 3], c: ViewMut<f32>) {
    let (of_a, of_b) = (
        shared_view![f32; TILE * TILE],
        shared_view![f32; TILE * TILE],
    );
    let [rows, inner, columns] = sizes.map(|size| size as usize);
    let (tx, ty) = (
        thread::thread_idx_x() as usize,
        thread::thread_idx_y() as usize,
    );
    let at = thread::index_2d();
    let (column, row) = (at.x as usize, at.y as usize);
    let mut sum = 0.0;
    let mut start = 0;
    while start < inner {
        // elements outside the matrices are zero, so that all threads reach all barriers
        let in_a = row < rows && start + tx < inner;
        of_a.write(
            ty * TILE + tx,
            if in_a {
                a.read(row * inner + start + tx)
            } else {
                0.0
            },
        );
        let in_b = start + ty < inner && column < columns;
        of_b.write(
            ty * TILE + tx,
            if in_b {
                b.read((start + ty) * columns + column)
            } else {
                0.0
            },
        );
        thread::sync_threads();
        for k in 0..TILE {
            sum += of_a.read(ty * TILE + k) * of_b.read(k * TILE + tx);
        }
        // before any thread writes the next tiles
        thread::sync_threads();
        start += TILE;
    }
    if row < rows && column < columns {
        c.write(row * columns + column, sum);
    }
}
