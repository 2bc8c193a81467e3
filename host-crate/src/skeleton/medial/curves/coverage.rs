//! Coverage of a component's voxels by the points of its skeleton.

use super::intermediate_graph::{GraphPoint, IntermediateGraph};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind},
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        voxels::{
            ball::{Ball, CoverageSlice},
            object::Object,
            segment_voxels::{FixedPoint, to_voxels},
            word_neighbourhood::set_bits,
        },
    },
};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Coverage rule of TEASAR (Sato et al. 2000): a skeleton point with inscribed radius r covers the
/// voxels within its coverage radius `scale * r + constant`, in units of the smallest spacing.
#[derive(Clone, Copy, Debug)]
pub struct CoverageRule {
    pub scale: f64,
    pub constant: f64,
}

impl CoverageRule {
    /// Returns the coverage radius of a point with inscribed radius `radius`.
    pub fn radius(&self, radius: f64) -> f64 {
        self.scale * radius + self.constant
    }
}

/// Voxels of a component that lie in any of the balls added so far.
pub struct Coverage<'a> {
    object: &'a Object,
    metric: &'a Metric,
    /// Covered voxels of each word of the object.
    words: Vec<u64>,
    /// Number of uncovered voxels.
    uncovered: usize,
    /// Number of uncovered voxels of each row; `u32::MAX` until one is covered.
    uncovered_in_row: Vec<u32>,
}

/// Relative margin of radii for rounding errors.
const SLACK: f64 = 1e-9;

impl<'a> Coverage<'a> {
    /// Creates the coverage without any covered voxel.
    pub fn new(object: &'a Object, metric: &'a Metric) -> Self {
        Self {
            object,
            metric,
            words: zeroed_or_unwind(object.words().len()),
            uncovered: object.len(),
            uncovered_in_row: filled_or_unwind(u32::MAX, object.row_count()),
        }
    }

    /// Returns the number of uncovered voxels.
    pub fn uncovered_count(&self) -> usize {
        self.uncovered
    }

    /// Returns `true` if a voxel is covered.
    pub fn is_covered(&self, voxel: usize) -> bool {
        let (word, bit) = self.object.locate(voxel);
        self.words[word] >> bit & 1 == 1
    }

    /// Returns the uncovered voxels, in ascending order.
    pub fn uncovered(&self) -> impl Iterator<Item = usize> {
        (0..self.words.len()).flat_map(|word| self.uncovered_in_word(word))
    }

    /// Returns the uncovered voxels of a word, in ascending order.
    pub fn uncovered_in_word(&self, word: usize) -> impl Iterator<Item = usize> {
        let voxels = self.object.words()[word];
        set_bits(voxels.bits & !self.words[word]).map(move |bit| voxels.voxel_index(bit) as usize)
    }

