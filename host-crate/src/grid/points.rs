//! Points at arbitrary positions relative to a grid.

use super::{Geometry, GridError};
use crate::device::{Buffer, DeviceError, Stream};
use crate::memory::{self, OutOfMemory};
use nalgebra::Point3;

/// Purpose of the memory of points, quoted in errors.
const POINTS: &str = "points";

/// Points relative to a grid, on the host, with coordinates in voxels. They may lie outside the
/// grid.
///
/// ```
/// use ferrovox::grid::{Geometry, Points};
///
/// let geometry = Geometry::from_spacing([0.5, 0.5, 2.0], [10.0, 0.0, 0.0])?;
/// let points = Points::from_world(&[[11.0, 0.25, 2.0].into()], [4, 4, 4], geometry)?;
/// assert_eq!(points.coordinates(), [[2.0, 0.5, 1.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    coordinates: Vec<[f32; 3]>,
    dims: [usize; 3],
    geometry: Geometry,
    outside: OutsidePoints,
}

/// Points outside all voxels of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutsidePoints {
    /// Number of such points.
    pub count: u64,
    /// Index of the first one.
    pub first: Option<usize>,
}

impl Points {
    /// Creates points from world coordinates, for a grid of `dims` voxels positioned by `geometry`.
    ///
    /// # Errors
    /// [`GridError::Point`] for a coordinate that is not finite, [`GridError::FarPoint`] for one
    /// that is not finite as voxels of f32.
    pub fn from_world(
        points: &[Point3<f64>],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let mut result = Self::with_capacity(points.len(), dims, geometry)?;
        for (number, &point) in points.iter().enumerate() {
            if point.iter().any(|coordinate| !coordinate.is_finite()) {
                let at = <[f64; 3]>::from(point).map(|coordinate| coordinate as f32);
                return Err(GridError::Point { number, at });
            }
            let in_voxels: [f64; 3] = geometry.world_to_index(point).into();
            result.push(in_voxels);
            if result.coordinates[number].iter().any(|it| !it.is_finite()) {
                let at = point.into();
                return Err(GridError::FarPoint { number, at });
            }
        }
        Ok(result)
    }

    /// Creates points from voxel coordinates: the centre of voxel (x, y, z) has the coordinates (x,
    /// y, z).
    ///
    /// # Errors
    /// [`GridError::Point`] for a coordinate that is not finite.
    pub fn from_voxels(
        points: &[[f32; 3]],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        check(points)?;
        let mut result = Self::with_capacity(points.len(), dims, geometry)?;
        points.iter().for_each(|at| result.push(at.map(f64::from)));
        Ok(result)
    }

    /// Creates an empty set of points with memory for `capacity` of them.
    fn with_capacity(
        capacity: usize,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, DeviceError> {
        let mut coordinates = Vec::new();
        memory::try_reserve(POINTS, &mut coordinates, capacity)?;
        Ok(Self {
            coordinates,
            dims,
            geometry,
            outside: OutsidePoints::default(),
        })
    }

    fn push(&mut self, at: [f64; 3]) {
        let is_inside = (0..3).all(|k| at[k] >= -0.5 && at[k] <= self.dims[k] as f64 - 0.5);
        if !is_inside {
            self.outside.count += 1;
            self.outside.first.get_or_insert(self.coordinates.len());
        }
        self.coordinates
            .push(at.map(|coordinate| coordinate as f32));
    }

    /// Returns the coordinates, in voxels.
    pub fn coordinates(&self) -> &[[f32; 3]] {
        &self.coordinates
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Returns `true` if there are no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Returns the number of voxels of the grid along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the grid in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the points that lie more than half a voxel outside the outer voxel centres along an
    /// axis.
    pub fn outside(&self) -> OutsidePoints {
        self.outside
    }

    /// Returns the linear index of the voxel of each point, x fastest, if every point is at the
    /// centre of a voxel of the grid, that is, if its coordinates are whole numbers. Otherwise
    /// returns `None`.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Points};
    ///
    /// let on = |at| Points::from_voxels(&[[0.0; 3], at], [4, 4, 4], Geometry::default());
    /// assert_eq!(on([3.0, 1.0, 0.0])?.voxels(), Some(vec![0, 7]));
    /// assert_eq!(on([3.0, 1.5, 0.0])?.voxels(), None);
    /// assert_eq!(on([4.0, 1.0, 0.0])?.voxels(), None);
    /// # Ok::<(), ferrovox::grid::GridError>(())
    /// ```
    ///
    /// # Panics
    /// If memory runs out; [`try_voxels`](Self::try_voxels) returns an error instead.
    pub fn voxels(&self) -> Option<Vec<u64>> {
        let voxels = self.try_voxels();
        voxels.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the voxels of the points as [`voxels`](Self::voxels).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn try_voxels(&self) -> Result<Option<Vec<u64>>, OutOfMemory> {
        // a whole f32 inside the grid is a voxel index, and -0 is 0
        let axis = |at: f32, n: usize| {
            let is_centre = at.fract() == 0.0 && at >= 0.0 && f64::from(at) < n as f64;
            is_centre.then_some(at as u64)
        };
        let [nx, ny, nz] = self.dims;
        let index = |&[x, y, z]: &[f32; 3]| {
            let (x, y, z) = (axis(x, nx)?, axis(y, ny)?, axis(z, nz)?);
            Some(x + nx as u64 * (y + ny as u64 * z))
        };
        if self.coordinates.iter().any(|at| index(at).is_none()) {
            return Ok(None);
        }
        let mut voxels = Vec::new();
        memory::try_reserve(POINTS, &mut voxels, self.coordinates.len())?;
        voxels.extend(self.coordinates.iter().filter_map(index));
        Ok(Some(voxels))
    }

    /// Copies the points to a device.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn upload(&self, stream: &Stream) -> Result<DevicePoints, GridError> {
        DevicePoints::from_voxels(stream, &self.coordinates, self.dims, self.geometry)
    }
}

/// Fails for a point whose coordinates are not finite.
fn check(points: &[[f32; 3]]) -> Result<(), GridError> {
    for (number, &at) in points.iter().enumerate() {
        if at.iter().any(|coordinate| !coordinate.is_finite()) {
            return Err(GridError::Point { number, at });
        }
    }
    Ok(())
}

/// Points on a device, in voxels: x, y and z of each. The centre of voxel (x, y, z) has the
/// coordinates (x, y, z). Points may lie outside the grid.
#[derive(Debug)]
pub struct DevicePoints {
    pub(crate) coordinates: Buffer<f32>,
    pub(crate) dims: [usize; 3],
    pub(crate) geometry: Geometry,
}

impl DevicePoints {
    /// Copies points in voxel coordinates to the device of the stream, for a map of `dims` voxels
    /// positioned by `geometry`. For world coordinates use [`Points::from_world`] and
    /// [`Points::upload`].
    ///
    /// # Errors
    /// [`GridError::Point`] for a coordinate that is not finite; errors of the device.
    pub fn from_voxels(
        stream: &Stream,
        points: &[[f32; 3]],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        check(points)?;
        let coordinates = stream.upload(points.as_flattened())?;
        Ok(Self {
            coordinates,
            dims,
            geometry,
        })
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.coordinates.len() / 3
    }

    /// Returns `true` if there are no points.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// Copies the points to the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<[f32; 3]>, DeviceError> {
        let flat = stream.download(&self.coordinates)?;
        Ok(memory::try_copy(POINTS, flat.as_chunks().0)?)
    }
}
