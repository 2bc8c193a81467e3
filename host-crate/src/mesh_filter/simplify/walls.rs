//! Simplification of walls that labels share.

use super::{
    SimplifyReport, SimplifyTarget, compact_mesh,
    contraction::{CONTRACTIONS_PER_CHECK, LENGTH_WEIGHT, MIN_TURN_COSINE, edge_version},
    corner_table::{NONE, SIMPLIFICATION},
    narrow_triangles,
    quadric::Quadric,
    queue::{Edge, EdgeQueue},
    validate,
    wall_complex::{EdgeStar, Neighbour, WallComplex, WallVertexKind},
};
use crate::{
    device::DeviceError,
    memory::{self, OutOfMemory},
    mesh::{LabelledMesh, MeshError},
    mesh_filter::MeshFilterError,
    monitor::Monitor,
};
use nalgebra::Vector3;

/// Simplifies walls between labels on the host, as [`simplify`](super::simplify()) simplifies a
/// mesh. Walls stay shared: both labels of a wall keep the same triangles.
///
/// The lines where walls meet are simplified along themselves, and their ends stay in place. The
/// surface of each label keeps its topology: a closed manifold remains one, with the same Euler
/// characteristic, and each wall and line remains. If surfaces without self-intersections intersect
/// after the simplification, it is repeated with the vertices fixed that were involved, until they
/// do not.
///
/// The result is the same on every machine. Single-threaded, in O(n log n) for n triangles, times
/// the number of repetitions, of which there are rarely more than two; needs about 400 bytes per
/// vertex in addition to both meshes.
///
/// # Errors
/// As for [`simplify`](super::simplify()), and [`MeshError::SideCount`] if there are not two labels
/// per triangle.
///
/// ```
/// use ferrovox::{device::Device, grid::{Geometry, Volume}, monitor::Monitor};
/// use ferrovox::label_surface::{self, LabelField, LabelSurfaceParams};
/// use ferrovox::mesh_filter::{SimplifyTarget, simplify_walls};
///
/// // two adjacent blocks
/// let label = |x: usize, y: usize, z: usize| {
///     let is_inside = [x, y, z].iter().all(|it| (2..10).contains(it));
///     u8::from(is_inside) + u8::from(is_inside && x > 5)
/// };
/// let volume = Volume::from_fn([12; 3], Geometry::default(), label)?;
/// let field = LabelField::new(&volume.into(), None)?;
/// let stream = Device::best().stream()?;
/// let walls = label_surface::extract(&stream, &field, &LabelSurfaceParams::default())?;
/// let walls = walls.download(&stream, &field)?;
/// let (coarse, report) = simplify_walls(&walls, SimplifyTarget::Fraction(0.3), &Monitor::new())?;
/// assert!(report.triangles * 3 < report.triangles_before);
/// for label in [1, 2] {
///     let report = coarse.label_mesh(label)?.check()?;
///     assert!(report.is_closed() && report.is_manifold());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify_walls(
    walls: &LabelledMesh,
    target: SimplifyTarget,
    monitor: &Monitor<'_>,
) -> Result<(LabelledMesh, SimplifyReport), MeshFilterError> {
    target.check()?;
    validate(&walls.mesh)?;
    let (sides, count) = (walls.sides.len(), walls.mesh.triangles.len());
    if sides != count {
        let triangles = count;
        return Err(MeshError::SideCount { sides, triangles }.into());
    }
    let triangles = narrow_triangles(&walls.mesh)?;
    let vertices = walls.mesh.vertices.len();
    let (min_triangles, max_error) = target.limits(count);
    let mut fixed = memory::try_filled(SIMPLIFICATION, vertices, false)?;
    let mut rings = 0;
    loop {
        let mut simplifier = WallSimplifier::new(walls, &triangles, &fixed)?;
        let error = simplifier.contract_edges(min_triangles, max_error, monitor)?;
        let simple = simplifier.compact(walls)?;
        let crossed = simple.intersecting_triangles(None)?;
        let grown = !crossed.is_empty() && {
            simplifier.fix_origins(&crossed, &mut fixed)?
                | fix_neighbours(&triangles, rings, &mut fixed)?
        };
        if !grown {
            let report = SimplifyReport::new(&walls.mesh, &simple.mesh, error);
            return Ok((simple, report));
        }
        rings = 2 * rings + 1;
    }
}

