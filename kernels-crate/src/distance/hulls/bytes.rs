//! Where labels change that are bytes: four columns at a time.

use super::deal::for_each_square;
use crate::{arith::quotient_up_u32, grid::Grid, sample::Sample};
use cuda_std::{View, ViewMut, thread, warp};

/// Whether labels are bytes, and rows begin at multiples of four: then four are read at a time. Of
/// single bytes a warp asks for too little memory at a time.
#[inline(always)]
pub(super) fn are_bytes<T>(grid: Grid) -> bool {
    size_of::<T>() == 1 && grid.nx.is_multiple_of(4)
}

/// Four labels that are bytes.
#[inline(always)]
fn four<T: Sample>(labels: View<T>, first: usize) -> u32 {
    bits_of(labels.read_vector::<4>(first))
}

/// The bits of four labels that are bytes.
#[inline(always)]
fn bits_of<T: Sample>(labels: [T; 4]) -> u32 {
    // SAFETY: labels are numbers, and four of them are no fewer than four bytes.
    unsafe { core::mem::transmute_copy(&labels) }
}

/// The highest bit of each byte that is another.
#[inline(always)]
fn differing(a: u32, b: u32) -> u32 {
    let differs = a ^ b;
    (((differs & 0x7f7f_7f7f) + 0x7f7f_7f7f) | differs) & 0x8080_8080
}

/// Of bits in words of four columns and eight places each, in the order of places, a word for each
/// column.
#[inline(always)]
fn of_columns(bits: [u32; 4]) -> [u32; 4] {
    let mut columns = [0; 4];
    let mut k = 0;
    while k < 4 {
        let byte = |word: u32| word >> (8 * k) & 0xff;
        columns[k] = byte(bits[0]) | byte(bits[1]) << 8 | byte(bits[2]) << 16 | byte(bits[3]) << 24;
        k += 1;
    }
    columns
}

/// Of eight rows of four columns of each lane, from the lowest bits on, the word of 32 columns of
/// one row: lanes that are neighbours, eight at a time, have rows that are. Whole warps call it.
#[inline(always)]
fn of_rows(bits: u32, lane: u32) -> u32 {
    let mut own = bits;
    let mut step = |delta: u32, low: u32| {
        // SAFETY: whole warps.
        let (other, _) = unsafe { warp::warp_shuffle_xor(u32::MAX, own, delta, 32) };
        let shift = 4 * delta;
        own = if lane & delta == 0 {
            own & low | (other & low) << shift
        } else {
            own & !low | (other & !low) >> shift
        };
    };
    step(4, 0x0000_ffff);
    step(2, 0x00ff_00ff);
    step(1, 0x0f0f_0f0f);
    own
}

