//! Iterative edge contraction.

use super::{
    NONE, SIMPLIFICATION,
    quadric::Quadric,
    queue::{Edge, EdgeQueue},
};
use crate::{
    device::DeviceError,
    memory::{self, OutOfMemory},
    mesh_filter::MeshFilterError,
    monitor::Monitor,
};
use nalgebra::Vector3;

/// Weight of the squared edge length relative to the mean squared distance: in planar regions,
/// short edges are contracted first.
const LENGTH_WEIGHT: f64 = 1e-5;
/// Cosine of the maximum angle by which a contraction may rotate a triangle's normal.
const MIN_TURN_COSINE: f64 = 0.2;
/// Number of contractions between two checks for cancellation.
const CONTRACTIONS_PER_CHECK: u64 = 1024;

/// Triangles whose edges can be contracted.
pub(super) trait Complex {
    /// Property of a vertex that determines which edges may be contracted.
    type VertexKind: Copy;
    /// Triangles at the ends of an edge.
    type Star: Default;

    /// Returns the number of remaining triangles.
    fn triangle_count(&self) -> usize;

    /// Returns the roles of the ends of an edge in its contraction, or `None` if their kinds forbid
    /// it.
    fn roles(&self, ends: [u32; 2], kinds: [Self::VertexKind; 2]) -> Option<EdgeRoles>;

    /// Returns `true` if the contraction of the edge from `removed` to `kept` preserves the
    /// topology. Fills in `star`.
    fn may_contract(&mut self, star: &mut Self::Star, kept: u32, removed: u32) -> bool;

    /// Contracts an edge that [`may_contract`](Self::may_contract) allowed.
    fn contract(&mut self, star: &Self::Star, kept: u32, removed: u32);

    /// Lists the neighbours of a vertex, each once. Overwrites `star`.
    fn list_neighbours(&mut self, star: &mut Self::Star, vertex: u32, list: &mut Vec<u32>);

    /// Returns `true` if `test` does for the vertices of a triangle that changes but remains if the
    /// edge with these ends is contracted.
    fn any_changed(
        &self,
        star: &Self::Star,
        ends: [u32; 2],
        test: impl Fn([u32; 3]) -> bool,
    ) -> bool;
}

/// Roles of the ends of an edge in its contraction.
pub(super) struct EdgeRoles {
    pub kept: u32,
    pub removed: u32,
    /// `true` if the kept vertex moves to the best position.
    pub moves: bool,
}

/// Proposed contraction of an edge.
struct ContractionPlan {
    kept: u32,
    removed: u32,
    position: [f32; 3],
    squared_error: f64,
    cost: f64,
}

/// Iterative contraction of the edges of a complex in the order of increasing cost.
pub(super) struct Simplifier<C: Complex> {
    pub complex: C,
    pub positions: Vec<[f32; 3]>,
    quadrics: Vec<Quadric>,
    kinds: Vec<C::VertexKind>,
    versions: Vec<u32>,
    queue: EdgeQueue,
    /// Origin of the quadrics, the centre of the mesh, which avoids cancellation far from the world
    /// origin.
    center: Vector3<f64>,
}

impl<C: Complex> Simplifier<C> {
    /// Creates a simplifier without queued edges.
    pub fn new(
        complex: C,
        kinds: Vec<C::VertexKind>,
        positions: &[[f32; 3]],
        triangles: &[[u32; 3]],
    ) -> Result<Self, OutOfMemory> {
        let count = positions.len();
        let wide = positions
            .iter()
            .map(|position| Vector3::from(position.map(f64::from)));
        let low = wide.clone().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = wide.reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let mut result = Self {
            complex,
            positions: memory::try_copy(SIMPLIFICATION, positions)?,
            quadrics: memory::try_filled(SIMPLIFICATION, count, Quadric::default())?,
            kinds,
            versions: memory::try_filled(SIMPLIFICATION, count, 0)?,
            queue: EdgeQueue::default(),
            center: low.lerp(&high, 0.5),
        };
        for corners in triangles {
            let quadric =
                Quadric::from_triangle(corners.map(|vertex| result.offset_from_center(vertex)));
            for vertex in corners {
                let sum = &mut result.quadrics[*vertex as usize];
                *sum = sum.plus(&quadric);
            }
        }
        Ok(result)
    }

    /// Adds an edge to the queue, unless the kinds of its ends forbid the contraction.
    pub fn push_edge(&mut self, a: u32, b: u32) -> Result<(), OutOfMemory> {
        let ends = [a.min(b), a.max(b)];
        let Some(plan) = self.plan(ends) else {
            return Ok(());
        };
        self.queue.push(Edge {
            cost: plan.cost,
            ends,
            version: edge_version(&self.versions, ends),
        })
    }

