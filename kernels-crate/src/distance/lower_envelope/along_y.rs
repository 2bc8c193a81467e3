//! First lower-envelope pass: minima along y within each plane.

use super::{
    NO_SITE_COST,
    evaluate::SiteLookup,
    filter::Filter,
    labels::{LabelClamp, row_label_distance},
    output::{
        DistanceOutput, Distances, LabelDistances, LongDistances, NarrowBand, NearestSites,
        PassBound, TruncatedDistances,
    },
    pass_cost::{Anisotropic, PassCost, PassWeights, RowDistance},
    row_scan::NO_SITE_GAP,
    tile::{CHUNK, COST_BITS, Tile},
};
use crate::{
    arith::{div_ceil_u32, div_rem_u32, min_u32},
    grid::Grid,
};
use cuda_std::{KernelType, View, ViewMut, bits::bfind_shiftamt, kernel, thread, warp};

/// Computes, for each voxel, the squared distance to the nearest site of its plane. Nothing is
/// written for planes without sites.
///
/// **Mapping:** 32 scanlines along y per block: one word of x in one plane, with all planes of the
/// first word first; or 16, half a word ([`LongDistances`]); 32 positions of a scanline per thread.
/// **Phases** (see the [module](super)), separated by barriers: (1) compute the distances along x
/// from two leading-zero counts and the row scan, filter candidates, and build the chunk's
/// envelope; (2) merge the envelopes; (3) scatter takeover outputs; (4) evaluate.
/// **Shared memory:** [`shared_bytes`](super::tile::shared_bytes). **Global memory:** per voxel,
/// reads a quarter of a byte and writes 4 bytes.
///
/// `row_scan_words` and `planes` are the results of [`scan_rows`](super::scan_rows); `squared` is
/// indexed `[word][z][y][32]`. With truncation, `reached` is 1 or 0 per group of 32 scanlines,
/// indexed `[word][y / 32][z]`: whether the plane may have a site within the bound. Where it is 0,
/// nothing else is written; values beyond the bound only need to exceed it. With nearest sites,
/// `squared` holds the y of the site above the squared distance.
///
/// # Safety
/// Sides are at most [`MAX_SIDE`](super::MAX_SIDE); there is one block per word of each plane, or
/// two for [`LongDistances`], with [`threads`](super::tile::threads) of `ny` threads and
/// [`shared_bytes`](super::tile::shared_bytes) of dynamic shared memory. For a narrow band there is
/// one block per [segment](super::segment) of the scanlines, with the sizes of
/// [`tile_len`](super::segment::tile_len).
#[kernel(O = [Distances, LongDistances, TruncatedDistances, NarrowBand, NearestSites])]
pub unsafe fn envelope_along_y<O: DistanceOutput + KernelType>(
    row_scan_words: View<u32>,
    planes: View<u32>,
    grid: Grid,
    bound: PassBound,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let pass = Pass {
        row_scan_words,
        planes,
        changes: planes,
        grid,
        bound,
        squared,
        reached,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<RowDistance, O>(RowDistance) };
}

/// Computes [`envelope_along_y`] for voxels whose spacings along x and y differ: squared distances
/// are in a unit of which `weights` are multiples.
///
/// # Safety
/// The requirements of [`envelope_along_y`] hold; in addition `weights` and sides are such that all
/// numbers [fit](Anisotropic).
#[kernel(O = [Distances, LongDistances, TruncatedDistances, NarrowBand, NearestSites])]
pub unsafe fn envelope_along_y_anisotropic<O: DistanceOutput + KernelType>(
    row_scan_words: View<u32>,
    planes: View<u32>,
    grid: Grid,
    weights: PassWeights,
    bound: PassBound,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let pass = Pass {
        row_scan_words,
        planes,
        changes: planes,
        grid,
        bound,
        squared,
        reached,
    };
    let pass_cost = Anisotropic {
        inner: RowDistance,
        weights,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<Anisotropic<RowDistance>, O>(pass_cost) };
}

