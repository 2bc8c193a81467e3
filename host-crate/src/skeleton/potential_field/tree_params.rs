//! What can be chosen.

use crate::skeleton::SkeletonError;
use ferrovox_kernels::skeleton::field::fmm::MAX_ORDER;

/// The largest squared radius of what is near: for these distances between voxels there is a table.
pub(super) const MAX_NEAR: u32 = 25;

/// The least: bricks that touch are near.
const MIN_NEAR: u32 = 3;

/// How precisely [`FieldVariant::Multipole`](crate::skeleton::FieldVariant::Multipole) sums up what is far,
/// and what becomes of the bound of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultipoleParams {
    /// The order of the series, from 1 to 12; else one that suits the exponent: 8, and 10 from the
    /// exponent 7 on.
    pub order: Option<u32>,
    /// Bricks whose squared distance is at most this, in sides of a brick, are near: from 3 to 25;
    /// else one that suits the exponent: 15 below 2.5, otherwise 24.
    ///
    /// Where voxels are no cubes, distances are those of the world, and the unit of squared ones is
    /// a third of the square of a brick's longest diagonal, which is a side's square where bricks
    /// are cubes: so near are bricks as many times as far away as a brick's corner is from its
    /// centre.
    pub near: Option<u32>,
    /// Bounds are multiplied by this where it is decided what is summed up again. At least 0; with
    /// 1, the default, no error is missed. Errors are a few hundredths of the bound as a rule, but
    /// 0.17 in a ball of radius 20, where few sources are far.
    pub trust: f64,
}

impl Default for MultipoleParams {
    fn default() -> Self {
        Self {
            order: None,
            near: None,
            trust: 1.0,
        }
    }
}

impl MultipoleParams {
    /// The order for an exponent.
    pub fn order_of(&self, exponent: f64) -> u32 {
        self.order.unwrap_or(if exponent < 7.0 { 8 } else { 10 })
    }

    /// The squared radius for an exponent.
    pub fn near_of(&self, exponent: f64) -> u32 {
        self.near.unwrap_or(if exponent < 2.5 { 15 } else { 24 })
    }

    /// Refuses numbers out of their range.
    pub(super) fn check(&self) -> Result<(), SkeletonError> {
        let numbers = [
            ("order", self.order, [1, MAX_ORDER]),
            ("near", self.near, [MIN_NEAR, MAX_NEAR]),
        ];
        for (name, found, [least, most]) in numbers {
            if let Some(found) = found.filter(|found| !(least..=most).contains(found)) {
                return Err(SkeletonError::Multipole {
                    name,
                    found: f64::from(found),
                    least: f64::from(least),
                    most: f64::from(most),
                });
            }
        }
        if !(0.0..=f64::MAX).contains(&self.trust) {
            return Err(SkeletonError::Multipole {
                name: "trust",
                found: self.trust,
                least: 0.0,
                most: f64::MAX,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let plain = MultipoleParams::default();
        assert!(plain.check().is_ok());
        for (order, near, trust) in [
            (Some(0), None, 1.0),
            (Some(13), None, 1.0),
            (None, Some(2), 1.0),
            (None, Some(26), 1.0),
            (None, None, -1.0),
            (None, None, f64::NAN),
            (None, None, f64::INFINITY),
        ] {
            let params = MultipoleParams { order, near, trust };
            assert!(params.check().is_err(), "{params:?}");
        }
        let order = MultipoleParams {
            order: Some(13),
            ..plain
        };
        assert_eq!(
            order.check().unwrap_err().to_string(),
            "the tree's order is 13: it must be from 1 to 12"
        );
    }
}
