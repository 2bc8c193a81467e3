//! Distance transform of labels with the lower-envelope kernels.

use super::{EnvelopeMetric, EnvelopeScanlines};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Launch, Stream, items_launch},
    distance::{DistanceParams, separable::weights::CostUnit},
    grid::{DeviceSample, DeviceVolume, count_ones},
};
use cuda_std::{Kernel, ViewMut};
use ferrovox_kernels::{
    distance::lower_envelope::{
        LabelDistances, LengthUnit, label_envelope_along_y, label_envelope_along_z,
        mark_changes_along_z, mark_changes_in_planes, scan_label_changes, tile,
    },
    grid::Grid,
};

/// Distance transform of the labels of an entire volume with the lower-envelope kernels.
pub(in crate::distance) struct LabelEnvelopes {
    scanlines: EnvelopeScanlines,
    metric: EnvelopeMetric,
    /// Distance stored where there is no other label.
    background: f32,
}

/// Number of threads of the blocks that mark label changes, in full warps.
const MARKING_THREADS: u32 = 256;

impl LabelEnvelopes {
    /// Returns the transform if the lower-envelope kernels are suitable, under the conditions of
    /// [`LowerEnvelopes::choose`](super::LowerEnvelopes::choose), and the voxels are isotropic.
    pub fn choose<T: DeviceSample>(
        device: &Device,
        grid: Grid,
        unit: &CostUnit,
        params: &DistanceParams,
    ) -> Option<Self> {
        let envelopes = Self::for_any_device(grid, unit)?;
        let is_supported = envelopes
            .scanlines
            .fit_on::<LabelDistances>(device.limits(), 1);
        let fits = params
            .memory
            .is_none_or(|limit| envelopes.device_bytes() <= limit);
        let is_overridden = [
            mark_changes_in_planes::<T>::entry(),
            mark_changes_along_z::<T>::entry(),
            scan_label_changes::entry(),
            label_envelope_along_y::entry(),
            label_envelope_along_z::<u32>::entry(),
            label_envelope_along_z::<f64>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        (fits && is_supported && !is_overridden).then_some(envelopes)
    }

    /// Returns the transform if sides and spacings fit, regardless of the device and its memory.
    pub fn for_any_device(grid: Grid, unit: &CostUnit) -> Option<Self> {
        let (scanlines, metric) = (
            EnvelopeScanlines::new(grid)?,
            EnvelopeMetric::new(grid, unit)?,
        );
        let is_isotropic = metric.weights_along_y.is_none() && metric.weights_along_z.is_none();
        let background = unit.conversion.background;
        // The kernels count tiles in 32 bits.
        let tile_count = u64::from(scanlines.words()) * u64::from(grid.ny) * u64::from(grid.nz);
        (is_isotropic && tile_count <= u64::from(u32::MAX)).then_some(Self {
            scanlines,
            metric,
            background,
        })
    }

    /// Returns the numbers of words of the changes along y, z and x. Those along y and z are
    /// written in groups of four words, and come first so that the groups are aligned.
    fn change_words(&self) -> [u64; 3] {
        let Grid { ny, nz, .. } = self.scanlines.grid;
        let [ny, nz] = [ny, nz].map(|side| (u64::from(side), u64::from(tile::chunks(side))));
        let columns = 32 * u64::from(self.scanlines.words());
        [
            columns * nz.0 * ny.1,
            columns * ny.0 * nz.1,
            self.scanlines.total_words(),
        ]
    }

    /// Returns the device memory in bytes, excluding labels and map.
    fn device_bytes(&self) -> u64 {
        self.scanlines.device_bytes(true) + 4 * self.change_words().iter().sum::<u64>()
    }

    /// Marks the label changes.
    pub fn mark_changes<T: DeviceSample>(
        &self,
        stream: &Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<MarkedChanges<'_>, DeviceError> {
        let [y, z, x] = self.change_words().map(|words| words as usize);
        let mut words = stream.alloc::<u32>(y + z + x)?;
        let Grid { ny, nz, .. } = self.scanlines.grid;
        let grid = self.scanlines.grid;
        // One tile per warp.
        let launch = |across: u32, len: u32| {
            let tile_count =
                u64::from(self.scanlines.words() * tile::chunks(len)) * u64::from(across);
            Launch::pieces(tile_count.div_ceil(u64::from(MARKING_THREADS / 32)))
                .exact_threads_per_block(MARKING_THREADS)
        };
        let all = words.view_mut();
        let (along_y, along_z, along_x) = (all.slice(0, y), all.slice(y, z), all.slice(y + z, x));
        // SAFETY: there is one label per voxel, one word per word of the rows, and 32 words per
        // tile of columns; blocks consist of full warps.
        unsafe {
            let args = (labels.samples().view(), grid, along_x, along_y);
            stream.launch::<mark_changes_in_planes<T>>(launch(nz, ny), args)?;
            let args = (labels.samples().view(), grid, along_z);
            stream.launch::<mark_changes_along_z<T>>(launch(ny, nz), args)?;
        }
        Ok(MarkedChanges {
            envelopes: self,
            words,
        })
    }
}

/// Label changes: along y indexed `[word][z][y / 32][x % 32]`, along z `[word][y][z / 32][x % 32]`,
/// along x `[word][z][y]`.
pub(in crate::distance) struct MarkedChanges<'a> {
    envelopes: &'a LabelEnvelopes,
    words: Buffer<u32>,
}

