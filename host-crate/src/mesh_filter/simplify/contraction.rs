//! Edges, contracted one after the other.

use super::{
    quadric::Quadric,
    queue::{Edge, Queue},
    surface::{Contraction, Kind, NONE, SIMPLIFICATION, Surface},
};
use crate::{
    device::DeviceError,
    memory::{self, OutOfMemory},
    mesh_filter::MeshFilterError,
    monitor::Monitor,
};
use nalgebra::Vector3;

/// How much the square of an edge's length counts beside the mean squared distance: where all are
/// in a plane, short edges go first.
const LENGTH: f64 = 1e-5;
/// The cosine of the largest angle by which a triangle may turn at a time.
const TURN: f64 = 0.2;
/// Contractions between two looks at whether the work was cancelled.
const ROUND: u64 = 1024;

/// A contraction that is wanted.
struct Plan {
    kept: u32,
    gone: u32,
    position: [f32; 3],
    squared_error: f64,
    cost: f64,
}

pub(super) struct Simplifier {
    surface: Surface,
    positions: Vec<[f32; 3]>,
    quadrics: Vec<Quadric>,
    kinds: Vec<Kind>,
    moves: Vec<u32>,
    queue: Queue,
    /// What quadrics are relative to, so that no digits are lost far from the world's origin.
    middle: Vector3<f64>,
}

impl Simplifier {
    pub fn new(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, OutOfMemory> {
        let count = positions.len();
        let wide = positions
            .iter()
            .map(|position| Vector3::from(position.map(f64::from)));
        let low = wide.clone().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = wide.reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let mut new = Self {
            surface: Surface::new(triangles, count)?,
            positions: memory::try_copy(SIMPLIFICATION, positions)?,
            quadrics: memory::try_filled(SIMPLIFICATION, count, Quadric::default())?,
            kinds: memory::try_filled(SIMPLIFICATION, count, Kind::Fixed)?,
            moves: memory::try_filled(SIMPLIFICATION, count, 0)?,
            queue: Queue::default(),
            middle: low.lerp(&high, 0.5),
        };
        let mut corners = Vec::new();
        for vertex in 0..count as u32 {
            new.surface.corners_at(vertex, &mut corners);
            new.kinds[vertex as usize] = new.surface.kind(&corners);
        }
        for three in triangles {
            let quadric = Quadric::of_triangle(three.map(|vertex| new.place(vertex)));
            for vertex in three {
                let sum = &mut new.quadrics[*vertex as usize];
                *sum = sum.plus(&quadric);
            }
        }
        for &[a, b, c] in triangles {
            // of the two triangles of an edge one goes up along it
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if from < to
                    && let Some(edge) = new.edge(from, to)
                {
                    new.queue.push(edge)?;
                }
            }
        }
        Ok(new)
    }

    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Contracts edges until `least` triangles are left, none with more than the largest error. The
    /// error there is then.
    pub fn run(
        &mut self,
        least: usize,
        largest_error: f64,
        monitor: &Monitor<'_>,
    ) -> Result<f64, MeshFilterError> {
        let counter = monitor.counter(
            "simplify",
            self.surface.triangles.saturating_sub(least) as u64,
        );
        let mut worst = 0.0f64;
        let mut found = Contraction {
            at: [Vec::new(), Vec::new()],
        };
        let (mut around, mut done) = (Vec::new(), 0u64);
        while self.surface.triangles > least {
            let moves = &self.moves;
            let is_of_use = |edge: &Edge| moves_of(moves, edge.ends) == edge.moves;
            let Some(edge) = self.queue.pop(is_of_use) else {
                break;
            };
            if !is_of_use(&edge) {
                continue;
            }
            let ends = edge.ends;
            let Some(plan) = self.plan(ends) else {
                continue;
            };
            if plan.squared_error.sqrt() > largest_error
                || !self.surface.may_contract(&mut found, plan.kept, plan.gone)
                || self.turns(&found, &plan)
            {
                continue;
            }
            worst = worst.max(plan.squared_error);
            self.surface.contract(&found, plan.kept, plan.gone);
            let [kept, gone] = [plan.kept, plan.gone].map(|vertex| vertex as usize);
            self.positions[kept] = plan.position;
            self.quadrics[kept] = self.quadrics[kept].plus(&self.quadrics[gone]);
            // an edge of what is gone has another sum of moves from now on
            self.moves[gone] = NONE;
            self.moves[kept] += 1;
            let [corners, _] = &mut found.at;
            self.surface.corners_at(plan.kept, corners);
            self.surface.neighbours(corners, &mut around);
            for &other in &around {
                if let Some(edge) = self.edge(plan.kept, other) {
                    self.queue.push(edge)?;
                }
            }
            done += 1;
            if done.is_multiple_of(ROUND) {
                counter.add(2 * ROUND).map_err(DeviceError::from)?;
            }
        }
        Ok(worst.sqrt())
    }

