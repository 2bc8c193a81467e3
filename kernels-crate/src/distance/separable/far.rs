//! From squared distances to distances.

use super::cost::{Axis, Cost};

/// What the map has where there is no site within the bound, and the unit of the squared distances.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// What a squared distance of 1 is, as a distance.
    pub unit: f64,
    /// The distance where there is no site.
    pub distance: f32,
    /// The largest distance otherwise.
    pub most: f32,
}

impl Far {
    /// Whether all costs are integers below 2^24, whose roots are the distances.
    #[inline(always)]
    pub fn is_small<C: Cost>(&self, axis: &Axis<C>) -> bool {
        C::IS_WHOLE && self.unit == 1.0 && axis.none <= C::of(1 << 24)
    }

    /// The distance of a squared one, whose root is `root`.
    #[inline(always)]
    fn bounded<C: Cost>(&self, cost: C, root: f32, axis: &Axis<C>) -> f32 {
        let bounded = if root > self.most { self.most } else { root };
        if cost < axis.none {
            bounded
        } else {
            self.distance
        }
    }

    /// The distance of a squared one.
    #[inline(always)]
    pub fn distance<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.bounded(cost, cost.root(self.unit), axis)
    }

    /// The distance of a squared one, where all [are small](Self::is_small).
    #[inline(always)]
    pub fn small_distance<C: Cost>(&self, cost: C, axis: &Axis<C>) -> f32 {
        self.bounded(cost, cost.small_root(), axis)
    }
}
