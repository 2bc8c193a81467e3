//! Label changes along scanlines, one bit per voxel.

use super::{
    byte_labels::{has_byte_rows, mark_byte_changes_along_z, mark_byte_changes_in_planes},
    warp_tiles::for_each_warp_tile,
};
use crate::{arith::div_ceil_u32, grid::Grid, sample::Sample};
use cuda_std::{View, ViewMut, kernel, thread, warp};

/// Marks, for each voxel, whether its label differs from that of the previous voxel along x and
/// along y. The first voxel of a line has no predecessor, and its bit is 0.
///
/// **Mapping:** 32 columns × 32 rows per warp, one column per lane (four columns per lane for byte
/// labels). Along y each lane collects the bits of its column; along x the lanes vote, and each
/// keeps the word of one row. **Global memory:** reads each label once, and the labels of every
/// 32nd row again; writes two bits per voxel. Shared memory is not used.
///
/// `along_x` receives words of rows, indexed `[word][z][y]`; `along_y` words of columns, indexed
/// `[word][z][y / 32][x % 32]`.
///
/// # Safety
/// Blocks consist of full warps; `labels` has one element per voxel, `along_x` one word per word of
/// each row, `along_y` 32 words per word of each group of 32 rows, of which the last one of a plane
/// may be smaller.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn mark_changes_in_planes<T: Sample>(
    labels: View<T>,
    grid: Grid,
    along_x: ViewMut<u32>,
    along_y: ViewMut<u32>,
) {
    if has_byte_rows::<T>(grid) {
        return mark_byte_changes_in_planes(labels, grid, along_x, along_y);
    }
    let (words, chunks) = (div_ceil_u32(grid.nx, 32), div_ceil_u32(grid.ny, 32));
    let lane = thread::thread_idx_x() % 32;
    let row_stride = grid.nx as usize;
    for_each_warp_tile(words, grid.nz, chunks, |[word, z, chunk]| {
        let (x, first) = (word * 32 + lane, chunk * 32);
        let is_inside = x < grid.nx;
        // Lanes past the end of the row repeat the last column.
        let x = if is_inside { x } else { grid.nx - 1 };
        let mut at = grid.sample(x, first, z);
        let left_step = (x > 0) as usize;
        let mut previous = labels.read(if first > 0 { at - row_stride } else { at });
        let remaining = grid.ny - first;
        let count = if remaining < 32 { remaining } else { 32 };
        let (mut column_bits, mut row_bits) = (0, 0);
        let mut mark = |i: u32, label: T, left: T| {
            let changes = is_inside && x > 0 && label.differs(left);
            // SAFETY: all lanes of the warp take part.
            let votes = unsafe { warp::warp_vote_ballot(u32::MAX, changes) };
            row_bits = if lane == i { votes } else { row_bits };
            column_bits = column_bits >> 1 | (label.differs(previous) as u32) << 31;
            previous = label;
        };
        let mut i = 0;
        // Eight labels are read before any is compared, to keep the reads in flight.
        while i + 8 <= count {
            let mut labels_at = [labels.read(at); 8];
            let mut left_labels = labels_at;
            unroll_8!(I => {
                labels_at[I as usize] = labels.read(at + I as usize * row_stride);
                left_labels[I as usize] = labels.read(at + I as usize * row_stride - left_step);
            });
            unroll_8!(I => { mark(i + I, labels_at[I as usize], left_labels[I as usize]); });
            at += 8 * row_stride;
            i += 8;
        }
        while i < count {
            mark(i, labels.read(at), labels.read(at - left_step));
            at += row_stride;
            i += 1;
        }
        column_bits >>= 32 - count;
        if first == 0 {
            // A NaN label has no predecessor in the first row either.
            column_bits &= !1;
        }
        let line = word as usize * grid.nz as usize + z as usize;
        if lane < count {
            along_x.write(line * grid.ny as usize + (first + lane) as usize, row_bits);
        }
        let column_bits = if is_inside { column_bits } else { 0 };
        along_y.write(
            (line * chunks as usize + chunk as usize) * 32 + lane as usize,
            column_bits,
        );
    });
}

/// Marks, for each voxel, whether its label differs from that of the previous voxel along z; the
/// result is indexed `[word][y][z / 32][x % 32]`.
///
/// **Mapping:** 32 columns × 32 planes per warp, one column per lane (four columns per lane for
/// byte labels). **Global memory:** reads each label once, and the labels of every 32nd plane
/// again; writes one bit per voxel. Shared memory is not used.
///
/// # Safety
/// Blocks consist of full warps; `labels` has one element per voxel, `along_z` 32 words per word of
/// each row and group of 32 planes, of which the last may be smaller.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn mark_changes_along_z<T: Sample>(labels: View<T>, grid: Grid, along_z: ViewMut<u32>) {
    if has_byte_rows::<T>(grid) {
        return mark_byte_changes_along_z(labels, grid, along_z);
    }
    let (words, chunks) = (div_ceil_u32(grid.nx, 32), div_ceil_u32(grid.nz, 32));
    let lane = thread::thread_idx_x() % 32;
    let plane_stride = grid.nx as usize * grid.ny as usize;
    // Neighbouring warps process neighbouring rows of the same planes.
    for_each_warp_tile(words, chunks, grid.ny, |[word, chunk, y]| {
        let (x, first) = (word * 32 + lane, chunk * 32);
        let is_inside = x < grid.nx;
        let x = if is_inside { x } else { grid.nx - 1 };
        let mut at = grid.sample(x, y, first);
        let mut previous = labels.read(if first > 0 { at - plane_stride } else { at });
        let remaining = grid.nz - first;
        let count = if remaining < 32 { remaining } else { 32 };
        let mut column_bits = 0;
        let mut mark = |label: T| {
            column_bits = column_bits >> 1 | (label.differs(previous) as u32) << 31;
            previous = label;
        };
        let mut i = 0;
        while i + 16 <= count {
            let mut labels_at = [labels.read(at); 16];
            unroll_8!(I => {
                labels_at[I as usize] = labels.read(at + I as usize * plane_stride);
                labels_at[8 + I as usize] = labels.read(at + (8 + I as usize) * plane_stride);
            });
            unroll_8!(I => { mark(labels_at[I as usize]); });
            unroll_8!(I => { mark(labels_at[8 + I as usize]); });
            at += 16 * plane_stride;
            i += 16;
        }
        while i < count {
            mark(labels.read(at));
            at += plane_stride;
            i += 1;
        }
        column_bits >>= 32 - count;
        if first == 0 {
            column_bits &= !1;
        }
        let column_bits = if is_inside { column_bits } else { 0 };
        let line = word as usize * grid.ny as usize + y as usize;
        along_z.write(
            (line * chunks as usize + chunk as usize) * 32 + lane as usize,
            column_bits,
        );
    });
}
