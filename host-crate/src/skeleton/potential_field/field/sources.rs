//! What exerts forces.

use super::Targets;
use crate::{
    device::{Buffer, Stream, rows, rows_launch},
    grid::{DevicePoints, Geometry, Metric},
    skeleton::{SkeletonError, potential_field::VoxelClasses},
};
use ferrovox_kernels::skeleton::field::{WorldMetric, compute_surface_weights};

/// Points that exert forces, on a device: all alike, or each with a weight that its force is
/// multiplied by.
///
/// Weights only matter where voxels are no cubes. There a surface voxel stands for more area where
/// the surface lies across an axis of small spacing, and without weights the sides of an object
/// with more voxels would push harder.
#[derive(Debug)]
pub struct Sources {
    pub(super) points: DevicePoints,
    /// One for each point, or none.
    pub(super) weights: Buffer<f32>,
}

impl Sources {
    /// Points that are all alike.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn new(stream: &Stream, points: DevicePoints) -> Result<Self, SkeletonError> {
        Ok(Self {
            points,
            weights: stream.alloc(0)?,
        })
    }

    /// The surface voxels of a solid; where voxels are no cubes, with the areas that they stand for
    /// as weights, in the area of the surface in a grid of cubes of the smallest spacing.
    ///
    /// Work is proportional to the voxels of the grid. It takes 16 bytes of device memory for each
    /// surface voxel, and 12 bytes for each word of the mask while it is made. Synchronises the
    /// stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_surface(stream: &Stream, classes: &VoxelClasses) -> Result<Self, SkeletonError> {
        let surface = &classes.surface;
        let sources = Self::new(stream, DevicePoints::from_sites(stream, surface)?)?;
        let (metric, _) = Metric::snapped(&surface.geometry);
        if metric.is_of_cubes() {
            return Ok(sources);
        }
        let solid = classes.solid(stream)?;
        let known = Targets::new(stream, surface)?;
        let mut weights = stream.alloc::<f32>(sources.points.len())?;
        let bits = surface.layout();
        let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
        // SAFETY: the masks have the words of the grid, and there is a weight for each voxel of the
        // surface.
        unsafe {
            let args = (
                solid.bits.view(),
                surface.bits.view(),
                known.before.view(),
                bits,
                rows,
                world_metric(&metric),
                weights.view_mut(),
            );
            stream.launch::<compute_surface_weights>(rows_launch(rows), args)?;
        }
        Ok(Self { weights, ..sources })
    }

    /// Where they are.
    pub fn points(&self) -> &DevicePoints {
        &self.points
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The weight of each point; of points that are all alike none. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn weights(&self, stream: &Stream) -> Result<Vec<f32>, SkeletonError> {
        Ok(stream.download(&self.weights)?)
    }

    /// Where voxels are in the world.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.points.geometry
    }
}

/// The way from voxels to the world.
pub(super) fn world_metric(metric: &Metric) -> WorldMetric {
    let [x, y, z] = metric.upper();
    WorldMetric {
        upper: [x[0], x[1], x[2], y[1], y[2], z[2]],
    }
}
