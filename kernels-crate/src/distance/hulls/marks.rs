//! Where labels change along lines, a bit for each voxel.

use super::{
    bytes::{are_bytes, bytes_along_z, bytes_in_planes},
    deal::for_each_square,
};
use crate::{arith::quotient_up_u32, grid::Grid, sample::Sample};
use cuda_std::{View, ViewMut, kernel, thread, warp};

/// For each voxel whether its label is another than that of the voxel before it, along x and along
/// y. The first voxel of a line has none before it, and its bit is 0.
///
/// A warp takes 32 columns of 32 rows, a lane each: along y a lane has the bits of its column,
/// along x lanes vote, and each keeps a row. Of labels that are bytes a lane has four columns.
/// Nothing is shared in the block.
///
/// `along_x` are words of rows, as `[word][z][y]`; `along_y` words of columns, as
/// `[word][z][y / 32][x % 32]`.
///
/// # Safety
/// Blocks have whole warps; `labels` have an element for each voxel, `along_x` a word for each word
/// of a row, `along_y` 32 words for each word of 32 rows, the last ones of a plane if they are
/// fewer.
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
/// Blocks have whole warps; `labels` have an element for each voxel, `along_z` 32 words for each
/// word of 32 planes and of a row, the last planes if they are fewer.
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
