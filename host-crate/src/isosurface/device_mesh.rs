//! A mesh on a device.

use super::{IsosurfaceParams, StageTime, StageTimes, TopologyCounts};
use crate::{
    device::{Buffer, DeviceError, Stream},
    mesh::{DeviceTriangles, TriangleMesh, threes},
};

/// A mesh on the device that made it.
pub struct DeviceMesh {
    /// x, y and z of each vertex, in world units.
    pub positions: Buffer<f32>,
    /// x, y and z of each vertex's outward unit normal, if asked for.
    pub normals: Option<Buffer<f32>>,
    /// The triangles.
    pub triangles: DeviceTriangles,
    /// How many cells were left out because a corner of theirs is NaN or infinite.
    pub non_finite_cells: u64,
    /// What ambiguous cells were found to be.
    pub topology: TopologyCounts,
    pub(super) times: StageTimes,
}

impl DeviceMesh {
    /// A mesh of nothing.
    pub(super) fn empty(stream: &Stream, params: &IsosurfaceParams) -> Result<Self, DeviceError> {
        Ok(Self {
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

    /// How many vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// How many triangles.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// How long each stage took on the device, where [`IsosurfaceParams::time_stages`] asked for
    /// that; else nothing. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the work failed.
    pub fn stage_times(&self) -> Result<Vec<StageTime>, DeviceError> {
        self.times.read()
    }

    /// The mesh on the host. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if it failed.
    pub fn download(&self, stream: &Stream) -> Result<TriangleMesh, DeviceError> {
        let triangles = self.triangles.download(stream)?;
        let normals = match &self.normals {
            Some(normals) => Some(threes(stream.download(normals)?)),
            None => None,
        };
        Ok(TriangleMesh {
            vertices: threes(stream.download(&self.positions)?),
            normals,
            triangles,
        })
    }
}
