//! Second lower-envelope pass: minima along z.

use super::{
    NO_SITE_COST,
    filter::Filter,
    labels::LabelClamp,
    length_unit::LengthUnit,
    nearest_site::ColumnSiteLookup,
    output::{
        DistanceOutput, Distances, LabelDistances, LongDistances, NarrowBand, NearestSites,
        PassBound, TruncatedDistances,
    },
    pass_cost::{Anisotropic, PassCost, PassWeights, SquaredDistance},
    tile::{CHUNK, Tile, cost},
};
use crate::{
    arith::{div_ceil_u32, div_rem_u32},
    grid::Grid,
};
use cuda_std::{
    KernelType, View, ViewMut, async_copy,
    cfg::ComputeCapability,
    cursor::{CopySource, CopyTarget, WriteCursor},
    kernel,
    misc::{max_registers, non_uniform, opaque},
    thread, warp,
};

/// Computes, for each voxel, the distance to the nearest site, or `background` if there is none;
/// optionally also the linear index of that site, all ones if there is none.
///
/// **Mapping:** 32 scanlines along z per block: one word of x in one row, with all rows of the
/// first word first; or 16, half a word ([`LongDistances`]); 32 positions of a scanline per thread.
/// **Phases** (see the [module](super)), separated by barriers: (1) copy the chunk's squared
/// distances to shared memory asynchronously, filter candidates, and build the chunk's envelope;
/// (2) merge the envelopes; (3) scatter takeover outputs; (4) evaluate. **Shared memory:**
/// [`shared_bytes`](super::tile::shared_bytes). **Global
/// memory:** per voxel, reads 4 bytes, except for planes without sites, and writes 4; with nearest
/// sites 16 and 8.
///
/// `row_scan_words`, `squared` and `planes` are the results of [`scan_rows`](super::scan_rows) and
/// [`envelope_along_y`](super::envelope_along_y); with truncation, `planes` is the latter's
/// `reached`, and `background` is the bound.
///
/// # Safety
/// Sides are at most [`MAX_SIDE`](super::MAX_SIDE); there is one block per word of each row of a
/// plane, or two for [`LongDistances`], with [`threads`](super::tile::threads) of `nz` threads and
/// [`shared_bytes`](super::tile::shared_bytes) of dynamic shared memory; for a narrow band one per
/// [segment](super::segment) of the scanlines, with the sizes of
/// [`tile_len`](super::segment::tile_len). `distances` has one element per voxel, and so has
/// `nearest` if nearest sites are computed.
#[kernel(U = [u32, f64], O = [Distances, LongDistances, TruncatedDistances, NarrowBand, NearestSites])]
pub unsafe fn envelope_along_z<U: LengthUnit, O: DistanceOutput + KernelType>(
    row_scan_words: View<u32>,
    squared: View<u32>,
    planes: View<u32>,
    grid: Grid,
    unit: U,
    bound: PassBound,
    background: f32,
    distances: ViewMut<f32>,
    nearest: ViewMut<u32>,
) {
    if O::NEAREST_SITE
        && (ComputeCapability::from_cuda_arch_env() as u32) < ComputeCapability::Compute80 as u32
    {
        // Older assemblers need more registers.
        max_registers::<64>();
    } else {
        U::limit_registers();
    }
    let pass = Pass {
        row_scan_words,
        squared,
        planes,
        changes: planes,
        grid,
        unit,
        bound,
        background,
        distances,
        nearest: Some(nearest),
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<SquaredDistance, O>(SquaredDistance) };
}

/// Computes [`envelope_along_z`] for voxels whose spacing along z differs from those along x and y:
/// squared distances are in a unit of which `weights` are multiples.
///
/// # Safety
/// The requirements of [`envelope_along_z`] hold; in addition `weights` and sides are such that all
/// numbers [fit](Anisotropic).
#[kernel(U = [f32, f64], O = [Distances, LongDistances, TruncatedDistances, NarrowBand, NearestSites])]
pub unsafe fn envelope_along_z_anisotropic<U: LengthUnit, O: DistanceOutput + KernelType>(
    row_scan_words: View<u32>,
    squared: View<u32>,
    planes: View<u32>,
    grid: Grid,
    weights: PassWeights,
    unit: U,
    bound: PassBound,
    background: f32,
    distances: ViewMut<f32>,
    nearest: ViewMut<u32>,
) {
    if O::NEAREST_SITE {
        max_registers::<64>();
    } else {
        U::limit_registers();
    }
    let pass = Pass {
        row_scan_words,
        squared,
        planes,
        changes: planes,
        grid,
        unit,
        bound,
        background,
        distances,
        nearest: Some(nearest),
    };
    let pass_cost = Anisotropic {
        inner: SquaredDistance,
        weights,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<Anisotropic<SquaredDistance>, O>(pass_cost) };
}

