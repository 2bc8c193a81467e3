//! Maps by lower hulls of chunks: which there are, and how they are launched.

use super::weights::{Unit, Weights};
use crate::{
    device::{Device, DeviceError, Element, Launch, Stream},
    distance::{DistanceMap, DistanceParams, Nearest},
    grid::DeviceMask,
    occupancy::DeviceLimits,
};
use cuda_std::{Kernel, ViewMut};
use ferrovox_kernels::{
    distance::hulls::{
        self, BoundedDistances, Distances, Goal, MOST, NearestSites, Unit as Side, Within, along_y,
        along_z, near_words, row_words, tile,
    },
    grid::Grid,
};
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// A map of a whole volume that is made by hulls.
pub(super) struct Hulls {
    grid: Grid,
    /// The side of a voxel.
    side: f64,
    /// The distance where there is no site.
    far: f32,
    /// What counts.
    within: Within,
    bounded: bool,
    nearest: bool,
}

impl Hulls {
    /// The map that is asked for, if it is one of those: of voxels that are cubes, with sides that hulls are for, on a
    /// GPU whose blocks have room for lines and within a limit of memory, where no [`LaunchOverride`](crate::device::LaunchOverride) asks for other blocks. All
    /// others are made by [`Parts`](super::Parts).
    ///
    /// On the CPU barriers between the warps of a block cost more than hulls save.
    pub fn choose(
        device: &Device,
        grid: Grid,
        unit: &Unit,
        params: &DistanceParams,
    ) -> Option<Self> {
        let limits = device.limits();
        let is_gpu = limits.threads_per_block > 1;
        let hulls = Self::of(grid, unit, params)?;
        let fits = params.memory.is_none_or(|limit| hulls.bytes() <= limit);
        let is_overridden = [
            near_words::entry(),
            along_y::<Distances>::entry(),
            along_y::<BoundedDistances>::entry(),
            along_y::<NearestSites>::entry(),
            along_z::<u32, Distances>::entry(),
            along_z::<f64, Distances>::entry(),
            along_z::<u32, BoundedDistances>::entry(),
            along_z::<f64, BoundedDistances>::entry(),
            along_z::<u32, NearestSites>::entry(),
            along_z::<f64, NearestSites>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        (is_gpu && fits && hulls.has_room(limits) && !is_overridden).then_some(hulls)
    }

    /// The same whatever the device and its memory.
    pub fn of(grid: Grid, unit: &Unit, params: &DistanceParams) -> Option<Self> {
        let cubes = matches!(unit.weights, Weights::U32([1, 1, 1]));
        let short = grid.nx.max(grid.ny).max(grid.nz) <= MOST;
        (cubes && short && grid.samples() != 0).then_some(Self {
            grid,
            side: unit.far.unit,
            far: unit.far.distance,
            within: Within::squared(unit.largest_squared()),
            bounded: params.max_distance.is_some(),
            nearest: params.nearest,
        })
    }

    /// Words of a row.
    fn words(&self) -> u32 {
        self.grid.nx.div_ceil(32)
    }

    /// Words of all rows.
    fn all_words(&self) -> u64 {
        u64::from(self.words()) * u64::from(self.grid.ny) * u64::from(self.grid.nz)
    }

    /// Planes of words, of each of which is known whether it has anything within the bound.
    fn reached(&self) -> u64 {
        if self.bounded || self.nearest {
            u64::from(self.words()) * u64::from(self.grid.nz)
        } else {
            0
        }
    }

    /// Device memory besides the sites and the map: for each word of a row two numbers, and 32 costs.
    fn bytes(&self) -> u64 {
        (self.all_words() * (2 + 32) + u64::from(self.grid.nz) + self.reached()) * 4
    }

    /// Whether blocks can have the threads and the shared memory that lines take.
    fn has_room(&self, limits: &DeviceLimits) -> bool {
        let len = self.grid.ny.max(self.grid.nz);
        let shared = limits
            .shared_bytes_per_multiprocessor
            .saturating_sub(limits.reserved_shared_bytes_per_block)
            .min(limits.shared_bytes_per_block_opt_in)
            .min(MAX_DYNAMIC_SHARED_BYTES);
        tile::threads(len) <= limits.threads_per_block && tile::bytes(len) <= shared
    }

    /// Launches that fill the map, which has nearest sites if they are asked for.
    pub fn fill(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        map: &mut DistanceMap,
    ) -> Result<(), DeviceError> {
        if self.side == 1.0 {
            self.fill_by(stream, sites, 1u32, map)
        } else {
            self.fill_by(stream, sites, self.side, map)
        }
    }

    fn fill_by<U: Side + Element>(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        side: U,
        map: &mut DistanceMap,
    ) -> Result<(), DeviceError> {
        let distances = map.distances.view_mut();
        if let Some(Nearest::U32(nearest)) = &mut map.nearest {
            let maps = (distances, nearest.view_mut());
            return self.launch::<U, NearestSites>(stream, sites, side, maps);
        }
        let mut none = stream.alloc::<u32>(0)?;
        let maps = (distances, none.view_mut());
        if self.bounded {
            self.launch::<U, BoundedDistances>(stream, sites, side, maps)
        } else {
            self.launch::<U, Distances>(stream, sites, side, maps)
        }
    }

    fn launch<U: Side + Element, G: Goal>(
        &self,
        stream: &Stream,
        sites: &DeviceMask,
        side: U,
        (distances, nearest): (ViewMut<'_, f32>, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let grid = self.grid;
        let words = self.all_words() as usize;
        let mut info = stream.alloc::<u32>(2 * words)?;
        let mut planes = stream.alloc::<u32>(grid.nz as usize)?;
        let mut reached = stream.alloc::<u32>(self.reached() as usize)?;
        let mut squared = stream.alloc::<u32>(32 * words)?;
        let near = Launch::pieces(grid.nz.into())
            .exactly_threads(hulls::near::threads(grid.ny))
            .dynamic_shared_bytes_per_thread(4 * row_words(self.words()));
        let along = |len: u32, across: u32| {
            Launch::pieces(u64::from(self.words()) * u64::from(across))
                .exactly_threads(tile::threads(len))
                .dynamic_shared_bytes(tile::bytes(len))
        };
        // SAFETY: there are as many words as rows have, two numbers for each, a number for each plane, where there is a bound one for each word of it, 32 costs for
        // each word, a distance for each voxel and a site where they are asked for; launches have the blocks, the threads and the shared memory that the kernels
        // ask for.
        unsafe {
            let args = (sites.bits.view(), grid, info.view_mut(), planes.view_mut());
            stream.launch::<near_words>(near, args)?;
            let args = (
                info.view(),
                planes.view(),
                grid,
                self.within,
                squared.view_mut(),
                reached.view_mut(),
            );
            stream.launch::<along_y<G>>(along(grid.ny, grid.nz), args)?;
            let planes = if G::BOUNDED { &reached } else { &planes };
            let args = (
                info.view(),
                squared.view(),
                planes.view(),
                grid,
                side,
                self.within,
                self.far,
                distances,
                nearest,
            );
            stream.launch::<along_z<U, G>>(along(grid.nz, grid.ny), args)
        }
    }
}
