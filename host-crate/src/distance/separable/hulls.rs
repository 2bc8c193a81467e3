//! Maps by lower hulls of chunks: which there are, and how they are launched.

mod labels;
mod metric;

use super::weights::Unit;
use crate::{
    device::{Device, DeviceError, Element, Launch, Stream},
    distance::{DistanceMap, DistanceParams, Nearest},
    grid::DeviceMask,
    occupancy::DeviceLimits,
};
use cuda_std::{Kernel, View, ViewMut};
use ferrovox_kernels::{
    distance::hulls::{
        self, BoundedDistances, Distances, Goal, MOST, NarrowBand, NearestSites, Spacing,
        Unit as Side, Within, along_y, along_y_spaced, along_z, along_z_spaced, near_words,
        row_words, segment, tile,
    },
    grid::Grid,
};
pub(in crate::distance) use labels::LabelHulls;
use metric::Metric;
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// A map of a whole volume that is made by hulls.
pub(super) struct Hulls {
    lines: HullLines,
    metric: Metric,
    /// The distance where there is no site.
    far: f32,
    bounded: bool,
    nearest: bool,
    /// Whether blocks take segments of lines, if the band is narrow.
    segmented: bool,
}

/// Lines of more voxels are worth segments in a narrow band (H200, `docs/performance.md`): at up to
/// so many three blocks of whole lines fit on a multiprocessor.
const LONG: u32 = 512;

