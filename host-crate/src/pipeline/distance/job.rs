//! The job of a distance map, and its outcome.

use super::{DistanceJobError, MapSamples, PlanePicture};
use crate::{
    device::{Device, DeviceError},
    distance::{DistanceParams, Method},
    grid::{Geometry, Inside},
    partition::memory_plan::{MemoryEstimate, MemoryPlan},
    pipeline::{Level, Timings, VolumeSource, Warning, paths::OutputKind},
};
use std::path::{Path, PathBuf};

/// Bytes per voxel on the device while a map is computed in core: its squared distance, and the
/// input of that or the distance.
const DEVICE_BYTES_PER_VOXEL: u64 = 12;
/// Bytes per voxel on the host: its distance.
const HOST_BYTES_PER_VOXEL: u64 = 4;

/// A distance map to make.
#[derive(Clone, Debug)]
pub struct DistanceJob {
    /// The volume with the sites. With [`SitesFrom::Points`] the file of points; its spacing and
    /// origin stand in for those of the grid.
    pub input: VolumeSource,
    /// What the sites are.
    pub sites: SitesFrom,
    /// How the map is made; `None` chooses what is exact, and then what is quick.
    pub method: Option<Method>,
    /// Distances inside are negative: inside the level, or enclosed by the mask.
    pub signed: bool,
    /// The largest distance of interest, in world units: where it is farther to a site, the map has
    /// this.
    pub max_distance: Option<f64>,
    /// What the samples of the map are.
    pub samples: MapSamples,
    /// The volume file to write.
    pub output: Option<PathBuf>,
    /// A volume file to write of the nearest site of each voxel: its linear index (x fastest) or
    /// the point's number, -1 where there is none. Of several points in one voxel's centre it is
    /// the first; of voxels at the same distance the one with the smallest index.
    pub nearest: Option<PathBuf>,
    /// A picture of a plane to draw.
    pub picture: Option<PlanePicture>,
    /// Where to run. Several make slabs of the map in turn.
    pub devices: Vec<Device>,
    /// The most device memory that may be taken, in bytes, as [`DistanceParams::memory`].
    pub memory: Option<u64>,
}

/// What distances are measured to.
#[derive(Clone, Debug, PartialEq)]
pub enum SitesFrom {
    /// The voxels that are not zero.
    Mask,
    /// The surface of a level.
    Level {
        /// Isovalue, or the samples whose surface is meant.
        level: Level,
        /// Side of the level on which inside is.
        inside: Inside,
        /// `true` for the points on grid edges where the level is crossed; `false` for the voxels
        /// inside that have a neighbour outside.
        sub_voxel: bool,
    },
    /// For each voxel those of another label.
    Labels,
    /// The points of a file, in world coordinates.
    Points {
        /// The map's grid.
        grid: PointGrid,
        /// Whether points outside the grid are an error; else they count.
        strict: bool,
    },
}

/// The grid of a map of points.
#[derive(Clone, Debug, PartialEq)]
pub enum PointGrid {
    /// That of a volume file, of which the header is read.
    Like(PathBuf),
    /// So many voxels along x, y and z.
    Dims([usize; 3]),
}

/// A map that was made.
#[derive(Clone, Debug)]
pub struct DistanceOutcome {
    /// Voxels along x, y and z.
    pub dims: [usize; 3],
    /// Their place in the world.
    pub geometry: Geometry,
    /// How many sites; with labels how many voxels beside another label.
    pub sites: u64,
    /// Points outside the grid.
    pub outside: u64,
    /// How the map was made.
    pub method: Method,
    /// Whether distances are exact, but for the rounding to f32.
    pub exact: bool,
    /// The least and the greatest finite distance.
    pub range: Option<[f32; 2]>,
    /// What lies between two isolines of the picture.
    pub isoline_step: Option<f32>,
    /// Bytes that the buffers of each of the job's devices held at most.
    pub peak_bytes: Vec<u64>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long each stage took.
    pub timings: Timings,
}

impl DistanceJob {
    /// A map of f32 on the best device, of which nothing is written yet.
    pub fn new(input: VolumeSource, sites: SitesFrom) -> Self {
        Self {
            input,
            sites,
            method: None,
            signed: false,
            max_distance: None,
            samples: MapSamples::F32,
            output: None,
            nearest: None,
            picture: None,
            devices: vec![Device::best()],
            memory: None,
        }
    }

