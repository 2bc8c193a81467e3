//! Exact separable distance transform, with one of three families of kernels.
//!
//! [`LowerEnvelopes::choose`] decides: its kernels compute the entire map on GPUs if sides and
//! spacings fit; otherwise [`PartTransform`] computes it in parts. Its kernels process
//! [groups of scanlines](groups) on the CPU where they can, and [tiles] otherwise. Slabs and
//! integer squared distances are always computed in parts.

pub(super) mod groups;
pub(super) mod lower_envelope;
pub(super) mod parts;
pub(super) mod tiles;
pub(super) mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, NearestIndices, NoSites};
use crate::device::{Buffer, DeviceError, Element, Stream};
use crate::grid::DeviceMask;
use cuda_std::ViewMut;
use ferrovox_kernels::{
    distance::separable::{
        DistanceConversion, Layout, RowCosts, Scanlines, SiteGrid, WordRange, distances_along,
        distances_along_in_scratch, minimise_from_rows, minimise_from_rows_in_scratch,
        nearest_sites_along, nearest_sites_along_in_scratch, nearest_sites_from_rows,
        nearest_sites_from_rows_in_scratch,
    },
    sample::Count,
};
use groups::GroupKernels;
pub(super) use groups::ScanlineCost;
use lower_envelope::LowerEnvelopes;
use parts::Part;
pub(super) use parts::{PartTransform, scratch_bytes};
pub use tiles::ScanlineKernels;
use tiles::{TiledScanlines, launch_tiles};
pub(super) use weights::{CostUnit, Weights, integer_weights};

/// Computes the distance map of voxel sites, with the lower-envelope kernels if
/// [`LowerEnvelopes::choose`] selects them.
pub(super) fn transform(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let voxels = sites.grid.samples() as usize;
    let mut map = empty_map(stream, sites, params)?;
    if voxels == 0 {
        return Ok(map);
    }
    let unit = CostUnit::for_grid(sites.grid, &sites.geometry, params);
    if let Some(envelopes) = LowerEnvelopes::choose(stream.device(), sites.grid, &unit, params) {
        envelopes.fill(stream, sites, &mut map)?;
        return Ok(map);
    }
    fill_in_parts(
        stream,
        sites,
        params,
        (&unit, ScanlineKernels::Automatic),
        &mut map,
    )?;
    Ok(map)
}

/// Computes the map with a choice of the general separable kernels, for tests.
///
/// # Errors
/// The errors of [`transform`](super::transform), except that no sites are no error.
pub fn transform_by_scanlines(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    kernels: ScanlineKernels,
) -> Result<DistanceMap, DistanceError> {
    let unit = CostUnit::for_grid(sites.grid, &sites.geometry, params);
    let mut map = empty_map(stream, sites, params)?;
    fill_in_parts(stream, sites, params, (&unit, kernels), &mut map)?;
    Ok(map)
}

/// Computes the map with the general separable kernels.
fn fill_in_parts(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    (unit, kernels): (&CostUnit, ScanlineKernels),
    map: &mut DistanceMap,
) -> Result<(), DistanceError> {
    match unit.weights {
        Weights::U32(weights) => {
            let transform = PartTransform::new(stream, sites.grid, unit, weights);
            fill(&transform.with_kernels(kernels), sites, params, map)
        }
        Weights::U64(weights) => {
            let transform = PartTransform::new(stream, sites.grid, unit, weights);
            fill(&transform.with_kernels(kernels), sites, params, map)
        }
        Weights::F64(weights) => {
            let transform = PartTransform::new(stream, sites.grid, unit, weights);
            fill(&transform.with_kernels(kernels), sites, params, map)
        }
    }
}

/// Computes the map with the lower-envelope kernels on any device, for tests. Returns `None` if
/// sides or spacings do not fit. `has_long_scanlines` selects the kernels for sides of more than
/// 512 voxels: a narrow band is processed in segments of scanlines, and maps without a maximum
/// distance in blocks of 16 scanlines.
///
/// # Errors
/// Errors of the device.
pub fn transform_by_envelopes(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    has_long_scanlines: bool,
) -> Result<Option<DistanceMap>, DistanceError> {
    let unit = CostUnit::for_grid(sites.grid, &sites.geometry, params);
    let Some(envelopes) = LowerEnvelopes::for_any_device(sites.grid, &unit, params) else {
        return Ok(None);
    };
    let envelopes = envelopes.with_long_scanlines(has_long_scanlines);
    let mut map = empty_map(stream, sites, params)?;
    envelopes.fill(stream, sites, &mut map)?;
    Ok(Some(map))
}

