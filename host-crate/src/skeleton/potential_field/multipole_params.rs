//! Parameters of the fast multipole method.

use crate::skeleton::SkeletonError;
use ferrovox_kernels::skeleton::field::fmm::MAX_ORDER;

/// Maximum squared near-field radius, limited by the table of weights by squared distance.
pub(super) const MAX_NEAR_SQUARED: u32 = 25;

/// Minimum squared near-field radius, with which only adjacent bricks are near.
const MIN_NEAR_SQUARED: u32 = 3;

/// Accuracy of [`FieldVariant::Multipole`](super::FieldVariant::Multipole), and use of its error
/// bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultipoleParams {
    /// Order of the expansions, from 1 to 12. Default: 8, or 10 for exponents of at least 7.
    pub order: Option<u32>,
    /// Squared radius of the near field, in units of a brick's edge, from 3 to 25. Default: 15 for
    /// exponents below 2.5, otherwise 24.
    ///
    /// For anisotropic or oblique voxels, distances are measured in the world, in units of a third
    /// of the squared diagonal of a brick, which equals the squared edge if bricks are cubes. The
    /// ratio of the near-field radius to the distance of a brick's corner from its centre is thus
    /// the same for all voxel shapes.
    pub squared_near_radius: Option<u32>,
    /// Factor applied to the error bounds when deciding which forces to recompute exactly; at least
    /// 0. With 1, the default, no error is missed. Actual errors are usually a few hundredths of
    /// the bound, up to 0.17 in a ball of radius 20, where few sources are far.
    pub bound_factor: f64,
}

impl Default for MultipoleParams {
    fn default() -> Self {
        Self {
            order: None,
            squared_near_radius: None,
            bound_factor: 1.0,
        }
    }
}

impl MultipoleParams {
    /// Returns the order for an exponent.
    pub fn order_for(&self, exponent: f64) -> u32 {
        self.order.unwrap_or(if exponent < 7.0 { 8 } else { 10 })
    }

    /// Returns the squared near-field radius for an exponent.
    pub fn squared_near_radius_for(&self, exponent: f64) -> u32 {
        self.squared_near_radius
            .unwrap_or(if exponent < 2.5 { 15 } else { 24 })
    }

    /// Checks that all parameters are in range.
    pub(super) fn check(&self) -> Result<(), SkeletonError> {
        let numbers = [
            ("order", self.order, [1, MAX_ORDER]),
            (
                "squared_near_radius",
                self.squared_near_radius,
                [MIN_NEAR_SQUARED, MAX_NEAR_SQUARED],
            ),
        ];
        for (name, found, [min, max]) in numbers {
            if let Some(found) = found.filter(|found| !(min..=max).contains(found)) {
                return Err(SkeletonError::Multipole {
                    name,
                    found: f64::from(found),
                    min: f64::from(min),
                    max: f64::from(max),
                });
            }
        }
        if !(0.0..=f64::MAX).contains(&self.bound_factor) {
            return Err(SkeletonError::Multipole {
                name: "bound_factor",
                found: self.bound_factor,
                min: 0.0,
                max: f64::MAX,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_parameters_are_rejected_by_name() {
        let default = MultipoleParams::default();
        assert!(default.check().is_ok());
        for (order, squared_near_radius, bound_factor) in [
            (Some(0), None, 1.0),
            (Some(13), None, 1.0),
            (None, Some(2), 1.0),
            (None, Some(26), 1.0),
            (None, None, -1.0),
            (None, None, f64::NAN),
            (None, None, f64::INFINITY),
        ] {
            let params = MultipoleParams {
                order,
                squared_near_radius,
                bound_factor,
            };
            assert!(params.check().is_err(), "{params:?}");
        }
        let order = MultipoleParams {
            order: Some(13),
            ..default
        };
        assert_eq!(
            order.check().unwrap_err().to_string(),
            "the multipole parameter `order` is 13; choose a value from 1 to 12"
        );
    }
}
