//! Kernels that minimise costs along scanlines.

use super::{
    conversion::DistanceConversion,
    cost::{Axis, Cost},
    layout::{Layout, Scanlines, TilePosition},
    line_costs::{RowCosts, stored_line_costs},
    output_groups::MinCost,
    tile::Tile,
    tiling::{GROUP, Tiling},
};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// Computes, for each voxel, the minimum cost along its scanline, where costs are squared distances
/// along x.
///
/// **Mapping:** one tile of neighbouring scanlines of a plane per block. **Phases**, separated by
/// barriers: (1) compute the costs from the row scan, store them in shared memory, and find the
/// argmins of seven outputs; (2) find further argmins in [passes](super::argmin_passes); (3)
/// compute the [minimum of each output](super::output_groups); (4) write the results. **Shared
/// memory:** [`Tiling::bytes`]. **Global memory:** per voxel, reads half a byte and writes one
/// cost.
///
/// # Safety
/// `row_scan` has 4 fields per word of the scanlines' columns, `squared` one element per voxel; the
/// block has [`Tiling::bytes`] bytes of dynamic shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn minimise_from_rows<C: Cost + KernelType>(
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller provides the shared memory.
    let tile = unsafe { Tile::in_shared_memory(tiling, axis) };
    tile.minimise_rows(row_scan, row_costs, scanlines, layout, squared);
}

/// Computes the result of [`minimise_from_rows`] for scanlines that exceed shared memory.
///
/// Mapping and phases are those of [`minimise_from_rows`], with the tile of each block in global
/// memory. **Global memory:** the tile is read and written too, once per phase.
///
/// # Safety
/// The requirements of [`minimise_from_rows`] hold, except for shared memory; `scratch` has
/// [`Tiling::scratch_words`] elements for each block of the launch.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn minimise_from_rows_in_scratch<C: Cost + KernelType>(
    scratch: ViewMut<u64>,
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller provides the memory.
    let tile = unsafe { Tile::in_scratch(scratch, tiling, axis) };
    tile.minimise_rows(row_scan, row_costs, scanlines, layout, squared);
}

/// Computes, for each voxel, the minimum cost along its scanline; may operate in place.
///
/// Mapping and phases are those of [`minimise_from_rows`], with costs read from memory. **Global
/// memory:** per voxel, reads and writes one cost.
///
/// # Safety
/// `costs` and `squared` have one element per voxel; the block has [`Tiling::bytes`] bytes of
/// dynamic shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn minimise_along<C: Cost + KernelType>(
    costs: View<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller provides the shared memory.
    let tile = unsafe { Tile::in_shared_memory(tiling, axis) };
    tile.minimise_stored(costs, scanlines, layout, squared);
}

/// Computes the result of [`minimise_along`] for scanlines that exceed shared memory.
///
/// Mapping and phases are those of [`minimise_along`], with the tile of each block in global
/// memory. **Global memory:** the tile is read and written too, once per phase.
///
/// # Safety
/// The requirements of [`minimise_along`] hold, except for shared memory; `scratch` has
/// [`Tiling::scratch_words`] elements for each block of the launch.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn minimise_along_in_scratch<C: Cost + KernelType>(
    scratch: ViewMut<u64>,
    costs: View<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
) {
    // SAFETY: the caller provides the memory.
    let tile = unsafe { Tile::in_scratch(scratch, tiling, axis) };
    tile.minimise_stored(costs, scanlines, layout, squared);
}

/// Writes the minimum costs of a tile, or the cost without sites. Ends with a barrier.
#[cuda_std::inline_closures]
#[inline(always)]
fn write_minima<C: Cost>(
    tile: &Tile<C>,
    has_sites: bool,
    tile_position: TilePosition,
    layout: Layout,
    squared: ViewMut<C>,
) {
    let axis = &tile.axis;
    if has_sites {
        tile.for_each_output(true, tile_position, layout, |position, min_cost, voxel| {
            squared.write(
                voxel,
                C::decode(min_cost, axis, position).smaller(axis.no_site),
            );
        });
    } else {
        tile.for_each_output(false, tile_position, layout, |_, _, voxel| {
            squared.write(voxel, axis.no_site)
        });
    }
    // The next tile overwrites the results.
    thread::sync_threads();
}

/// Computes, for each voxel, the distance to the nearest site: the root of the minimum cost along
/// its scanline.
///
/// Mapping and phases are those of [`minimise_along`]. **Global memory:** per voxel, reads one cost
/// and writes one distance.
///
/// # Safety
/// `costs` and `distances` have one element per voxel; the block has [`Tiling::bytes`] bytes of
/// dynamic shared memory.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn distances_along<C: Cost + KernelType>(
    costs: View<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<f32>,
) {
    // SAFETY: the caller provides the shared memory.
    let tile = unsafe { Tile::in_shared_memory(tiling, axis) };
    tile.write_distances(costs, scanlines, layouts, conversion, distances);
}

/// Computes the result of [`distances_along`] for scanlines that exceed shared memory.
///
/// Mapping and phases are those of [`distances_along`], with the tile of each block in global
/// memory. **Global memory:** the tile is read and written too, once per phase.
///
/// # Safety
/// The requirements of [`distances_along`] hold, except for shared memory; `scratch` has
/// [`Tiling::scratch_words`] elements for each block of the launch.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn distances_along_in_scratch<C: Cost + KernelType>(
    scratch: ViewMut<u64>,
    costs: View<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<f32>,
) {
    // SAFETY: the caller provides the memory.
    let tile = unsafe { Tile::in_scratch(scratch, tiling, axis) };
    tile.write_distances(costs, scanlines, layouts, conversion, distances);
}

