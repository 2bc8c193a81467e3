//! The distance job and its outcome.

use super::{DistanceJobError, MapSamples, PlanePicture};
use crate::{
    device::{Device, DeviceError},
    distance::{DistanceParams, Method, SignConvention},
    grid::{Geometry, Inside},
    partition::memory_plan::{MemoryEstimate, MemoryPlan},
    pipeline::{Level, ObjectFilter, Timings, VolumeSource, Warning, paths::OutputKind},
};
use std::path::{Path, PathBuf};

/// Device memory per voxel while a map is computed in core, in bytes: its squared distance, and
/// either the input of the pass or the distance.
const DEVICE_BYTES_PER_VOXEL: u64 = 12;
/// Host memory per voxel, in bytes: its distance.
const HOST_BYTES_PER_VOXEL: u64 = 4;

/// A distance map to compute.
#[derive(Clone, Debug)]
pub struct DistanceJob {
    /// The volume that contains the sites, or with [`SitesFrom::Points`] the file of points, in
    /// which case its spacing and origin replace those of the grid.
    pub input: VolumeSource,
    /// The definition of the sites.
    pub sites: SitesFrom,
    /// Filter of the voxels that are sites, or inside the level. Labels can only be restricted to a
    /// mask, and points not at all.
    pub filter: ObjectFilter,
    /// The method. `None` selects the fastest exact method.
    pub method: Option<Method>,
    /// Computes signed distances, which are negative inside.
    pub signed: bool,
    /// The convention of signed distances. `None` selects [`SignConvention::Surface`] for an
    /// isovalue, and otherwise [`SignConvention::Opposite`]. Distances to crossings between voxels
    /// have the sign of their side of the level, and no convention.
    pub sign_convention: Option<SignConvention>,
    /// Truncates the map at this distance, in world units.
    pub max_distance: Option<f64>,
    /// The sample type of the map.
    pub samples: MapSamples,
    /// The volume file to write.
    pub output: Option<PathBuf>,
    /// The volume file of nearest sites (feature transform) to write: per voxel the linear index of
    /// the nearest site voxel (x fastest) or the number of the nearest point, and -1 if there is
    /// none. Among several points at one voxel centre it is the first; among equidistant voxels,
    /// the one with the smallest index.
    pub nearest: Option<PathBuf>,
    /// The picture of a plane to draw.
    pub picture: Option<PlanePicture>,
    /// The devices. Several compute slabs of the map in turn.
    pub devices: Vec<Device>,
    /// The limit of device memory in bytes, as in [`DistanceParams::memory`].
    pub memory: Option<u64>,
}

/// The sites that distances are measured to.
#[derive(Clone, Debug, PartialEq)]
pub enum SitesFrom {
    /// Non-zero voxels.
    Mask,
    /// The surface of a level.
    Level {
        /// The isovalue, or the selected samples.
        level: Level,
        /// The side of the level that is inside.
        inside: Inside,
        /// `true` selects the crossings of the level on grid edges as sites; `false` selects the
        /// inside voxels that have an outside face neighbour.
        sub_voxel: bool,
    },
    /// For each voxel, the voxels of any other label.
    Labels {
        /// Labels that are distinguished; others count as 0. `None` distinguishes all.
        labels: Option<Vec<i64>>,
    },
    /// The points of a file, in world coordinates.
    Points {
        /// The grid of the map.
        grid: PointGrid,
        /// Rejects points outside the grid, which are otherwise sites like all others.
        strict: bool,
    },
}

/// The grid of a distance map of points.
#[derive(Clone, Debug, PartialEq)]
pub enum PointGrid {
    /// The grid of a volume file, of which only the header is read.
    Like(PathBuf),
    /// The number of voxels along x, y and z.
    Dims([usize; 3]),
}

