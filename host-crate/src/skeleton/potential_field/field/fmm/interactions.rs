//! Interaction lists: which bricks are near to or far from each other.

use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind},
};
use ferrovox_kernels::skeleton::field::fmm::{OFFSET_BIAS, OFFSET_INDEX_SHIFT};

/// Offset between bricks.
pub(super) type Offset = [i32; 3];

/// Offsets to near bricks, and to far bricks whose parents are near.
///
/// Two bricks are near if the distance of their centres is at most a fixed multiple of the distance
/// of a brick's corner from its centre, so that expansions are equally accurate for bricks of all
/// shapes. For cubes this is a ball whose squared radius is given in units of the brick's edge.
pub(super) struct InteractionLists {
    /// Offsets to near bricks, packed for the kernels.
    pub near: Vec<u32>,
    /// Offsets to far bricks for each octant of the parent, octant by octant, packed with their
    /// index in [`far_offsets`](Self::far_offsets).
    pub far: Vec<u32>,
    /// Start of the far offsets of each octant, and a final end index.
    pub starts: [u32; 9],
    /// Offsets that are far for some octant, without duplicates.
    pub far_offsets: Vec<Offset>,
}

/// Maximum coordinate and maximum index of a packed offset.
const MAX_OFFSET: i32 = OFFSET_BIAS - 1;
const MAX_OFFSET_INDEX: usize = (1 << (u32::BITS - OFFSET_INDEX_SHIFT)) - 2;

/// Criterion for near bricks.
#[derive(Clone, Copy)]
pub(super) struct NearFieldCriterion {
    metric: Metric,
    /// Maximum squared distance of near bricks, in the metric of steps of one brick.
    max_squared: f64,
}

impl NearFieldCriterion {
    /// Creates the criterion for a squared radius, at most
    /// [`MAX_NEAR_SQUARED`](crate::skeleton::potential_field::multipole_params::MAX_NEAR_SQUARED).
    pub fn new(near: u32, metric: &Metric) -> Self {
        let corners = (0..4).map(|signs| {
            let sign = |bit: i32| if signs >> bit & 1 == 1 { -1.0 } else { 1.0 };
            metric.squared_length([1.0, sign(0), sign(1)])
        });
        // 3 for cubes
        let corner = corners.fold(0.0, f64::max);
        Self {
            metric: *metric,
            max_squared: f64::from(near) * corner / 3.0,
        }
    }

    /// Returns `true` if bricks at an offset are near.
    pub fn is_near(&self, offset: Offset) -> bool {
        self.metric.squared_length(offset.map(f64::from)) <= self.max_squared
    }

    /// Returns the maximum offset of near bricks along each axis.
    fn extent(&self) -> [i32; 3] {
        let radius = self.max_squared.sqrt();
        self.metric
            .unit_ball_extent()
            .map(|along| (radius * along).floor() as i32)
    }
}

/// Returns all offsets within the given extent along each axis, x fastest.
fn all_within(extent: [i32; 3]) -> impl Iterator<Item = Offset> {
    let along = move |axis: usize| -extent[axis]..=extent[axis];
    along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])))
}

fn pack(offset: Offset, index: usize) -> u32 {
    let [x, y, z] = offset.map(|a| (a + OFFSET_BIAS) as u32);
    x | y << 6 | z << 12 | (index as u32) << OFFSET_INDEX_SHIFT
}

