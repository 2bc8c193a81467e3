//! A volume on a device.

use crate::{
    device::{Buffer, DeviceError, Element, Stream},
    grid::{Geometry, VolumeView},
};
use ferrovox_kernels::{grid::Grid, isosurface::interpolate::IndexToWorld, sample::Sample};

/// A sample type that kernels read as it is: `u8`, `i8`, `u16`, `i16`, `f32`.
pub trait DeviceSample: Sample + Element {}

impl<T: Sample + Element> DeviceSample for T {}

/// Samples on a device, x fastest, with their place in the world. Several pipelines can use one.
#[derive(Debug)]
pub struct DeviceVolume<T> {
    samples: Buffer<T>,
    grid: Grid,
    geometry: Geometry,
}

/// A volume whose axes kernels can count.
///
/// # Errors
/// [`DeviceError::TooLarge`] if an axis has more than 2³² − 1 samples.
pub(crate) fn grid_of(dims: [usize; 3]) -> Result<Grid, DeviceError> {
    let axis = |len: usize| u32::try_from(len).map_err(|_| DeviceError::TooLarge { len, size: 1 });
    Ok(Grid {
        nx: axis(dims[0])?,
        ny: axis(dims[1])?,
        nz: axis(dims[2])?,
    })
}

impl<T: DeviceSample> DeviceVolume<T> {
    /// Copies a volume to the stream's device: one transfer of the samples as they are.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`]; [`DeviceError::TooLarge`] if an axis has more than 2³² − 1
    /// samples.
    pub fn upload(stream: &Stream, volume: VolumeView<'_, T>) -> Result<Self, DeviceError>
    where
        T: crate::grid::Sample,
    {
        let grid = grid_of(volume.dims())?;
        let samples = stream.upload(volume.samples())?;
        Ok(Self {
            samples,
            grid,
            geometry: *volume.geometry(),
        })
    }

    /// Takes samples that are on a device already.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] if there are not `nx · ny · nz` of them,
    /// [`DeviceError::TooLarge`] as above.
    pub fn from_buffer(
        samples: Buffer<T>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, DeviceError> {
        let grid = grid_of(dims)?;
        let wanted = usize::try_from(grid.samples()).unwrap_or(usize::MAX);
        if samples.len() != wanted {
            return Err(DeviceError::LengthMismatch {
                from: samples.len(),
                to: wanted,
            });
        }
        Ok(Self {
            samples,
            grid,
            geometry,
        })
    }

    /// The samples.
    pub fn samples(&self) -> &Buffer<T> {
        &self.samples
    }

    /// Samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [
            self.grid.nx as usize,
            self.grid.ny as usize,
            self.grid.nz as usize,
        ]
    }

    /// Where the samples are in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The numbering of samples, cells and edges, as kernels take it.
    pub fn grid(&self) -> Grid {
        self.grid
    }
}

/// The geometry as kernels take it.
pub(crate) fn index_to_world(geometry: &Geometry) -> IndexToWorld {
    let axes = geometry.axes();
    let origin = geometry.origin();
    let mut matrix = [0.0; 9];
    for row in 0..3 {
        for column in 0..3 {
            matrix[row * 3 + column] = axes[(row, column)];
        }
    }
    IndexToWorld {
        matrix,
        translation: [origin.x, origin.y, origin.z],
    }
}

/// The matrix that takes gradients per voxel to the directions of world gradients: the transpose of
/// the inverse of the linear part, row by row, scaled to a largest component of 1.
pub(crate) fn gradient_to_world(geometry: &Geometry) -> [f32; 9] {
    let inverse = geometry
        .axes()
        .try_inverse()
        .unwrap_or_else(nalgebra::Matrix3::identity);
    let largest = inverse.amax();
    let mut matrix = [0.0; 9];
    for row in 0..3 {
        for column in 0..3 {
            matrix[row * 3 + column] = (inverse[(column, row)] / largest) as f32;
        }
    }
    matrix
}
