//! Which voxels a skeleton covers.

use super::intermediate_graph::{Draft, Point};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    parallel,
    skeleton::medial::{
        context::Known,
        paths::segment_voxels::{Place, in_voxels},
        voxels::{
            ball::{Ball, Part},
            object::Object,
            word_neighbourhood::ones,
        },
    },
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The rule that says how far from its skeleton an object may reach; lengths in the smallest
/// spacing.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub scale: f64,
    pub constant: f64,
}

impl Reach {
    /// How far a point with this radius covers.
    pub fn of(&self, radius: f64) -> f64 {
        self.scale * radius + self.constant
    }
}

/// Voxels of a component that lie in one of some balls.
pub struct Cover<'a> {
    object: &'a Object,
    metric: &'a Metric,
    /// For each word of the object the voxels that are covered.
    words: Vec<u64>,
    left: usize,
    /// Of each row; not known until one of it is covered.
    left_of_row: Vec<u32>,
}

/// What rounding may take from a radius.
const SLACK: f64 = 1e-9;

impl<'a> Cover<'a> {
    pub fn new(object: &'a Object, metric: &'a Metric) -> Self {
        Self {
            object,
            metric,
            words: zeroed_or_unwind(object.words().len()),
            left: object.len(),
            left_of_row: filled_or_unwind(u32::MAX, object.rows()),
        }
    }

    /// Voxels that are not covered.
    pub fn left(&self) -> usize {
        self.left
    }

    pub fn is_covered(&self, voxel: usize) -> bool {
        let (word, bit) = self.object.word_of(voxel);
        self.words[word] >> bit & 1 == 1
    }

    /// The voxels that are not covered, ascending.
    pub fn bare(&self) -> impl Iterator<Item = usize> {
        (0..self.words.len()).flat_map(|word| self.bare_of(word))
    }

    /// Those of a word.
    pub fn bare_of(&self, word: usize) -> impl Iterator<Item = usize> {
        let voxels = self.object.words()[word];
        ones(voxels.bits & !self.words[word]).map(move |bit| voxels.number(bit) as usize)
    }

    /// The component.
    pub fn object(&self) -> &'a Object {
        self.object
    }

    /// Covers what the points of a draft cover, until nothing is left. Radii are asked for where
    /// they are needed: of points that are near to the one before, for what that covers, only if
    /// something is left without them.
    pub fn add_draft(
        &mut self,
        known: &Known<'_>,
        reach: Reach,
        draft: &Draft,
        radius: impl Fn(Point, Place) -> f64 + Sync,
    ) {
        let reach_of = |point, place| reach.of(radius(point, place));
        let nodes: Vec<f64> = parallel::collect(draft.nodes.len(), 1 << 6, |range, reaches| {
            reaches
                .extend_or_unwind(range.map(|node| reach_of(Point::Node(node), draft.nodes[node])));
        });
        let nodes = draft.nodes.iter().zip(nodes);
        let nodes: Vec<_> = nodes
            .map(|(&at, reach)| (in_voxels(at), reach))
            .collect_or_unwind();
        self.add_all(&nodes);
        let points = parallel::collect(draft.edges.len(), 1, |edges, points| {
            for number in edges {
                let edge = &draft.edges[number];
                let mut next = 0.0;
                points.extend_or_unwind((1..edge.points.len() - 1).map(|at| {
                    let place = edge.points[at];
                    if at == 1 {
                        next = PASSED * reach.of(known.about_radius(edge.points[0]));
                    }
                    next -= known.distance(edge.points[at - 1], place);
                    let is_first = next <= 0.0;
                    if is_first {
                        next = PASSED * reach.of(known.about_radius(place));
                    }
                    (is_first, (Point::Inner(number, at), place))
                }));
            }
        });
        let some = |are_first: bool| {
            let some = points.iter().filter(|point| point.0 == are_first);
            some.map(|&(_, point)| point).collect_or_unwind()
        };
        let (first, passed_over) = (some(true), some(false));
        for points in [&first[..]].into_iter().chain(passed_over.chunks(PORTION)) {
            if self.left == 0 {
                break;
            }
            let balls = parallel::map(points.len(), |at| {
                let (point, at) = points[at];
                (in_voxels(at), reach_of(point, at))
            });
            self.add_all(&balls);
        }
    }

    /// Covers the voxels of a ball. Its radius is in the smallest spacing.
    pub fn add(&mut self, at: [f64; 3], radius: f64) {
        self.add_all(&[(at, radius)]);
    }

    /// Covers the voxels of some balls.
    pub fn add_all(&mut self, balls: &[([f64; 3], f64)]) {
        if self.left == 0 {
            return;
        }
        let object = self.object;
        let balls = balls.iter().map(|&(at, radius)| Ball {
            u: self.metric.upper(),
            at,
            radius: radius * (1.0 + SLACK),
        });
        let balls: Vec<Ball<'_>> = balls.collect_or_unwind();
        let mut all = Part {
            words: &mut self.words,
            left_of_row: &mut self.left_of_row,
            first: [0, 0],
        };
        let rows = balls.iter().map(|ball| ball.most_rows(object));
        let most = rows.fold(0, usize::saturating_add);
        if most < MANY {
            for ball in &balls {
                let planes = ball.planes(object);
                self.left -= planes.map(|z| all.add(object, ball, z)).sum::<usize>();
            }
            return;
        }
        let planes = balls.iter().map(|ball| ball.planes(object));
        let Some(planes) = planes.reduce(|a, b| *a.start().min(b.start())..=*a.end().max(b.end()))
        else {
            return;
        };
        let mut parts: Vec<_> = all.planes(object, planes).collect_or_unwind();
        let covered = AtomicUsize::new(0);
        parallel::for_each_mut(&mut parts, |_, (z, part)| {
            let there = balls.iter().filter(|ball| ball.planes(object).contains(z));
            let count: usize = there.map(|ball| part.add(object, ball, *z)).sum();
            covered.fetch_add(count, Relaxed);
        });
        self.left -= covered.into_inner();
    }
}