    /// Returns the component.
    pub fn object(&self) -> &'a Object {
        self.object
    }

    /// Covers the balls of the points of a graph, until no voxel is left uncovered. `radius`
    /// returns the inscribed radius of a point, and is evaluated lazily: points close to a
    /// preceding one, relative to its coverage radius, are skipped at first and evaluated in
    /// batches only if uncovered voxels remain.
    pub fn add_graph(
        &mut self,
        context: &ComponentContext<'_>,
        rule: CoverageRule,
        graph: &IntermediateGraph,
        radius: impl Fn(GraphPoint, FixedPoint) -> f64 + Sync,
    ) {
        let coverage_radius = |point, position| rule.radius(radius(point, position));
        let node_radii: Vec<f64> = parallel::collect(graph.nodes.len(), 1 << 6, |range, radii| {
            radii.extend_or_unwind(
                range.map(|node| coverage_radius(GraphPoint::Node(node), graph.nodes[node])),
            );
        });
        let pairs = graph.nodes.iter().zip(node_radii);
        let node_balls: Vec<_> = pairs
            .map(|(&at, radius)| (to_voxels(at), radius))
            .collect_or_unwind();
        self.add_balls(&node_balls);
        let points = parallel::collect(graph.edges.len(), 1, |edges, points| {
            for number in edges {
                let edge = &graph.edges[number];
                let mut next = 0.0;
                points.extend_or_unwind((1..edge.points.len() - 1).map(|at| {
                    let position = edge.points[at];
                    if at == 1 {
                        next = SKIPPED_FRACTION
                            * rule.radius(context.approximate_radius(edge.points[0]));
                    }
                    next -= context.distance(edge.points[at - 1], position);
                    let is_first = next <= 0.0;
                    if is_first {
                        next = SKIPPED_FRACTION * rule.radius(context.approximate_radius(position));
                    }
                    (is_first, (GraphPoint::Inner(number, at), position))
                }));
            }
        });
        let select = |are_first: bool| {
            let selected = points.iter().filter(|point| point.0 == are_first);
            selected.map(|&(_, point)| point).collect_or_unwind()
        };
        let (primary, skipped) = (select(true), select(false));
        for points in [&primary[..]]
            .into_iter()
            .chain(skipped.chunks(SKIPPED_BATCH))
        {
            if self.uncovered == 0 {
                break;
            }
            let balls = parallel::map(points.len(), |at| {
                let (point, at) = points[at];
                (to_voxels(at), coverage_radius(point, at))
            });
            self.add_balls(&balls);
        }
    }

    /// Covers the voxels of a ball with a radius in units of the smallest spacing.
    pub fn add_ball(&mut self, at: [f64; 3], radius: f64) {
        self.add_balls(&[(at, radius)]);
    }

    /// Covers the voxels of several balls.
    pub fn add_balls(&mut self, balls: &[([f64; 3], f64)]) {
        if self.uncovered == 0 {
            return;
        }
        let object = self.object;
        let balls = balls.iter().map(|&(at, radius)| Ball {
            u: self.metric.upper(),
            at,
            radius: radius * (1.0 + SLACK),
        });
        let balls: Vec<Ball<'_>> = balls.collect_or_unwind();
        let mut slice = CoverageSlice {
            words: &mut self.words,
            uncovered_in_row: &mut self.uncovered_in_row,
            first: [0, 0],
        };
        let rows = balls.iter().map(|ball| ball.max_rows(object));
        let max_rows = rows.fold(0, usize::saturating_add);
        if max_rows < MIN_PARALLEL_ROWS {
            for ball in &balls {
                let planes = ball.planes(object);
                self.uncovered -= planes
                    .map(|z| slice.cover_plane(object, ball, z))
                    .sum::<usize>();
            }
            return;
        }
        let planes = balls.iter().map(|ball| ball.planes(object));
        let Some(planes) = planes.reduce(|a, b| *a.start().min(b.start())..=*a.end().max(b.end()))
        else {
            return;
        };
        let mut parts: Vec<_> = slice.split_planes(object, planes).collect_or_unwind();
        let covered = AtomicUsize::new(0);
        parallel::for_each_mut(&mut parts, |_, (z, part)| {
            let overlapping = balls.iter().filter(|ball| ball.planes(object).contains(z));
            let count: usize = overlapping
                .map(|ball| part.cover_plane(object, ball, *z))
                .sum();
            covered.fetch_add(count, Relaxed);
        });
        self.uncovered -= covered.into_inner();
    }
}

/// Minimum total number of rows for parallel rasterisation by planes.
const MIN_PARALLEL_ROWS: usize = 1 << 13;

