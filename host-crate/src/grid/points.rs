//! Sites anywhere.

use super::{Geometry, GridError};
use crate::device::{Buffer, DeviceError, Stream};

/// Points on a device, in voxels: the centre of voxel (x, y, z) is at these coordinates. Each has x, y and z. They may lie outside the
/// volume.
#[derive(Debug)]
pub struct DevicePoints {
    pub(crate) coordinates: Buffer<f32>,
    pub(crate) dims: [usize; 3],
    pub(crate) geometry: Geometry,
}

impl DevicePoints {
    /// Copies points to the stream's device, for a map of `dims` voxels that lie in the world as `geometry` says.
    ///
    /// # Errors
    /// [`GridError::Point`] for a coordinate that is not finite; those of the device.
    pub fn upload(
        stream: &Stream,
        points: &[[f32; 3]],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        for (number, &at) in points.iter().enumerate() {
            if at.iter().any(|coordinate| !coordinate.is_finite()) {
                return Err(GridError::Point { number, at });
            }
        }
        let coordinates = stream.upload(points.as_flattened())?;
        Ok(Self {
            coordinates,
            dims,
            geometry,
        })
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.coordinates.len() / 3
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Copies the points to the host. Waits for them.
    ///
    /// # Errors
    /// Those of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<[f32; 3]>, DeviceError> {
        let flat = stream.download(&self.coordinates)?;
        Ok(flat.as_chunks().0.to_vec())
    }
}