impl<C: Cost> Tile<C> {
    /// Computes the minimum costs of all tiles of the calling block, from the row scan. All threads
    /// of the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn minimise_rows(
        &self,
        row_scan: View<u32>,
        row_costs: RowCosts<C>,
        scanlines: Scanlines,
        layout: Layout,
        squared: ViewMut<C>,
    ) {
        let (tiling, axis) = (self.tiling, self.axis);
        let mut index = thread::block_idx_x() as u64;
        while index < scanlines.tile_count(tiling) {
            let tile_position = scanlines.tile(tiling, index);
            let has_sites = self.find_minima(tile_position.columns, |position, column| {
                row_costs.line_costs(row_scan, tile_position, (position, column), axis.no_site)
            });
            write_minima(self, has_sites, tile_position, layout, squared);
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Computes the minimum costs of all tiles of the calling block, from stored costs. All threads
    /// of the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn minimise_stored(
        &self,
        costs: View<C>,
        scanlines: Scanlines,
        layout: Layout,
        squared: ViewMut<C>,
    ) {
        let (tiling, axis) = (self.tiling, self.axis);
        let mut index = thread::block_idx_x() as u64;
        while index < scanlines.tile_count(tiling) {
            let tile_position = scanlines.tile(tiling, index);
            let has_sites = self.find_minima(tile_position.columns, |position, column| {
                stored_line_costs(
                    costs,
                    layout,
                    tile_position,
                    (position, column),
                    axis.no_site,
                )
            });
            write_minima(self, has_sites, tile_position, layout, squared);
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Computes the distances of all tiles of the calling block, from stored costs. All threads of
    /// the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn write_distances(
        &self,
        costs: View<C>,
        scanlines: Scanlines,
        layouts: [Layout; 2],
        conversion: DistanceConversion,
        distances: ViewMut<f32>,
    ) {
        let (tiling, axis) = (self.tiling, self.axis);
        let [from, to] = layouts;
        let mut index = thread::block_idx_x() as u64;
        while index < scanlines.tile_count(tiling) {
            let tile_position = scanlines.tile(tiling, index);
            let has_sites = self.find_minima(tile_position.columns, |position, column| {
                stored_line_costs(costs, from, tile_position, (position, column), axis.no_site)
            });
            if !has_sites {
                self.for_each_output(false, tile_position, to, |_, _, voxel| {
                    distances.write(voxel, conversion.background);
                });
            } else if conversion.is_small(&axis) {
                self.for_each_output(true, tile_position, to, |position, min_cost, voxel| {
                    let cost = C::decode(min_cost, &axis, position);
                    distances.write(voxel, conversion.convert_small(cost, &axis));
                });
            } else {
                self.for_each_output(true, tile_position, to, |position, min_cost, voxel| {
                    let cost = C::decode(min_cost, &axis, position);
                    distances.write(voxel, conversion.convert(cost, &axis));
                });
            }
            // The next tile overwrites the results.
            thread::sync_threads();
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Finds the minimum of each output, as compared values in the tile's results. Returns `false`,
    /// without results, if there are no sites. All threads of the block must call it; ends with a
    /// barrier.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn find_minima<N: FnMut(bool) -> C>(
        &self,
        columns: u32,
        line_costs_at: impl Fn(u32, u32) -> N,
    ) -> bool {
        if !self.run_first_pass(columns, line_costs_at) {
            return false;
        }
        self.run_later_passes();
        self.for_each_group(|group, column, [low, high]| {
            self.set_results(group, column, 0, low.map(|MinCost(min_cost)| min_cost));
            self.set_results(group, column, 1, high.map(|MinCost(min_cost)| min_cost));
        });
        thread::sync_threads();
        true
    }

    /// Calls `write` for each output of the tile inside the volume with its position, its result
    /// (unspecified without sites), and its index.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_output(
        &self,
        has_sites: bool,
        tile_position: TilePosition,
        layout: Layout,
        write: impl Fn(u32, C, usize),
    ) {
        self.teams
            .for_each_row(self.tiling.groups(), |group, column| {
                if column >= tile_position.columns {
                    return;
                }
                let first_output = group * GROUP;
                let mut voxel = layout.index(tile_position, first_output, column);
                let remaining = self.tiling.len - first_output;
                let mut k = 0;
                while k < GROUP {
                    let results = if has_sites {
                        self.results(group, column, k)
                    } else {
                        [C::MAX; 4]
                    };
                    // Outputs are usually inside the volume, so four are tested at once.
                    if remaining - k >= 4 {
                        let mut i = 0;
                        while i < 4 {
                            write(first_output + k + i, results[i as usize], voxel);
                            voxel += layout.along as usize;
                            i += 1;
                        }
                    } else {
                        let mut i = 0;
                        while i < 4 {
                            if k + i < remaining {
                                write(first_output + k + i, results[i as usize], voxel);
                            }
                            voxel += layout.along as usize;
                            i += 1;
                        }
                        return;
                    }
                    k += 4;
                    if k >= remaining {
                        return;
                    }
                }
            });
    }
}