impl Hulls {
    /// The map that is asked for, if it is one of those: of voxels whose [`Metric`] fits, with
    /// sides that hulls are for, on a GPU whose blocks have room for lines and within a limit of
    /// memory, where no [`LaunchOverride`](crate::device::LaunchOverride) asks for other blocks.
    /// All others are made by [`Parts`](super::Parts).
    ///
    /// On the CPU barriers between the warps of a block cost more than hulls save.
    pub fn choose(
        device: &Device,
        grid: Grid,
        unit: &Unit,
        params: &DistanceParams,
    ) -> Option<Self> {
        let hulls = Self::of(grid, unit, params)?;
        let fits = params.memory.is_none_or(|limit| hulls.bytes() <= limit);
        let is_overridden = [
            near_words::entry(),
            along_y::<Distances>::entry(),
            along_y::<BoundedDistances>::entry(),
            along_y::<NarrowBand>::entry(),
            along_y::<NearestSites>::entry(),
            along_y_spaced::<Distances>::entry(),
            along_y_spaced::<BoundedDistances>::entry(),
            along_y_spaced::<NarrowBand>::entry(),
            along_y_spaced::<NearestSites>::entry(),
            along_z::<u32, Distances>::entry(),
            along_z::<f64, Distances>::entry(),
            along_z::<u32, BoundedDistances>::entry(),
            along_z::<f64, BoundedDistances>::entry(),
            along_z::<u32, NarrowBand>::entry(),
            along_z::<f64, NarrowBand>::entry(),
            along_z::<u32, NearestSites>::entry(),
            along_z::<f64, NearestSites>::entry(),
            along_z_spaced::<f32, Distances>::entry(),
            along_z_spaced::<f64, Distances>::entry(),
            along_z_spaced::<f32, BoundedDistances>::entry(),
            along_z_spaced::<f64, BoundedDistances>::entry(),
            along_z_spaced::<f32, NarrowBand>::entry(),
            along_z_spaced::<f64, NarrowBand>::entry(),
            along_z_spaced::<f32, NearestSites>::entry(),
            along_z_spaced::<f64, NearestSites>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        (fits && hulls.lines.suit(device) && !is_overridden).then_some(hulls)
    }

    /// The same whatever the device and its memory.
    pub fn of(grid: Grid, unit: &Unit, params: &DistanceParams) -> Option<Self> {
        Some(Self {
            lines: HullLines::of(grid)?,
            metric: Metric::of(grid, unit)?,
            far: unit.far.distance,
            bounded: params.max_distance.is_some(),
            nearest: params.nearest,
            segmented: grid.ny.max(grid.nz) > LONG,
        })
    }

    /// The same, with or without segments of lines in a narrow band.
    pub fn in_segments(self, segmented: bool) -> Self {
        Self { segmented, ..self }
    }

    /// Device memory besides the sites and the map: for each word of a row two numbers, and 32
    /// costs.
    fn bytes(&self) -> u64 {
        self.lines.bytes(self.bounded || self.nearest) + 4 * u64::from(self.lines.grid.nz)
    }

    /// Launches that fill the map, which has nearest sites if they are asked for.
    pub fn fill(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        map: &mut DistanceMap,
    ) -> Result<(), DeviceError> {
        let distances = map.distances.view_mut();
        if let Some(Nearest::U32(nearest)) = &mut map.nearest {
            let maps = (distances, nearest.view_mut());
            return self.launch::<NearestSites>(stream, sites, maps);
        }
        let mut none = stream.alloc::<u32>(0)?;
        let maps = (distances, none.view_mut());
        if self.bounded && self.segmented && self.is_narrow() {
            self.launch::<NarrowBand>(stream, sites, maps)
        } else if self.bounded {
            self.launch::<BoundedDistances>(stream, sites, maps)
        } else {
            self.launch::<Distances>(stream, sites, maps)
        }
    }

    /// Whether the bound is so short that segments of lines know all that counts.
    fn is_narrow(&self) -> bool {
        let within = &self.metric.within;
        within.iter().all(|within| within.apart <= segment::NARROW)
    }

    fn launch<G: Goal>(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        maps: (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let HullLines { grid, .. } = self.lines;
        let words = self.lines.all_words() as usize;
        let reached = self.lines.reached(G::BOUNDED) as usize;
        let mut info = stream.alloc::<u32>(2 * words)?;
        let mut planes = stream.alloc::<u32>(grid.nz as usize)?;
        let mut reached = stream.alloc::<u32>(reached)?;
        let mut squared = stream.alloc::<u32>(32 * words)?;
        let near = Launch::pieces(grid.nz.into())
            .exactly_threads(hulls::near::threads(grid.ny))
            .dynamic_shared_bytes_per_thread(4 * row_words(self.lines.words()));
        let [along, _] = self.lines.launches(G::SEGMENTED);
        let [within, _] = self.metric.within;
        // SAFETY: there are as many words as rows have, two numbers for each, a number for each
        // plane, where there is a bound one for each 32 lines of each word of it, 32 costs for each
        // word, a distance for each voxel and a site where they are asked for; launches have the
        // blocks, the threads and the shared memory that the kernels ask for, and numbers fit.
        unsafe {
            let args = (sites.bits.view(), grid, info.view_mut(), planes.view_mut());
            stream.launch::<near_words>(near, args)?;
            let (known, has_sites) = (info.view(), planes.view());
            let (to, reaches) = (squared.view_mut(), reached.view_mut());
            match self.metric.along_y {
                None => {
                    let args = (known, has_sites, grid, within, to, reaches);
                    stream.launch::<along_y<G>>(along, args)?;
                }
                Some(spacing) => {
                    let args = (known, has_sites, grid, spacing, within, to, reaches);
                    stream.launch::<along_y_spaced<G>>(along, args)?;
                }
            }
            let planes = if G::BOUNDED { &reached } else { &planes };
            let from = [info.view(), squared.view(), planes.view()];
            let unit = self.metric.unit;
            match (self.metric.along_z, self.metric.short_unit()) {
                (None, Some(1.0)) => self.last::<u32, G>(stream, from, 1, maps),
                (None, _) => self.last::<f64, G>(stream, from, unit, maps),
                (Some(spacing), Some(unit)) => {
                    self.last_spaced::<f32, G>(stream, from, (spacing, unit), maps)
                }
                (Some(spacing), None) => {
                    self.last_spaced::<f64, G>(stream, from, (spacing, unit), maps)
                }
            }
        }
    }

    /// What counts in the last pass.
    fn last_within(&self) -> Within {
        if self.nearest {
            let [_, within] = self.metric.within;
            within
        } else {
            self.metric.within_distance(self.far)
        }
    }

    /// The last pass.
    ///
    /// # Safety
    /// What the kernels ask for: what is known of words, costs and planes, and maps.
    unsafe fn last<U: Side + Element, G: Goal>(
        &self,
        stream: &Stream,
        [info, squared, planes]: [View<'_, u32>; 3],
        unit: U,
        (distances, nearest): (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let ([_, along], within) = (self.lines.launches(G::SEGMENTED), self.last_within());
        let (grid, far) = (self.lines.grid, self.far);
        let args = (
            info, squared, planes, grid, unit, within, far, distances, nearest,
        );
        // SAFETY: the caller's promise, and the launch has the blocks that the kernel asks for.
        unsafe { stream.launch::<along_z<U, G>>(along, args) }
    }

    /// The last pass, of voxels that are no cubes.
    ///
    /// # Safety
    /// As [`last`](Self::last).
    unsafe fn last_spaced<U: Side + Element, G: Goal>(
        &self,
        stream: &Stream,
        [info, squared, planes]: [View<'_, u32>; 3],
        (spacing, unit): (Spacing, U),
        (distances, nearest): (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let ([_, along], within) = (self.lines.launches(G::SEGMENTED), self.last_within());
        let (grid, far) = (self.lines.grid, self.far);
        let args = (
            info, squared, planes, grid, spacing, unit, within, far, distances, nearest,
        );
        // SAFETY: the caller's promise, the launch has the blocks that the kernel asks for, and
        // numbers fit.
        unsafe { stream.launch::<along_z_spaced<U, G>>(along, args) }
    }
}

/// The lines of a grid, as blocks take them.
#[derive(Clone, Copy)]
struct HullLines {
    grid: Grid,
}

impl HullLines {
    /// Those of a grid with sides that hulls are for.
    fn of(grid: Grid) -> Option<Self> {
        let is_short = grid.nx.max(grid.ny).max(grid.nz) <= MOST;
        (is_short && grid.samples() != 0).then_some(Self { grid })
    }

    /// Words of a row.
    fn words(&self) -> u32 {
        self.grid.nx.div_ceil(32)
    }

    /// Words of all rows.
    fn all_words(&self) -> u64 {
        u64::from(self.words()) * u64::from(self.grid.ny) * u64::from(self.grid.nz)
    }

    /// Of how many lines of planes, 32 of each word at a time, it is known whether they have
    /// anything that counts, if there is a bound.
    fn reached(&self, bounded: bool) -> u64 {
        let Grid { ny, nz, .. } = self.grid;
        let of_plane = if bounded { tile::chunks(ny) } else { 0 };
        u64::from(self.words()) * u64::from(nz) * u64::from(of_plane)
    }

    /// Device memory for each word of a row, which has two numbers and 32 costs, and for what is
    /// reached.
    fn bytes(&self, bounded: bool) -> u64 {
        (self.all_words() * (2 + 32) + self.reached(bounded)) * 4
    }

    /// Launches over the lines along y and along z, or their segments.
    fn launches(&self, segmented: bool) -> [Launch; 2] {
        let Grid { ny, nz, .. } = self.grid;
        [(ny, nz), (nz, ny)].map(|(len, across)| {
            let (segments, places) = if segmented {
                (segment::segments(tile::chunks(len)), segment::places(len))
            } else {
                (1, len)
            };
            let blocks = u64::from(self.words()) * u64::from(across) * u64::from(segments);
            Launch::pieces(blocks)
                .exactly_threads(tile::threads(places))
                .dynamic_shared_bytes(tile::bytes(places))
        })
    }

    /// Whether a device is a GPU whose blocks can have the threads and the shared memory that lines
    /// take.
    fn suit(&self, device: &Device) -> bool {
        let limits: &DeviceLimits = device.limits();
        let len = self.grid.ny.max(self.grid.nz);
        let shared = limits
            .shared_bytes_per_multiprocessor
            .saturating_sub(limits.reserved_shared_bytes_per_block)
            .min(limits.shared_bytes_per_block_opt_in)
            .min(MAX_DYNAMIC_SHARED_BYTES);
        limits.threads_per_block > 1
            && tile::threads(len) <= limits.threads_per_block
            && tile::bytes(len) <= shared
    }
}
