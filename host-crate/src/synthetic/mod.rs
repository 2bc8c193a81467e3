//! Synthetic volumes, generated on the device: test input for the pipelines.
//!
//! ```
//! use ferrovox::{device::Device, synthetic};
//!
//! let stream = Device::best().stream()?;
//! let sphere = synthetic::sphere(&stream, [64, 64, 64], 20.0)?;
//! assert_eq!(sphere.dims(), [64, 64, 64]);
//! # Ok::<(), ferrovox::device::DeviceError>(())
//! ```

mod human;

pub use human::{HUMAN_HEIGHT, human};

use crate::{
    device::{DeviceError, Element, Stream, rows, rows_launch},
    grid::{DeviceVolume, Geometry, kernel_grid},
};
use ferrovox_kernels::{
    grid::Grid,
    rows::Rows,
    synthetic::{Scaling, fill_capsules, fill_gyroid, fill_metaballs, fill_sphere, fill_sphere_as},
};
use std::ops::Range;

pub use ferrovox_kernels::synthetic::{Levels, Quantised};

/// Ball of a metaball field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metaball {
    /// Centre, in voxels.
    pub centre: [f32; 3],
    /// Distance at which the density of the ball alone is 1, in voxels.
    pub radius: f32,
}

/// Generates the radius minus the distance from the centre of the volume: a sphere at isovalue 0,
/// inside above.
///
/// # Errors
/// The errors of an allocation.
pub fn sphere(
    stream: &Stream,
    dims: [usize; 3],
    radius: f32,
) -> Result<DeviceVolume<f32>, DeviceError> {
    let (grid, sample_rows) = extent(stream, dims)?;
    let mut samples = stream.alloc::<f32>(grid.samples() as usize)?;
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    // SAFETY: `samples` has an element for every grid point, and the rows cover them.
    unsafe {
        let args = (grid, sample_rows, centre, radius, samples.view_mut());
        stream.launch::<fill_sphere>(rows_launch(sample_rows), args)?;
    }
    DeviceVolume::from_buffer(samples, dims, Geometry::default())
}

/// Generates the sphere in another sample type, at isovalue `levels.offset`. No volume of `f32` is
/// allocated.
///
/// ```
/// use ferrovox::{device::Device, synthetic::{self, Levels}};
///
/// let stream = Device::best().stream()?;
/// let levels = Levels { scale: 8.0, offset: 127.5 };
/// let sphere = synthetic::sphere_as::<u8>(&stream, [9, 9, 9], 2.0, levels)?;
/// let samples = stream.download(sphere.samples())?;
/// assert_eq!((samples[0], samples[4 + 9 * (4 + 9 * 4)]), (88, 144));
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
///
/// # Errors
/// The errors of an allocation.
pub fn sphere_as<T: Quantised + Element>(
    stream: &Stream,
    dims: [usize; 3],
    radius: f32,
    levels: Levels,
) -> Result<DeviceVolume<T>, DeviceError> {
    let (grid, sample_rows) = extent(stream, dims)?;
    let mut samples = stream.alloc::<T>(grid.samples() as usize)?;
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    // SAFETY: `samples` has an element for every grid point, and the rows cover them.
    unsafe {
        let args = (
            grid,
            sample_rows,
            centre,
            radius,
            levels,
            samples.view_mut(),
        );
        stream.launch::<fill_sphere_as<T>>(rows_launch(sample_rows), args)?;
    }
    DeviceVolume::from_buffer(samples, dims, Geometry::default())
}

/// Converts a volume to another sample type: an isosurface at 0 becomes one at `levels.offset`.
///
/// # Errors
/// The errors of an allocation, and [`DeviceError::WrongDevice`].
pub fn quantise<T: Quantised + Element>(
    stream: &Stream,
    volume: &DeviceVolume<f32>,
    levels: Levels,
) -> Result<DeviceVolume<T>, DeviceError> {
    let (grid, sample_rows) = extent(stream, volume.dims())?;
    stream.check_device(volume.samples())?;
    let mut samples = stream.alloc::<T>(volume.samples().len())?;
    // SAFETY: both buffers have an element for every grid point and are on this device, and the
    // rows cover them.
    unsafe {
        let args = (
            grid,
            sample_rows,
            levels,
            volume.samples().view(),
            samples.view_mut(),
        );
        stream
            .launch::<ferrovox_kernels::synthetic::quantise<T>>(rows_launch(sample_rows), args)?;
    }
    DeviceVolume::from_buffer(samples, volume.dims(), *volume.geometry())
}

/// Generates Schoen's gyroid, `sin z cos y + sin y cos x + sin x cos z`, with coordinates from 0 to
/// `extent_along_axis` along each axis.
///
/// The benchmarks use an extent of 12 π and isovalue 0.
///
/// # Errors
/// The errors of an allocation.
pub fn gyroid(
    stream: &Stream,
    dims: [usize; 3],
    extent_along_axis: f64,
) -> Result<DeviceVolume<f32>, DeviceError> {
    gyroid_planes(stream, dims, extent_along_axis, 0..dims[2])
}

