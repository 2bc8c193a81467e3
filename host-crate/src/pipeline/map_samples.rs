//! The samples of a distance map.

/// What the samples of a map are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapSamples {
    /// Distances.
    #[default]
    F32,
    /// Squared distances up to 65535.
    U16,
    /// Squared distances up to 2³¹ − 1.
    U32,
}

impl MapSamples {
    /// The type's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U16 => "u16",
            Self::U32 => "u32",
        }
    }
}
