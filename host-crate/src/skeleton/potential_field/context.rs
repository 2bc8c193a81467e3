//! Shared context of the extraction stages.

use super::{
    Params, VoxelClasses,
    field::{ForceField, Sources},
    radii::Radii,
    trace::ForceMask,
};
use crate::{device::Stream, grid::DeviceMask, skeleton::SolidComponents};
use nalgebra::Point3;

/// Read-only inputs of the stages that follow the force field.
pub struct Context<'a> {
    pub stream: &'a Stream,
    pub solid: &'a DeviceMask,
    pub params: &'a Params,
    pub components: &'a SolidComponents,
    pub classes: &'a VoxelClasses,
    pub field: &'a ForceField,
    pub inside: ForceMask,
    pub radii: Radii<'a>,
    pub sources: &'a Sources,
}

impl Context<'_> {
    /// Returns the component of the voxel at a position, if it belongs to the solid.
    pub fn label(&self, at: [f64; 3]) -> Option<u32> {
        // negative coordinates saturate at 0
        self.components.label(at.map(|a| a.round() as usize))
    }

    /// Returns `true` if the voxel that contains a point belongs to the solid.
    pub fn is_in_solid(&self, at: &Point3<f64>) -> bool {
        self.label((*at).into()).is_some()
    }

    /// Returns the voxel of the solid that contains a point, or else one of the surrounding voxels
    /// that belongs to the solid.
    pub fn containing_voxel(&self, at: &Point3<f64>) -> Option<[usize; 3]> {
        let corner = at.map(f64::floor);
        let around = (0..8).map(|k| [0, 1, 2].map(|axis| corner[axis] + f64::from(k >> axis & 1)));
        std::iter::once((*at).into())
            .chain(around)
            .map(|at: [f64; 3]| at.map(|a| a.round() as usize))
            .find(|&voxel| self.components.label(voxel).is_some())
    }

    /// Returns the component of [`containing_voxel`](Self::containing_voxel), or 0 if there is
    /// none.
    pub fn containing_component(&self, at: &Point3<f64>) -> u32 {
        let voxel = self.containing_voxel(at);
        voxel
            .and_then(|voxel| self.components.label(voxel))
            .unwrap_or(0)
    }
}
