//! Which way is the quicker.

use crate::{
    device::{Device, DeviceKind},
    skeleton::FieldVariant,
};

/// What there is to compute, and by what.
pub(super) struct Choice<'a> {
    pub device: &'a Device,
    pub pairs: u64,
    pub targets: u64,
    /// Whether voxels are cubes.
    pub is_of_cubes: bool,
}

/// So many on a GPU where voxels are no cubes: there what near sources weigh is computed, not looked up, and there are more tables (docs/performance.md).
const FEW_IN_WORLD_ON_GPU: u64 = 1 << 37;

/// For so many pairs comparing them all takes as long as the series with their tables, on the CPU and on a GPU.
const FEW_ON_CPU: u64 = 1 << 26;
const FEW_ON_GPU: u64 = 1 << 34;

/// And with so few sources for each target the same.
const FEW_SOURCES: u64 = 1 << 12;

impl Choice<'_> {
    /// The variant that is meant; [`FieldVariant::Tuned`] in the place of the slower ones that compare all pairs where voxels are no cubes, and of series where sources are not
    /// known as voxels of the targets' grid.
    pub fn variant(&self, wanted: FieldVariant, has_voxels: bool) -> FieldVariant {
        let few = match (self.device.kind(), self.is_of_cubes) {
            (DeviceKind::Cpu, _) => FEW_ON_CPU,
            (DeviceKind::Cuda, true) => FEW_ON_GPU,
            (DeviceKind::Cuda, false) => FEW_IN_WORLD_ON_GPU,
        };
        let is_large = self.pairs > few && self.pairs / self.targets.max(1) > FEW_SOURCES;
        match wanted {
            FieldVariant::Auto if is_large && has_voxels => FieldVariant::Tree,
            FieldVariant::Auto => FieldVariant::Tuned,
            FieldVariant::Tree if has_voxels => FieldVariant::Tree,
            FieldVariant::Tree => FieldVariant::Tuned,
            _ if !self.is_of_cubes => FieldVariant::Tuned,
            other => other,
        }
    }
}
