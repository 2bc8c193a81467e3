//! Choice of the fastest force-field variant.

use crate::{
    device::{Device, DeviceKind},
    skeleton::potential_field::FieldVariant,
};

/// Size of a force-field job and the device that computes it.
pub(super) struct VariantChoice<'a> {
    pub device: &'a Device,
    pub pairs: u64,
    pub targets: u64,
    /// `true` for cubic voxels.
    pub is_isotropic: bool,
}

/// Number of pairs from which the multipole method is faster on a GPU for anisotropic or oblique
/// voxels: near-field weights are computed instead of looked up, and there are more tables.
const MULTIPOLE_PAIRS_ANISOTROPIC_GPU: u64 = 1 << 37;

/// Number of pairs from which the multipole method, including its tables, is faster on the CPU and
/// on a GPU.
const MULTIPOLE_PAIRS_CPU: u64 = 1 << 26;
const MULTIPOLE_PAIRS_GPU: u64 = 1 << 34;

/// Number of sources above which the multipole method is faster.
const MULTIPOLE_SOURCES: u64 = 1 << 12;

impl VariantChoice<'_> {
    /// Returns `true` if [`FieldVariant::Multipole`] is requested, or [`FieldVariant::Auto`] and it
    /// is the faster one.
    pub fn may_be_multipole(&self, requested: FieldVariant) -> bool {
        let max_all_pairs = match (self.device.kind(), self.is_isotropic) {
            (DeviceKind::Cpu, _) => MULTIPOLE_PAIRS_CPU,
            (DeviceKind::Cuda, true) => MULTIPOLE_PAIRS_GPU,
            (DeviceKind::Cuda, false) => MULTIPOLE_PAIRS_ANISOTROPIC_GPU,
        };
        let is_large =
            self.pairs > max_all_pairs && self.pairs / self.targets.max(1) > MULTIPOLE_SOURCES;
        requested == FieldVariant::Multipole || requested == FieldVariant::Auto && is_large
    }

    /// Resolves the requested variant. [`FieldVariant::Tuned`] replaces the other all-pairs
    /// variants for anisotropic or oblique voxels, and the multipole method if `has_tables` is
    /// `false`: the sources are not voxels of the targets' grid, or the voxels are too elongated.
    pub fn variant(&self, requested: FieldVariant, has_tables: bool) -> FieldVariant {
        match requested {
            _ if has_tables && self.may_be_multipole(requested) => FieldVariant::Multipole,
            FieldVariant::Auto | FieldVariant::Multipole => FieldVariant::Tuned,
            _ if !self.is_isotropic => FieldVariant::Tuned,
            all_pairs => all_pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipole_needs_tables_and_many_pairs() {
        let device = Device::cpu();
        let choice = |pairs: u64, is_isotropic: bool| VariantChoice {
            device: &device,
            pairs,
            targets: 1 << 12,
            is_isotropic,
        };
        let (few, many) = (choice(1 << 20, true), choice(1 << 30, true));
        assert!(
            !few.may_be_multipole(FieldVariant::Auto) && many.may_be_multipole(FieldVariant::Auto)
        );
        assert!(
            few.may_be_multipole(FieldVariant::Multipole)
                && !many.may_be_multipole(FieldVariant::Shared)
        );
        for requested in [FieldVariant::Auto, FieldVariant::Multipole] {
            assert_eq!(many.variant(requested, true), FieldVariant::Multipole);
            assert_eq!(many.variant(requested, false), FieldVariant::Tuned);
        }
        assert_eq!(few.variant(FieldVariant::Auto, false), FieldVariant::Tuned);
        for (is_isotropic, expected) in [(true, FieldVariant::Shared), (false, FieldVariant::Tuned)]
        {
            let anisotropic = choice(1 << 30, is_isotropic);
            assert_eq!(anisotropic.variant(FieldVariant::Shared, false), expected);
        }
    }
}
