//! Sample types of distance maps.

/// Quantity and type of the samples of a distance map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapSamples {
    /// Distances as `f32`.
    #[default]
    F32,
    /// Squared distances up to 65535.
    U16,
    /// Squared distances up to 2³¹ − 1.
    U32,
}

impl MapSamples {
    /// Returns the name of the sample type.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U16 => "u16",
            Self::U32 => "u32",
        }
    }
}