/// The result of a distance job.
#[derive(Clone, Debug)]
pub struct DistanceOutcome {
    /// Number of voxels along x, y and z.
    pub dims: [usize; 3],
    /// The grid's position in world coordinates.
    pub geometry: Geometry,
    /// The isovalue, if the sites are those of a level that is one.
    pub iso: Option<f64>,
    /// Number of sites, or for labels the number of voxels with a face neighbour of another label.
    pub sites: u64,
    /// Number of points outside the grid.
    pub outside: u64,
    /// The method that computed the map.
    pub method: Method,
    /// `true` if distances are exact up to rounding to f32.
    pub exact: bool,
    /// The minimum and maximum of the finite distances.
    pub range: Option<[f32; 2]>,
    /// The distance between adjacent isolines of the picture.
    pub isoline_step: Option<f32>,
    /// Peak memory of the buffers of each device, in bytes.
    pub peak_bytes: Vec<u64>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// The time per stage.
    pub timings: Timings,
}

impl DistanceJob {
    /// Creates a job for a map of f32 distances on the best device, without outputs.
    pub fn new(input: VolumeSource, sites: SitesFrom) -> Self {
        Self {
            input,
            sites,
            filter: ObjectFilter::default(),
            method: None,
            signed: false,
            sign_convention: None,
            max_distance: None,
            samples: MapSamples::F32,
            output: None,
            nearest: None,
            picture: None,
            devices: vec![Device::best()],
            memory: None,
        }
    }

    /// Returns the paths of the files that are read.
    pub fn inputs(&self) -> Vec<&Path> {
        let mut inputs = vec![self.input.path.as_path()];
        if let SitesFrom::Points { grid, .. } = &self.sites
            && let PointGrid::Like(volume) = grid
        {
            inputs.push(volume);
        }
        inputs.extend(self.filter.inputs());
        inputs
    }

    /// Returns the paths of the files that are written.
    pub fn outputs(&self) -> Vec<(&Path, OutputKind)> {
        let volumes = self.output.iter().chain(&self.nearest);
        let volumes = volumes.map(|path| (path.as_path(), OutputKind::Volume));
        let picture = self.picture.iter();
        let picture = picture.map(|it| (it.path.as_path(), OutputKind::Picture));
        volumes.chain(picture).collect()
    }

    /// Returns the convention of the signed distances, or `None` for unsigned ones.
    pub fn sign(&self) -> Option<SignConvention> {
        let default = match self.sites {
            SitesFrom::Level { level, .. } if level.is_isovalue() => SignConvention::Surface,
            _ => SignConvention::Opposite,
        };
        let convention = self.sign_convention.unwrap_or(default);
        self.signed.then_some(convention)
    }

    /// Rejects options that exclude each other.
    pub(super) fn check(&self) -> Result<(), DistanceJobError> {
        let is_squared = self.samples != MapSamples::F32;
        let from_labels = self.sites_are_labels();
        let conflicts = [
            (
                self.signed && self.sites_are_points(),
                "points have no inside, so distances to them cannot be signed",
            ),
            (
                !self.signed && self.sign_convention.is_some(),
                "a sign convention requires signed distances",
            ),
            (
                self.sign_convention.is_some() && self.has_subvoxel_sites(),
                "distances to crossings between voxels have the sign of their side of the level; \
                 omit the sign convention",
            ),
            (
                from_labels && self.sign().is_some_and(|it| it != SignConvention::Opposite),
                "signed distances between labels are distances to the nearest voxel with another \
                 label; use the sign convention opposite",
            ),
            (
                self.signed && is_squared,
                "squared distances have no sign; write signed distances as f32",
            ),
            (
                is_squared && self.has_subvoxel_sites(),
                "squared distances to points are not integers; write the map as f32",
            ),
            (
                self.has_subvoxel_sites() && !self.filter.keeps_all(),
                "a mask, the largest component and filled cavities concern voxels, but the sites are \
                 points or crossings between voxels",
            ),
            (
                from_labels && (self.filter.largest || self.filter.fill_cavities),
                "labels are measured as they are; select one label to fill cavities or keep the largest \
                 component",
            ),
            (
                from_labels && self.nearest.is_some(),
                "a label volume has no map of nearest sites; request nearest sites of a mask, level or \
                 points",
            ),
        ];
        if let Some(&(_, reason)) = conflicts.iter().find(|(applies, _)| *applies) {
            return Err(DistanceJobError::Conflict(reason));
        }
        if self.devices.is_empty() {
            return Err(DistanceJobError::NoDevice);
        }
        if self.sites_are_points() {
            // Decided after the points are read.
            Ok(())
        } else {
            self.check_slabs()
        }
    }

