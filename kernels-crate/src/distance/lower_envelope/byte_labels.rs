//! Label changes for labels of one byte: four columns per lane.

use super::warp_tiles::for_each_warp_tile;
use crate::{arith::div_ceil_u32, grid::Grid, sample::Sample};
use cuda_std::{View, ViewMut, thread, warp};

/// Returns `true` if labels are single bytes and rows start at multiples of four, so that four
/// labels can be read at a time. Reading single bytes would leave most of a warp's memory
/// transactions unused.
#[inline(always)]
pub(super) fn has_byte_rows<T>(grid: Grid) -> bool {
    size_of::<T>() == 1 && grid.nx.is_multiple_of(4)
}

/// Reads four byte labels.
#[inline(always)]
fn read_four<T: Sample>(labels: View<T>, first: usize) -> u32 {
    label_bits(labels.read_vector::<4>(first))
}

/// Returns the bits of four byte labels.
#[inline(always)]
fn label_bits<T: Sample>(labels: [T; 4]) -> u32 {
    // SAFETY: labels are plain numbers, and four of them have at least four bytes.
    unsafe { core::mem::transmute_copy(&labels) }
}

/// Returns a mask with the highest bit of each byte that differs.
#[inline(always)]
fn differing(a: u32, b: u32) -> u32 {
    let differs = a ^ b;
    (((differs & 0x7f7f_7f7f) + 0x7f7f_7f7f) | differs) & 0x8080_8080
}

/// Converts bits in words of four columns and eight positions each, ordered by position, to one
/// word per column.
#[cuda_std::inline_closures]
#[inline(always)]
fn transpose_to_columns(bits: [u32; 4]) -> [u32; 4] {
    let mut columns = [0; 4];
    let mut k = 0;
    while k < 4 {
        let byte = |word: u32| word >> (8 * k) & 0xff;
        columns[k] = byte(bits[0]) | byte(bits[1]) << 8 | byte(bits[2]) << 16 | byte(bits[3]) << 24;
        k += 1;
    }
    columns
}

/// Transposes bits across lanes: each lane provides eight rows of four columns, lowest bits first,
/// and receives the word of 32 columns of one row. Groups of eight neighbouring lanes cover
/// neighbouring rows. All lanes of a warp must call it.
#[cuda_std::inline_closures]
#[inline(always)]
fn transpose_to_rows(lane_bits: u32, lane: u32) -> u32 {
    let mut bits = lane_bits;
    let mut step = |delta: u32, low: u32| {
        // SAFETY: all lanes of the warp take part.
        let (partner, _) = unsafe { warp::warp_shuffle_xor(u32::MAX, bits, delta, 32) };
        let shift = 4 * delta;
        bits = if lane & delta == 0 {
            bits & low | (partner & low) << shift
        } else {
            bits & !low | (partner & !low) >> shift
        };
    };
    step(4, 0x0000_ffff);
    step(2, 0x00ff_00ff);
    step(1, 0x0f0f_0f0f);
    bits
}

