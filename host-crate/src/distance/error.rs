//! Errors of distance transforms.

use super::Method;
use crate::{
    device::DeviceError,
    error::ErrorKind,
    grid::{GridError, Shear},
    memory::OutOfMemory,
    partition::memory_plan::MemoryError,
    partition::{OnDevice, TooLittleMemory, devices::Stop},
};

/// Error of a distance transform.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DistanceError {
    /// There are no sites.
    #[error("there are no sites to measure distances to; check the mask or the level")]
    NoSites,
    /// All voxels are in the mask whose signed distances are requested.
    #[error(
        "all voxels are inside, so there is no distance to a voxel outside; check the mask or the level"
    )]
    NoVoxelsOutside,
    /// The maximum distance is not positive.
    #[error("the maximum distance is {found}; give a number greater than 0")]
    InvalidMaxDistance {
        /// Maximum distance, in world units.
        found: f64,
    },
    /// The method does not support points as sites.
    #[error("method {} requires voxels as sites, not points; use bucketed or brute-force", .method.name())]
    PointsUnsupported {
        /// Method.
        method: Method,
    },
    /// The method requires orthogonal axes.
    #[error("{shear}, but method {} requires orthogonal axes; use separable, bucketed or brute-force", .method.name())]
    ObliqueUnsupported {
        /// Method.
        method: Method,
        /// Pair of axes and their deviation from a right angle.
        shear: Shear,
    },
    /// Integer squared distances require orthogonal axes.
    #[error(
        "{shear}, so squared distances are not integers; compute distances as f32, or resample the volume to a grid with orthogonal axes"
    )]
    SquaredOblique {
        /// Pair of axes and their deviation from a right angle.
        shear: Shear,
    },
    /// The method does not compute nearest sites.
    #[error("method {} does not compute nearest sites; use separable or brute-force", .method.name())]
    NearestUnsupported {
        /// Method.
        method: Method,
    },
    /// Map and mask have different dimensions.
    #[error("the map has {map:?} voxels, but the mask has {mask:?}; use a mask of the same grid")]
    GridMismatch {
        /// Number of voxels of the map along x, y and z.
        map: [usize; 3],
        /// Number of voxels of the mask along x, y and z.
        mask: [usize; 3],
    },
    /// The limit of device memory is too small.
    #[error(transparent)]
    Memory(#[from] TooLittleMemory),
    /// The method does not compute maps in slabs.
    #[error("method {} does not compute maps in slabs; use separable", .method.name())]
    SlabsUnsupported {
        /// Method.
        method: Method,
    },
    /// Nearest sites are not available in slabs.
    #[error("nearest sites are not available in slabs; compute the entire map on one device")]
    NearestUnsupportedBySlabs,
    /// Parts of distance maps require orthogonal axes.
    #[error(
        "{shear}, but distance maps in parts require orthogonal axes; use slabs, or resample the volume"
    )]
    PartOblique {
        /// Pair of axes and their deviation from a right angle.
        shear: Shear,
    },
    /// Indices or numbers of sites of a part exceed 32 bits.
    #[error(
        "planes of {} x {} voxels have too many voxels or sites for a distance map in parts; use fewer planes per part",
        dims[0], dims[1]
    )]
    PartTooLarge {
        /// Number of voxels along x and y.
        dims: [usize; 2],
    },
    /// Envelopes belong to different grids.
    #[error(
        "envelopes of {:?} columns with spacing {:?} do not fit {:?} columns with spacing {:?}; use parts of one volume",
        dims[0], spacing[0], dims[1], spacing[1]
    )]
    EnvelopeMismatch {
        /// Numbers of columns along x and y of both.
        dims: [[usize; 2]; 2],
        /// Spacings along x, y and z of both.
        spacing: [[f64; 3]; 2],
    },
    /// The lists of envelopes are inconsistent.
    #[error(
        "{columns} ends and {sites} sites are not the envelopes of {} x {} columns; pass the lists of an envelope unchanged",
        dims[0], dims[1]
    )]
    InvalidEnvelopes {
        /// Number of ends.
        columns: usize,
        /// Number of sites.
        sites: usize,
        /// Number of columns along x and y.
        dims: [usize; 2],
    },
    /// The list of devices is empty.
    #[error("no devices given; pass at least one")]
    NoDevices,
    /// One of several devices failed.
    #[error(transparent)]
    OnDevice(#[from] OnDevice<DistanceError>),
    /// All voxels have the same label.
    #[error("all voxels have label {label}, so there is no distance to another label")]
    SingleLabel {
        /// Label.
        label: f32,
    },
    /// The method does not support labels.
    #[error("method {} does not support labels; use separable, or a mask of one label", .method.name())]
    LabelsUnsupported {
        /// Method.
        method: Method,
    },
    /// Nearest sites are not available for labels.
    #[error(
        "nearest-site indices are not available for label maps; omit them, or process one label at a time"
    )]
    NearestUnsupportedForLabels,
    /// The method does not compute integer squared distances.
    #[error("method {} does not compute integer squared distances; use separable", .method.name())]
    SquaredUnsupported {
        /// Method.
        method: Method,
    },
    /// Nearest sites are not available with squared distances.
    #[error(
        "nearest-site indices are not available with squared distances; compute distances as f32"
    )]
    NearestUnsupportedForSquared,
    /// The spacings have no common integer unit.
    #[error(
        "squared distances are not integers at spacing {}, {}, {}, which are not small multiples of a common length; compute distances as f32",
        spacing[0], spacing[1], spacing[2]
    )]
    SquaredNotIntegral {
        /// Spacing along x, y and z.
        spacing: [f64; 3],
    },
    /// A squared distance exceeds its type.
    #[error(
        "the largest squared distance is {largest} (in squares of {unit}), which does not fit in {name}; use {}, or truncate distances at {max_distance}",
        if *.name == "u16" { "u32" } else { "distances as f32" }
    )]
    SquaredTooLarge {
        /// Largest squared distance, or the squared maximum distance.
        largest: u64,
        /// Length whose square is 1.
        unit: f64,
        /// Name of the type.
        name: &'static str,
        /// Largest maximum distance for which all values fit, a whole number of units.
        max_distance: f64,
    },
    /// The sites could not be created.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl DistanceError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::PointsUnsupported { .. }
            | Self::ObliqueUnsupported { .. }
            | Self::SquaredOblique { .. }
            | Self::NearestUnsupported { .. }
            | Self::SlabsUnsupported { .. }
            | Self::NearestUnsupportedBySlabs
            | Self::PartOblique { .. }
            | Self::LabelsUnsupported { .. }
            | Self::NearestUnsupportedForLabels
            | Self::SquaredUnsupported { .. }
            | Self::NearestUnsupportedForSquared => ErrorKind::Unsupported,
            Self::Memory(_) => ErrorKind::Memory,
            Self::OnDevice(error) => error.source.kind(),
            Self::Grid(error) => error.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<DistanceError> for Stop<DistanceError> {
    fn from(error: DistanceError) -> Self {
        Self::Failed(error)
    }
}

impl From<OutOfMemory> for DistanceError {
    fn from(error: OutOfMemory) -> Self {
        DeviceError::from(error).into()
    }
}

impl MemoryError for DistanceError {
    fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OnDevice(error) => error.source.is_out_of_memory(),
            Self::Grid(GridError::Device(error)) => error.is_out_of_memory(),
            Self::Device(error) => error.is_out_of_memory(),
            _ => false,
        }
    }
}