/// Generates some planes of the [`gyroid`] of `dims` samples, at their position in the world:
/// several devices can each generate a slab of a volume that exceeds the memory of one.
///
/// ```
/// use ferrovox::{device::Device, synthetic};
///
/// let stream = Device::cpu().stream()?;
/// let whole = stream.download(synthetic::gyroid(&stream, [8; 3], 9.0)?.samples())?;
/// let slab = synthetic::gyroid_planes(&stream, [8; 3], 9.0, 3..5)?;
/// assert_eq!(stream.download(slab.samples())?, whole[3 * 64..5 * 64]);
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
///
/// # Errors
/// The errors of an allocation.
pub fn gyroid_planes(
    stream: &Stream,
    dims: [usize; 3],
    extent_along_axis: f64,
    planes: Range<usize>,
) -> Result<DeviceVolume<f32>, DeviceError> {
    let first = planes.start as i64;
    let ranges = [0..dims[0], 0..dims[1], planes];
    let slab_dims = ranges.clone().map(|range| range.len());
    let (grid, sample_rows) = extent(stream, slab_dims)?;
    let mut samples = stream.alloc::<f32>(grid.samples() as usize)?;
    let coordinates = dims.into_iter().zip(ranges).flat_map(|(n, range)| {
        let step = if n > 1 {
            extent_along_axis / (n - 1) as f64
        } else {
            0.0
        };
        range.map(move |i| (i as f64 * step) as f32 as f64)
    });
    let (sines, cosines): (Vec<f32>, Vec<f32>) = coordinates
        .map(|c| (c.sin() as f32, c.cos() as f32))
        .unzip();
    let (sines, cosines) = (stream.upload(&sines)?, stream.upload(&cosines)?);
    // SAFETY: the buffers have an element for every grid point and every coordinate, and the rows
    // cover the grid points.
    unsafe {
        let args = (
            grid,
            sample_rows,
            sines.view(),
            cosines.view(),
            samples.view_mut(),
        );
        stream.launch::<fill_gyroid>(rows_launch(sample_rows), args)?;
    }
    let geometry = Geometry::default().shifted([0, 0, first]);
    DeviceVolume::from_buffer(samples, slab_dims, geometry)
}

/// Generates the density of metaballs, the sum of `r² / d²` over all balls: isovalue 1 joins balls
/// that are close to each other.
///
/// # Errors
/// The errors of an allocation.
pub fn metaballs(
    stream: &Stream,
    dims: [usize; 3],
    balls: &[Metaball],
) -> Result<DeviceVolume<f32>, DeviceError> {
    let (grid, sample_rows) = extent(stream, dims)?;
    let mut samples = stream.alloc::<f32>(grid.samples() as usize)?;
    let flat: Vec<f32> = balls
        .iter()
        .flat_map(|ball| [ball.centre[0], ball.centre[1], ball.centre[2], ball.radius])
        .collect();
    let flat = stream.upload(&flat)?;
    // SAFETY: the buffers have an element for every grid point and four per ball, and the rows
    // cover the grid points.
    unsafe {
        let args = (grid, sample_rows, flat.view(), samples.view_mut());
        stream.launch::<fill_metaballs>(rows_launch(sample_rows), args)?;
    }
    DeviceVolume::from_buffer(samples, dims, Geometry::default())
}

/// Capsule whose radius may differ between its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// End points of the axis.
    pub ends: [[f32; 3]; 2],
    /// Radius at each end.
    pub radii: [f32; 2],
}

/// Generates the depth inside a smooth union of capsules: a body at isovalue 0, inside above. Where
/// capsules are closer than `blend`, their union is rounded. Voxel (0, 0, 0) is at `offset`, and
/// neighbouring voxels are `scale` apart along each axis.
///
/// # Errors
/// The errors of an allocation.
pub fn capsules(
    stream: &Stream,
    dims: [usize; 3],
    capsules: &[Capsule],
    blend: f32,
    scale: [f32; 3],
    offset: [f32; 3],
) -> Result<DeviceVolume<f32>, DeviceError> {
    let (grid, sample_rows) = extent(stream, dims)?;
    let mut samples = stream.alloc::<f32>(grid.samples() as usize)?;
    let flat: Vec<f32> = capsules
        .iter()
        .flat_map(|capsule| {
            let [[ax, ay, az], [bx, by, bz]] = capsule.ends;
            let [a, b] = capsule.radii;
            [ax, ay, az, a, bx, by, bz, b]
        })
        .collect();
    let flat = stream.upload(&flat)?;
    let scaling = Scaling { scale, offset };
    // SAFETY: the buffers have an element for every grid point and eight per capsule, and the rows
    // cover the grid points.

    unsafe {
        let blend = blend.max(f32::MIN_POSITIVE);
        let args = (
            grid,
            sample_rows,
            scaling,
            flat.view(),
            blend,
            samples.view_mut(),
        );
        stream.launch::<fill_capsules>(rows_launch(sample_rows), args)?;
    }
    DeviceVolume::from_buffer(samples, dims, Geometry::default())
}

fn extent(stream: &Stream, dims: [usize; 3]) -> Result<(Grid, Rows), DeviceError> {
    let grid = kernel_grid(dims)?;
    let samples = dims
        .iter()
        .try_fold(1usize, |product, &n| product.checked_mul(n));
    if samples.is_none() {
        return Err(DeviceError::TooLarge {
            len: usize::MAX,
            size: size_of::<f32>(),
        });
    }
    Ok((grid, rows(stream, [grid.nx, grid.ny, grid.nz], 1)))
}