/// Fixes the vertices up to `rings` edges from fixed ones, and returns `true` if there are any.
fn fix_neighbours(
    triangles: &[[u32; 3]],
    rings: u32,
    fixed: &mut [bool],
) -> Result<bool, OutOfMemory> {
    let mut grown = false;
    for _ in 0..rings {
        let before = memory::try_copy(SIMPLIFICATION, fixed)?;
        for triangle in triangles {
            if triangle.iter().any(|&vertex| before[vertex as usize]) {
                for &vertex in triangle {
                    grown |= !fixed[vertex as usize];
                    fixed[vertex as usize] = true;
                }
            }
        }
    }
    Ok(grown)
}

/// Proposed contraction of an edge.
struct WallPlan {
    kept: u32,
    removed: u32,
    position: [f32; 3],
    squared_error: f64,
    cost: f64,
}

struct WallSimplifier<'a> {
    complex: WallComplex<'a>,
    positions: Vec<[f32; 3]>,
    quadrics: Vec<Quadric>,
    kinds: Vec<WallVertexKind>,
    versions: Vec<u32>,
    /// Vertex that each vertex was merged into; itself if it remains.
    merged_into: Vec<u32>,
    queue: EdgeQueue,
    /// Origin of the quadrics, the centre of the mesh.
    center: Vector3<f64>,
}

