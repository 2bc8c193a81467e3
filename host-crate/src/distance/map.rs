//! The result.

use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{Geometry, Volume},
};

/// For each voxel the index of its nearest site: the linear index of a voxel (x fastest), or the number of a point. All ones where
/// there is none within the bound.
#[derive(Debug)]
pub enum Nearest {
    /// For up to 2³² − 1 voxels or points.
    U32(Buffer<u32>),
    /// For more.
    U64(Buffer<u64>),
}

/// A distance map on the device that made it.
#[derive(Debug)]
pub struct DistanceMap {
    /// The distance of each voxel, x fastest, in world units.
    pub distances: Buffer<f32>,
    /// The nearest site of each voxel, if asked for.
    pub nearest: Option<Nearest>,
    pub(super) dims: [usize; 3],
    pub(super) geometry: Geometry,
}

impl DistanceMap {
    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The distances on the host. Waits for them.
    ///
    /// # Errors
    /// Those of the device.
    pub fn download(&self, stream: &Stream) -> Result<Volume<f32>, DeviceError> {
        let samples = stream.download(&self.distances)?;
        Ok(Volume::new(samples, self.dims, self.geometry).expect("as many as there are voxels"))
    }
}
