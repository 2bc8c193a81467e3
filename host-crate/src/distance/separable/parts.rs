//! Parts of a separable transform: ranges of words of all rows.

use super::{
    groups::{Changes, GroupKernels, GroupLaunch, ScanlineCost},
    tiles::{ScanlineKernels, TiledScanlines, launch_tiles, min_scratch_bytes},
    weights::CostUnit,
};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    distance::DistanceError,
    occupancy::DeviceLimits,
    partition::TooLittleMemory,
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::separable::{
        Cost, FIELDS_PER_WORD, Layout, RowCosts, Scanlines, WordRange, minimise_along,
        minimise_along_in_scratch, scan_row_words,
    },
    grid::Grid,
};

/// Minimum number of parts whose progress is reported, if rows have as many words.
const MIN_REPORTED_PARTS: u32 = 32;

/// Range of words of all rows, and the voxels of their columns.
#[derive(Clone, Copy)]
pub(in crate::distance) struct Part {
    pub grid: Grid,
    pub words: WordRange,
}

impl Part {
    /// Returns the x of the first column.
    pub fn first_x(self) -> u64 {
        u64::from(self.words.first) * 32
    }

    /// Returns the number of columns.
    pub fn columns(self) -> u64 {
        let remaining = u64::from(self.grid.nx) - self.first_x();
        (u64::from(self.words.count) * 32).min(remaining)
    }

    /// Returns the number of voxels.
    pub fn voxels(self) -> usize {
        (self.columns() * row_count(self.grid)) as usize
    }

    /// Returns the scanlines along y, batched by plane.
    pub fn scanlines_along_y(self) -> Scanlines {
        Scanlines {
            columns: self.columns(),
            batches: self.grid.nz.into(),
        }
    }

    /// Returns the scanlines along z, batched by plane perpendicular to y.
    pub fn scanlines_along_z(self) -> Scanlines {
        Scanlines {
            columns: self.columns(),
            batches: self.grid.ny.into(),
        }
    }

    /// Returns the layout of scanlines along y within the part.
    pub fn layout_along_y(self) -> Layout {
        Layout {
            along: self.columns(),
            batch: self.columns() * u64::from(self.grid.ny),
        }
    }

    /// Returns the layout of scanlines along z within the part.
    pub fn layout_along_z(self) -> Layout {
        let along_y = self.layout_along_y();
        Layout {
            along: along_y.batch,
            batch: along_y.along,
        }
    }

    /// Returns the layout of scanlines along z within the volume, relative to the part's first
    /// column.
    pub fn volume_layout_along_z(self) -> Layout {
        let [nx, ny] = [self.grid.nx, self.grid.ny].map(u64::from);
        Layout {
            along: nx * ny,
            batch: nx,
        }
    }
}

fn row_count(grid: Grid) -> u64 {
    u64::from(grid.ny) * u64::from(grid.nz)
}

/// Maximum memory for tiles in global memory, in bytes, unless a single scanline needs more.
const MAX_SCRATCH_BYTES: u64 = 256 << 20;

/// Returns the device memory in bytes for one word of each row.
fn bytes_per_word<C>(grid: Grid, extra_bytes_per_voxel: u64) -> u64 {
    let columns = u64::from(grid.nx).min(32);
    let voxel_bytes = size_of::<C>() as u64 + extra_bytes_per_voxel;
    row_count(grid) * (u64::from(FIELDS_PER_WORD) * 4 + columns * voxel_bytes)
}

/// Returns the memory for tiles in global memory, in bytes: 0 if the scanlines along y and z fit in
/// shared memory, and otherwise a quarter of the smallest part, within limits.
pub(in crate::distance) fn scratch_bytes<C: Cost>(
    limits: &DeviceLimits,
    grid: Grid,
    kernels: ScanlineKernels,
) -> u64 {
    let along = |len: u32| min_scratch_bytes::<C>(limits, len, kernels);
    match along(grid.ny).max(along(grid.nz)) {
        0 => 0,
        min => (bytes_per_word::<C>(grid, 0) / 4).clamp(min, MAX_SCRATCH_BYTES.max(min)),
    }
}

