//! The context of an extraction.

use super::{
    Params, VoxelClasses,
    field::{ForceField, Sources},
    radii::Radii,
    trace::Inside,
};
use crate::{device::Stream, grid::DeviceMask, skeleton::SolidComponents};
use nalgebra::Point3;

/// What the stages after the force field work with.
pub struct Context<'a> {
    pub stream: &'a Stream,
    pub solid: &'a DeviceMask,
    pub params: &'a Params,
    pub pieces: &'a SolidComponents,
    pub classes: &'a VoxelClasses,
    pub field: &'a ForceField,
    pub inside: Inside,
    pub radii: Radii<'a>,
    pub sources: &'a Sources,
}

impl Context<'_> {
    /// The component of the voxel at some coordinates, if it is of the solid.
    pub fn label(&self, at: [f64; 3]) -> Option<u32> {
        // below 0 becomes 0
        self.pieces.label(at.map(|a| a.round() as usize))
    }

    /// Whether the voxel that a point is in is of the solid.
    pub fn is_of_solid(&self, at: &Point3<f64>) -> bool {
        self.label((*at).into()).is_some()
    }

    /// The voxel of the solid that a point is in, or one of those around it that is of the solid.
    pub fn voxel_of(&self, at: &Point3<f64>) -> Option<[usize; 3]> {
        let corner = at.map(f64::floor);
        let around = (0..8).map(|k| [0, 1, 2].map(|axis| corner[axis] + f64::from(k >> axis & 1)));
        std::iter::once((*at).into())
            .chain(around)
            .map(|at: [f64; 3]| at.map(|a| a.round() as usize))
            .find(|&voxel| self.pieces.label(voxel).is_some())
    }

    /// The component of the solid of that voxel.
    pub fn piece_of(&self, at: &Point3<f64>) -> u32 {
        let voxel = self.voxel_of(at);
        voxel
            .and_then(|voxel| self.pieces.label(voxel))
            .unwrap_or(0)
    }
}
