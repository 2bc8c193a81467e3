//! Volumes on a device.

use crate::{
    device::{Borrowed, Buffer, DeviceError, Element, Stream},
    grid::{Geometry, Volume, VolumeView, sample_count},
};
use ferrovox_kernels::{grid::Grid, isosurface::interpolate::IndexToWorld, sample::Sample};

/// Sample types that kernels read directly: `u8`, `i8`, `u16`, `i16`, `f32`.
pub trait DeviceSample: Sample + Element {}

impl<T: Sample + Element> DeviceSample for T {}

/// Samples on a device, x fastest, and their position in the world. Several pipelines can use one
/// volume.
#[derive(Debug)]
pub struct DeviceVolume<T> {
    samples: Buffer<T>,
    grid: Grid,
    geometry: Geometry,
}

/// Returns the grid of `dims` samples for kernels, which index axes with 32 bits.
///
/// # Errors
/// [`DeviceError::TooLarge`] if an axis has more than 2³² − 1 samples, or if the number of samples
/// overflows.
pub(crate) fn kernel_grid(dims: [usize; 3]) -> Result<Grid, DeviceError> {
    let axis = |len: usize| u32::try_from(len).map_err(|_| DeviceError::TooLarge { len, size: 1 });
    let too_large = |_| DeviceError::TooLarge {
        len: usize::MAX,
        size: 1,
    };
    sample_count(dims).map_err(too_large)?;
    Ok(Grid {
        nx: axis(dims[0])?,
        ny: axis(dims[1])?,
        nz: axis(dims[2])?,
    })
}

impl<T: DeviceSample> DeviceVolume<T> {
    /// Copies a volume to the device of the stream, without a conversion.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`]; [`DeviceError::TooLarge`] if an axis has more than 2³² − 1
    /// samples.
    pub fn upload(stream: &Stream, volume: VolumeView<'_, T>) -> Result<Self, DeviceError>
    where
        T: crate::grid::Sample,
    {
        let grid = kernel_grid(volume.dims())?;
        let samples = stream.upload(volume.samples())?;
        Ok(Self {
            samples,
            grid,
            geometry: *volume.geometry(),
        })
    }

    /// Moves a volume to the device of the stream: on the CPU without a copy, as
    /// [`Stream::upload_vec`] does.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    pub fn from_volume(stream: &Stream, volume: Volume<T>) -> Result<Self, DeviceError>
    where
        T: crate::grid::Sample,
    {
        let (dims, geometry) = (volume.dims(), *volume.geometry());
        Self::from_buffer(stream.upload_vec(volume.into_samples())?, dims, geometry)
    }

    /// Creates a volume whose samples are those of `volume`, on the CPU without a copy if they are
    /// aligned to 16 bytes, otherwise as [`upload`](Self::upload) does.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    pub fn borrow<'a>(
        stream: &Stream,
        volume: VolumeView<'a, T>,
    ) -> Result<Borrowed<'a, Self>, DeviceError>
    where
        T: crate::grid::Sample,
    {
        let geometry = *volume.geometry();
        let samples = stream.borrow(volume.samples())?;
        Self::from_borrowed(samples, volume.dims(), geometry)
    }

    /// Creates a volume from borrowed samples, for instance in
    /// [memory of another library](Stream::borrow_device_memory).
    ///
    /// # Errors
    /// The errors of [`from_buffer`](Self::from_buffer).
    pub fn from_borrowed(
        samples: Borrowed<'_, Buffer<T>>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Borrowed<'_, Self>, DeviceError> {
        samples.try_map(|samples| Self::from_buffer(samples, dims, geometry))
    }

    /// Creates a volume from samples on a device.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] if there are not `nx · ny · nz` samples,
    /// [`DeviceError::TooLarge`] if an axis has more than 2³² − 1 samples.
    pub fn from_buffer(
        samples: Buffer<T>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, DeviceError> {
        let grid = kernel_grid(dims)?;
        let expected = usize::try_from(grid.samples()).unwrap_or(usize::MAX);
        if samples.len() != expected {
            return Err(DeviceError::LengthMismatch {
                from: samples.len(),
                to: expected,
            });
        }
        Ok(Self {
            samples,
            grid,
            geometry,
        })
    }

    /// Returns the samples.
    pub fn samples(&self) -> &Buffer<T> {
        &self.samples
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [
            self.grid.nx as usize,
            self.grid.ny as usize,
            self.grid.nz as usize,
        ]
    }

    /// Returns the position of the samples in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the numbering of samples, cells and edges for kernels.
    pub fn grid(&self) -> Grid {
        self.grid
    }
}

/// Converts a geometry for kernels.
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

/// Returns the matrix that maps gradients per voxel to world gradients, up to scale: the transposed
/// inverse of the linear part, row by row, with a largest component of 1.
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
