//! Projection of curves to cones with round ends, in pixels.

use super::SkeletonStyle;
use crate::{
    graph::{NodeKind, Skeleton},
    memory::{ExtendOrUnwind, zeroed_or_unwind},
    render::{
        curve_colours::{Colour, ColourMap, critical, radius_at},
        framing::Framing,
    },
};
use ferrovox_kernels::render::CONE_LEN;
use nalgebra::Point3;

/// Width of the nearest curves, as a multiple of the requested width.
const NEAREST_WIDTH: f64 = 1.15;
/// Amount by which the farthest curves are thinner, as a multiple of the requested width.
const WIDTH_DECREASE: f64 = 0.5;

/// Radius of critical points, as a multiple of the half width of curves.
const CRITICAL: f64 = 1.7;
/// Radius of junctions, as a multiple of the half width of curves.
const JUNCTION: f64 = 1.25;
/// Radius of isolated nodes, as a multiple of the half width of curves.
const ISOLATED: f64 = 1.8;

/// Longest cone, in pixels. Longer ones are divided, for precision and to intersect fewer tiles.
const MAX_LENGTH: f64 = 128.0;
/// Largest number of parts of a segment.
const MAX_PARTS: f64 = 4096.0;

/// Cones with round ends, in pixels.
pub struct Cones {
    /// [`CONE_LEN`] numbers per cone.
    pub numbers: Vec<f32>,
    /// Smallest and largest depth of a point of a curve.
    pub depths: [f32; 2],
}

/// Projected point of a curve.
#[derive(Clone, Copy)]
struct Ball {
    at: [f64; 3],
    radius: f64,
    colour: Colour,
}

/// Returns the nodes and the points of curves in world coordinates, with their radii.
pub fn balls<'a>(
    skeletons: &'a [(i64, &'a Skeleton)],
) -> impl Iterator<Item = (Point3<f64>, f64)> + use<'a> {
    skeletons.iter().flat_map(|(_, one)| {
        let nodes = one.nodes.iter().map(|node| (node.position, node.radius));
        let inner = one.edges.iter().flat_map(|edge| {
            let points = edge.points.iter().enumerate();
            points.map(|(at, point)| (*point, radius_at(edge, at)))
        });
        let all = nodes.chain(inner);
        all.map(|(point, radius)| (one.to_world(point), radius))
    })
}

impl Cones {
    /// Projects the curves and nodes of skeletons.
    pub fn project(
        skeletons: &[(i64, &Skeleton)],
        colour_map: &ColourMap,
        framing: &Framing,
        style: &SkeletonStyle,
    ) -> Self {
        let mut cones = Self {
            numbers: Vec::new(),
            depths: depths(skeletons, framing),
        };
        let half = f64::from(style.width.max(0.0)) / 2.0;
        let [from, to] = cones.depths.map(f64::from);
        let width = |depth: f64| {
            let part = if to > from {
                (depth - from) / (to - from)
            } else {
                0.0
            };
            half * (NEAREST_WIDTH - WIDTH_DECREASE * part)
        };
        let radius_at_depth = |at: [f64; 3], radius: f64| {
            if style.tubes {
                (radius / framing.pixel).max(0.5 * half)
            } else {
                width(at[2])
            }
        };
        for (number, (_, skeleton)) in skeletons.iter().enumerate() {
            let mut degrees = zeroed_or_unwind::<u32>(skeleton.nodes.len());
            for edge in &skeleton.edges {
                for node in edge.nodes {
                    if let Some(degree) = degrees.get_mut(node) {
                        *degree += 1;
                    }
                }
                let colours = colour_map.edge(skeletons, number, edge);
                let balls = edge.points.iter().enumerate().map(|(point, &position)| {
                    let at = framing.project(skeleton.to_world(position));
                    Ball {
                        at,
                        radius: radius_at_depth(at, radius_at(edge, point)),
                        colour: colours(point),
                    }
                });
                let mut last = None;
                for ball in balls {
                    if let Some(last) = last {
                        cones.join(last, ball);
                    }
                    last = Some(ball);
                }
            }
            for (node, degree) in skeleton.nodes.iter().zip(degrees) {
                let at = framing.project(skeleton.to_world(node.position));
                let own = colour_map.node(skeletons, number, node);
                let ball = |radius: f64, colour: Colour| Ball { at, radius, colour };
                let ball = match (style.tubes, degree, critical(node.kind)) {
                    (true, 0, _) => ball(radius_at_depth(at, node.radius), own),
                    (true, ..) => continue,
                    (false, _, Some(colour)) => ball(CRITICAL * width(at[2]), colour),
                    (false, 0, None) => ball(ISOLATED * width(at[2]), own),
                    (false, _, None) if node.kind == NodeKind::Junction => {
                        ball(JUNCTION * width(at[2]), own.map(|channel| 0.6 * channel))
                    }
                    _ => continue,
                };
                cones.push(ball, ball);
            }
        }
        cones
    }

    /// Returns the number of cones.
    pub fn len(&self) -> usize {
        self.numbers.len() / CONE_LEN
    }

    /// Returns the ranges of x and y of a cone, and its smallest depth, rounded as on the device.
    pub fn bounds(&self, cone: usize) -> ([[f32; 2]; 2], f32) {
        let [ax, ay, az, ra, bx, by, bz, rb] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(|k| self.numbers[CONE_LEN * cone + k]);
        let range = |a: f32, b: f32| [(a - ra).min(b - rb), (a + ra).max(b + rb)];
        ([range(ax, bx), range(ay, by)], (az - ra).min(bz - rb))
    }

    /// Adds cones from one point of a curve to the next.
    fn join(&mut self, from: Ball, to: Ball) {
        let offset = [0, 1, 2].map(|k| to.at[k] - from.at[k]);
        let length = offset.iter().map(|step| step * step).sum::<f64>().sqrt();
        let parts = (length / MAX_LENGTH).ceil().clamp(1.0, MAX_PARTS);
        let between = |number: f64| {
            let part = number / parts;
            Ball {
                at: [0, 1, 2].map(|k| from.at[k] + part * offset[k]),
                radius: from.radius + part * (to.radius - from.radius),
                colour: [0, 1, 2]
                    .map(|k| from.colour[k] + part as f32 * (to.colour[k] - from.colour[k])),
            }
        };
        let mut last = from;
        for number in 1..=parts as u32 {
            let next = between(number.into());
            self.push(last, next);
            last = next;
        }
    }

    fn push(&mut self, a: Ball, b: Ball) {
        for ball in [a, b] {
            self.numbers.extend_or_unwind(ball.at.map(|x| x as f32));
            self.numbers.push_or_unwind(ball.radius as f32);
        }
        // Colours are linear, as for the lighting.
        for ball in [a, b] {
            self.numbers
                .extend_or_unwind(ball.colour.map(|channel| channel * channel));
        }
    }
}

/// Returns the smallest and the largest depth of a point of a curve.
fn depths(skeletons: &[(i64, &Skeleton)], framing: &Framing) -> [f32; 2] {
    balls(skeletons)
        .map(|(point, _)| framing.project(point)[2] as f32)
        .filter(|depth| depth.is_finite())
        .map(|depth| [depth; 2])
        .reduce(|[near, far], [depth, _]| [near.min(depth), far.max(depth)])
        .unwrap_or_default()
}
