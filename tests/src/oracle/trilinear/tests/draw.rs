//! Random values of cells of several kinds.

use crate::{noise::Noise, oracle::trilinear::saddles};

/// Distribution of a cell's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Uniform,
    /// Magnitudes over three powers of ten.
    Logarithmic,
    /// Integers from -2 to 2, with many ties.
    Integers,
    /// -1 and 1.
    Binary,
    /// With a saddle near 0.
    NearlyCritical,
}

pub const KINDS: [Kind; 5] = [
    Kind::Uniform,
    Kind::Logarithmic,
    Kind::Integers,
    Kind::Binary,
    Kind::NearlyCritical,
];

impl Kind {
    /// Returns values whose corners have the signs of `case`; those of nearly critical cells may
    /// differ.
    pub fn draw(self, case: usize, noise: &mut Noise) -> [f64; 8] {
        let mut corner = 0;
        let mut values = [0; 8].map(|_| {
            let is_below = case >> corner & 1 == 1;
            corner += 1;
            let size = match self {
                Self::Uniform | Self::NearlyCritical => noise.between(0.0, 1.0),
                Self::Logarithmic => 10f64.powf(noise.between(-3.0, 0.0)),
                Self::Integers if is_below => (1 + noise.below(2)) as f64,
                Self::Integers => noise.below(3) as f64,
                Self::Binary => 1.0,
            };
            if is_below { -size } else { size }
        });
        if self == Self::NearlyCritical {
            let saddles = saddles(&values);
            if !saddles.is_empty() {
                let saddle = saddles[noise.below(saddles.len() as u64) as usize];
                let size = 10f64.powf(noise.between(-7.0, -2.0));
                let sign = if noise.below(2) == 0 { size } else { -size };
                for value in &mut values {
                    *value += sign - saddle.value;
                }
            }
        }
        values
    }

    /// Returns the shift of the values for the oracle, which makes saddles and corners at 0 count
    /// as slightly above it.
    pub fn shift(self) -> f64 {
        match self {
            Self::Integers | Self::Binary => 0.001,
            _ => 0.0,
        }
    }
}
