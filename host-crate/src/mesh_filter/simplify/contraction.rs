//! Iterative edge contraction.

use super::{
    corner_table::{Contraction, CornerTable, NONE, SIMPLIFICATION, VertexKind},
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
pub(super) const LENGTH_WEIGHT: f64 = 1e-5;
/// Cosine of the maximum angle by which a contraction may rotate a triangle's normal.
pub(super) const MIN_TURN_COSINE: f64 = 0.2;
/// Number of contractions between two checks for cancellation.
pub(super) const CONTRACTIONS_PER_CHECK: u64 = 1024;

/// Proposed contraction of an edge.
struct ContractionPlan {
    kept: u32,
    removed: u32,
    position: [f32; 3],
    squared_error: f64,
    cost: f64,
}

pub(super) struct Simplifier {
    mesh: CornerTable,
    positions: Vec<[f32; 3]>,
    quadrics: Vec<Quadric>,
    kinds: Vec<VertexKind>,
    versions: Vec<u32>,
    queue: EdgeQueue,
    /// Origin of the quadrics, the centre of the mesh, which avoids cancellation far from the world
    /// origin.
    center: Vector3<f64>,
}

impl Simplifier {
    pub fn new(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Self, OutOfMemory> {
        let count = positions.len();
        let wide = positions
            .iter()
            .map(|position| Vector3::from(position.map(f64::from)));
        let low = wide.clone().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = wide.reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let mut result = Self {
            mesh: CornerTable::new(triangles, count)?,
            positions: memory::try_copy(SIMPLIFICATION, positions)?,
            quadrics: memory::try_filled(SIMPLIFICATION, count, Quadric::default())?,
            kinds: memory::try_filled(SIMPLIFICATION, count, VertexKind::Fixed)?,
            versions: memory::try_filled(SIMPLIFICATION, count, 0)?,
            queue: EdgeQueue::default(),
            center: low.lerp(&high, 0.5),
        };
        let mut corners = Vec::new();
        for vertex in 0..count as u32 {
            result.mesh.corners_at(vertex, &mut corners);
            result.kinds[vertex as usize] = result.mesh.kind(&corners);
        }
        for corners in triangles {
            let quadric =
                Quadric::from_triangle(corners.map(|vertex| result.offset_from_center(vertex)));
            for vertex in corners {
                let sum = &mut result.quadrics[*vertex as usize];
                *sum = sum.plus(&quadric);
            }
        }
        for &[a, b, c] in triangles {
            // of the two triangles of an edge, one has the edge in ascending direction
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if from < to
                    && let Some(edge) = result.edge(from, to)
                {
                    result.queue.push(edge)?;
                }
            }
        }
        Ok(result)
    }

    pub fn mesh(&self) -> &CornerTable {
        &self.mesh
    }

    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Contracts edges until at most `min_triangles` triangles remain, or no edge can be contracted
    /// with an error up to `max_error`. Returns the largest error of a contraction.
    pub fn contract_edges(
        &mut self,
        min_triangles: usize,
        max_error: f64,
        monitor: &Monitor<'_>,
    ) -> Result<f64, MeshFilterError> {
        let counter = monitor.counter(
            "simplify",
            self.mesh.triangles.saturating_sub(min_triangles) as u64,
        );
        let mut worst = 0.0f64;
        let mut affected = Contraction {
            at: [Vec::new(), Vec::new()],
        };
        let (mut around, mut done) = (Vec::new(), 0u64);
        while self.mesh.triangles > min_triangles {
            let versions = &self.versions;
            let is_current = |edge: &Edge| edge_version(versions, edge.ends) == edge.version;
            let Some(edge) = self.queue.pop(is_current) else {
                break;
            };
            if !is_current(&edge) {
                continue;
            }
            let ends = edge.ends;
            let Some(plan) = self.plan(ends) else {
                continue;
            };
            if plan.squared_error.sqrt() > max_error
                || !self
                    .mesh
                    .may_contract(&mut affected, plan.kept, plan.removed)
                || self.rotates_too_far(&affected, &plan)
            {
                continue;
            }
            worst = worst.max(plan.squared_error);
            self.mesh.contract(&affected, plan.kept, plan.removed);
            let [kept, removed] = [plan.kept, plan.removed].map(|vertex| vertex as usize);
            self.positions[kept] = plan.position;
            self.quadrics[kept] = self.quadrics[kept].plus(&self.quadrics[removed]);
            // invalidates the queued edges of the removed vertex
            self.versions[removed] = NONE;
            self.versions[kept] += 1;
            let [corners, _] = &mut affected.at;
            self.mesh.corners_at(plan.kept, corners);
            self.mesh.neighbours(corners, &mut around);
            for &other in &around {
                if let Some(edge) = self.edge(plan.kept, other) {
                    self.queue.push(edge)?;
                }
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

    /// Returns an edge for the queue, unless the kinds of its ends forbid the contraction.
    fn edge(&self, a: u32, b: u32) -> Option<Edge> {
        let ends = [a.min(b), a.max(b)];
        let plan = self.plan(ends)?;
        Some(Edge {
            cost: plan.cost,
            ends,
            version: edge_version(&self.versions, ends),
        })
    }

    fn plan(&self, [a, b]: [u32; 2]) -> Option<ContractionPlan> {
        let kinds = [a, b].map(|vertex| self.kinds[vertex as usize]);
        let [from, to] = [self.offset_from_center(a), self.offset_from_center(b)];
        let sum = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let (kept, removed, position) = match kinds {
            [VertexKind::Interior, VertexKind::Interior] => {
                let optimum = sum.minimizer(&from.lerp(&to, 0.5)) + self.center;
                (a, b, optimum.map(|x| x as f32).into())
            }
            [VertexKind::Boundary, VertexKind::Interior] => (a, b, self.positions[a as usize]),
            [VertexKind::Interior, VertexKind::Boundary] => (b, a, self.positions[b as usize]),
            _ => return None,
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
    fn rotates_too_far(&self, affected: &Contraction, plan: &ContractionPlan) -> bool {
        let result = self.relative(plan.position);
        let ends = [plan.kept, plan.removed];
        affected.at.iter().flatten().any(|&corner| {
            let [own, from, to] = self.mesh.corners_from(corner);
            if ends.contains(&from) || ends.contains(&to) {
                return false;
            }
            let [old, from, to] = [own, from, to].map(|vertex| self.offset_from_center(vertex));
            let before = (from - old).cross(&(to - old));
            let after = (from - result).cross(&(to - result));
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
pub(super) fn edge_version(versions: &[u32], ends: [u32; 2]) -> u64 {
    let [a, b] = ends.map(|vertex| u64::from(versions[vertex as usize]));
    if a.max(b) == u64::from(NONE) {
        u64::MAX
    } else {
        a + b
    }
}
