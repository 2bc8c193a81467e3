//! Sources of the force.

use super::Targets;
use crate::{
    device::{Buffer, Stream, rows, rows_launch},
    grid::{DevicePoints, Geometry, Metric},
    skeleton::{SkeletonError, potential_field::VoxelClasses},
};
use ferrovox_kernels::skeleton::field::{WorldMetric, compute_surface_weights};

/// Points that exert a force, on a device, optionally weighted.
///
/// Weights are used for anisotropic or oblique voxels only. There, a surface voxel represents more
/// area where the surface is normal to an axis of small spacing; without weights, the sides of an
/// object with more voxels would repel more strongly.
#[derive(Debug)]
pub struct Sources {
    pub(super) points: DevicePoints,
    /// One weight per point, or empty.
    pub(super) weights: Buffer<f32>,
}

impl Sources {
    /// Creates sources of equal weight.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn new(stream: &Stream, points: DevicePoints) -> Result<Self, SkeletonError> {
        Ok(Self {
            points,
            weights: stream.alloc(0)?,
        })
    }

    /// Creates sources from the surface voxels of a solid. For anisotropic or oblique voxels their
    /// weights are the areas that they represent, relative to those on a grid of cubic voxels of
    /// the smallest spacing.
    ///
    /// Takes time proportional to the number of voxels of the grid, 16 bytes of device memory per
    /// surface voxel, and temporarily 12 bytes per word of the mask. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_surface(stream: &Stream, classes: &VoxelClasses) -> Result<Self, SkeletonError> {
        let surface = &classes.surface;
        let sources = Self::new(stream, DevicePoints::from_mask(stream, surface)?)?;
        let (metric, _) = Metric::snapped(&surface.geometry);
        if metric.is_cubic() {
            return Ok(sources);
        }
        let solid = classes.solid(stream)?;
        let targets = Targets::new(stream, surface)?;
        let mut weights = stream.alloc::<f32>(sources.points.len())?;
        let bits = surface.layout();
        let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
        // SAFETY: the masks have the words of the grid, and there is one weight per surface voxel.
        unsafe {
            let args = (
                solid.bits.view(),
                surface.bits.view(),
                targets.before.view(),
                bits,
                rows,
                world_metric(&metric),
                weights.view_mut(),
            );
            stream.launch::<compute_surface_weights>(rows_launch(rows), args)?;
        }
        Ok(Self { weights, ..sources })
    }

    /// Returns the positions.
    pub fn points(&self) -> &DevicePoints {
        &self.points
    }

    /// Returns the number of sources.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns `true` if there are no sources.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the weight of each source, or an empty list if all weights are equal. Synchronises
    /// the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn weights(&self, stream: &Stream) -> Result<Vec<f32>, SkeletonError> {
        Ok(stream.download(&self.weights)?)
    }

    /// Returns the position of the voxels in the world.
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.points.geometry
    }
}

/// Converts a metric to the form that kernels take.
pub(super) fn world_metric(metric: &Metric) -> WorldMetric {
    let [x, y, z] = metric.upper();
    WorldMetric {
        upper: [x[0], x[1], x[2], y[1], y[2], z[2]],
    }
}