    /// Contracts edges until at most `min_triangles` triangles remain, or no edge can be contracted
    /// with an error up to `max_error`. Returns the largest error of a contraction.
    pub fn contract_edges(
        &mut self,
        min_triangles: usize,
        max_error: f64,
        monitor: &Monitor<'_>,
    ) -> Result<f64, MeshFilterError> {
        let surplus = self.complex.triangle_count().saturating_sub(min_triangles);
        let counter = monitor.counter("simplify", surplus as u64);
        let (mut worst, mut done) = (0.0_f64, 0_u64);
        let mut star = C::Star::default();
        let mut around = Vec::new();
        while self.complex.triangle_count() > min_triangles {
            let versions = &self.versions;
            let is_current = |edge: &Edge| edge_version(versions, edge.ends) == edge.version;
            let Some(edge) = self.queue.pop(is_current) else {
                break;
            };
            if !is_current(&edge) {
                continue;
            }
            let Some(plan) = self.plan(edge.ends) else {
                continue;
            };
            if plan.squared_error.sqrt() > max_error
                || !self
                    .complex
                    .may_contract(&mut star, plan.kept, plan.removed)
                || self.rotates_too_far(&star, &plan)
            {
                continue;
            }
            worst = worst.max(plan.squared_error);
            self.complex.contract(&star, plan.kept, plan.removed);
            let [kept, removed] = [plan.kept, plan.removed].map(|vertex| vertex as usize);
            self.positions[kept] = plan.position;
            self.quadrics[kept] = self.quadrics[kept].plus(&self.quadrics[removed]);
            // invalidates the queued edges of the removed vertex
            self.versions[removed] = NONE;
            self.versions[kept] += 1;
            self.complex
                .list_neighbours(&mut star, plan.kept, &mut around);
            for &other in &around {
                self.push_edge(plan.kept, other)?;
            }
            done += 1;
            if done.is_multiple_of(CONTRACTIONS_PER_CHECK) {
                counter
                    .add(2 * CONTRACTIONS_PER_CHECK)
                    .map_err(DeviceError::from)?;
            }
        }
        Ok(worst.sqrt())
    }

    fn plan(&self, [a, b]: [u32; 2]) -> Option<ContractionPlan> {
        let kinds = [a, b].map(|vertex| self.kinds[vertex as usize]);
        let EdgeRoles {
            kept,
            removed,
            moves,
        } = self.complex.roles([a, b], kinds)?;
        let [from, to] = [self.offset_from_center(a), self.offset_from_center(b)];
        let sum = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let position = if moves {
            let optimum = sum.minimizer(&from.lerp(&to, 0.5)) + self.center;
            optimum.map(|x| x as f32).into()
        } else {
            self.positions[kept as usize]
        };
        let squared_error = sum.mean_squared_distance(&self.relative(position));
        let cost = squared_error + LENGTH_WEIGHT * (to - from).norm_squared();
        let is_finite = position.iter().all(|x: &f32| x.is_finite()) && cost.is_finite();
        is_finite.then_some(ContractionPlan {
            kept,
            removed,
            position,
            squared_error,
            cost,
        })
    }

    /// Returns `true` if a remaining triangle would rotate too far or degenerate.
    fn rotates_too_far(&self, star: &C::Star, plan: &ContractionPlan) -> bool {
        let result = self.relative(plan.position);
        let ends = [plan.kept, plan.removed];
        self.complex.any_changed(star, ends, |vertices| {
            let old = vertices.map(|vertex| self.offset_from_center(vertex));
            let mut new = old;
            for (position, vertex) in new.iter_mut().zip(vertices) {
                if ends.contains(&vertex) {
                    *position = result;
                }
            }
            let normal = |[a, b, c]: [Vector3<f64>; 3]| (b - a).cross(&(c - a));
            let (before, after) = (normal(old), normal(new));
            let lengths = before.norm() * after.norm();
            // a degenerate triangle may become any triangle with an area
            after.norm() <= 0.0 || before.dot(&after) < MIN_TURN_COSINE * lengths
        })
    }

    /// Returns the position of a vertex relative to the centre.
    fn offset_from_center(&self, vertex: u32) -> Vector3<f64> {
        self.relative(self.positions[vertex as usize])
    }

    fn relative(&self, position: [f32; 3]) -> Vector3<f64> {
        Vector3::from(position.map(f64::from)) - self.center
    }
}

/// Returns the sum of the versions of an edge's ends, or `u64::MAX` if one was removed.
fn edge_version(versions: &[u32], ends: [u32; 2]) -> u64 {
    let [a, b] = ends.map(|vertex| u64::from(versions[vertex as usize]));
    if a.max(b) == u64::from(NONE) {
        u64::MAX
    } else {
        a + b
    }
}