/// Implements [`mark_changes_in_planes`](super::mark_changes_in_planes) for byte labels: a warp
/// processes 128 columns of 32 rows, each lane four columns.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn mark_byte_changes_in_planes<T: Sample>(
    labels: View<T>,
    grid: Grid,
    along_x: ViewMut<u32>,
    along_y: ViewMut<u32>,
) {
    let (words, chunks) = (div_ceil_u32(grid.nx, 32), div_ceil_u32(grid.ny, 32));
    let lane = thread::thread_idx_x() % 32;
    let row_stride = grid.nx as usize;
    for_each_warp_tile(
        div_ceil_u32(words, 4),
        grid.nz,
        chunks,
        |[group, z, chunk]| {
            let (x, word, first) = (group * 128 + lane * 4, group * 4 + lane / 8, chunk * 32);
            let is_inside = x < grid.nx;
            let from = grid.sample(if is_inside { x } else { 0 }, first, z);
            let remaining = grid.ny - first;
            let count = if remaining < 32 { remaining } else { 32 };
            let line = (word * grid.nz + z) as usize;
            let reads_left = lane == 0 && x > 0;
            let mut previous = read_four(labels, if first > 0 { from - row_stride } else { from });
            let mut columns = [0; 4];
            let mut batch = 0;
            while batch < 4 {
                // Rows past the last one are clamped to it.
                let at = |i: u32| {
                    let row = batch * 8 + i;
                    from + (if row < count { row } else { count - 1 }) as usize * row_stride
                };
                let mut labels_at = [previous; 8];
                let mut left_labels = [0; 8];
                unroll_8!(I => {
                    labels_at[I as usize] = read_four(labels, at(I));
                    left_labels[I as usize] = labels_at[I as usize] & 0xff;
                });
                if reads_left {
                    unroll_8!(I => {
                        left_labels[I as usize] = label_bits([labels.read(at(I) - 1); 4]) & 0xff;
                    });
                }
                let (mut column_bits, mut row_bits) = (0, 0);
                unroll_8!(I => {
                    let labels = labels_at[I as usize];
                    // SAFETY: all lanes of the warp take part.
                    let (left, _) = unsafe { warp::warp_shuffle_up(u32::MAX, labels, 1, 32) };
                    let left = if lane == 0 { left_labels[I as usize] } else { left >> 24 };
                    let changes = differing(labels, labels << 8 | left) >> 7;
                    // Moves bits 0, 8, 16 and 24 to the highest four bits.
                    row_bits |= changes.wrapping_mul(0x1020_4080) >> 28 << (4 * I);
                    column_bits = column_bits >> 1 & 0x7f7f_7f7f | differing(labels, previous);
                    previous = labels;
                });
                columns = [columns[1], columns[2], columns[3], column_bits];
                let row_bits = transpose_to_rows(if is_inside { row_bits } else { 0 }, lane);
                let row = batch * 8 + lane % 8;
                if row < count && word < words {
                    along_x.write(line * grid.ny as usize + (first + row) as usize, row_bits);
                }
                batch += 1;
            }
            if word < words {
                let columns = if is_inside {
                    transpose_to_columns(columns)
                } else {
                    [0; 4]
                };
                let at = (line * chunks as usize + chunk as usize) * 32 + (x % 32) as usize;
                along_y.write_vector(at, columns);
            }
        },
    );
}

/// Implements [`mark_changes_along_z`](super::mark_changes_along_z) for byte labels: a warp
/// processes 128 columns of 32 planes, each lane four columns.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn mark_byte_changes_along_z<T: Sample>(
    labels: View<T>,
    grid: Grid,
    along_z: ViewMut<u32>,
) {
    let (words, chunks) = (div_ceil_u32(grid.nx, 32), div_ceil_u32(grid.nz, 32));
    let lane = thread::thread_idx_x() % 32;
    let plane_stride = grid.nx as usize * grid.ny as usize;
    for_each_warp_tile(
        div_ceil_u32(words, 4),
        chunks,
        grid.ny,
        |[group, chunk, y]| {
            let (x, word, first) = (group * 128 + lane * 4, group * 4 + lane / 8, chunk * 32);
            let is_inside = x < grid.nx;
            if !is_inside && word >= words {
                return;
            }
            let from = grid.sample(if is_inside { x } else { 0 }, y, first);
            let remaining = grid.nz - first;
            let count = if remaining < 32 { remaining } else { 32 };
            let mut previous =
                read_four(labels, if first > 0 { from - plane_stride } else { from });
            let mut columns = [0; 4];
            let mut batch = 0;
            while batch < 4 {
                let at = |i: u32| {
                    let row = batch * 8 + i;
                    from + (if row < count { row } else { count - 1 }) as usize * plane_stride
                };
                let mut labels_at = [previous; 8];
                unroll_8!(I => { labels_at[I as usize] = read_four(labels, at(I)); });
                let mut column_bits = 0;
                unroll_8!(I => {
                    column_bits = column_bits >> 1 & 0x7f7f_7f7f | differing(labels_at[I as usize], previous);
                    previous = labels_at[I as usize];
                });
                columns = [columns[1], columns[2], columns[3], column_bits];
                batch += 1;
            }
            let line = (word * grid.ny + y) as usize;
            let columns = if is_inside {
                transpose_to_columns(columns)
            } else {
                [0; 4]
            };
            let at = (line * chunks as usize + chunk as usize) * 32 + (x % 32) as usize;
            along_z.write_vector(at, columns);
        },
    );
}