/// Separable transform in parts, to bound the memory used in addition to the sites and the result.
pub(in crate::distance) struct PartTransform<'a, C> {
    pub stream: &'a Stream,
    pub grid: Grid,
    pub unit: &'a CostUnit,
    pub weights: [C; 3],
    pub kernels: ScanlineKernels,
}

impl<'a, C> PartTransform<'a, C> {
    /// Creates a transform of a grid.
    pub fn new(stream: &'a Stream, grid: Grid, unit: &'a CostUnit, weights: [C; 3]) -> Self {
        Self {
            stream,
            grid,
            unit,
            weights,
            kernels: ScanlineKernels::Automatic,
        }
    }

    /// Replaces the kernels along scanlines.
    pub fn with_kernels(self, kernels: ScanlineKernels) -> Self {
        Self { kernels, ..self }
    }
}

impl<C: ScanlineCost> PartTransform<'_, C> {
    /// Calls `visit` for each part. Parts are as large as `limit` allows, of which `used_bytes` are
    /// already in use; each voxel needs `extra_bytes_per_voxel` bytes in addition to its cost.
    pub fn for_each(
        &self,
        limit: Option<u64>,
        used_bytes: u64,
        extra_bytes_per_voxel: u64,
        mut visit: impl FnMut(Part) -> Result<(), DistanceError>,
    ) -> Result<(), DistanceError> {
        let per_row = self.grid.nx.div_ceil(32);
        let count = match limit {
            None => per_row,
            Some(limit) => {
                let word_bytes = bytes_per_word::<C>(self.grid, extra_bytes_per_voxel);
                let used_bytes = used_bytes + self.scratch_bytes();
                let needed = used_bytes + word_bytes;
                if limit < needed {
                    return Err(TooLittleMemory {
                        needed,
                        budget: limit,
                    }
                    .into());
                }
                u32::try_from((limit - used_bytes) / word_bytes).unwrap_or(u32::MAX)
            }
        };
        let count = if self.stream.reports_progress() {
            count.min(per_row.div_ceil(MIN_REPORTED_PARTS)).max(1)
        } else {
            count
        };
        let mut first = 0;
        while first < per_row {
            let words = WordRange {
                first,
                count: count.min(per_row - first),
            };
            visit(Part {
                grid: self.grid,
                words,
            })?;
            first += words.count;
            self.stream.report_progress(first, per_row);
        }
        Ok(())
    }

    /// Returns the memory for tiles in global memory, in bytes.
    fn scratch_bytes(&self) -> u64 {
        scratch_bytes::<C>(self.stream.device().limits(), self.grid, self.kernels)
    }

    /// Computes the row scan of a part from the site mask of the volume.
    pub fn row_scan(&self, bits: View<'_, u32>, part: Part) -> Result<Buffer<u32>, DeviceError> {
        let row_count = row_count(self.grid);
        let field_count = row_count * u64::from(part.words.count) * u64::from(FIELDS_PER_WORD);
        let mut row_scan = self.stream.alloc(field_count as usize)?;
        let launch = Launch::warp_pieces(row_count);
        // SAFETY: there is one word per word of the rows, and space for the fields of the requested
        // words.
        unsafe {
            let args = (bits, self.grid, part.words, row_scan.view_mut());
            self.stream.launch::<scan_row_words>(launch, args)?;
        }
        Ok(row_scan)
    }

    /// Returns the parameters that derive costs from the row scan of a part.
    pub fn row_costs(&self, part: Part) -> RowCosts<C> {
        RowCosts {
            weight: self.weights[0],
            words: part.words.count,
            first_word: part.words.first,
            max_distance: self.unit.max_steps_along(0),
            rows: self.grid.ny,
        }
    }

    /// Tiles the scanlines along y.
    pub fn tiled_along_y(&self) -> TiledScanlines<C> {
        self.tiled_along(1, self.grid.ny)
    }

    /// Tiles the scanlines along z.
    pub fn tiled_along_z(&self) -> TiledScanlines<C> {
        self.tiled_along(2, self.grid.nz)
    }

    fn tiled_along(&self, axis: usize, len: u32) -> TiledScanlines<C> {
        let axis = self.unit.axis(&self.weights, axis, len);
        let memory = (self.kernels, self.scratch_bytes());
        TiledScanlines::new(self.stream.device().limits(), axis, len, memory)
    }

    /// Returns the launches along y and z for groups of scanlines, if these are preferred and
    /// possible.
    pub fn group_launches(&self, part: Part) -> Option<[GroupLaunch<C>; 2]> {
        let [scanlines_y, scanlines_z] = [part.scanlines_along_y(), part.scanlines_along_z()];
        let along_y = self
            .tiled_along_y()
            .group_launch(self.stream, scanlines_y)?;
        let along_z = self
            .tiled_along_z()
            .group_launch(self.stream, scanlines_z)?;
        Some([along_y, along_z])
    }

    /// Writes the distances of a part to `distances`, from the part's first column on in the layout
    /// `to`, with the kernels for groups of scanlines. `row_scan` is that of the sites, or with
    /// `changes` along y and z that of the label changes.
    pub fn distances_in_groups(
        &self,
        [along_y, along_z]: [GroupLaunch<C>; 2],
        (row_scan, part): (&Buffer<u32>, Part),
        changes: Option<[Changes<'_>; 2]>,
        (to, first): (Layout, u64),
        distances: &mut Buffer<f32>,
    ) -> Result<(), DeviceError> {
        let stream = self.stream;
        let [layout_y, layout_z] = [part.layout_along_y(), part.layout_along_z()];
        let rows = (row_scan.view(), self.row_costs(part));
        let [changes_y, changes_z] = match changes {
            Some(changes) => changes.map(Some),
            None => [None; 2],
        };
        let (kernels, conversion) = (along_y.kernels, self.unit.conversion);
        let bits = distances.bits_mut();
        let bits = bits.slice(first as usize, bits.len() - first as usize);
        if to == layout_z {
            let (launches, changes) = ([along_y, along_z], [changes_y, changes_z]);
            let to = ([layout_y, layout_z], conversion, bits);
            // SAFETY: the row scan covers the words of the part, and there is one distance per
            // voxel.
            return unsafe { kernels.distances_in_place(stream, launches, rows, changes, to) };
        }
        let mut squared = stream.alloc::<C>(part.voxels())?;
        // SAFETY: as above; there is one cost per voxel of the part.
        unsafe {
            let costs = (layout_y, squared.view_mut());
            kernels.minima_from_rows(stream, along_y, rows, changes_y, costs)?;
            let to = ([layout_z, to], conversion, bits);
            kernels.distances_along(stream, along_z, squared.view(), changes_z, to)
        }
    }

    /// Replaces the costs of a part by the minima along their scanlines.
    pub fn minimise(
        &self,
        costs: &mut Buffer<C>,
        scanlines: Scanlines,
        tiled: &TiledScanlines<C>,
        layout: Layout,
    ) -> Result<(), DeviceError> {
        if let Some(group_launch) = tiled.group_launch(self.stream, scanlines) {
            let (kernels, to) = (group_launch.kernels, (layout, costs.view_mut()));
            // SAFETY: there is one cost per voxel of the scanlines.
            return unsafe { kernels.minima_along(self.stream, group_launch, None, to) };
        }
        let mut tiles = tiled.launch(self.stream, scanlines)?;
        let (tiling, axis) = (tiles.tiling, tiles.axis);
        let costs = costs.view_mut();
        // SAFETY: there is one cost per voxel of the scanlines, a block may overwrite the costs
        // that it has read, and it has enough memory for a tile.
        unsafe {
            launch_tiles!(
                self.stream,
                tiles,
                [minimise_along<C>, minimise_along_in_scratch<C>],
                (costs.as_view(), scanlines, tiling, axis, layout, costs)
            )
        }
    }
}
