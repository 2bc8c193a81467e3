//! Which bricks are near to one another.

use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind},
};
use ferrovox_kernels::skeleton::field::fmm::{OFFSET_BIAS, OFFSET_INDEX_SHIFT};

/// An offset between bricks.
pub(super) type Offset = [i32; 3];

/// Offsets of bricks that are near, and those that are far, though the bricks of which they are
/// parts are near.
///
/// Bricks are near whose distance is at most so many times that of a brick's corner from its
/// centre: with cubes in a ball of a squared radius, in sides of a brick. So a series is as good
/// for bricks of any form.
pub(super) struct Offsets {
    /// The near ones, as kernels take them.
    pub near: Vec<u32>,
    /// The far ones for each octant of a brick's place in the one above, one octant after the
    /// other: each with its number among `tables`.
    pub far: Vec<u32>,
    /// Where those of an octant begin, and where the last ones end.
    pub starts: [u32; 9],
    /// All that are far for some octant, each once.
    pub tables: Vec<Offset>,
}

/// The largest coordinate of an offset that can be stored, and the largest number.
const MAX_REACH: i32 = OFFSET_BIAS - 1;
const MAX_NUMBER: usize = (1 << (u32::BITS - OFFSET_INDEX_SHIFT)) - 2;

/// Which bricks are near.
#[derive(Clone, Copy)]
pub(super) struct Nearness {
    metric: Metric,
    /// The squared distance of those that are, at most, with sides of a brick as the steps.
    squared: f64,
}

impl Nearness {
    /// That of a squared radius, of at most [`MAX_NEAR`](crate::skeleton::tree_params::MAX_NEAR).
    pub fn new(near: u32, metric: &Metric) -> Self {
        let corners = (0..4).map(|signs| {
            let sign = |bit: i32| if signs >> bit & 1 == 1 { -1.0 } else { 1.0 };
            metric.squared_length([1.0, sign(0), sign(1)])
        });
        // of cubes 3
        let corner = corners.fold(0.0, f64::max);
        Self {
            metric: *metric,
            squared: f64::from(near) * corner / 3.0,
        }
    }

    /// Whether bricks at an offset are near.
    pub fn is_near(&self, offset: Offset) -> bool {
        self.metric.squared_length(offset.map(f64::from)) <= self.squared
    }

    /// How far near bricks are along each axis, in bricks.
    fn reach(&self) -> [i32; 3] {
        let radius = self.squared.sqrt();
        self.metric
            .reach()
            .map(|along| (radius * along).floor() as i32)
    }
}

/// All within so many bricks along each axis: x fastest.
fn all_within(reach: [i32; 3]) -> impl Iterator<Item = Offset> {
    let along = move |axis: usize| -reach[axis]..=reach[axis];
    along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
}

fn pack(offset: Offset, number: usize) -> u32 {
    let [x, y, z] = offset.map(|a| (a + OFFSET_BIAS) as u32);
    x | y << 6 | z << 12 | (number as u32) << OFFSET_INDEX_SHIFT
}