impl InteractionLists {
    /// Computes the lists, or returns `None` if bricks are so elongated, or axes so oblique, that
    /// there are too many offsets.
    pub fn new(criterion: &NearFieldCriterion) -> Option<Self> {
        let extent = criterion.extent();
        // bricks whose parents are `d` apart are at most 2 d + 1 apart
        let search_extent = extent.map(|along| along.saturating_mul(2).saturating_add(1));
        if search_extent.iter().any(|&along| along > MAX_OFFSET) {
            return None;
        }
        let is_far = |octant: i32, offset: Offset| {
            let parent = [0, 1, 2].map(|axis| ((octant >> axis & 1) + offset[axis]).div_euclid(2));
            !criterion.is_near(offset) && criterion.is_near(parent)
        };
        let is_far_for_any_octant = |&offset: &Offset| (0..8).any(|octant| is_far(octant, offset));
        let far_offsets: Vec<Offset> = all_within(search_extent)
            .filter(is_far_for_any_octant)
            .collect_or_unwind();
        if far_offsets.len() > MAX_OFFSET_INDEX {
            return None;
        }
        let mut far = Vec::new();
        let mut starts = [0; 9];
        for octant in 0..8 {
            let numbered = far_offsets.iter().enumerate();
            let own_offsets = numbered.filter(|(_, offset)| is_far(octant, **offset));
            far.extend_or_unwind(own_offsets.map(|(index, &offset)| pack(offset, index)));
            starts[octant as usize + 1] = far.len() as u32;
        }
        let ball = all_within(extent).filter(|&offset| criterion.is_near(offset));
        Some(Self {
            near: ball.map(|offset| pack(offset, 0)).collect_or_unwind(),
            far,
            starts,
            far_offsets,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::potential_field::{
            field::fmm::lattice::BrickLattice, multipole_params::MAX_NEAR_SQUARED,
        },
    };
    use ferrovox_kernels::skeleton::field::fmm::{BRICK, MAX_SQUARED_DISTANCE};
    use nalgebra::{Matrix3, Vector3};

    const CUBIC: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn criterion(near: u32, axes: [[f64; 3]; 3]) -> NearFieldCriterion {
        let axes = Matrix3::from_fn(|row, column| axes[row][column]);
        let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
        NearFieldCriterion::new(near, &Metric::snapped(&geometry).0)
    }

    /// Returns the maximum squared distance of two voxels in bricks at an offset.
    fn largest_squared(offset: Offset) -> usize {
        let along = |a: i32| (a.unsigned_abs() * BRICK + BRICK - 1) as usize;
        offset.iter().map(|&a| along(a).pow(2)).sum()
    }

    /// Returns `true` if the weight table covers all distances between voxels of near bricks.
    fn has_weights(near: u32) -> bool {
        let cubic = criterion(near, CUBIC);
        let in_ball = all_within(cubic.extent()).filter(|&offset| cubic.is_near(offset));
        in_ball.map(largest_squared).max().unwrap_or(0) <= MAX_SQUARED_DISTANCE
    }

    /// Two bricks are either near, or far on exactly one level.
    #[test]
    fn every_pair_interacts_exactly_once() {
        let voxel_shapes = [
            CUBIC,
            [[1.0, 0.0, 0.0], [0.0, 1.3, 0.0], [0.0, 0.0, 0.8]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.4], [0.0, 0.0, 1.2]],
        ];
        let all = voxel_shapes
            .iter()
            .flat_map(|&shape| [3, 8, 15, 24].map(|near| (near, shape)));
        for (near, shape) in all {
            let criterion = criterion(near, shape);
            let offsets = InteractionLists::new(&criterion).unwrap();
            let far_offsets_for = |octant: usize| {
                let range = offsets.starts[octant] as usize..offsets.starts[octant + 1] as usize;
                offsets.far[range].iter().map(|packed| {
                    [0, 6, 12].map(|shift| (packed >> shift & 63) as i32 - OFFSET_BIAS)
                })
            };
            let lists: Vec<std::collections::HashSet<Offset>> = (0..8)
                .map(|octant| far_offsets_for(octant).collect())
                .collect();
            for target in [[0, 0, 0], [5, 2, 7], [12, 9, 3]] {
                for source in all_within([8; 3]).map(|at| at.map(|a| a + 8)) {
                    let (mut to, mut from, mut count) = (target, source, 0);
                    let apart =
                        |to: Offset, from: Offset| [0, 1, 2].map(|axis| from[axis] - to[axis]);
                    if criterion.is_near(apart(to, from)) {
                        count += 1;
                    }
                    for _ in 0..6 {
                        let octant = to[0] & 1 | (to[1] & 1) << 1 | (to[2] & 1) << 2;
                        // offsets point from the target brick to the source brick
                        count += i32::from(lists[octant as usize].contains(&apart(to, from)));
                        (to, from) = (to.map(|a| a / 2), from.map(|a| a / 2));
                    }
                    assert_eq!(count, 1, "{near} {shape:?}: {target:?} {source:?}");
                }
            }
        }
    }

    #[test]
    fn weight_table_covers_all_near_voxels() {
        assert!(has_weights(MAX_NEAR_SQUARED));
        assert!(!has_weights(MAX_NEAR_SQUARED + 1), "more could be offered");
    }

    #[test]
    fn very_elongated_voxels_have_no_interaction_lists() {
        let long = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 20.0]];
        assert!(InteractionLists::new(&criterion(24, long)).is_none());
        let steep = [[1.0, 0.0, 0.0], [0.0, 1.0, 9.0], [0.0, 0.0, 1.0]];
        assert!(InteractionLists::new(&criterion(24, steep)).is_none());
        let anisotropic = [[1.0, 0.0, 0.0], [0.0, 1.4, 0.0], [0.0, 0.0, 1.4]];
        assert!(InteractionLists::new(&criterion(25, anisotropic)).is_some());
    }

    /// The aspect ratios stated in the documentation.
    #[test]
    fn voxels_with_aspect_ratios_up_to_31_are_supported() {
        let is_supported = |near: u32, spacing: [f64; 3]| {
            let axes = Matrix3::from_diagonal(&spacing.into());
            let lattice = BrickLattice::new(&Geometry::new(axes, Vector3::zeros()).unwrap());
            InteractionLists::new(&NearFieldCriterion::new(near, &lattice.metric)).is_some()
        };
        // the default radii
        for near in [15, 24] {
            // the largest aspect ratio is always tested
            let shorter = test_cases::shard((1..=30).map(f64::from), near as usize);
            for long in shorter.chain([31.0]) {
                for middle in [
                    1.0,
                    1.4_f64.min(long),
                    long.sqrt(),
                    (0.5 * long).max(1.0),
                    long,
                ] {
                    let spacing = [1.0, middle, long];
                    assert!(is_supported(near, spacing), "{near} {spacing:?}");
                }
            }
        }
        for (near, rods, plates) in [(15, 48.5, 40.5), (24, 34.0, 31.5)] {
            assert!(!is_supported(near, [1.0, 1.0, rods]));
            assert!(!is_supported(near, [1.0, plates, plates]));
        }
    }
}