/// [`mark_changes_in_planes`] of bytes: a warp takes 128 columns of 32 rows, a lane four columns.
#[inline(always)]
pub(super) fn bytes_in_planes<T: Sample>(
    labels: View<T>,
    grid: Grid,
    along_x: ViewMut<u32>,
    along_y: ViewMut<u32>,
) {
    let (words, chunks) = (quotient_up_u32(grid.nx, 32), quotient_up_u32(grid.ny, 32));
    let lane = thread::thread_idx_x() % 32;
    let apart = grid.nx as usize;
    for_each_square(
        quotient_up_u32(words, 4),
        grid.nz,
        chunks,
        |[group, z, chunk]| {
            let (x, word, first) = (group * 128 + lane * 4, group * 4 + lane / 8, chunk * 32);
            let is_inside = x < grid.nx;
            let from = grid.sample(if is_inside { x } else { 0 }, first, z);
            let rest = grid.ny - first;
            let count = if rest < 32 { rest } else { 32 };
            let line = (word * grid.nz + z) as usize;
            let asks_beside = lane == 0 && x > 0;
            let mut before = four(labels, if first > 0 { from - apart } else { from });
            let mut columns = [0; 4];
            let mut round = 0;
            while round < 4 {
                // rows beyond the last one are that one
                let at = |i: u32| {
                    let row = round * 8 + i;
                    from + (if row < count { row } else { count - 1 }) as usize * apart
                };
                let mut here = [before; 8];
                let mut beside = [0; 8];
                for_8!(I => {
                    here[I as usize] = four(labels, at(I));
                    beside[I as usize] = here[I as usize] & 0xff;
                });
                if asks_beside {
                    for_8!(I => {
                        beside[I as usize] = bits_of([labels.read(at(I) - 1); 4]) & 0xff;
                    });
                }
                let (mut of_column, mut of_row) = (0, 0);
                for_8!(I => {
                    let labels = here[I as usize];
                    // SAFETY: whole warps.
                    let (left, _) = unsafe { warp::warp_shuffle_up(u32::MAX, labels, 1, 32) };
                    let left = if lane == 0 { beside[I as usize] } else { left >> 24 };
                    let changes = differing(labels, labels << 8 | left) >> 7;
                    // from bits 0, 8, 16 and 24 to the highest four
                    of_row |= changes.wrapping_mul(0x1020_4080) >> 28 << (4 * I);
                    of_column = of_column >> 1 & 0x7f7f_7f7f | differing(labels, before);
                    before = labels;
                });
                columns = [columns[1], columns[2], columns[3], of_column];
                let of_row = of_rows(if is_inside { of_row } else { 0 }, lane);
                let row = round * 8 + lane % 8;
                if row < count && word < words {
                    along_x.write(line * grid.ny as usize + (first + row) as usize, of_row);
                }
                round += 1;
            }
            if word < words {
                let columns = if is_inside {
                    of_columns(columns)
                } else {
                    [0; 4]
                };
                let at = (line * chunks as usize + chunk as usize) * 32 + (x % 32) as usize;
                along_y.write_vector(at, columns);
            }
        },
    );
}

/// [`mark_changes_along_z`] of bytes: a warp takes 128 columns of 32 planes, a lane four columns.
#[inline(always)]
pub(super) fn bytes_along_z<T: Sample>(labels: View<T>, grid: Grid, along_z: ViewMut<u32>) {
    let (words, chunks) = (quotient_up_u32(grid.nx, 32), quotient_up_u32(grid.nz, 32));
    let lane = thread::thread_idx_x() % 32;
    let plane = grid.nx as usize * grid.ny as usize;
    for_each_square(
        quotient_up_u32(words, 4),
        chunks,
        grid.ny,
        |[group, chunk, y]| {
            let (x, word, first) = (group * 128 + lane * 4, group * 4 + lane / 8, chunk * 32);
            let is_inside = x < grid.nx;
            if !is_inside && word >= words {
                return;
            }
            let from = grid.sample(if is_inside { x } else { 0 }, y, first);
            let rest = grid.nz - first;
            let count = if rest < 32 { rest } else { 32 };
            let mut before = four(labels, if first > 0 { from - plane } else { from });
            let mut columns = [0; 4];
            let mut round = 0;
            while round < 4 {
                let at = |i: u32| {
                    let row = round * 8 + i;
                    from + (if row < count { row } else { count - 1 }) as usize * plane
                };
                let mut here = [before; 8];
                for_8!(I => { here[I as usize] = four(labels, at(I)); });
                let mut of_column = 0;
                for_8!(I => {
                    of_column = of_column >> 1 & 0x7f7f_7f7f | differing(here[I as usize], before);
                    before = here[I as usize];
                });
                columns = [columns[1], columns[2], columns[3], of_column];
                round += 1;
            }
            let line = (word * grid.ny + y) as usize;
            let columns = if is_inside {
                of_columns(columns)
            } else {
                [0; 4]
            };
            let at = (line * chunks as usize + chunk as usize) * 32 + (x % 32) as usize;
            along_z.write_vector(at, columns);
        },
    );
}
