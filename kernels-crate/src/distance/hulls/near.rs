//! The nearest sites beyond each word of a row.

use crate::{
    arith::{div_rem_u32, quotient_up_u32},
    grid::Grid,
};
use cuda_std::{
    SharedView, View, ViewMut, async_copy, bits::bfind_shiftamt, cfg::ComputeCapability, kernel,
    misc::max_registers, shared::dynamic_shared_mem, thread, warp,
};

/// Farther than anything: with up to 31 added, it has 11 bits.
pub const FAR: u32 = 2016;

/// Words from a row to the next in a warp's shared memory: an odd number, so that lanes with a row
/// each do not ask the same bank.
#[inline(always)]
pub const fn row_words(words: u32) -> u32 {
    words | 1
}

/// Threads of a block for planes of `ny` rows: a warp for each 32 rows, up to 16.
pub const fn threads(ny: u32) -> u32 {
    let warps = ny.div_ceil(32);
    if warps < 16 { warps * 32 } else { 512 }
}

/// For each word of bits the word, and how far the last site before it is from its first voxel and
/// the first after it from its last ([`FAR`] where there is none); for each plane whether it has
/// sites.
///
/// A block takes planes, a warp 32 rows at a time: it copies them to shared memory as they lie, and
/// then each lane goes through the words of a row. So reads and writes are whole sectors. Per word
/// 4 bytes are read, and 8 written.
///
/// `info` has two numbers for each word, as `[word][z][y]`; `planes` 1 or 0 for each plane.
///
/// # Safety
/// Rows have up to 32 words, `bits` a word for each 32 voxels of a row; the block has whole warps,
/// and [`row_words`] words of dynamic shared memory for each thread.
#[kernel]
pub unsafe fn near_words(bits: View<u32>, grid: Grid, info: ViewMut<u32>, planes: ViewMut<u32>) {
    // as many threads as a multiprocessor can have at a time; older assemblers' allocation needs
    // more, and would spill
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<40>();
    }
    let words = quotient_up_u32(grid.nx, 32);
    let warps = thread::block_dim_x() / 32;
    let (warp, lane) = (thread::thread_idx_x() / 32, thread::thread_idx_x() % 32);
    let row_len = row_words(words);
    let of_warp = 32 * row_len as usize;
    // SAFETY: a part of the block's shared memory, which holds as much for each warp.
    let rows = unsafe {
        let start = dynamic_shared_mem::<u32>().add(warp as usize * of_warp);
        SharedView::from_raw_parts(start, of_warp)
    };
    let own = (lane * row_len) as usize;
    let mut z = thread::block_idx_x();
    while z < grid.nz {
        let mut any = 0;
        let mut first_y = warp * 32;
        while first_y < grid.ny {
            let rest = grid.ny - first_y;
            let rows_now = if rest < 32 { rest } else { 32 };
            let count = rows_now * words;
            let first_row = z as usize * grid.ny as usize + first_y as usize;
            copy_rows(
                bits.slice(first_row * words as usize, count as usize),
                rows,
                words,
            );
            if lane < rest {
                let mut with_sites = 0;
                let mut w = 0;
                while w < words {
                    with_sites |= ((rows.read(own + w as usize) != 0) as u32) << w;
                    w += 1;
                }
                any |= with_sites;
                let apart = grid.nz as usize * grid.ny as usize;
                let mut at = first_row + lane as usize;
                let mut before = FAR;
                let mut w = 0;
                while w < words {
                    let word = rows.read(own + w as usize);
                    let later = with_sites >> w >> 1;
                    let mut after = FAR;
                    if later != 0 {
                        let apart = later.trailing_zeros();
                        let next = rows.read(own + (w + 1 + apart) as usize);
                        after = apart * 32 + next.trailing_zeros() + 1;
                    }
                    info.write_vector(2 * at, [word, before | after << 16]);
                    at += apart;
                    before = if word != 0 {
                        word.leading_zeros() + 1
                    } else if before < FAR {
                        before + 32
                    } else {
                        FAR
                    };
                    w += 1;
                }
            }
            // before the next rows replace these
            // SAFETY: whole warps.
            unsafe { warp::sync_warp(u32::MAX) };
            first_y += warps * 32;
        }
        let any = thread::sync_threads_or(any);
        if thread::thread_idx_x() == 0 {
            planes.write(z as usize, (any != 0) as u32);
        }
        z += thread::grid_dim_x();
    }
}

/// Copies rows of `words` words, one after the other, to where each row has [`row_words`]. Whole
/// warps call it.
#[inline(always)]
fn copy_rows(from: View<u32>, to: SharedView<u32>, words: u32) {
    let lane = thread::thread_idx_x() % 32;
    let row_len = row_words(words);
    let (whole_rows, rest) = div_rem_u32(32, words);
    let (row, mut word) = div_rem_u32(lane, words);
    let mut at = row * row_len + word;
    let mut i = lane as usize;
    while i < from.len() {
        async_copy::copy_vector::<u32, 1>(from, i, to, at as usize);
        at += whole_rows * row_len + rest;
        word += rest;
        if word >= words {
            word -= words;
            at += row_len - words;
        }
        i += 32;
    }
    async_copy::wait_all();
    // SAFETY: whole warps.
    unsafe { warp::sync_warp(u32::MAX) };
}

/// The x of the site of a row that is nearest to the voxel at `x`, of two the one before, from what
/// [`near_words`] wrote of its word. The row has a site.
#[inline(always)]
pub fn site_of_row([bits, near]: [u32; 2], x: u32) -> u32 {
    let lane = x % 32;
    let (before, after) = ((near & 0xffff) + lane, (near >> 16) + (31 - lane));
    let (down, up) = (
        bfind_shiftamt(bits << (31 - lane)),
        bfind_shiftamt(bits.reverse_bits() << lane),
    );
    let down = if down < before { down } else { before };
    let up = if up < after { up } else { after };
    if down <= up { x - down } else { x + up }
}
