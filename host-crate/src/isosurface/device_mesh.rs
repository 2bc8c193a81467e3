//! A mesh on a device.

use super::{IsosurfaceParams, StageTime, StageTimes, TopologyCounts};
use crate::{
    device::{Buffer, DeviceError, Stream},
    mesh::{TriangleMesh, Triangles},
};

/// Triangles on a device: three vertex indices each.
#[derive(Debug)]
pub enum DeviceTriangles {
    /// 32-bit indices.
    U32(Buffer<u32>),
    /// 64-bit indices, for more than 2³² − 1 vertices or triangles.
    U64(Buffer<u64>),
}

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
            times: StageTimes::start(stream)?,
        })
    }

    /// How many vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// How many triangles.
    pub fn triangle_count(&self) -> usize {
        match &self.triangles {
            DeviceTriangles::U32(indices) => indices.len() / 3,
            DeviceTriangles::U64(indices) => indices.len() / 3,
        }
    }

    /// How long each stage took on the device. Synchronises the stream.
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
        let triangles = match &self.triangles {
            DeviceTriangles::U32(indices) => Triangles::U32(threes(stream.download(indices)?)),
            DeviceTriangles::U64(indices) => Triangles::U64(threes(stream.download(indices)?)),
        };
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

/// Three numbers each, without a copy.
fn threes<T: bytemuck::Pod>(flat: Vec<T>) -> Vec<[T; 3]> {
    bytemuck::allocation::try_cast_vec(flat).unwrap_or_else(|(_, flat)| {
        // a capacity that is no multiple of three
        flat.chunks_exact(3)
            .map(|three| [three[0], three[1], three[2]])
            .collect()
    })
}
