//! Meshes in device memory.

use super::{IsosurfaceParams, StageTime, StageTimes, TopologyCounts};
use crate::{
    device::{Buffer, DeviceError, Stream},
    mesh::{DeviceTriangles, TriangleMesh, group_triples},
};

/// A mesh in the memory of the device that extracted it.
pub struct DeviceMesh {
    /// World position that vertex positions are relative to:
    /// [`Geometry::local_origin`](crate::grid::Geometry::local_origin) of the volume.
    pub origin: [f64; 3],
    /// Coordinates x, y and z of each vertex relative to `origin`, in world units.
    pub positions: Buffer<f32>,
    /// Components x, y and z of each vertex's outward unit normal, if requested.
    pub normals: Option<Buffer<f32>>,
    /// Vertex indices of the triangles.
    pub triangles: DeviceTriangles,
    /// Number of cells omitted because a corner is NaN or infinite.
    pub non_finite_cells: u64,
    /// Statistics of ambiguous cells.
    pub topology: TopologyCounts,
    pub(super) times: StageTimes,
}

impl DeviceMesh {
    /// Creates a mesh without vertices and triangles.
    pub(super) fn empty(
        stream: &Stream,
        origin: [f64; 3],
        params: &IsosurfaceParams,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            origin,
            positions: stream.alloc(0)?,
            normals: if params.normals {
                Some(stream.alloc(0)?)
            } else {
                None
            },
            triangles: DeviceTriangles::U32(stream.alloc(0)?),
            non_finite_cells: 0,
            topology: TopologyCounts::default(),
            times: StageTimes::start(stream, params.time_stages)?,
        })
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// Returns the number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Returns the time of each stage on the device if [`IsosurfaceParams::time_stages`] is set,
    /// else an empty list. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the extraction failed.
    pub fn stage_times(&self) -> Result<Vec<StageTime>, DeviceError> {
        self.times.read()
    }

    /// Downloads the mesh. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the extraction or the download failed.
    pub fn download(&self, stream: &Stream) -> Result<TriangleMesh, DeviceError> {
        let triangles = self.triangles.download(stream)?;
        let normals = match &self.normals {
            Some(normals) => Some(group_triples(stream.download(normals)?)),
            None => None,
        };
        Ok(TriangleMesh {
            origin: self.origin,
            vertices: group_triples(stream.download(&self.positions)?),
            normals,
            triangles,
        })
    }
}
