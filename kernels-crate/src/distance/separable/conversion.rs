//! Conversion of squared distances to distances.

use super::cost::{Axis, Cost};

/// Unit of the squared distances, maximum distance, and background value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceConversion {
    /// Distance represented by a squared distance of 1.
    pub unit: f64,
    /// Distance stored where there is no site within the maximum distance.
    pub background: f32,
    /// Largest distance stored otherwise.
    pub max_distance: f32,
}

impl DistanceConversion {
    /// Returns `true` if all costs are integers below 2^24 whose roots are the distances.
    #[inline(always)]
    pub fn is_small<C: Cost>(&self, axis: &Axis<C>) -> bool {
        C::IS_INTEGER && self.unit == 1.0 && axis.no_site <= C::from_count(1 << 24)
    }

    /// Truncates the distance `root` of a cost, or returns the background value.
    #[inline(always)]
    fn truncate<C: Cost>(&self, cost: C, root: f32, axis: &Axis<C>) -> f32 {
        let truncated = if root > self.max_distance {
            self.max_distance
        } else {
            root
        };
        if cost < axis.no_site {
            truncated
        } else {
            self.background
        }
    }

    /// Converts a cost to a distance.
    #[inline(always)]
    pub fn convert<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.truncate(cost, cost.root(self.unit), axis)
    }

    /// Converts a cost to a distance, if all costs [are small](Self::is_small).
    #[inline(always)]
    pub fn convert_small<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.truncate(cost, cost.small_root(), axis)
    }

    /// Converts the costs of neighbouring voxels to the bits of distances; `is_small` states
    /// whether all costs [are small](Self::is_small).
    #[inline(always)]
    pub fn convert_row_to_bits<C: Cost, const W: usize>(
        &self,
        costs: [C; W],
        axis: &Axis<C>,
        is_small: bool,
    ) -> [u32; W] {
        let mut bits = [0; W];
        let mut k = 0;
        if is_small {
            while k < W {
                bits[k] = self.convert_small(costs[k], axis).to_bits();
                k += 1;
            }
        } else {
            while k < W {
                bits[k] = self.convert(costs[k], axis).to_bits();
                k += 1;
            }
        }
        bits
    }
}
