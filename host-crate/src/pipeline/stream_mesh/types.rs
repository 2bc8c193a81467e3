//! Inputs, options, report and errors of a streamed mesh.

use crate::{
    device::{Device, DeviceError},
    error::ErrorKind,
    grid::{Geometry, SampleSummary, Selection},
    io::{FileError, MeshWriter, VolumeReader},
    isosurface::{IsosurfaceError, IsosurfaceParams, TopologyCounts},
    memory::OutOfMemory,
    monitor::{Cancelled, StageTime},
    pipeline::PositionEncoding,
};
use std::time::Duration;

/// Inputs and output of a streamed mesh.
pub struct StreamInputs<'a, 'v> {
    /// The devices; one may be named more than once.
    pub devices: &'a [Device],
    /// The volume.
    pub volume: &'a mut VolumeReader<'v>,
    /// Mask of the same grid, with samples of any type: cells with a corner where it is zero have
    /// no surface.
    pub mask: Option<&'a mut VolumeReader<'v>>,
    /// Writer of the mesh file. Without one the mesh is only counted.
    pub writer: Option<MeshWriter>,
    /// Parameters of the surface.
    pub params: &'a IsosurfaceParams,
    /// Options of the streaming.
    pub options: &'a StreamOptions,
}

/// Options of a streamed mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// Maximum bytes used on the host and on each device, or in total if the CPU is a device.
    /// `None` for half of the free memory. [`MeshWriter`] and [`VolumeReader`] need up to 50 MB in
    /// addition.
    pub memory: Option<u64>,
    /// Planes of cells per slab; `None` for a height chosen from the memory.
    pub slab_height: Option<u32>,
    /// Axis along which the volume is divided into slabs; `None` for z, or y if the memory does not
    /// suffice for planes along z.
    pub along: Option<SlabAxis>,
    /// Geometry that replaces the one of the file.
    pub geometry: Option<Geometry>,
    /// Encoding of the vertex positions.
    pub positions: PositionEncoding,
    /// Conversion of the samples before the surface is extracted. The isovalue of the parameters is
    /// compared with the converted samples.
    pub conversion: SampleConversion,
}

/// Conversion of stored samples to those that kernels read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SampleConversion {
    /// Samples keep their values; `i32` and `f64` are rounded to `f32`.
    #[default]
    AsStored,
    /// This value is subtracted from samples of `i32` and `f64` before they are rounded to `f32`.
    /// Other types keep their values.
    Subtract(f64),
    /// Selected samples become 1 and all others 0, as `u8`.
    Indicator(Selection),
}

/// Axis along which a volume is divided into slabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlabAxis {
    /// z: a slab is a contiguous range of the file.
    #[default]
    Z,
    /// y, for volumes with large planes: a slab consists of some rows of each plane.
    Y,
}

impl SlabAxis {
    /// Permutes values per axis so that the slab axis comes last.
    pub(super) fn turn<A>(self, [x, y, z]: [A; 3]) -> [A; 3] {
        match self {
            Self::Z => [x, y, z],
            Self::Y => [x, z, y],
        }
    }
}

/// Report of a streamed mesh.
#[derive(Clone, Debug)]
pub struct StreamReport {
    /// World position that the vertices are relative to before they are written; zero near the
    /// world origin.
    pub origin: [f64; 3],
    /// `true` if the mesh is closed.
    pub is_closed: bool,
    /// Number of vertices of the mesh.
    pub vertices: u64,
    /// Number of triangles of the mesh.
    pub triangles: u64,
    /// Number of cells that were left out because of a corner that is NaN or infinite.
    pub non_finite_cells: u64,
    /// Resolution of the ambiguous cells.
    pub topology: TopologyCounts,
    /// Statistics of the samples as they are stored in the file.
    pub samples: SampleSummary,
    /// Number of samples that were rounded to `f32`.
    pub inexact_samples: usize,
    /// Number of slabs.
    pub slabs: u64,
    /// Axis along which the volume was divided.
    pub along: SlabAxis,
    /// Work of each device.
    pub devices: Vec<StreamDevice>,
    /// Time spent reading. Reading, extraction and writing run concurrently.
    pub reading: Duration,
    /// Time spent writing, including the end of the file.
    pub writing: Duration,
}

/// Work of a device on a streamed mesh.
#[derive(Clone, Debug, Default)]
pub struct StreamDevice {
    /// Name of the device.
    pub device: String,
    /// Number of slabs that the device processed.
    pub slabs: u64,
    /// Number of parts of the mesh that the device extracted: more than slabs if slabs were divided
    /// to fit the memory.
    pub parts: u64,
    /// Total time of each stage on the device.
    pub stages: Vec<StageTime>,
}

/// Error of a streamed mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The extraction failed.
    #[error(transparent)]
    Isosurface(#[from] IsosurfaceError),
}

impl StreamError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Isosurface(error) => error.kind(),
        }
    }
}

impl From<OutOfMemory> for StreamError {
    fn from(error: OutOfMemory) -> Self {
        DeviceError::from(error).into()
    }
}

impl From<DeviceError> for StreamError {
    fn from(error: DeviceError) -> Self {
        Self::Isosurface(error.into())
    }
}

impl From<Cancelled> for StreamError {
    fn from(error: Cancelled) -> Self {
        DeviceError::from(error).into()
    }
}