/// Fraction of a point's coverage radius within which the following points are skipped.
const SKIPPED_FRACTION: f64 = 0.25;
/// Number of skipped points that are evaluated at once.
const SKIPPED_BATCH: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            curves::uncovered_queue::UncoveredQueue,
            progress::ComponentProgress,
            voxels::{frame::Frame, object_tests::runs_from_positions},
        },
    };
    use proptest::prelude::*;
    use test_cases::case_count;

    /// Creates a block with holes, with a given spacing.
    fn object(holes: &[[u32; 3]], spacing: [f64; 3]) -> (Object, Metric) {
        let block = (0..150u32 * 14 * 12).map(|at| [at % 150, at / 150 % 14, at / 2100]);
        let runs = runs_from_positions(block.filter(|[x, y, z]| !holes.contains(&[x / 5, *y, *z])));
        let frame = Frame::unpermuted(&runs);
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        (
            Object::new(&runs, &frame, &ComponentProgress::disabled()).unwrap(),
            Metric::rounded(&geometry).0,
        )
    }

    fn inside(object: &Object, metric: &Metric, at: [f64; 3], radius: f64, voxel: usize) -> bool {
        let position = object.position(voxel);
        let offset = [0, 1, 2].map(|axis| f64::from(position[axis]) - at[axis]);
        metric.length(offset) <= radius
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: case_count(40), failure_persistence: None, ..Default::default() })]

        /// Balls cover exactly the voxels within their radius, and the queue yields the uncovered
        /// voxels in sorted order.
        #[test]
        fn balls_cover_exactly_their_voxels(
            holes in prop::collection::vec((0u32..30, 0u32..14, 0u32..12), 0..400),
            spacing in prop::sample::select(vec![[1.0; 3], [1.0, 2.0, 1.5], [5.0, 1.0, 1.0]]),
            balls in prop::collection::vec((prop::array::uniform3(-20.0f64..150.0), 0.0f64..80.0), 1..8),
            lengths in 1u32..9,
        ) {
            let holes: Vec<[u32; 3]> = holes.into_iter().map(|(x, y, z)| [x, y, z]).collect();
            let (object, metric) = object(&holes, spacing);
            let length = |voxel: usize| ((voxel as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as u32 / lengths;
            let mut coverage = Coverage::new(&object, &metric);
            let mut uncovered: Vec<usize> = (0..object.len()).collect();
            let mut queue = UncoveredQueue::new(&coverage, length);
            uncovered.sort_by_key(|&voxel| (std::cmp::Reverse(length(voxel)), voxel));
            for ([x, y, z], radius) in balls {
                let at = [x, y / 10.0, z / 12.0];
                coverage.add_ball(at, radius);
                uncovered.retain(|&voxel| !inside(&object, &metric, at, radius, voxel));
                prop_assert_eq!(coverage.uncovered_count(), uncovered.len());
                let mut ascending = uncovered.clone();
                ascending.sort_unstable();
                prop_assert_eq!(coverage.uncovered().collect::<Vec<_>>(), ascending);
                // the queue yields some of the uncovered voxels
                for _ in 0..uncovered.len().min(70) {
                    let next = queue.next(&coverage);
                    prop_assert_eq!(next, Some(uncovered[0]));
                    prop_assert!(!coverage.is_covered(uncovered[0]));
                    let position = object.position(uncovered.remove(0));
                    coverage.add_ball(position.map(f64::from), 0.1);
                }
            }
            prop_assert_eq!(queue.next(&coverage), uncovered.first().copied());
        }
    }

    /// Balls of many rows are rasterised in parallel, and cover exactly the voxels within their
    /// radius.
    #[test]
    fn parallel_rasterisation_covers_exactly_the_ball() {
        let runs: Vec<_> =
            runs_from_positions((0..110u32 * 120 * 4).map(|at| [at % 4, at / 4 % 120, at / 480]));
        let object = Object::new(
            &runs,
            &Frame::unpermuted(&runs),
            &ComponentProgress::disabled(),
        )
        .unwrap();
        let metric = Metric::rounded(&Geometry::default()).0;
        let mut coverage = Coverage::new(&object, &metric);
        for (at, radius) in [([1.0, 60.0, 50.0], 55.5), ([1.5, 60.0, 60.0], 200.0)] {
            coverage.add_ball(at, radius);
            let is_uncovered = |&voxel: &usize| !inside(&object, &metric, at, radius, voxel);
            assert_eq!(
                coverage.uncovered_count(),
                (0..object.len()).filter(is_uncovered).count()
            );
        }
    }
}