    /// An edge for the queue, if it may be contracted as far as its ends are concerned.
    fn edge(&self, a: u32, b: u32) -> Option<Edge> {
        let ends = [a.min(b), a.max(b)];
        let plan = self.plan(ends)?;
        Some(Edge {
            cost: plan.cost,
            ends,
            moves: moves_of(&self.moves, ends),
        })
    }

    fn plan(&self, [a, b]: [u32; 2]) -> Option<Plan> {
        let kinds = [a, b].map(|vertex| self.kinds[vertex as usize]);
        let [from, to] = [self.place(a), self.place(b)];
        let sum = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let (kept, gone, position) = match kinds {
            [Kind::Inside, Kind::Inside] => {
                let place = sum.nearest(&from.lerp(&to, 0.5)) + self.middle;
                (a, b, place.map(|x| x as f32).into())
            }
            [Kind::Boundary, Kind::Inside] => (a, b, self.positions[a as usize]),
            [Kind::Inside, Kind::Boundary] => (b, a, self.positions[b as usize]),
            _ => return None,
        };
        let squared_error = sum.at(&self.relative(position));
        let cost = squared_error + LENGTH * (to - from).norm_squared();
        let is_finite = position.iter().all(|x: &f32| x.is_finite()) && cost.is_finite();
        is_finite.then_some(Plan {
            kept,
            gone,
            position,
            squared_error,
            cost,
        })
    }

    /// Whether a triangle that stays would turn too far, or have no area.
    fn turns(&self, found: &Contraction, plan: &Plan) -> bool {
        let new = self.relative(plan.position);
        let ends = [plan.kept, plan.gone];
        found.at.iter().flatten().any(|&corner| {
            let [own, from, to] = self.surface.corners_from(corner);
            if ends.contains(&from) || ends.contains(&to) {
                return false;
            }
            let [old, from, to] = [own, from, to].map(|vertex| self.place(vertex));
            let before = (from - old).cross(&(to - old));
            let after = (from - new).cross(&(to - new));
            let lengths = before.norm() * after.norm();
            // one that has no area may become anything that has one
            after.norm() <= 0.0 || before.dot(&after) < TURN * lengths
        })
    }

    /// Where a vertex is, from the middle.
    fn place(&self, vertex: u32) -> Vector3<f64> {
        self.relative(self.positions[vertex as usize])
    }

    fn relative(&self, position: [f32; 3]) -> Vector3<f64> {
        Vector3::from(position.map(f64::from)) - self.middle
    }
}

/// How often the ends of an edge have moved together; none where one is gone.
fn moves_of(moves: &[u32], ends: [u32; 2]) -> u64 {
    let [a, b] = ends.map(|vertex| u64::from(moves[vertex as usize]));
    if a.max(b) == u64::from(NONE) {
        u64::MAX
    } else {
        a + b
    }
}