impl MarkedChanges<'_> {
    /// Returns `true` if there is at most one label. Synchronises the stream.
    pub fn has_single_label(&self, stream: &Stream) -> Result<bool, DeviceError> {
        Ok(count_ones(stream, &self.words)? == 0)
    }

    /// Launches the kernels that fill the distances of a map.
    pub fn fill(&self, stream: &Stream, distances: &mut Buffer<f32>) -> Result<(), DeviceError> {
        if self.envelopes.metric.exact_f32_unit() == Some(1.0) {
            self.fill_by(stream, 1u32, distances.view_mut())
        } else {
            self.fill_by(stream, self.envelopes.metric.unit, distances.view_mut())
        }
    }

    fn fill_by<U: LengthUnit + Element>(
        &self,
        stream: &Stream,
        unit: U,
        distances: ViewMut<'_, f32>,
    ) -> Result<(), DeviceError> {
        let LabelEnvelopes {
            scanlines,
            metric,
            background,
        } = self.envelopes;
        let grid = scanlines.grid;
        let [y, z, x] = self.envelopes.change_words().map(|words| words as usize);
        let all = self.words.view();
        let (along_y, along_z, along_x) = (all.slice(0, y), all.slice(y, z), all.slice(y + z, x));
        let words = scanlines.total_words() as usize;
        let mut row_scan = stream.alloc::<u32>(2 * words)?;
        let mut reached = stream.alloc::<u32>(scanlines.reached_flags(true) as usize)?;
        let mut squared = stream.alloc::<u32>(32 * words)?;
        let (rows_launch, rows) = items_launch(stream, u64::from(grid.ny) * u64::from(grid.nz));
        let [launch_along_y, launch_along_z] = scanlines.launches::<LabelDistances>();
        let [plane_bound, _] = metric.bounds;
        let final_bound = metric.distance_bound(*background);
        // SAFETY: the changes are those of the grid; there are two row-scan elements and 32 costs
        // per word of the rows, one flag per 32 scanlines of each word of a plane, and one distance
        // per voxel; launches have the blocks, threads and shared memory that the kernels require.
        unsafe {
            let args = (along_x, grid, rows, row_scan.view_mut());
            stream.launch::<scan_label_changes>(rows_launch, args)?;
            let (to, reaches) = (squared.view_mut(), reached.view_mut());
            let args = (row_scan.view(), along_y, grid, plane_bound, to, reaches);
            stream.launch::<label_envelope_along_y>(launch_along_y, args)?;
            let args = (
                squared.view(),
                reached.view(),
                along_z,
                grid,
                unit,
                final_bound,
                *background,
                distances,
            );
            stream.launch::<label_envelope_along_z<U>>(launch_along_z, args)
        }
    }
}