impl Offsets {
    /// Those that are near and far; `None` where bricks are so flat, or axes lean so much, that
    /// there are too many.
    pub fn of(nearness: &Nearness) -> Option<Self> {
        let reach = nearness.reach();
        // of two bricks whose wholes are `d` apart the offset is at most 2 d + 1
        let around = reach.map(|along| along.saturating_mul(2).saturating_add(1));
        if around.iter().any(|&along| along > MAX_REACH) {
            return None;
        }
        let is_far = |octant: i32, offset: Offset| {
            let whole = [0, 1, 2].map(|axis| ((octant >> axis & 1) + offset[axis]).div_euclid(2));
            !nearness.is_near(offset) && nearness.is_near(whole)
        };
        let in_any = |&offset: &Offset| (0..8).any(|octant| is_far(octant, offset));
        let tables: Vec<Offset> = all_within(around).filter(in_any).collect_or_unwind();
        if tables.len() > MAX_NUMBER {
            return None;
        }
        let mut far = Vec::new();
        let mut starts = [0; 9];
        for octant in 0..8 {
            let numbered = tables.iter().enumerate();
            let mine = numbered.filter(|(_, offset)| is_far(octant, **offset));
            far.extend_or_unwind(mine.map(|(number, &offset)| pack(offset, number)));
            starts[octant as usize + 1] = far.len() as u32;
        }
        let ball = all_within(reach).filter(|&offset| nearness.is_near(offset));
        Some(Self {
            near: ball.map(|offset| pack(offset, 0)).collect_or_unwind(),
            far,
            starts,
            tables,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::potential_field::{field::tree::lattice::BrickLattice, tree_params::MAX_NEAR},
    };
    use ferrovox_kernels::skeleton::field::fmm::{BRICK, MAX_SQUARED_DISTANCE};
    use nalgebra::{Matrix3, Vector3};

    const CUBES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn nearness(near: u32, axes: [[f64; 3]; 3]) -> Nearness {
        let axes = Matrix3::from_fn(|row, column| axes[row][column]);
        let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
        Nearness::new(near, &Metric::snapped(&geometry).0)
    }

    /// The largest squared distance of two voxels in bricks at an offset.
    fn largest_squared(offset: Offset) -> usize {
        let along = |a: i32| (a.unsigned_abs() * BRICK + BRICK - 1) as usize;
        offset.iter().map(|&a| along(a).pow(2)).sum()
    }

    /// Whether all distances between voxels of near bricks have a weight.
    fn has_weights(near: u32) -> bool {
        let cubes = nearness(near, CUBES);
        let in_ball = all_within(cubes.reach()).filter(|&offset| cubes.is_near(offset));
        in_ball.map(largest_squared).max().unwrap_or(0) <= MAX_SQUARED_DISTANCE
    }

    /// Two bricks are near, or far on exactly one level.
    #[test]
    fn every_pair_is_taken_once() {
        let forms = [
            CUBES,
            [[1.0, 0.0, 0.0], [0.0, 1.3, 0.0], [0.0, 0.0, 0.8]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.4], [0.0, 0.0, 1.2]],
        ];
        let all = forms
            .iter()
            .flat_map(|&form| [3, 8, 15, 24].map(|near| (near, form)));
        for (near, form) in all {
            let nearness = nearness(near, form);
            let offsets = Offsets::of(&nearness).unwrap();
            let far_of = |octant: usize| {
                let range = offsets.starts[octant] as usize..offsets.starts[octant + 1] as usize;
                offsets.far[range].iter().map(|packed| {
                    [0, 6, 12].map(|shift| (packed >> shift & 63) as i32 - OFFSET_BIAS)
                })
            };
            let lists: Vec<std::collections::HashSet<Offset>> =
                (0..8).map(|octant| far_of(octant).collect()).collect();
            for target in [[0, 0, 0], [5, 2, 7], [12, 9, 3]] {
                for source in all_within([8; 3]).map(|at| at.map(|a| a + 8)) {
                    let (mut to, mut from, mut times) = (target, source, 0);
                    let apart =
                        |to: Offset, from: Offset| [0, 1, 2].map(|axis| from[axis] - to[axis]);
                    if nearness.is_near(apart(to, from)) {
                        times += 1;
                    }
                    for _ in 0..6 {
                        let octant = to[0] & 1 | (to[1] & 1) << 1 | (to[2] & 1) << 2;
                        // the offset is from a brick to what acts on it
                        times += i32::from(lists[octant as usize].contains(&apart(to, from)));
                        (to, from) = (to.map(|a| a / 2), from.map(|a| a / 2));
                    }
                    assert_eq!(times, 1, "{near} {form:?}: {target:?} {source:?}");
                }
            }
        }
    }

    #[test]
    fn there_are_weights_for_all_near_voxels() {
        assert!(has_weights(MAX_NEAR));
        assert!(!has_weights(MAX_NEAR + 1), "more could be offered");
    }

    #[test]
    fn the_flattest_have_none() {
        let long = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 20.0]];
        assert!(Offsets::of(&nearness(24, long)).is_none());
        let steep = [[1.0, 0.0, 0.0], [0.0, 1.0, 9.0], [0.0, 0.0, 1.0]];
        assert!(Offsets::of(&nearness(24, steep)).is_none());
        let scan = [[1.0, 0.0, 0.0], [0.0, 1.4, 0.0], [0.0, 0.0, 1.4]];
        assert!(Offsets::of(&nearness(25, scan)).is_some());
    }

    /// The ratios that docs name.
    #[test]
    fn voxels_to_31_times_as_long_as_wide_have_series() {
        let has_series = |near: u32, spacing: [f64; 3]| {
            let axes = Matrix3::from_diagonal(&spacing.into());
            let lattice = BrickLattice::of(&Geometry::new(axes, Vector3::zeros()).unwrap());
            Offsets::of(&Nearness::new(near, &lattice.metric)).is_some()
        };
        // what exponents take if nobody says
        for near in [15, 24] {
            // the longest in any case
            let shorter = test_cases::some((1..=30).map(f64::from), near as usize);
            for long in shorter.chain([31.0]) {
                for other in [
                    1.0,
                    1.4_f64.min(long),
                    long.sqrt(),
                    (0.5 * long).max(1.0),
                    long,
                ] {
                    let spacing = [1.0, other, long];
                    assert!(has_series(near, spacing), "{near} {spacing:?}");
                }
            }
        }
        for (near, rods, plates) in [(15, 48.5, 40.5), (24, 34.0, 31.5)] {
            assert!(!has_series(near, [1.0, 1.0, rods]));
            assert!(!has_series(near, [1.0, plates, plates]));
        }
    }
}