    /// The files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let mut inputs = vec![self.input.path.as_path()];
        if let SitesFrom::Points { grid, .. } = &self.sites
            && let PointGrid::Like(volume) = grid
        {
            inputs.push(volume);
        }
        inputs
    }

    /// The files that are written.
    pub fn outputs(&self) -> Vec<(&Path, OutputKind)> {
        let volumes = self.output.iter().chain(&self.nearest);
        let volumes = volumes.map(|path| (path.as_path(), OutputKind::Volume));
        let picture = self.picture.iter();
        let picture = picture.map(|it| (it.path.as_path(), OutputKind::Picture));
        volumes.chain(picture).collect()
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self) -> Result<(), DistanceJobError> {
        let are_squares = self.samples != MapSamples::F32;
        let are_labels = self.sites == SitesFrom::Labels;
        let refused = [
            (
                self.signed && (are_labels || self.has_points_only()),
                "points and labels have no inside, so that no distance is negative",
            ),
            (
                self.signed && are_squares,
                "squares have no sign, so that no distance is negative",
            ),
            (
                are_squares && self.may_be_fractional(),
                "squared distances to points are no whole numbers",
            ),
            (
                are_labels && self.nearest.is_some(),
                "the nearest voxel of another label is not found",
            ),
        ];
        if let Some(&(_, why)) = refused.iter().find(|(is_asked, _)| *is_asked) {
            return Err(DistanceJobError::Conflict(why));
        }
        if self.devices.is_empty() {
            return Err(DistanceJobError::NoDevice);
        }
        match self.has_points_only() {
            // known when the points have been read
            true => Ok(()),
            false => self.check_slabs(),
        }
    }

    /// Refuses what cannot be done by slabs, if the map is made by slabs.
    pub(super) fn check_slabs(&self) -> Result<(), DistanceJobError> {
        match self.needs_whole() {
            Some(what) if self.is_by_slabs() => Err(DistanceJobError::NeedsWhole { what }),
            _ => Ok(()),
        }
    }

    /// What cannot be done by slabs, if anything.
    fn needs_whole(&self) -> Option<&'static str> {
        let refused = [
            (self.nearest.is_some(), "the file of nearest sites"),
            (self.sites == SitesFrom::Labels, "the map of labels"),
            (
                self.samples != MapSamples::F32,
                "the sample type u16 or u32",
            ),
        ];
        let first = refused.iter().find(|(is_asked, _)| *is_asked);
        first.map(|&(_, what)| what)
    }

    /// Whether a map of voxels is made by slabs: by several devices, or in a limit of memory.
    pub(super) fn is_by_slabs(&self) -> bool {
        self.is_separable() && (self.memory.is_some() || self.devices.len() > 1)
    }

    /// Whether the sites may be voxels, and lines of them are worked on.
    fn is_separable(&self) -> bool {
        let is_sub_voxel = self.may_be_fractional() && !self.has_points_only();
        !is_sub_voxel && self.method.unwrap_or_default() == Method::Separable
    }

    /// Returns `true` if the map of voxels on one device can be computed slab by slab as well.
    pub(super) fn can_be_by_slabs(&self) -> bool {
        self.devices.len() == 1 && self.is_separable() && self.needs_whole().is_none()
    }

    /// Chooses whether a map of voxels is computed in core or slab by slab: the latter if several
    /// devices or a limit of memory are given, or if the map in core exceeds the free memory.
    pub(super) fn memory_plan(&self, dims: [usize; 3]) -> Result<MemoryPlan, DeviceError> {
        if self.is_by_slabs() {
            return Ok(MemoryPlan::InParts);
        }
        if !self.can_be_by_slabs() {
            return Ok(MemoryPlan::InCore);
        }
        let voxels = dims
            .iter()
            .fold(1, |all: u64, &n| all.saturating_mul(n as u64));
        let estimate = MemoryEstimate {
            host: voxels.saturating_mul(HOST_BYTES_PER_VOXEL),
            device: voxels.saturating_mul(DEVICE_BYTES_PER_VOXEL),
        };
        Ok(if estimate.exceeds_free(&self.devices)? {
            MemoryPlan::InParts
        } else {
            MemoryPlan::InCore
        })
    }

    fn has_points_only(&self) -> bool {
        matches!(self.sites, SitesFrom::Points { .. })
    }

    /// Whether sites may be between the centres of voxels.
    fn may_be_fractional(&self) -> bool {
        matches!(
            self.sites,
            SitesFrom::Points { .. }
                | SitesFrom::Level {
                    sub_voxel: true,
                    ..
                }
        )
    }

    /// The parameters of the map.
    pub(super) fn params(&self, method: Method) -> DistanceParams {
        DistanceParams {
            method,
            max_distance: self.max_distance,
            nearest: self.nearest.is_some(),
            memory: self.memory,
            ..DistanceParams::default()
        }
    }
}