/// Allocates a map whose elements are not initialised yet.
fn empty_map(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DeviceError> {
    let voxels = sites.grid.samples() as usize;
    Ok(DistanceMap {
        distances: stream.alloc(voxels)?,
        nearest: match (params.nearest, voxels < u32::MAX as usize) {
            (false, _) => None,
            (true, true) => Some(NearestIndices::U32(stream.alloc(voxels)?)),
            (true, false) => Some(NearestIndices::U64(stream.alloc(voxels)?)),
        },
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}

/// Computes all parts of a map.
fn fill<C: ScanlineCost>(
    part_transform: &PartTransform<'_, C>,
    sites: &DeviceMask,
    params: &DistanceParams,
    map: &mut DistanceMap,
) -> Result<(), DistanceError> {
    let extra_bytes_per_voxel = if params.nearest { 4 } else { 0 };
    part_transform.for_each(params.memory, 0, extra_bytes_per_voxel, |part| {
        part_transform.fill(sites, part, map)
    })
}

impl<C: ScanlineCost> PartTransform<'_, C> {
    /// Computes the minimum costs of a part within its planes, from a site mask.
    pub fn minimise_in_planes(
        &self,
        bits: &Buffer<u32>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let row_scan = self.row_scan(bits.view(), part)?;
        let mut squared = self.stream.alloc::<C>(part.voxels())?;
        let (scanlines, layout) = (part.scanlines_along_y(), part.layout_along_y());
        let tiled = self.tiled_along_y();
        if let Some(group_launch) = tiled.group_launch(self.stream, scanlines) {
            let rows = (row_scan.view(), self.row_costs(part));
            let (kernels, to) = (group_launch.kernels, (layout, squared.view_mut()));
            // SAFETY: there is one element per voxel of the part.
            unsafe { kernels.minima_from_rows(self.stream, group_launch, rows, None, to) }?;
            return Ok(squared);
        }
        let mut tiles = tiled.launch(self.stream, scanlines)?;
        // SAFETY: there is one element per voxel of the part, and blocks have enough memory for a
        // tile.
        unsafe {
            launch_tiles!(
                self.stream,
                tiles,
                [minimise_from_rows<C>, minimise_from_rows_in_scratch<C>],
                (
                    row_scan.view(),
                    self.row_costs(part),
                    scanlines,
                    tiles.tiling,
                    tiles.axis,
                    layout,
                    squared.view_mut(),
                )
            )?;
        }
        Ok(squared)
    }

    /// Writes the distances of a part, in the layout `to`, from the minimum costs within its
    /// planes.
    fn write_distances(
        &self,
        squared: &Buffer<C>,
        part: Part,
        to: Layout,
        distances: ViewMut<'_, f32>,
    ) -> Result<(), DistanceError> {
        let (scanlines, tiled) = (part.scanlines_along_z(), self.tiled_along_z());
        let (layouts, conversion) = ([part.layout_along_z(), to], self.unit.conversion);
        let mut tiles = tiled.launch(self.stream, scanlines)?;
        // SAFETY: there is one element per voxel of the part, distances start at the part's first
        // column, and blocks have enough memory for a tile.
        unsafe {
            launch_tiles!(
                self.stream,
                tiles,
                [distances_along<C>, distances_along_in_scratch<C>],
                (
                    squared.view(),
                    scanlines,
                    tiles.tiling,
                    tiles.axis,
                    layouts,
                    conversion,
                    distances,
                )
            )?;
        }
        Ok(())
    }

    /// Computes the distances of a single part, from a site mask.
    pub fn part_distances(
        &self,
        bits: &Buffer<u32>,
        words: WordRange,
    ) -> Result<Buffer<f32>, DistanceError> {
        let part = Part {
            grid: self.grid,
            words,
        };
        let to = part.layout_along_z();
        if let Some(launches) = self.group_launches(part) {
            let row_scan = self.row_scan(bits.view(), part)?;
            let mut distances = self.stream.alloc(part.voxels())?;
            let rows = (&row_scan, part);
            self.distances_in_groups(launches, rows, None, (to, 0), &mut distances)?;
            return Ok(distances);
        }
        // the row scan is freed before the distances are allocated
        let squared = self.minimise_in_planes(bits, part)?;
        let mut distances = self.stream.alloc(part.voxels())?;
        self.write_distances(&squared, part, to, distances.view_mut())?;
        Ok(distances)
    }

    fn fill(
        &self,
        sites: &DeviceMask,
        part: Part,
        map: &mut DistanceMap,
    ) -> Result<(), DistanceError> {
        let (stream, first_x) = (self.stream, part.first_x());
        let conversion = self.unit.conversion;
        let Some(nearest) = &mut map.nearest else {
            let to = part.volume_layout_along_z();
            let distances = &mut map.distances;
            if let Some(launches) = self.group_launches(part) {
                let row_scan = self.row_scan(sites.bits.view(), part)?;
                let rows = (&row_scan, part);
                self.distances_in_groups(launches, rows, None, (to, first_x), distances)?;
                return Ok(());
            }
            let squared = self.minimise_in_planes(&sites.bits, part)?;
            return self.write_distances(&squared, part, to, after_column(distances, first_x));
        };
        let distances = after_column(&mut map.distances, first_x);
        let tiled_along_z = self.tiled_along_z();
        let rows = part.scanlines_along_z();
        let layouts = [part.layout_along_z(), part.volume_layout_along_z()];
        let row_scan = self.row_scan(sites.bits.view(), part)?;
        let row_costs = self.row_costs(part);
        let mut squared = stream.alloc::<C>(part.voxels())?;
        let mut ys = stream.alloc::<u32>(part.voxels())?;
        let planes = part.scanlines_along_y();
        let mut tiles = self.tiled_along_y().launch(stream, planes)?;
        // SAFETY: there is one element per voxel of the part, and blocks have enough memory for a
        // tile.
        unsafe {
            launch_tiles!(
                stream,
                tiles,
                [
                    nearest_sites_from_rows<C>,
                    nearest_sites_from_rows_in_scratch<C>
                ],
                (
                    row_scan.view(),
                    row_costs,
                    planes,
                    tiles.tiling,
                    tiles.axis,
                    part.layout_along_y(),
                    squared.view_mut(),
                    ys.view_mut(),
                )
            )?;
            drop(tiles);
            let last = LastAxis {
                squared: &squared,
                ys: &ys,
                row_scan: &row_scan,
                row_costs,
                site_grid: SiteGrid {
                    grid: sites.grid,
                    padding: 0,
                },
                rows,
                tiled_scanlines: &tiled_along_z,
                layouts,
                conversion,
            };
            Ok(match nearest {
                NearestIndices::U32(nearest) => last.nearest(stream, first_x, distances, nearest),
                NearestIndices::U64(nearest) => last.nearest(stream, first_x, distances, nearest),
            }?)
        }
    }
}

/// Returns the elements of a map from a column on.
pub(super) fn after_column(distances: &mut Buffer<f32>, first_x: u64) -> ViewMut<'_, f32> {
    let distances = distances.view_mut();
    let remaining = distances.len() - first_x as usize;
    distances.slice(first_x as usize, remaining)
}

/// Arguments of the last pass with nearest sites.
struct LastAxis<'a, C> {
    squared: &'a Buffer<C>,
    ys: &'a Buffer<u32>,
    row_scan: &'a Buffer<u32>,
    row_costs: RowCosts<C>,
    site_grid: SiteGrid,
    rows: Scanlines,
    tiled_scanlines: &'a TiledScanlines<C>,
    layouts: [Layout; 2],
    conversion: DistanceConversion,
}

