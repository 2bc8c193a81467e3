//! Distance transform with the lower-envelope kernels: applicability and launches.

mod labels;
mod metric;

use super::weights::CostUnit;
use crate::{
    device::{Device, DeviceError, Element, Launch, Stream},
    distance::{DistanceMap, DistanceParams, NearestIndices},
    grid::DeviceMask,
    occupancy::DeviceLimits,
};
use cuda_std::{Kernel, View, ViewMut};
use ferrovox_kernels::{
    distance::lower_envelope::{
        self, DistanceOutput, Distances, LengthUnit, LongDistances, MAX_SIDE, NarrowBand,
        NearestSites, PassBound, PassWeights, TruncatedDistances, envelope_along_y,
        envelope_along_y_anisotropic, envelope_along_z, envelope_along_z_anisotropic,
        padded_row_words, scan_rows, segment, tile,
    },
    grid::Grid,
};
pub(in crate::distance) use labels::LabelEnvelopes;
use metric::EnvelopeMetric;
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// Distance transform of an entire volume with the lower-envelope kernels.
pub(super) struct LowerEnvelopes {
    scanlines: EnvelopeScanlines,
    metric: EnvelopeMetric,
    /// Distance stored where there is no site.
    background: f32,
    is_truncated: bool,
    nearest_requested: bool,
    /// `true` if blocks process segments of scanlines for a narrow band.
    uses_segments: bool,
    /// `true` if blocks process 16 instead of 32 scanlines for a map without a maximum distance and
    /// nearest sites.
    uses_half_words: bool,
}

/// Longest side without segments in a narrow band: up to this side, three blocks with complete
/// scanlines fit on a multiprocessor (H200, `docs/performance.md`).
const MAX_UNSEGMENTED_SIDE: u32 = 512;