/// Computes, for each voxel, the distance to the nearest voxel with another label, like
/// [`envelope_along_z`] with a bound. One more bit is read per voxel.
///
/// `squared` and `reached` are the results of
/// [`label_envelope_along_y`](super::label_envelope_along_y), `changes` that of
/// [`mark_changes_along_z`](super::mark_changes_along_z).
///
/// # Safety
/// The requirements of [`envelope_along_z`] hold.
#[kernel(U = [u32, f64])]
pub unsafe fn label_envelope_along_z<U: LengthUnit>(
    squared: View<u32>,
    reached: View<u32>,
    changes: View<u32>,
    grid: Grid,
    unit: U,
    bound: PassBound,
    background: f32,
    distances: ViewMut<f32>,
) {
    U::limit_registers();
    let pass = Pass {
        // Not read.
        row_scan_words: squared,
        squared,
        planes: reached,
        changes,
        grid,
        unit,
        bound,
        background,
        distances,
        nearest: None,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { pass.compute::<SquaredDistance, LabelDistances>(SquaredDistance) };
}

/// Arguments shared by the kernels of this pass.
#[derive(Clone, Copy)]
struct Pass<'a, U> {
    row_scan_words: View<'a, u32>,
    squared: View<'a, u32>,
    planes: View<'a, u32>,
    changes: View<'a, u32>,
    grid: Grid,
    unit: U,
    bound: PassBound,
    background: f32,
    distances: ViewMut<'a, f32>,
    nearest: Option<ViewMut<'a, u32>>,
}

impl<U: LengthUnit> Pass<'_, U> {
    /// Runs the pass for the calling block.
    ///
    /// # Safety
    /// The requirements of the kernels hold.
    #[cuda_std::inline_closures]
    #[inline(always)]
    unsafe fn compute<C: PassCost, O: DistanceOutput>(self, pass_cost: C) {
        let (grid, unit, bound, background) = (self.grid, self.unit, self.bound, self.background);
        // SAFETY: guaranteed by the caller.
        let (tile, lines) = unsafe { Tile::<O>::for_block(grid.nz) };
        let (word, row) = div_rem_u32(lines, grid.ny);
        let has_outputs = tile.has_outputs();
        let stride = non_uniform(grid.ny * 32);
        let output_stride = non_uniform(grid.ny * grid.nx);
        let source_start =
            (word as usize * grid.nz as usize * grid.ny as usize + row as usize) * 32;
        let planes = if O::TRUNCATED {
            let chunks = div_ceil_u32(grid.ny, CHUNK);
            let lines = (word * chunks + row / CHUNK) as usize;
            self.planes
                .slice(lines * grid.nz as usize, grid.nz as usize)
        } else {
            self.planes
        };
        let candidates = tile.load_squared_distances::<C>(
            pass_cost,
            self.squared,
            (source_start + (tile.column() - tile.lane) as usize, stride),
            planes,
            grid.nz,
            bound,
        );
        tile.clear_takeovers();
        let envelope = tile.build_chunk_envelope::<C>(pass_cost, candidates);
        tile.publish_chunk_envelope(envelope);
        let mut changes = 0;
        if O::LABELS {
            let first_word = lines as usize * tile.chunks as usize * 32;
            changes = self
                .changes
                .read(first_word + thread::thread_idx_x() as usize);
            tile.set_changes(changes);
        }
        // Without truncation, any site in the volume gives all scanlines candidates.
        let any = !O::TRUNCATED || thread::sync_threads_or(envelope | changes) != 0;
        let column = word * 32 + tile.column();
        let stride = grid.ny as usize * grid.nx as usize;
        let at = tile.chunk_start_in_line() as usize * stride
            + row as usize * grid.nx as usize
            + column as usize;
        let write_background = || {
            let mut out = WriteCursor::new(self.distances, at, output_stride);
            repeat(tile.output_count(), || out.write(background));
            if let (true, Some(nearest)) = (O::NEAREST_SITE, self.nearest) {
                let mut out = WriteCursor::new(nearest, at, output_stride);
                repeat(tile.output_count(), || out.write(u32::MAX));
            }
        };
        if !any {
            if column < grid.nx && has_outputs {
                write_background();
            }
            return;
        }
        if O::TRUNCATED && !O::LABELS {
            tile.merge_sparse_envelopes(pass_cost);
        } else {
            tile.merge_envelopes(pass_cost);
        }
        if !O::TRUNCATED && tile.nonempty_chunks() == 0 {
            if column < grid.nx && has_outputs {
                write_background();
            }
            return;
        }
        tile.scatter_takeovers();
        thread::sync_threads();
        if !has_outputs {
            return;
        }
        let is_inside = column < grid.nx;
        let mut clamp = LabelClamp::NONE;
        if O::TRUNCATED {
            if O::LABELS {
                clamp = tile.label_clamp();
            }
            let in_range = is_inside
                && (tile.is_in_range(bound) || O::LABELS && clamp.is_in_range(bound.max_step));
            // SAFETY: all lanes of the warp take part.
            let any = unsafe { warp::warp_vote_ballot(u32::MAX, in_range) } != 0;
            if !any {
                if is_inside {
                    write_background();
                }
                return;
            }
        }
        if !is_inside {
            return;
        }
        let mut out = WriteCursor::new(self.distances, at, output_stride);
        if !O::TRUNCATED {
            let write = |_, squared, ()| out.write(unit.distance(squared));
            tile.evaluate::<C, ()>(pass_cost, clamp, (), write);
            return;
        }
        let (true, Some(nearest)) = (O::NEAREST_SITE, self.nearest) else {
            let write = |_, squared, ()| {
                // The host derives `max_squared` from the bound, so that no distance up to it
                // exceeds the bound.
                let distance = unit.distance(squared);
                out.write(if squared > bound.max_squared {
                    background
                } else {
                    distance
                });
            };
            tile.evaluate::<C, ()>(pass_cost, clamp, (), write);
            return;
        };
        let mut nearest_out = WriteCursor::new(nearest, at, output_stride);
        let squared_line = (self.squared, source_start + tile.column() as usize);
        let lookup = ColumnSiteLookup::new(self.row_scan_words, squared_line, grid, (word, column));
        tile.evaluate::<C, ColumnSiteLookup<'_>>(pass_cost, clamp, lookup, |_, squared, site| {
            out.write(bound.distance(squared, unit, background));
            let in_range = squared <= bound.max_squared;
            nearest_out.write(if in_range { site } else { u32::MAX });
        });
    }
}

