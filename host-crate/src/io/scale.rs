//! Scaling of stored samples to values.

use super::Scaling;

impl Scaling {
    /// True when the scaling changes nothing.
    pub fn is_identity(&self) -> bool {
        self.slope == 1.0 && self.intercept == 0.0
    }

    /// The value of a stored sample.
    pub fn apply(&self, sample: f64) -> f64 {
        self.slope * sample + self.intercept
    }
}