impl LowerEnvelopes {
    /// Decides between the lower-envelope and the general separable kernels: returns the transform
    /// if the spacings have an [`EnvelopeMetric`], the sides are short enough, the device is a GPU
    /// whose blocks can hold the scanlines, the memory limit suffices, and no
    /// [`LaunchOverride`](crate::device::LaunchOverride) requests other blocks. Otherwise
    /// [`PartTransform`](super::PartTransform) is used.
    ///
    /// On the CPU, the barriers between the warps of a block cost more than the method saves.
    pub fn choose(
        device: &Device,
        grid: Grid,
        unit: &CostUnit,
        params: &DistanceParams,
    ) -> Option<Self> {
        let mut envelopes = Self::for_any_device(grid, unit, params)?;
        let limits = device.limits();
        let (scanlines, is_plain) = (
            envelopes.scanlines,
            !params.nearest && !envelopes.is_truncated,
        );
        // With one block per multiprocessor, all of its warps would wait at the same barriers.
        envelopes.uses_half_words = is_plain && !scanlines.fit_on::<Distances>(limits, 2);
        let is_supported = if envelopes.uses_half_words {
            scanlines.fit_on::<LongDistances>(limits, 1)
        } else {
            scanlines.fit_on::<Distances>(limits, 1)
        };
        let fits = params
            .memory
            .is_none_or(|limit| envelopes.device_bytes() <= limit);
        let is_overridden = [
            scan_rows::entry(),
            envelope_along_y::<Distances>::entry(),
            envelope_along_y::<LongDistances>::entry(),
            envelope_along_y::<TruncatedDistances>::entry(),
            envelope_along_y::<NarrowBand>::entry(),
            envelope_along_y::<NearestSites>::entry(),
            envelope_along_y_anisotropic::<Distances>::entry(),
            envelope_along_y_anisotropic::<LongDistances>::entry(),
            envelope_along_y_anisotropic::<TruncatedDistances>::entry(),
            envelope_along_y_anisotropic::<NarrowBand>::entry(),
            envelope_along_y_anisotropic::<NearestSites>::entry(),
            envelope_along_z::<u32, Distances>::entry(),
            envelope_along_z::<f64, Distances>::entry(),
            envelope_along_z::<u32, LongDistances>::entry(),
            envelope_along_z::<f64, LongDistances>::entry(),
            envelope_along_z::<u32, TruncatedDistances>::entry(),
            envelope_along_z::<f64, TruncatedDistances>::entry(),
            envelope_along_z::<u32, NarrowBand>::entry(),
            envelope_along_z::<f64, NarrowBand>::entry(),
            envelope_along_z::<u32, NearestSites>::entry(),
            envelope_along_z::<f64, NearestSites>::entry(),
            envelope_along_z_anisotropic::<f32, Distances>::entry(),
            envelope_along_z_anisotropic::<f64, Distances>::entry(),
            envelope_along_z_anisotropic::<f32, LongDistances>::entry(),
            envelope_along_z_anisotropic::<f64, LongDistances>::entry(),
            envelope_along_z_anisotropic::<f32, TruncatedDistances>::entry(),
            envelope_along_z_anisotropic::<f64, TruncatedDistances>::entry(),
            envelope_along_z_anisotropic::<f32, NarrowBand>::entry(),
            envelope_along_z_anisotropic::<f64, NarrowBand>::entry(),
            envelope_along_z_anisotropic::<f32, NearestSites>::entry(),
            envelope_along_z_anisotropic::<f64, NearestSites>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        (fits && is_supported && !is_overridden).then_some(envelopes)
    }

    /// Returns the transform if sides and spacings fit, regardless of the device and its memory.
    pub fn for_any_device(grid: Grid, unit: &CostUnit, params: &DistanceParams) -> Option<Self> {
        Some(Self {
            scanlines: EnvelopeScanlines::new(grid)?,
            metric: EnvelopeMetric::new(grid, unit)?,
            background: unit.conversion.background,
            is_truncated: params.max_distance.is_some(),
            nearest_requested: params.nearest,
            uses_segments: grid.ny.max(grid.nz) > MAX_UNSEGMENTED_SIDE,
            uses_half_words: false,
        })
    }

    /// Returns the transform with the kernels for long or for short scanlines.
    pub fn with_long_scanlines(self, are_long: bool) -> Self {
        Self {
            uses_segments: are_long,
            uses_half_words: are_long,
            ..self
        }
    }

    /// Returns the device memory in bytes, excluding sites and map: per word of a row two row-scan
    /// elements and 32 costs.
    fn device_bytes(&self) -> u64 {
        self.scanlines
            .device_bytes(self.is_truncated || self.nearest_requested)
            + 4 * u64::from(self.scanlines.grid.nz)
    }

    /// Launches the kernels that fill the map, including nearest sites if it has them.
    pub fn fill(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        map: &mut DistanceMap,
    ) -> Result<(), DeviceError> {
        let distances = map.distances.view_mut();
        if let Some(NearestIndices::U32(indices)) = &mut map.nearest {
            let maps = (distances, indices.view_mut());
            return self.launch::<NearestSites>(stream, sites, maps);
        }
        let mut no_indices = stream.alloc::<u32>(0)?;
        let maps = (distances, no_indices.view_mut());
        if self.is_truncated && self.uses_segments && self.is_narrow() {
            self.launch::<NarrowBand>(stream, sites, maps)
        } else if self.is_truncated {
            self.launch::<TruncatedDistances>(stream, sites, maps)
        } else if self.uses_half_words {
            self.launch::<LongDistances>(stream, sites, maps)
        } else {
            self.launch::<Distances>(stream, sites, maps)
        }
    }

    /// Returns `true` if the bound is small enough for segments of scanlines.
    fn is_narrow(&self) -> bool {
        self.metric
            .bounds
            .iter()
            .all(|bound| bound.max_step <= segment::MAX_NARROW_BOUND)
    }

    fn launch<O: DistanceOutput>(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        maps: (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let EnvelopeScanlines { grid, .. } = self.scanlines;
        let words = self.scanlines.total_words() as usize;
        let reached = self.scanlines.reached_flags(O::TRUNCATED) as usize;
        let mut row_scan_buffer = stream.alloc::<u32>(2 * words)?;
        let mut planes = stream.alloc::<u32>(grid.nz as usize)?;
        let mut reached = stream.alloc::<u32>(reached)?;
        let mut squared = stream.alloc::<u32>(32 * words)?;
        let scan_launch = Launch::pieces(grid.nz.into())
            .exact_threads_per_block(lower_envelope::row_scan::threads(grid.ny))
            .dynamic_shared_bytes_per_thread(4 * padded_row_words(self.scanlines.words()));
        let [along, _] = self.scanlines.launches::<O>();
        let [bound, _] = self.metric.bounds;
        // SAFETY: the mask has one word per word of the rows; there are two row-scan elements per
        // word, one flag per plane, with truncation one per 32 scanlines of each word of a plane,
        // 32 costs per word, one distance per voxel and, if requested, one site; launches have the
        // blocks, threads and shared memory that the kernels require, and numbers fit.
        unsafe {
            let args = (
                sites.bits.view(),
                grid,
                row_scan_buffer.view_mut(),
                planes.view_mut(),
            );
            stream.launch::<scan_rows>(scan_launch, args)?;
            let (row_scan_words, has_sites) = (row_scan_buffer.view(), planes.view());
            let (to, reaches) = (squared.view_mut(), reached.view_mut());
            match self.metric.weights_along_y {
                None => {
                    let args = (row_scan_words, has_sites, grid, bound, to, reaches);
                    stream.launch::<envelope_along_y<O>>(along, args)?;
                }
                Some(weights) => {
                    let args = (row_scan_words, has_sites, grid, weights, bound, to, reaches);
                    stream.launch::<envelope_along_y_anisotropic<O>>(along, args)?;
                }
            }
            let planes = if O::TRUNCATED { &reached } else { &planes };
            let from = [row_scan_buffer.view(), squared.view(), planes.view()];
            let unit = self.metric.unit;
            match (self.metric.weights_along_z, self.metric.exact_f32_unit()) {
                (None, Some(1.0)) => self.launch_last_pass::<u32, O>(stream, from, 1, maps),
                (None, _) => self.launch_last_pass::<f64, O>(stream, from, unit, maps),
                (Some(weights), Some(unit)) => {
                    self.launch_last_pass_anisotropic::<f32, O>(stream, from, (weights, unit), maps)
                }
                (Some(weights), None) => {
                    self.launch_last_pass_anisotropic::<f64, O>(stream, from, (weights, unit), maps)
                }
            }
        }
    }

    /// Returns the bound of the last pass.
    fn last_bound(&self) -> PassBound {
        if self.nearest_requested {
            let [_, bound] = self.metric.bounds;
            bound
        } else {
            self.metric.distance_bound(self.background)
        }
    }

    /// Launches the last pass for isotropic voxels.
    ///
    /// # Safety
    /// The requirements of the kernel on the row scan, costs, planes and maps hold.
    unsafe fn launch_last_pass<U: LengthUnit + Element, O: DistanceOutput>(
        &self,
        stream: &Stream,
        [row_scan_buffer, squared, planes]: [View<'_, u32>; 3],
        unit: U,
        (distances, indices): (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let ([_, along], bound) = (self.scanlines.launches::<O>(), self.last_bound());
        let (grid, background) = (self.scanlines.grid, self.background);
        let args = (
            row_scan_buffer,
            squared,
            planes,
            grid,
            unit,
            bound,
            background,
            distances,
            indices,
        );
        // SAFETY: guaranteed by the caller, and the launch has the blocks that the kernel requires.
        unsafe { stream.launch::<envelope_along_z<U, O>>(along, args) }
    }

    /// Launches the last pass for anisotropic voxels.
    ///
    /// # Safety
    /// The requirements of [`launch_last_pass`](Self::launch_last_pass) hold.
    unsafe fn launch_last_pass_anisotropic<U: LengthUnit + Element, O: DistanceOutput>(
        &self,
        stream: &Stream,
        [row_scan_buffer, squared, planes]: [View<'_, u32>; 3],
        (weights, unit): (PassWeights, U),
        (distances, indices): (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let ([_, along], bound) = (self.scanlines.launches::<O>(), self.last_bound());
        let (grid, background) = (self.scanlines.grid, self.background);
        let args = (
            row_scan_buffer,
            squared,
            planes,
            grid,
            weights,
            unit,
            bound,
            background,
            distances,
            indices,
        );
        // SAFETY: guaranteed by the caller; the launch has the blocks that the kernel requires, and
        // numbers fit.
        unsafe { stream.launch::<envelope_along_z_anisotropic<U, O>>(along, args) }
    }
}

/// Scanlines of a grid, as processed by the blocks.
#[derive(Clone, Copy)]
struct EnvelopeScanlines {
    grid: Grid,
}

impl EnvelopeScanlines {
    /// Creates the scanlines if the grid is not empty and its sides are supported.
    fn new(grid: Grid) -> Option<Self> {
        let is_short = grid.nx.max(grid.ny).max(grid.nz) <= MAX_SIDE;
        (is_short && grid.samples() != 0).then_some(Self { grid })
    }

    /// Returns the number of words per row.
    fn words(&self) -> u32 {
        self.grid.nx.div_ceil(32)
    }

    /// Returns the number of words of all rows.
    fn total_words(&self) -> u64 {
        u64::from(self.words()) * u64::from(self.grid.ny) * u64::from(self.grid.nz)
    }

    /// Returns the number of flags that record, with truncation, which groups of 32 scanlines of a
    /// plane have any output in range.
    fn reached_flags(&self, is_truncated: bool) -> u64 {
        let Grid { ny, nz, .. } = self.grid;
        let chunks_per_plane = if is_truncated { tile::chunks(ny) } else { 0 };
        u64::from(self.words()) * u64::from(nz) * u64::from(chunks_per_plane)
    }

    /// Returns the device memory in bytes of the row scan, the costs, and the flags.
    fn device_bytes(&self, is_truncated: bool) -> u64 {
        (self.total_words() * (2 + 32) + self.reached_flags(is_truncated)) * 4
    }

    /// Returns the launches over the scanlines, or their segments, along y and along z.
    fn launches<O: DistanceOutput>(&self) -> [Launch; 2] {
        let Grid { ny, nz, .. } = self.grid;
        [(ny, nz), (nz, ny)].map(|(len, across)| {
            let (segment_count, positions) = if O::SEGMENTED {
                (
                    segment::segment_count(tile::chunks(len)),
                    segment::tile_len(len),
                )
            } else {
                (1, len)
            };
            let blocks_per_word = u64::from(segment_count * (32 / O::SCANLINES));
            let blocks = u64::from(self.words()) * u64::from(across) * blocks_per_word;
            Launch::pieces(blocks)
                .exact_threads_per_block(tile::threads::<O>(positions))
                .dynamic_shared_bytes(tile::shared_bytes::<O>(positions))
        })
    }

    /// Returns `true` if the device is a GPU, its blocks can have the threads and the shared memory
    /// that the scanlines require, and a number of blocks fits in the shared memory of a
    /// multiprocessor.
    fn fit_on<O: DistanceOutput>(&self, limits: &DeviceLimits, blocks: u32) -> bool {
        let len = self.grid.ny.max(self.grid.nz);
        let shared = (limits.shared_bytes_per_multiprocessor / blocks)
            .saturating_sub(limits.reserved_shared_bytes_per_block)
            .min(limits.shared_bytes_per_block_opt_in)
            .min(MAX_DYNAMIC_SHARED_BYTES);
        limits.threads_per_block > 1
            && tile::threads::<O>(len) <= limits.threads_per_block
            && tile::shared_bytes::<O>(len) <= shared
    }
}