impl<C: ScanlineCost> LastAxis<'_, C> {
    /// Computes the distances and nearest sites of a part.
    ///
    /// # Safety
    /// `distances` starts at the part's first column `first_x`; all buffers have one element per
    /// voxel.
    unsafe fn nearest<I: Count + Element>(
        &self,
        stream: &Stream,
        first_x: u64,
        distances: ViewMut<'_, f32>,
        nearest: &mut Buffer<I>,
    ) -> Result<(), DeviceError> {
        let mut tiles = self.tiled_scanlines.launch(stream, self.rows)?;
        let nearest = nearest.view_mut();
        let remaining = nearest.len() - first_x as usize;
        let nearest = nearest.slice(first_x as usize, remaining);
        // SAFETY: guaranteed by the caller; blocks have enough memory for a tile.
        unsafe {
            launch_tiles!(
                stream,
                tiles,
                [
                    nearest_sites_along<C, I>,
                    nearest_sites_along_in_scratch<C, I>
                ],
                (
                    self.squared.view(),
                    self.ys.view(),
                    self.row_scan.view(),
                    self.row_costs,
                    self.site_grid,
                    self.rows,
                    tiles.tiling,
                    tiles.axis,
                    self.layouts,
                    self.conversion,
                    distances,
                    nearest,
                )
            )
        }
    }
}
