//! Values of cells of all kinds.

use crate::{noise::Noise, oracle::trilinear::saddles};

/// How the values of a cell are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Uniform,
    /// Three powers of ten.
    Logarithmic,
    /// From -2 to 2: full of ties.
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
    /// Values whose corners have the signs of `case`; nearly critical ones may have others.
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

    /// What is added to the values where an oracle looks at them: saddles and corners at 0 count as
    /// a little above it.
    pub fn shift(self) -> f64 {
        match self {
            Self::Integers | Self::Binary => 0.001,
            _ => 0.0,
        }
    }
}