/// Computes, for each voxel, the squared distance to the nearest voxel with another label in its
/// plane, like [`envelope_along_y`] with a bound. One more bit is read per voxel.
///
/// `row_scan_words` is the result of [`scan_label_changes`](super::scan_label_changes), `changes`
/// that of [`mark_changes_in_planes`](super::mark_changes_in_planes) along y.
///
/// # Safety
/// The requirements of [`envelope_along_y`] hold.
#[kernel]
pub unsafe fn label_envelope_along_y(
    row_scan_words: View<u32>,
    changes: View<u32>,
    grid: Grid,
    bound: PassBound,
    squared: ViewMut<u32>,
    reached: ViewMut<u32>,
) {
    let pass = Pass {
        row_scan_words,
        // Not read.
        planes: changes,
        changes,
        grid,
        bound,
        squared,
        reached,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<RowDistance, LabelDistances>(RowDistance) };
}

/// Arguments shared by the kernels of this pass.
#[derive(Clone, Copy)]
struct Pass<'a> {
    row_scan_words: View<'a, u32>,
    planes: View<'a, u32>,
    changes: View<'a, u32>,
    grid: Grid,
    bound: PassBound,
    squared: ViewMut<'a, u32>,
    reached: ViewMut<'a, u32>,
}

impl Pass<'_> {
    /// Runs the pass for the calling block.
    ///
    /// # Safety
    /// The requirements of the kernels hold.
    #[cuda_std::inline_closures]
    #[inline(always)]
    unsafe fn compute<C: PassCost, O: DistanceOutput>(self, pass_cost: C) {
        let (grid, bound) = (self.grid, self.bound);
        // SAFETY: guaranteed by the caller.
        let (tile, lines) = unsafe { Tile::<O>::for_block(grid.ny) };
        let (word, plane) = div_rem_u32(lines, grid.nz);
        let has_outputs = tile.has_outputs();
        let chunks = div_ceil_u32(grid.ny, CHUNK);
        let write_reached = |any: bool| {
            // A chunk corresponds to 32 scanlines of the next pass.
            if tile.lane == 0 && has_outputs {
                let chunk = tile.chunk_start_in_line() / CHUNK;
                let at = (word * chunks + chunk) as usize * grid.nz as usize + plane as usize;
                self.reached.write(at, any as u32);
            }
        };
        if !O::LABELS && self.planes.read(plane as usize) == 0 {
            if O::TRUNCATED {
                write_reached(false);
            }
            return;
        }
        let line = (word as usize * grid.nz as usize + plane as usize) * grid.ny as usize;
        let row_scan_words = self.row_scan_words.slice(2 * line, 2 * grid.ny as usize);
        let candidates = tile.load_row_distances::<C>(pass_cost, row_scan_words, grid.ny, bound);
        tile.clear_takeovers();
        let envelope = tile.build_chunk_envelope::<C>(pass_cost, candidates);
        tile.publish_chunk_envelope(envelope);
        let mut changes = 0;
        if O::LABELS {
            let first = lines as usize * tile.chunks as usize * 32;
            changes = self.changes.read(first + thread::thread_idx_x() as usize);
            tile.set_changes(changes);
        }
        if O::TRUNCATED && thread::sync_threads_or(envelope | changes) == 0 {
            write_reached(false);
            return;
        }
        if !O::TRUNCATED {
            thread::sync_threads();
        }
        if O::LABELS {
            tile.merge_envelopes(pass_cost);
        } else {
            tile.merge_sparse_envelopes(pass_cost);
        }
        tile.scatter_takeovers();
        thread::sync_threads();
        if !has_outputs {
            return;
        }
        let out = self.squared.slice(line * 32, grid.ny as usize * 32);
        let at = tile.chunk_start_in_line() as usize * 32 + tile.column() as usize;
        let clamp = if O::LABELS {
            tile.label_clamp()
        } else {
            LabelClamp::NONE
        };
        if O::TRUNCATED {
            let in_range =
                tile.is_in_range(bound) || O::LABELS && clamp.is_in_range(bound.max_step);
            // SAFETY: all lanes of the warp take part.
            let any = unsafe { warp::warp_vote_ballot(u32::MAX, in_range) } != 0;
            write_reached(any);
            if !any {
                return;
            }
        }
        tile.evaluate::<C, PositionLookup>(
            pass_cost,
            clamp,
            PositionLookup,
            |i, squared, position| {
                let mut value = squared;
                if O::NEAREST_SITE {
                    value |= position << COST_BITS;
                }
                // For isotropic voxels the value fits into a word's cost bits, and the next pass
                // drops values beyond the bound.
                if O::TRUNCATED && !C::ISOTROPIC && squared > bound.max_squared {
                    value = NO_SITE_COST;
                }
                out.write(at + 32 * i as usize, value);
            },
        );
    }
}

