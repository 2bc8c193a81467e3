//! Sides of a level.

/// Side of the isovalue on which the solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Samples of at least the isovalue are inside: densities, images.
    #[default]
    Above,
    /// Samples below the isovalue are inside: signed distances.
    Below,
}

impl Inside {
    /// Returns `true` if a sample, as `f32`, is on this side of a level. NaN is on neither side.
    ///
    /// ```
    /// use ferrovox::grid::Inside;
    ///
    /// assert!(Inside::Above.contains(2.0, 2.0) && !Inside::Below.contains(2.0, 2.0));
    /// assert!(!Inside::Above.contains(f64::NAN, 2.0) && !Inside::Below.contains(f64::NAN, 2.0));
    /// ```
    pub fn contains(self, sample: f64, level: f32) -> bool {
        match self {
            Self::Above => sample as f32 >= level,
            Self::Below => (sample as f32) < level,
        }
    }
}
