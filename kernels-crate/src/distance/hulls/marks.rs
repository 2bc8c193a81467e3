//! Where labels change along lines, a bit for each voxel.

use crate::{
    arith::{div_rem_u32, quotient_up_u32},
    grid::Grid,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel, thread, warp};

/// Calls `visit` with the numbers of 32 columns, of a line across them, and of 32 of its places, a warp at a time.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_square(words: u32, lines: u32, chunks: u32, mut visit: impl FnMut([u32; 3])) {
    let count = words * lines * chunks;
    let warps = thread::block_dim_x() / 32;
    let mut item = thread::block_idx_x() * warps + thread::thread_idx_x() / 32;
    while item < count {
        let (rest, word) = div_rem_u32(item, words);
        let (line, chunk) = div_rem_u32(rest, chunks);
        visit([word, line, chunk]);
        item += thread::grid_dim_x() * warps;
    }
}

/// For each voxel whether its label is another than that of the voxel before it, along x and along y. The first voxel of a line has none before it, and its bit is 0.
///
/// A warp takes 32 columns of 32 rows, a lane each: along y a lane has the bits of its column, along x lanes vote, and each keeps a row. Of labels that are bytes a lane has four columns. Nothing
/// is shared in the block.
///
/// `along_x` are words of rows, as `[word][z][y]`; `along_y` words of columns, as `[word][z][y / 32][x % 32]`.
///
/// # Safety
/// Blocks have whole warps; `labels` have an element for each voxel, `along_x` a word for each word of a row, `along_y` 32 words for each word of 32 rows, the last ones of a plane if they are fewer.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn mark_changes_in_planes<T: Sample>(
    labels: View<T>,
    grid: Grid,
    along_x: ViewMut<u32>,
    along_y: ViewMut<u32>,
) {
    if are_bytes::<T>(grid) {
        return bytes_in_planes(labels, grid, along_x, along_y);
    }
    let (words, chunks) = (quotient_up_u32(grid.nx, 32), quotient_up_u32(grid.ny, 32));
    let lane = thread::thread_idx_x() % 32;
    let apart = grid.nx as usize;
    for_each_square(words, grid.nz, chunks, |[word, z, chunk]| {
        let (x, first) = (word * 32 + lane, chunk * 32);
        let is_inside = x < grid.nx;
        // a lane beyond the row reads what another one does
        let x = if is_inside { x } else { grid.nx - 1 };
        let mut at = grid.sample(x, first, z);
        let back = (x > 0) as usize;
        let mut before = labels.read(if first > 0 { at - apart } else { at });
        let rest = grid.ny - first;
        let count = if rest < 32 { rest } else { 32 };
        let (mut own, mut row) = (0, 0);
        let mut mark = |i: u32, here: T, beside: T| {
            let changes = is_inside && x > 0 && here.differs(beside);
            // SAFETY: whole warps.
            let votes = unsafe { warp::warp_vote_ballot(u32::MAX, changes) };
            row = if lane == i { votes } else { row };
            own = own >> 1 | (here.differs(before) as u32) << 31;
            before = here;
        };
        let mut i = 0;
        // eight at a time, all of which are read before any is looked at
        while i + 8 <= count {
            let mut here = [labels.read(at); 8];
            let mut beside = here;
            for_8!(I => {
                here[I as usize] = labels.read(at + I as usize * apart);
                beside[I as usize] = labels.read(at + I as usize * apart - back);
            });
            for_8!(I => { mark(i + I, here[I as usize], beside[I as usize]); });
            at += 8 * apart;
            i += 8;
        }
        while i < count {
            mark(i, labels.read(at), labels.read(at - back));
            at += apart;
            i += 1;
        }
        own >>= 32 - count;
        if first == 0 {
            // also what is not a number has none before it
            own &= !1;
        }
        let line = word as usize * grid.nz as usize + z as usize;
        if lane < count {
            along_x.write(line * grid.ny as usize + (first + lane) as usize, row);
        }
        let own = if is_inside { own } else { 0 };
        along_y.write(
            (line * chunks as usize + chunk as usize) * 32 + lane as usize,
            own,
        );
    });
}

/// The same along z, as `[word][y][z / 32][x % 32]`.
///
/// A warp takes 32 columns of 32 planes, a lane each. Nothing is shared in the block.
///
/// # Safety
/// Blocks have whole warps; `labels` have an element for each voxel, `along_z` 32 words for each word of 32 planes and of a row, the last planes if they are fewer.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn mark_changes_along_z<T: Sample>(labels: View<T>, grid: Grid, along_z: ViewMut<u32>) {
    if are_bytes::<T>(grid) {
        return bytes_along_z(labels, grid, along_z);
    }
    let (words, chunks) = (quotient_up_u32(grid.nx, 32), quotient_up_u32(grid.nz, 32));
    let lane = thread::thread_idx_x() % 32;
    let plane = grid.nx as usize * grid.ny as usize;
    // neighbouring warps have neighbouring rows of the same planes
    for_each_square(words, chunks, grid.ny, |[word, chunk, y]| {
        let (x, first) = (word * 32 + lane, chunk * 32);
        let is_inside = x < grid.nx;
        let x = if is_inside { x } else { grid.nx - 1 };
        let mut at = grid.sample(x, y, first);
        let mut before = labels.read(if first > 0 { at - plane } else { at });
        let rest = grid.nz - first;
        let count = if rest < 32 { rest } else { 32 };
        let mut own = 0;
        let mut mark = |here: T| {
            own = own >> 1 | (here.differs(before) as u32) << 31;
            before = here;
        };
        let mut i = 0;
        while i + 16 <= count {
            let mut here = [labels.read(at); 16];
            for_8!(I => {
                here[I as usize] = labels.read(at + I as usize * plane);
                here[8 + I as usize] = labels.read(at + (8 + I as usize) * plane);
            });
            for_8!(I => { mark(here[I as usize]); });
            for_8!(I => { mark(here[8 + I as usize]); });
            at += 16 * plane;
            i += 16;
        }
        while i < count {
            mark(labels.read(at));
            at += plane;
            i += 1;
        }
        own >>= 32 - count;
        if first == 0 {
            own &= !1;
        }
        let own = if is_inside { own } else { 0 };
        let line = word as usize * grid.ny as usize + y as usize;
        along_z.write(
            (line * chunks as usize + chunk as usize) * 32 + lane as usize,
            own,
        );
    });
}

/// Whether labels are bytes, and rows begin at multiples of four: then four are read at a time. Of single bytes a warp asks for too little memory at a time.
#[inline(always)]
fn are_bytes<T>(grid: Grid) -> bool {
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
    ((differs & 0x7f7f_7f7f) + 0x7f7f_7f7f | differs) & 0x8080_8080
}

/// Of bits in words of four columns and eight places each, in the order of places, a word for each column.
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

/// Of eight rows of four columns of each lane, from the lowest bits on, the word of 32 columns of one row: lanes that are neighbours, eight at a time, have rows that are. Whole warps call it.
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
fn bytes_in_planes<T: Sample>(
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
fn bytes_along_z<T: Sample>(labels: View<T>, grid: Grid, along_z: ViewMut<u32>) {
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
