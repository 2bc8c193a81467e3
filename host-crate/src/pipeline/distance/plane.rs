//! Pictures of a plane of a distance map.

use super::DistanceJobError;
use crate::{
    distance::Slab,
    grid::{Geometry, Volume},
    pipeline::PipelineError,
    render::{IsolineParams, Picture, isoline_step, isolines},
};
use std::path::PathBuf;

/// A plane of a volume, perpendicular to an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The axis perpendicular to the plane: 0, 1 or 2.
    pub axis: usize,
    /// The index of the plane along the axis.
    pub index: usize,
}

/// A picture of a plane with isolines. The first of the other two axes points right, the second up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanePicture {
    /// The file to write, `.png`.
    pub path: PathBuf,
    /// The plane.
    pub plane: Plane,
    /// Number of pixels along the longer side.
    pub longest_side: u32,
}

/// The samples of a plane, gathered from the map or from slabs of it.
pub(super) struct PlaneSamples {
    plane: Plane,
    dims: [usize; 3],
    spacing: [f64; 3],
    samples: Vec<f32>,
}

impl Plane {
    /// Fails if the volume has no such plane.
    pub(super) fn check(self, dims: [usize; 3]) -> Result<(), DistanceJobError> {
        if self.axis < 3 && self.index < dims[self.axis] {
            Ok(())
        } else {
            Err(DistanceJobError::PlaneOutOfRange {
                axis: ['x', 'y', 'z'][self.axis.min(2)],
                index: self.index,
                dims,
            })
        }
    }
}

impl PlaneSamples {
    pub fn new(plane: Plane, dims: [usize; 3], geometry: &Geometry) -> Self {
        Self {
            plane,
            dims,
            spacing: geometry.spacing().into(),
            samples: Vec::new(),
        }
    }

    /// Extracts the plane from a complete map.
    pub fn from_map(map: &Volume<f32>, plane: Plane) -> Self {
        let mut samples = Self::new(plane, map.dims(), map.geometry());
        samples.append_slab(&Slab {
            z: 0..map.dims()[2],
            distances: map.samples(),
        });
        samples
    }

    /// Appends the intersection of a slab and the plane.
    pub fn append_slab(&mut self, slab: &Slab<'_>) {
        let [nx, ny, _] = self.dims;
        let Plane { axis, index } = self.plane;
        let planes = slab.distances.chunks(nx * ny).zip(slab.z.clone());
        for (plane, z) in planes {
            match axis {
                0 => self.samples.extend(plane.iter().skip(index).step_by(nx)),
                1 => self.samples.extend(&plane[index * nx..(index + 1) * nx]),
                _ if z == index => self.samples.extend(plane),
                _ => {}
            }
        }
    }

    /// Draws the plane, and returns the picture with the distance between adjacent isolines, which
    /// is chosen automatically if `step` is `None`.
    pub fn draw(
        &self,
        step: Option<f32>,
        longest_side: u32,
    ) -> Result<(Picture, f32), PipelineError> {
        let [u, v] = match self.plane.axis {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        let step = step.unwrap_or_else(|| isoline_step(&self.samples));
        let params = IsolineParams {
            step: Some(step),
            longest_side,
        };
        let picture = isolines(
            &self.samples,
            [self.dims[u], self.dims[v]],
            [self.spacing[u], self.spacing[v]],
            &params,
        );
        Ok((picture?, step))
    }
}
