//! Distances from each word of a row to the nearest sites outside the word.

use crate::{
    arith::{div_ceil_u32, div_rem_u32},
    grid::Grid,
};
use cuda_std::{
    SharedView, View, ViewMut, async_copy, bits::bfind_shiftamt, cfg::ComputeCapability, kernel,
    misc::max_registers, shared::dynamic_shared_mem, thread, warp,
};

/// Distance stored if there is no site. It exceeds every distance, and with up to 31 added it still
/// fits in 11 bits.
pub const NO_SITE_GAP: u32 = 2016;

/// Returns the stride between rows in a warp's shared memory, in words: an odd number, so that
/// lanes that process one row each access different banks.
#[inline(always)]
pub const fn padded_row_words(words: u32) -> u32 {
    words | 1
}

/// Returns the number of threads per block for planes of `ny` rows: one warp per 32 rows, at most
/// 16 warps.
pub const fn threads(ny: u32) -> u32 {
    let warps = ny.div_ceil(32);
    if warps < 16 { warps * 32 } else { 512 }
}

/// Computes, for each word of site bits, the word itself, the distance from its first voxel to the
/// last site before it, and the distance from its last voxel to the first site after it
/// ([`NO_SITE_GAP`] if there is none); and for each plane whether it has sites.
///
/// **Mapping:** one plane per block, 32 rows per warp at a time. **Phases**, separated by
/// warp-level barriers: (1) copy the rows to shared memory in storage order, so that reads use full
/// sectors; (2) each lane scans the words of one row. **Shared memory:** [`padded_row_words`] words
/// per thread. **Global memory:** per word, reads 4 bytes and writes 8.
///
/// `row_scan` receives two elements per word, indexed `[word][z][y]`: the word, and both distances,
/// the one before in the low 16 bits. `planes` receives 1 or 0 per plane.
///
/// # Safety
/// Rows have at most 32 words, `bits` holds one word per 32 voxels of a row; the block consists of
/// full warps and has [`padded_row_words`] words of dynamic shared memory per thread.
#[kernel]
pub unsafe fn scan_rows(bits: View<u32>, grid: Grid, row_scan: ViewMut<u32>, planes: ViewMut<u32>) {
    // Allows the maximum number of threads per multiprocessor. Older assemblers need more registers
    // and would spill.
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<40>();
    }
    let words = div_ceil_u32(grid.nx, 32);
    let warps = thread::block_dim_x() / 32;
    let (warp, lane) = (thread::thread_idx_x() / 32, thread::thread_idx_x() % 32);
    let row_len = padded_row_words(words);
    let warp_words = 32 * row_len as usize;
    // SAFETY: this is the warp's part of the block's shared memory, which has the same size for
    // each warp.
    let rows = unsafe {
        let start = dynamic_shared_mem::<u32>().add(warp as usize * warp_words);
        SharedView::from_raw_parts(start, warp_words)
    };
    let lane_row = (lane * row_len) as usize;
    let mut z = thread::block_idx_x();
    while z < grid.nz {
        let mut any = 0;
        let mut first_y = warp * 32;
        while first_y < grid.ny {
            let remaining = grid.ny - first_y;
            let row_count = if remaining < 32 { remaining } else { 32 };
            let count = row_count * words;
            let first_row = z as usize * grid.ny as usize + first_y as usize;
            copy_rows(
                bits.slice(first_row * words as usize, count as usize),
                rows,
                words,
            );
            if lane < remaining {
                let mut with_sites = 0;
                let mut w = 0;
                while w < words {
                    with_sites |= ((rows.read(lane_row + w as usize) != 0) as u32) << w;
                    w += 1;
                }
                any |= with_sites;
                let row_stride = grid.nz as usize * grid.ny as usize;
                let mut at = first_row + lane as usize;
                let mut gap_before = NO_SITE_GAP;
                let mut w = 0;
                while w < words {
                    let word = rows.read(lane_row + w as usize);
                    let words_after = with_sites >> w >> 1;
                    let mut gap_after = NO_SITE_GAP;
                    if words_after != 0 {
                        let word_gap = words_after.trailing_zeros();
                        let next = rows.read(lane_row + (w + 1 + word_gap) as usize);
                        gap_after = word_gap * 32 + next.trailing_zeros() + 1;
                    }
                    row_scan.write_vector(2 * at, [word, gap_before | gap_after << 16]);
                    at += row_stride;
                    gap_before = if word != 0 {
                        word.leading_zeros() + 1
                    } else if gap_before < NO_SITE_GAP {
                        gap_before + 32
                    } else {
                        NO_SITE_GAP
                    };
                    w += 1;
                }
            }
            // The next rows overwrite these. SAFETY: all lanes of the warp take part.
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

/// Copies consecutive rows of `words` words to rows with a stride of [`padded_row_words`]. All
/// lanes of a warp must call it.
#[inline(always)]
fn copy_rows(from: View<u32>, to: SharedView<u32>, words: u32) {
    let lane = thread::thread_idx_x() % 32;
    let row_len = padded_row_words(words);
    let (full_rows, extra_words) = div_rem_u32(32, words);
    let (row, mut word) = div_rem_u32(lane, words);
    let mut at = row * row_len + word;
    let mut i = lane as usize;
    while i < from.len() {
        async_copy::copy_vector::<u32, 1>(from, i, to, at as usize);
        at += full_rows * row_len + extra_words;
        word += extra_words;
        if word >= words {
            word -= words;
            at += row_len - words;
        }
        i += 32;
    }
    async_copy::wait_all();
    // SAFETY: all lanes of the warp take part.
    unsafe { warp::sync_warp(u32::MAX) };
}

/// Returns the x of the site of a row that is nearest to the voxel at `x`, the smaller one on ties,
/// from the result of [`scan_rows`] for the voxel's word. The row must contain a site.
#[inline(always)]
pub fn nearest_site_in_row([bits, gaps]: [u32; 2], x: u32) -> u32 {
    let lane = x % 32;
    let (gap_before, gap_after) = ((gaps & 0xffff) + lane, (gaps >> 16) + (31 - lane));
    let (step_back, step_forward) = (
        bfind_shiftamt(bits << (31 - lane)),
        bfind_shiftamt(bits.reverse_bits() << lane),
    );
    let step_back = if step_back < gap_before {
        step_back
    } else {
        gap_before
    };
    let step_forward = if step_forward < gap_after {
        step_forward
    } else {
        gap_after
    };
    if step_back <= step_forward {
        x - step_back
    } else {
        x + step_forward
    }
}
