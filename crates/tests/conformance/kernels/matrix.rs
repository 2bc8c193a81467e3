//! Transposition of a matrix through a shared tile.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Rows and columns of a tile, and threads of a block along both axes.
pub const TILE: usize = 16;
/// Row pitch, one more than necessary to avoid shared-memory bank conflicts.
const PITCH: usize = TILE + 1;

/// Writes the transpose of `input` (`rows` x `columns`) to `output` (`columns` x `rows`).
#[kernel]
pub unsafe fn transpose(input: &[f32], rows: usize, columns: usize, output: *mut f32) {
    let tile = shared_array![f32; PITCH * TILE];
    let (tx, ty) = (
        thread::thread_idx_x() as usize,
        thread::thread_idx_y() as usize,
    );
    let from = thread::index_2d();
    let (column, row) = (from.x as usize, from.y as usize);
    if row < rows && column < columns {
        *tile.add(ty * PITCH + tx) = input[row * columns + column];
    }
    thread::sync_threads();

    let column = thread::block_idx_y() as usize * TILE + tx;
    let row = thread::block_idx_x() as usize * TILE + ty;
    if row < columns && column < rows {
        *output.add(row * rows + column) = *tile.add(tx * PITCH + ty);
    }
}
