//! Feature transform: indices of the nearest sites.
//!
//! Of several sites at the same distance, the one with the smallest index is selected: the smallest
//! z, then the smallest y, then the smallest x. Axes are processed in the order x, y, z, and along
//! each axis the first of several candidates with equal costs is selected, which yields exactly
//! this site.

use super::{
    conversion::DistanceConversion,
    cost::{Axis, Cost, OutputSet},
    layout::{Layout, Scanlines, TilePosition},
    line_costs::{RowCosts, stored_line_costs},
    output_groups::MinCandidate,
    rows::RowScan,
    tile::Tile,
    tiling::{GROUP, Tiling},
};
use crate::{grid::Grid, sample::Count};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// Computes the minimum costs like [`minimise_from_rows`](super::minimise_from_rows), together with
/// the y of the nearest site: 4 more bytes are written per voxel.
///
/// # Safety
/// The requirements of [`minimise_from_rows`](super::minimise_from_rows) hold; `ys` has one element
/// per voxel.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn nearest_sites_from_rows<C: Cost + KernelType>(
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
    ys: ViewMut<u32>,
) {
    // SAFETY: the caller provides the shared memory.
    let tile = unsafe { Tile::in_shared_memory(tiling, axis) };
    tile.minimise_rows_with_sites(row_scan, row_costs, scanlines, layout, squared, ys);
}

/// Computes the result of [`nearest_sites_from_rows`] for scanlines that exceed shared memory.
///
/// Mapping and phases are those of [`nearest_sites_from_rows`], with the tile of each block in
/// global memory. **Global memory:** the tile is read and written too, once per phase.
///
/// # Safety
/// The requirements of [`nearest_sites_from_rows`] hold, except for shared memory; `scratch` has
/// [`Tiling::scratch_words`] elements for each block of the launch.
#[kernel(C = [u32, u64, f64])]
pub unsafe fn nearest_sites_from_rows_in_scratch<C: Cost + KernelType>(
    scratch: ViewMut<u64>,
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layout: Layout,
    squared: ViewMut<C>,
    ys: ViewMut<u32>,
) {
    // SAFETY: the caller provides the memory.
    let tile = unsafe { Tile::in_scratch(scratch, tiling, axis) };
    tile.minimise_rows_with_sites(row_scan, row_costs, scanlines, layout, squared, ys);
}

/// Grid in which [`nearest_sites_along`] numbers the sites.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteGrid {
    /// Grid of the entire volume.
    pub grid: Grid,
    /// Padding to a size that is a multiple of 8 bytes.
    pub padding: u32,
}

/// Computes distances like [`distances_along`](super::distances_along), together with the linear
/// index of the nearest site, all ones if there is none within the maximum distance. Per voxel, the
/// y of a site and its row scan are read in addition, and an index is written.
///
/// # Safety
/// The requirements of [`distances_along`](super::distances_along) hold; `row_scan` and `ys` are
/// the results of [`scan_row_words`](super::scan_row_words) and [`nearest_sites_from_rows`],
/// `nearest` has one element per voxel.
#[kernel(C = [u32, u64, f64], I = [u32, u64])]
pub unsafe fn nearest_sites_along<C: Cost + KernelType, I: Count>(
    costs: View<C>,
    ys: View<u32>,
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    site_grid: SiteGrid,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    // SAFETY: the caller provides the shared memory.
    let tile = unsafe { Tile::in_shared_memory(tiling, axis) };
    tile.write_nearest_sites(
        costs, ys, row_scan, row_costs, site_grid, scanlines, layouts, conversion, distances,
        nearest,
    );
}

/// Computes the result of [`nearest_sites_along`] for scanlines that exceed shared memory.
///
/// Mapping and phases are those of [`nearest_sites_along`], with the tile of each block in global
/// memory. **Global memory:** the tile is read and written too, once per phase.
///
/// # Safety
/// The requirements of [`nearest_sites_along`] hold, except for shared memory; `scratch` has
/// [`Tiling::scratch_words`] elements for each block of the launch.
#[kernel(C = [u32, u64, f64], I = [u32, u64])]
pub unsafe fn nearest_sites_along_in_scratch<C: Cost + KernelType, I: Count>(
    scratch: ViewMut<u64>,
    costs: View<C>,
    ys: View<u32>,
    row_scan: View<u32>,
    row_costs: RowCosts<C>,
    site_grid: SiteGrid,
    scanlines: Scanlines,
    tiling: Tiling,
    axis: Axis<C>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
    distances: ViewMut<f32>,
    nearest: ViewMut<I>,
) {
    // SAFETY: the caller provides the memory.
    let tile = unsafe { Tile::in_scratch(scratch, tiling, axis) };
    tile.write_nearest_sites(
        costs, ys, row_scan, row_costs, site_grid, scanlines, layouts, conversion, distances,
        nearest,
    );
}