/// Identifies candidates by their positions.
#[derive(Clone, Copy)]
struct PositionLookup;

impl SiteLookup for PositionLookup {
    type Stage1 = ();
    type Stage2 = ();
    type Output = u32;

    #[inline(always)]
    fn prefetch(self, _position: u32) {}

    #[inline(always)]
    fn resolve_row(self, _position: u32, _stage1: ()) {}

    #[inline(always)]
    fn finish(self, position: u32, _stage2: ()) -> u32 {
        position
    }
}

impl<O: DistanceOutput> Tile<O> {
    /// Stores the distances along x in the tile and returns the candidates as a bit mask, first
    /// position highest. With truncation, positions beyond the bound are not candidates.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn load_row_distances<C: PassCost>(
        &self,
        pass_cost: C,
        row_scan_words: View<u32>,
        rows: u32,
        bound: PassBound,
    ) -> u32 {
        let max_cost = bound.max_cost;
        let first_row = self.chunk_start_in_line().wrapping_add(self.lane);
        let read_row = |row: u32| {
            if row < rows {
                row_scan_words.read_vector::<2>(2 * row as usize)
            } else {
                [0, NO_SITE_GAP | NO_SITE_GAP << 16]
            }
        };
        let row = read_row(first_row);
        // With 16 scanlines, each lane has two rows of its chunk.
        let later_row = if O::SCANLINES == 32 {
            row
        } else {
            read_row(first_row + O::SCANLINES)
        };
        let has_site = |[bits, gaps]: [u32; 2]| {
            if O::TRUNCATED {
                bits != 0 || gaps & 0xffff <= max_cost || gaps >> 16 <= max_cost
            } else {
                bits != 0 || gaps != NO_SITE_GAP | NO_SITE_GAP << 16
            }
        };
        let [mut with_sites, mut any] = self.chunk_ballot([has_site(row), has_site(later_row)]);
        if O::SEGMENTED {
            with_sites &= self.segment_mask(bound.max_step);
            any = with_sites;
        }
        if any == 0 {
            return 0;
        }
        // The chunk's rows are not in use yet.
        let scan = self.chunk_scratch(0);
        let store = |[bits, gaps]: [u32; 2]| {
            let reversed = bits.reverse_bits() << O::LABELS as u32;
            let (gap_before, gap_after) = (gaps & 0xffff, gaps >> 16);
            let fields = [bits, reversed, gap_before, gap_after];
            scan.write_vector(4 * self.lane as usize, fields);
            // SAFETY: all lanes of the warp take part.
            unsafe { warp::sync_warp(u32::MAX) };
        };
        store(row);
        let mut filter = Filter::new(pass_cost, self.chunk_start(), self.len);
        let column = self.column();
        let mut range_bits = 0;
        unroll_32!(I => {
            if I == O::SCANLINES {
                // SAFETY: all lanes of the warp take part.
                unsafe { warp::sync_warp(u32::MAX) };
                store(later_row);
            }
            let [bits, reversed, gap_before, gap_after] = scan.read_vector::<4>(4 * (I % O::SCANLINES) as usize);
            let distance = if O::LABELS {
                row_label_distance([bits, reversed], [gap_before, gap_after], column)
            } else {
                let down = bfind_shiftamt(bits << (31 - column));
                let up = bfind_shiftamt(reversed << column);
                min_u32(
                    min_u32(down, gap_before + column),
                    min_u32(up, gap_after + (31 - column)),
                )
            };
            self.write_in_chunk(I, distance);
            if O::TRUNCATED {
                range_bits = range_bits << 1 | distance.wrapping_sub(max_cost + 1) >> 31;
            }
            let cost = pass_cost.filter_cost(distance, I);
            if I == 0 {
                filter.push_first(cost);
            } else {
                filter.push::<I>(cost);
            }
        });
        filter.finish();
        // SAFETY: all lanes of the warp take part.
        unsafe { warp::sync_warp(u32::MAX) };
        let candidates = filter.survivors & with_sites.reverse_bits();
        if O::TRUNCATED {
            candidates & range_bits
        } else {
            candidates
        }
    }
}