    /// Rejects options that need the map in core if slabs are required.
    pub(super) fn check_slabs(&self) -> Result<(), DistanceJobError> {
        match self.in_core_only() {
            Some(output) if self.requires_slabs() => {
                Err(DistanceJobError::SlabsUnsupported { output })
            }
            _ => Ok(()),
        }
    }

    /// Returns the first option that needs the map in core, if any.
    fn in_core_only(&self) -> Option<&'static str> {
        let conflicts = [
            (self.nearest.is_some(), "the file of nearest sites"),
            (self.sites_are_labels(), "the map of labels"),
            (
                self.samples != MapSamples::F32,
                "the sample type u16 or u32",
            ),
        ];
        let first = conflicts.iter().find(|(applies, _)| *applies);
        first.map(|&(_, output)| output)
    }

    /// Returns `true` if a map of voxels must be computed slab by slab: with several devices or a
    /// memory limit.
    pub(super) fn requires_slabs(&self) -> bool {
        self.is_separable() && (self.memory.is_some() || self.devices.len() > 1)
    }

    /// Returns `true` if the sites may be voxels and the method is separable.
    fn is_separable(&self) -> bool {
        let sites_are_crossings = self.has_subvoxel_sites() && !self.sites_are_points();
        !sites_are_crossings && self.method.unwrap_or_default() == Method::Separable
    }

    /// Returns `true` if the map of voxels on one device can also be computed slab by slab.
    pub(super) fn can_use_slabs(&self) -> bool {
        self.devices.len() == 1 && self.is_separable() && self.in_core_only().is_none()
    }

    /// Chooses whether a map of voxels is computed in core or slab by slab: the latter with several
    /// devices or a memory limit, or if the map exceeds the free memory.
    pub(super) fn memory_plan(&self, dims: [usize; 3]) -> Result<MemoryPlan, DeviceError> {
        if self.requires_slabs() {
            return Ok(MemoryPlan::InParts);
        }
        if !self.can_use_slabs() {
            return Ok(MemoryPlan::InCore);
        }
        let voxels = dims
            .iter()
            .fold(1, |all: u64, &n| all.saturating_mul(n as u64));
        let estimate = MemoryEstimate {
            host: voxels.saturating_mul(HOST_BYTES_PER_VOXEL),
            device: voxels.saturating_mul(DEVICE_BYTES_PER_VOXEL + self.second_map_bytes()),
        };
        Ok(if estimate.exceeds_free(&self.devices)? {
            MemoryPlan::InParts
        } else {
            MemoryPlan::InCore
        })
    }

    /// Returns the device memory of a second map, in bytes per voxel, or 0 if there is none.
    fn second_map_bytes(&self) -> u64 {
        if self.sign() == Some(SignConvention::Opposite) {
            4
        } else {
            0
        }
    }

    /// Returns `true` if distances are measured between labels.
    pub(super) fn sites_are_labels(&self) -> bool {
        matches!(self.sites, SitesFrom::Labels { .. })
    }

    fn sites_are_points(&self) -> bool {
        matches!(self.sites, SitesFrom::Points { .. })
    }

    /// Returns `true` if sites may lie between voxel centres.
    fn has_subvoxel_sites(&self) -> bool {
        matches!(
            self.sites,
            SitesFrom::Points { .. }
                | SitesFrom::Level {
                    sub_voxel: true,
                    ..
                }
        )
    }

    /// Returns the parameters of the distance transform.
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
