//! Scaling of stored samples.

use crate::io::Scaling;

impl Scaling {
    /// Returns `true` if the scaling changes no value.
    pub fn is_identity(&self) -> bool {
        self.slope == 1.0 && self.intercept == 0.0
    }

    /// Returns the value of a stored sample.
    pub fn apply(&self, sample: f64) -> f64 {
        self.slope * sample + self.intercept
    }
}
