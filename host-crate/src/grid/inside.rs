//! Which side of a level is solid.

/// On which side of the isovalue the solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Where values are at least the isovalue: densities, images.
    #[default]
    Above,
    /// Where values are less than the isovalue: signed distances.
    Below,
}

impl Inside {
    /// Whether a sample, as f32, is on this side of a level: at it or above, or below. What is not
    /// a number is on no side.
    ///
    /// ```
    /// use ferrovox::grid::Inside;
    ///
    /// assert!(Inside::Above.holds(2.0, 2.0) && !Inside::Below.holds(2.0, 2.0));
    /// assert!(!Inside::Above.holds(f64::NAN, 2.0) && !Inside::Below.holds(f64::NAN, 2.0));
    /// ```
    pub fn holds(self, sample: f64, level: f32) -> bool {
        match self {
            Self::Above => sample as f32 >= level,
            Self::Below => (sample as f32) < level,
        }
    }
}