impl<'a> WallSimplifier<'a> {
    fn new(
        walls: &'a LabelledMesh,
        triangles: &[[u32; 3]],
        fixed: &[bool],
    ) -> Result<Self, OutOfMemory> {
        let positions = &walls.mesh.vertices;
        let count = positions.len();
        let wide = positions
            .iter()
            .map(|position| Vector3::from(position.map(f64::from)));
        let low = wide.clone().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = wide.reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let mut result = Self {
            complex: WallComplex::new(triangles, &walls.sides, count)?,
            positions: memory::try_copy(SIMPLIFICATION, positions)?,
            quadrics: memory::try_filled(SIMPLIFICATION, count, Quadric::default())?,
            kinds: memory::try_filled(SIMPLIFICATION, count, WallVertexKind::Fixed)?,
            versions: memory::try_filled(SIMPLIFICATION, count, 0)?,
            merged_into: memory::try_collect(SIMPLIFICATION, 0..count as u32)?,
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
        let mut around: Vec<Neighbour> = Vec::new();
        for vertex in 0..count as u32 {
            if !fixed[vertex as usize] {
                result.complex.neighbours(vertex, &mut around);
                result.kinds[vertex as usize] = WallComplex::classify(&around);
            }
        }
        for vertex in 0..count as u32 {
            result.complex.neighbours(vertex, &mut around);
            for other in around.iter().map(|it| it.vertex) {
                if vertex < other
                    && let Some(edge) = result.edge(vertex, other)
                {
                    result.queue.push(edge)?;
                }
            }
        }
        Ok(result)
    }

    /// Contracts edges until at most `min_triangles` triangles remain, or no edge can be contracted
    /// with an error up to `max_error`. Returns the largest error of a contraction.
    fn contract_edges(
        &mut self,
        min_triangles: usize,
        max_error: f64,
        monitor: &Monitor<'_>,
    ) -> Result<f64, MeshFilterError> {
        let counter = monitor.counter(
            "simplify",
            self.complex.triangles.saturating_sub(min_triangles) as u64,
        );
        let (mut worst, mut done) = (0.0_f64, 0_u64);
        let mut star = EdgeStar::default();
        let mut around = Vec::new();
        while self.complex.triangles > min_triangles {
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
            self.merged_into[removed] = plan.kept;
            // invalidates the queued edges of the removed vertex
            self.versions[removed] = NONE;
            self.versions[kept] += 1;
            self.complex.neighbours(plan.kept, &mut around);
            for other in around.iter().map(|it| it.vertex) {
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

    /// Plans a contraction: a vertex of a line moves only along it, and a fixed vertex does not.
    fn plan(&self, [a, b]: [u32; 2]) -> Option<WallPlan> {
        let kinds = [a, b].map(|vertex| self.kinds[vertex as usize]);
        let (kept, removed) = if kinds[0] >= kinds[1] { (a, b) } else { (b, a) };
        let [low, high] = [kinds[0].min(kinds[1]), kinds[0].max(kinds[1])];
        let leaves_line = low == WallVertexKind::Line && !self.complex.is_on_line([a, b]);
        if low == WallVertexKind::Fixed || leaves_line {
            return None;
        }
        let [from, to] = [self.offset_from_center(a), self.offset_from_center(b)];
        let sum = self.quadrics[a as usize].plus(&self.quadrics[b as usize]);
        let position = if low == high {
            let optimum = sum.minimizer(&from.lerp(&to, 0.5)) + self.center;
            optimum.map(|x| x as f32).into()
        } else {
            self.positions[kept as usize]
        };
        let squared_error = sum.mean_squared_distance(&self.relative(position));
        let cost = squared_error + LENGTH_WEIGHT * (to - from).norm_squared();
        let is_finite = position.iter().all(|x: &f32| x.is_finite()) && cost.is_finite();
        is_finite.then_some(WallPlan {
            kept,
            removed,
            position,
            squared_error,
            cost,
        })
    }

    /// Returns `true` if a remaining triangle would rotate too far or degenerate.
    fn rotates_too_far(&self, star: &EdgeStar, plan: &WallPlan) -> bool {
        let result = self.relative(plan.position);
        let ends = [plan.kept, plan.removed];
        star.changed.iter().flatten().any(|&triangle| {
            let vertices = self.complex.vertices(triangle);
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

    /// Returns the remaining walls.
    fn compact(&self, walls: &LabelledMesh) -> Result<LabelledMesh, MeshFilterError> {
        let count = self.complex.triangles;
        let triangle = |index| self.complex.triangle(index);
        let mesh = compact_mesh(&self.positions, triangle, count, &walls.mesh)?;
        let mut sides = Vec::new();
        memory::try_reserve(SIMPLIFICATION, &mut sides, count)?;
        let all = walls.sides.iter().enumerate();
        sides.extend(all.filter_map(|(index, sides)| triangle(index).map(|_| *sides)));
        Ok(LabelledMesh {
            mesh,
            labels: memory::try_copy(SIMPLIFICATION, &walls.labels)?,
            sides,
        })
    }

    /// Fixes the vertices that were merged into those of triangles of the compact mesh, and returns
    /// `true` if there are any that were not fixed.
    fn fix_origins(&self, triangles: &[usize], fixed: &mut [bool]) -> Result<bool, OutOfMemory> {
        let mut is_involved = memory::try_filled(SIMPLIFICATION, fixed.len(), false)?;
        let mut wanted = triangles.iter().copied().peekable();
        let mut index = 0;
        for triangle in 0..self.complex.sides.len() {
            let Some(vertices) = self.complex.triangle(triangle) else {
                continue;
            };
            if wanted.next_if_eq(&index).is_some() {
                for vertex in vertices {
                    is_involved[vertex as usize] = true;
                }
            }
            index += 1;
        }
        let mut grown = false;
        for (vertex, fixed) in fixed.iter_mut().enumerate() {
            let mut end = vertex as u32;
            while self.merged_into[end as usize] != end {
                end = self.merged_into[end as usize];
            }
            if is_involved[end as usize] && !*fixed {
                *fixed = true;
                grown = true;
            }
        }
        Ok(grown)
    }
}