impl<C: Cost> Tile<C> {
    /// Computes the minimum costs and the y of the nearest sites of all tiles of the calling block.
    /// All threads of the block must call it.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn minimise_rows_with_sites(
        &self,
        row_scan: View<u32>,
        row_costs: RowCosts<C>,
        scanlines: Scanlines,
        layout: Layout,
        squared: ViewMut<C>,
        ys: ViewMut<u32>,
    ) {
        let (tiling, axis) = (self.tiling, self.axis);
        let mut index = thread::block_idx_x() as u64;
        while index < scanlines.tile_count(tiling) {
            let tile_position = scanlines.tile(tiling, index);
            let has_sites = self.find_candidates(tile_position.columns, |position, column| {
                row_costs.line_costs(row_scan, tile_position, (position, column), axis.no_site)
            });
            self.for_each_candidate(
                has_sites,
                tile_position,
                layout,
                |y, column, position, voxel| {
                    let mut cost = axis.no_site;
                    if let Some(position) = position {
                        ys.write(voxel, position);
                        cost = self.cost_at(position, y, column);
                    }
                    squared.write(voxel, cost);
                },
            );
            // The next tile overwrites the costs.
            thread::sync_threads();
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Computes the distances and nearest sites of all tiles of the calling block. All threads of
    /// the block must call it.
    #[expect(
        clippy::too_many_arguments,
        reason = "the axis, its layout, four inputs and two outputs"
    )]
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn write_nearest_sites<I: Count>(
        &self,
        costs: View<C>,
        ys: View<u32>,
        row_scan: View<u32>,
        row_costs: RowCosts<C>,
        site_grid: SiteGrid,
        scanlines: Scanlines,
        layouts: [Layout; 2],
        conversion: DistanceConversion,
        distances: ViewMut<f32>,
        nearest: ViewMut<I>,
    ) {
        let (tiling, axis) = (self.tiling, self.axis);
        let [from, to] = layouts;
        let mut index = thread::block_idx_x() as u64;
        while index < scanlines.tile_count(tiling) {
            let tile_position = scanlines.tile(tiling, index);
            let has_sites = self.find_candidates(tile_position.columns, |position, column| {
                stored_line_costs(costs, from, tile_position, (position, column), axis.no_site)
            });
            self.for_each_candidate(
                has_sites,
                tile_position,
                to,
                |output, column, position, voxel| {
                    let (mut distance, mut site_index) = (conversion.background, u64::MAX);
                    if let Some(z) = position {
                        let cost = self.cost_at(z, output, column);
                        if cost < axis.no_site {
                            distance = conversion.convert(cost, &axis);
                            let y = ys.read(from.index(tile_position, z, column));
                            let plane = TilePosition {
                                batch: z as u64,
                                ..tile_position
                            };
                            let scan =
                                RowScan::read(row_scan, row_costs.word_index(plane, y, column));
                            let x = scan
                                .site_x(row_costs.first_word * 32 + tile_position.column + column)
                                as u64;
                            let row = z as u64 * site_grid.grid.ny as u64 + y as u64;
                            site_index = row * site_grid.grid.nx as u64 + x;
                        }
                    }
                    distances.write(voxel, distance);
                    nearest.write(voxel, I::narrow(site_index));
                },
            );
            // The next tile overwrites the costs.
            thread::sync_threads();
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Finds the position of the nearest candidate for each output, stored among the tile's
    /// proposals. Returns `false`, without results, if there are no sites. All threads of the block
    /// must call it; ends with a barrier.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn find_candidates<N: FnMut(bool) -> C>(
        &self,
        columns: u32,
        line_costs_at: impl Fn(u32, u32) -> N,
    ) -> bool {
        if !self.run_first_pass(columns, line_costs_at) {
            return false;
        }
        self.run_later_passes();
        self.for_each_group(|group, column, [low, high]: [[MinCandidate<C>; 8]; 2]| {
            self.set_positions(group, column, 0, low.map(|candidate| candidate.position));
            self.set_positions(group, column, 1, high.map(|candidate| candidate.position));
        });
        thread::sync_threads();
        true
    }

    /// Calls `write` for each output of the tile inside the volume with its position, its column,
    /// the position of its candidate if there are sites, and its index.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each_candidate(
        &self,
        has_sites: bool,
        tile_position: TilePosition,
        layout: Layout,
        write: impl Fn(u32, u32, Option<u32>, usize),
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
                    if k < remaining {
                        let position = has_sites.then(|| self.candidate(group, column, k));
                        write(first_output + k, column, position, voxel);
                    }
                    voxel += layout.along as usize;
                    k += 1;
                }
            });
    }

    /// Returns the cost of a candidate at an output, at most that of a position without a site.
    #[inline(always)]
    fn cost_at(&self, position: u32, output: u32, column: u32) -> C {
        let outputs = OutputSet::new(&self.axis, output, 1);
        let stored = self.cost(position, column);
        let [[compared], _] = C::compared(&self.axis, &outputs, [stored; 2], position);
        C::decode(compared, &self.axis, output).smaller(self.axis.no_site)
    }
}
