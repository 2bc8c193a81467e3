//! Positions read from files with more digits than `f32` has.

use super::try_append::append;
use crate::io::FileProblem;
use crate::memory::{self, OutOfMemory};
use std::iter::repeat;

/// Largest distance from the world origin, in extents of the mesh, up to which `f32` world
/// coordinates are precise: their rounding error is then at most 2^-18 of the extent.
const MAX_DISTANCE: f64 = 64.0;

/// Vertex positions, each as its nearest `f32` and a remainder.
#[derive(Default)]
pub(super) struct PositionList {
    nearest: Vec<[f32; 3]>,
    /// Differences of the positions from `nearest`; shorter than that while all further ones are
    /// zero.
    remainders: Vec<[f32; 3]>,
}

impl PositionList {
    pub fn len(&self) -> usize {
        self.nearest.len()
    }

    /// Returns `true` if `f32` represents all positions exactly.
    pub fn is_exact(&self) -> bool {
        self.remainders.is_empty()
    }

    /// Appends a position. `nearest` holds its coordinates rounded to `f32`.
    pub fn append(&mut self, position: [f64; 3], nearest: [f32; 3]) -> Result<(), FileProblem> {
        let remainder = [0, 1, 2].map(|axis| {
            let remainder = (position[axis] - f64::from(nearest[axis])) as f32;
            if remainder.is_finite() {
                remainder
            } else {
                0.0
            }
        });
        if remainder != [0.0; 3] {
            while self.remainders.len() < self.nearest.len() {
                append(&mut self.remainders, [0.0; 3])?;
            }
            append(&mut self.remainders, remainder)?;
        }
        append(&mut self.nearest, nearest)
    }

    /// Returns the origin of the mesh and the positions relative to it.
    ///
    /// The origin is zero if `f32` represents all positions exactly, and along each axis on which
    /// the mesh is at most [`MAX_DISTANCE`] of its extents away from zero.
    pub fn into_local(self) -> Result<([f64; 3], Vec<[f32; 3]>), OutOfMemory> {
        let origin = self.origin();
        if origin == [0.0; 3] {
            return Ok((origin, self.nearest));
        }
        let local = self
            .positions()
            .map(|position| [0, 1, 2].map(|axis| (position[axis] - origin[axis]) as f32));
        let mut positions = Vec::new();
        memory::try_reserve("a mesh", &mut positions, self.nearest.len())?;
        positions.extend(local);
        Ok((origin, positions))
    }

    /// Returns the positions in the world: sums that `f64` holds to twice the digits of `f32`.
    fn positions(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        let remainders = self.remainders.iter().copied().chain(repeat([0.0; 3]));
        let both = self.nearest.iter().zip(remainders);
        both.map(|(nearest, remainder)| {
            [0, 1, 2].map(|axis| f64::from(nearest[axis]) + f64::from(remainder[axis]))
        })
    }

    fn origin(&self) -> [f64; 3] {
        if self.is_exact() {
            return [0.0; 3];
        }
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for position in self.positions() {
            if position.iter().all(|x| x.is_finite()) {
                for axis in 0..3 {
                    low[axis] = low[axis].min(position[axis]);
                    high[axis] = high[axis].max(position[axis]);
                }
            }
        }
        let extent = (0..3)
            .map(|axis| high[axis] - low[axis])
            .fold(0.0, f64::max);
        if extent <= 0.0 {
            return [0.0; 3];
        }
        let step = extent.log2().floor().exp2();
        [0, 1, 2].map(|axis| {
            let farthest = low[axis].abs().max(high[axis].abs());
            if farthest > MAX_DISTANCE * extent {
                (0.5 * (low[axis] + high[axis]) / step).round() * step
            } else {
                0.0
            }
        })
    }
}

/// Parses a decimal number, also rounded to `f32` in one step.
pub(super) fn parse_number(text: &str) -> Option<(f64, f32)> {
    let number: f64 = text.parse().ok()?;
    // half way between two numbers of f32, the rounding to f64 may have decided the direction
    const DISCARDED: u64 = (1 << 29) - 1;
    let is_midpoint = number.to_bits() & DISCARDED == 1 << 28;
    let is_subnormal = number.abs() < f64::from(f32::MIN_POSITIVE);
    let nearest = if is_midpoint || is_subnormal {
        text.parse().ok()?
    } else {
        number as f32
    };
    Some((number, nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(positions: &[[f64; 3]]) -> ([f64; 3], Vec<[f32; 3]>) {
        let mut list = PositionList::default();
        for &position in positions {
            list.append(position, position.map(|x| x as f32)).unwrap();
        }
        list.into_local().unwrap()
    }

    #[test]
    fn distant_positions_keep_their_differences() {
        let positions = [
            [4_500_000.1, 0.25, -7.3],
            [4_500_000.2, 0.5, -7.2],
            [4_500_001.1, 1.0, -7.1],
        ];
        let (origin, found) = local(&positions);
        assert_eq!((origin[1], origin[0] != 0.0), (0.0, true));
        for (expected, found) in positions.iter().zip(found) {
            for axis in 0..3 {
                let found = origin[axis] + f64::from(found[axis]);
                assert!((found - expected[axis]).abs() < 1e-6, "{found}");
            }
        }
    }

    #[test]
    fn positions_closer_than_f32_resolves_stay_apart() {
        // neighbouring numbers of f32 are 0.5 apart here
        let (origin, found) = local(&[[4_500_000.1; 3], [4_500_000.2; 3]]);
        assert_eq!(origin.map(|x| x > 4e6), [true; 3]);
        assert!((found[1][0] - found[0][0] - 0.1).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn near_and_exact_positions_have_no_origin() {
        let (origin, found) = local(&[[0.1, 5.0, 6.0], [3.7, 1.0, 0.3]]);
        assert_eq!((origin, found[0]), ([0.0; 3], [0.1, 5.0, 6.0]));
        // exact in f32, although distant
        assert_eq!(
            local(&[[4.5e6, 1.0, 1.0], [4.5e6 + 0.5, 1.0, 1.0]]).0,
            [0.0; 3]
        );
        assert_eq!(local(&[[1e6 + 0.1; 3]]).0, [0.0; 3], "no extent");
        assert_eq!(local(&[]).0, [0.0; 3]);
    }

    #[test]
    fn non_finite_positions_are_kept() {
        let (origin, found) = local(&[[f64::NAN, 1e300, 0.1], [1e6 + 0.1; 3], [1e6 + 0.2; 3]]);
        assert_ne!(origin, [0.0; 3]);
        assert!(found[0][0].is_nan() && found[0][1].is_infinite());
    }

    #[test]
    fn numbers_are_rounded_to_f32_once() {
        // slightly above the middle between 1 and the next f32; f64 rounds it to the middle
        let text = "1.00000005960464477539062500000000001";
        assert_eq!(parse_number(text).unwrap().1, text.parse::<f32>().unwrap());
        for text in [
            "0.1",
            "-4500000.123456789",
            "1e-44",
            "1e300",
            "inf",
            "nan",
            "0",
        ] {
            let (number, nearest) = parse_number(text).unwrap();
            assert_eq!(
                nearest.to_bits(),
                text.parse::<f32>().unwrap().to_bits(),
                "{text}"
            );
            assert_eq!(
                number.to_bits(),
                text.parse::<f64>().unwrap().to_bits(),
                "{text}"
            );
        }
        assert_eq!(parse_number("x"), None);
    }
}