/// Balls with so many rows in all are dealt to threads, plane by plane.
const MANY: usize = 1 << 13;

/// The part of what a point covers within which others are passed over.
const PASSED: f64 = 0.25;
/// Of those that were passed over so many are covered at a time.
const PORTION: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            curves::uncovered_queue::Waiting,
            progress::Steps,
            voxels::{frame::Frame, object_tests::runs_of},
        },
    };
    use proptest::prelude::*;
    use test_cases::cases;

    /// A block with holes, in a volume of some spacing.
    fn object(holes: &[[u32; 3]], spacing: [f64; 3]) -> (Object, Metric) {
        let block = (0..150u32 * 14 * 12).map(|at| [at % 150, at / 150 % 14, at / 2100]);
        let runs = runs_of(block.filter(|[x, y, z]| !holes.contains(&[x / 5, *y, *z])));
        let frame = Frame::plain(&runs);
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        (
            Object::new(&runs, &frame, &Steps::none()).unwrap(),
            Metric::of(&geometry).0,
        )
    }

    fn inside(object: &Object, metric: &Metric, at: [f64; 3], radius: f64, voxel: usize) -> bool {
        let place = object.place(voxel);
        let way = [0, 1, 2].map(|axis| f64::from(place[axis]) - at[axis]);
        metric.length(way) <= radius
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(40), failure_persistence: None, ..Default::default() })]

        /// Balls cover the voxels within them, and voxels that are left come in the order of a
        /// sort.
        #[test]
        fn balls_cover_their_voxels(
            holes in prop::collection::vec((0u32..30, 0u32..14, 0u32..12), 0..400),
            spacing in prop::sample::select(vec![[1.0; 3], [1.0, 2.0, 1.5], [5.0, 1.0, 1.0]]),
            balls in prop::collection::vec((prop::array::uniform3(-20.0f64..150.0), 0.0f64..80.0), 1..8),
            lengths in 1u32..9,
        ) {
            let holes: Vec<[u32; 3]> = holes.into_iter().map(|(x, y, z)| [x, y, z]).collect();
            let (object, metric) = object(&holes, spacing);
            let length = |voxel: usize| ((voxel as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as u32 / lengths;
            let mut cover = Cover::new(&object, &metric);
            let mut bare: Vec<usize> = (0..object.len()).collect();
            let mut waiting = Waiting::of(&cover, length);
            bare.sort_by_key(|&voxel| (std::cmp::Reverse(length(voxel)), voxel));
            for ([x, y, z], radius) in balls {
                let at = [x, y / 10.0, z / 12.0];
                cover.add(at, radius);
                bare.retain(|&voxel| !inside(&object, &metric, at, radius, voxel));
                prop_assert_eq!(cover.left(), bare.len());
                let mut ascending = bare.clone();
                ascending.sort_unstable();
                prop_assert_eq!(cover.bare().collect::<Vec<_>>(), ascending);
                // some have their turn
                for _ in 0..bare.len().min(70) {
                    let next = waiting.next(&cover);
                    prop_assert_eq!(next, Some(bare[0]));
                    prop_assert!(!cover.is_covered(bare[0]));
                    let place = object.place(bare.remove(0));
                    cover.add(place.map(f64::from), 0.1);
                }
            }
            prop_assert_eq!(waiting.next(&cover), bare.first().copied());
        }
    }

    /// A ball of many rows is dealt to threads.
    #[test]
    fn a_large_ball_covers_its_voxels() {
        let runs: Vec<_> =
            runs_of((0..110u32 * 120 * 4).map(|at| [at % 4, at / 4 % 120, at / 480]));
        let object = Object::new(&runs, &Frame::plain(&runs), &Steps::none()).unwrap();
        let metric = Metric::of(&Geometry::default()).0;
        let mut cover = Cover::new(&object, &metric);
        for (at, radius) in [([1.0, 60.0, 50.0], 55.5), ([1.5, 60.0, 60.0], 200.0)] {
            cover.add(at, radius);
            let is_left = |&voxel: &usize| !inside(&object, &metric, at, radius, voxel);
            assert_eq!(cover.left(), (0..object.len()).filter(is_left).count());
        }
    }
}