/// Calls `write` `count` times, at most 32.
#[cuda_std::inline_closures]
#[inline(always)]
fn repeat(count: u32, mut write: impl FnMut()) {
    if count == 32 {
        unroll_32!(I => { write(); });
        return;
    }
    let mut i = 0;
    while i < count {
        write();
        i = opaque(i + 1);
    }
}

impl PassBound {
    /// Converts a squared distance to a distance, or to `background` if it exceeds the bound.
    #[inline(always)]
    fn distance<U: LengthUnit>(self, squared: u32, unit: U, background: f32) -> f32 {
        let distance = unit.distance(squared);
        if squared > self.max_squared || distance > background {
            background
        } else {
            distance
        }
    }
}

impl<O: DistanceOutput> Tile<O> {
    /// Copies the chunk's rows of costs to the tile and returns the candidates as a bit mask, first
    /// position highest. The scanlines start at `source_start` and have the given stride. With
    /// truncation, positions beyond the bound are not candidates.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn load_squared_distances<C: PassCost>(
        &self,
        pass_cost: C,
        squared: View<u32>,
        (source_start, stride): (usize, u32),
        planes: View<u32>,
        len: u32,
        bound: PassBound,
    ) -> u32 {
        let max_cost = bound.max_cost;
        let plane = self.chunk_start_in_line().wrapping_add(self.lane);
        let has_site = |plane: u32| plane < len && planes.read(plane as usize) != 0;
        let has_later_site = O::SCANLINES != 32 && has_site(plane + O::SCANLINES);
        let [mut with_sites, mut any] = self.chunk_ballot([has_site(plane), has_later_site]);
        if O::SEGMENTED {
            with_sites &= self.segment_mask(bound.max_step);
            any = with_sites;
        }
        if any == 0 {
            return 0;
        }
        // A step copies four rows of each chunk, four words per lane.
        let lanes_per_row = O::SCANLINES / 4;
        let (row, column) = (self.lane / lanes_per_row, self.lane % lanes_per_row * 4);
        let row_bits = with_sites >> row;
        let source = source_start
            + (self.chunk_start_in_line() + row) as usize * stride as usize
            + column as usize;
        let to = Self::position_index(self.chunk_start() + row) + column as usize;
        let step = 4 * O::SCANLINES;
        let target = CopyTarget::new(self.positions, to);
        let mut copy_source = CopySource::new(squared, source);
        if with_sites == u32::MAX {
            unroll_8!(I => {
                target.copy_4(copy_source, step * I);
                copy_source.advance(4 * stride);
            });
        } else {
            let mut i = 0;
            while i < 8 {
                if row_bits >> (4 * i) & 1 != 0 {
                    target.copy_4(copy_source, step * i);
                } else {
                    self.positions
                        .write_vector(to + (step * i) as usize, [NO_SITE_COST; 4]);
                }
                copy_source.advance(4 * stride);
                i = opaque(i + 1);
            }
        }
        async_copy::wait_all();
        // SAFETY: all lanes of the warp take part.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut filter = Filter::new(pass_cost, self.chunk_start(), self.len);
        let mut range_bits = 0;
        unroll_32!(I => {
            let mut squared = self.read_in_chunk(I);
            if O::NEAREST_SITE {
                squared = cost(squared);
            }
            if O::TRUNCATED {
                range_bits = range_bits << 1 | squared.wrapping_sub(max_cost + 1) >> 31;
            }
            let cost = pass_cost.filter_cost(squared, I);
            if I == 0 {
                filter.push_first(cost);
            } else {
                filter.push::<I>(cost);
            }
        });
        filter.finish();
        let candidates = filter.survivors & with_sites.reverse_bits();
        if O::TRUNCATED {
            candidates & range_bits
        } else {
            candidates
        }
    }
}
