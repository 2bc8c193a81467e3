//! What goes into a streamed mesh, and the report of it.

use crate::{
    device::{Device, DeviceError},
    grid::{Geometry, SampleSummary, Selection},
    io::{FileError, MeshWriter, VolumeReader},
    isosurface::{IsosurfaceError, IsosurfaceParams, TopologyCounts},
    memory::OutOfMemory,
    monitor::{Cancelled, StageTime},
};
use std::time::Duration;

/// What a mesh is made of, by which devices, and where it goes.
pub struct StreamInputs<'a, 'v> {
    /// The devices; one may be named more than once.
    pub devices: &'a [Device],
    /// The volume.
    pub volume: &'a mut VolumeReader<'v>,
    /// If given, has the same grid, and samples of any type: cells with a corner where it is zero
    /// emit nothing.
    pub mask: Option<&'a mut VolumeReader<'v>>,
    /// The mesh's file; without one the mesh is counted only.
    pub writer: Option<MeshWriter>,
    /// What surface it is.
    pub params: &'a IsosurfaceParams,
    /// How it is streamed.
    pub options: &'a StreamOptions,
}

/// How a volume is streamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// Bytes that the work may take of the host's memory, and of each device's; of one memory,
    /// where the CPU is a device. `None` is half of what is free. Beside these bytes there are what
    /// [`MeshWriter`] and [`VolumeReader`] need for themselves, some 50 MB.
    pub memory: Option<u64>,
    /// Planes of cells in a slab; `None` is as many as memory allows and as make sense.
    pub slab_height: Option<u32>,
    /// What slabs follow each other along; `None` is z, or y where memory is too little for the
    /// planes along z.
    pub along: Option<SlabAxis>,
    /// Where the samples are in the world, in place of what the file states.
    pub geometry: Option<Geometry>,
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

/// What slabs of a volume follow each other along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlabAxis {
    /// z: a slab is a run of samples in the file.
    #[default]
    Z,
    /// y, for planes of x and y that are too large: a slab is some rows of each z.
    Y,
}

impl SlabAxis {
    /// The sizes of a volume whose planes along z are the slabs' planes.
    pub(super) fn turn<A>(self, [x, y, z]: [A; 3]) -> [A; 3] {
        match self {
            Self::Z => [x, y, z],
            Self::Y => [x, z, y],
        }
    }
}

/// What was streamed.
#[derive(Clone, Debug)]
pub struct StreamReport {
    /// Vertices of the mesh.
    pub vertices: u64,
    /// Triangles of the mesh.
    pub triangles: u64,
    /// Cells left out because a corner of theirs is NaN or infinite.
    pub non_finite_cells: u64,
    /// What ambiguous cells were found to be.
    pub topology: TopologyCounts,
    /// The samples, as the file has them.
    pub samples: SampleSummary,
    /// Samples that were rounded to become `f32`.
    pub inexact_samples: usize,
    /// Slabs of the volume.
    pub slabs: u64,
    /// What they follow each other along.
    pub along: SlabAxis,
    /// What each device did.
    pub devices: Vec<StreamDevice>,
    /// How long slabs were read. Reading, extracting and writing go on at the same time.
    pub reading: Duration,
    /// How long parts of the mesh were written, the end of the file included.
    pub writing: Duration,
}

/// What a device did of a streamed volume.
#[derive(Clone, Debug, Default)]
pub struct StreamDevice {
    /// The device's name.
    pub device: String,
    /// Slabs that it worked on.
    pub slabs: u64,
    /// Parts of the mesh that it made: more than slabs where a part took more memory than there
    /// was.
    pub parts: u64,
    /// The time of each stage on the device, of all parts together.
    pub stages: Vec<StageTime>,
}

/// Why a volume was not streamed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A file cannot be read, or not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The extraction failed.
    #[error(transparent)]
    Isosurface(#[from] IsosurfaceError),
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
