//! Which way is the quicker.

use crate::{
    device::{Device, DeviceKind},
    skeleton::potential_field::FieldVariant,
};

/// What there is to compute, and by what.
pub(super) struct Choice<'a> {
    pub device: &'a Device,
    pub pairs: u64,
    pub targets: u64,
    /// Whether voxels are cubes.
    pub is_of_cubes: bool,
}

/// So many on a GPU where voxels are no cubes: there what near sources weigh is computed, not
/// looked up, and there are more tables (docs/performance.md).
const FEW_IN_WORLD_ON_GPU: u64 = 1 << 37;

/// For so many pairs comparing them all takes as long as the series with their tables, on the CPU
/// and on a GPU.
const FEW_ON_CPU: u64 = 1 << 26;
const FEW_ON_GPU: u64 = 1 << 34;

/// And with so few sources for each target the same.
const FEW_SOURCES: u64 = 1 << 12;

impl Choice<'_> {
    /// Whether [`FieldVariant::Multipole`] is asked for, or the quickest one, where it is that.
    pub fn may_be_tree(&self, wanted: FieldVariant) -> bool {
        let few = match (self.device.kind(), self.is_of_cubes) {
            (DeviceKind::Cpu, _) => FEW_ON_CPU,
            (DeviceKind::Cuda, true) => FEW_ON_GPU,
            (DeviceKind::Cuda, false) => FEW_IN_WORLD_ON_GPU,
        };
        let is_large = self.pairs > few && self.pairs / self.targets.max(1) > FEW_SOURCES;
        wanted == FieldVariant::Multipole || wanted == FieldVariant::Auto && is_large
    }

    /// The variant that is meant; [`FieldVariant::Tuned`] in the place of the slower ones that
    /// compare all pairs where voxels are no cubes, and of series where there are no tables:
    /// sources are not known as voxels of the targets' grid, or voxels are too flat.
    pub fn variant(&self, wanted: FieldVariant, has_tables: bool) -> FieldVariant {
        match wanted {
            _ if has_tables && self.may_be_tree(wanted) => FieldVariant::Multipole,
            FieldVariant::Auto | FieldVariant::Multipole => FieldVariant::Tuned,
            _ if !self.is_of_cubes => FieldVariant::Tuned,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_take_tables() {
        let device = Device::cpu();
        let of = |pairs: u64, is_of_cubes: bool| Choice {
            device: &device,
            pairs,
            targets: 1 << 12,
            is_of_cubes,
        };
        let (few, many) = (of(1 << 20, true), of(1 << 30, true));
        assert!(!few.may_be_tree(FieldVariant::Auto) && many.may_be_tree(FieldVariant::Auto));
        assert!(
            few.may_be_tree(FieldVariant::Multipole) && !many.may_be_tree(FieldVariant::Shared)
        );
        for wanted in [FieldVariant::Auto, FieldVariant::Multipole] {
            assert_eq!(many.variant(wanted, true), FieldVariant::Multipole);
            assert_eq!(many.variant(wanted, false), FieldVariant::Tuned);
        }
        assert_eq!(few.variant(FieldVariant::Auto, false), FieldVariant::Tuned);
        for (is_of_cubes, meant) in [(true, FieldVariant::Shared), (false, FieldVariant::Tuned)] {
            let choice = of(1 << 30, is_of_cubes);
            assert_eq!(choice.variant(FieldVariant::Shared, false), meant);
        }
    }
}
