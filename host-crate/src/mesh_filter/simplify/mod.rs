//! Mesh simplification by quadric error metrics.

mod contraction;
mod corner_table;
mod quadric;
mod queue;
mod wall_complex;
mod walls;

use super::MeshFilterError;
use crate::{
    memory,
    mesh::{TriangleMesh, Triangles},
    monitor::Monitor,
};
use contraction::Simplifier;
use corner_table::{CornerTable, VertexKind};
use std::borrow::Cow;

pub use walls::simplify_walls;

/// Marks the absence of a vertex or corner.
const NONE: u32 = u32::MAX;
/// Purpose of the allocations, quoted in out-of-memory errors.
const SIMPLIFICATION: &str = "the simplification of a mesh";

/// Stopping criterion of a simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimplifyTarget {
    /// Fraction of triangles to keep, from 0 to 1. Stops earlier if no edge can be contracted.
    Fraction(f64),
    /// Maximum [error](SimplifyReport::error) of a contraction, in world units.
    Error(f64),
}

impl SimplifyTarget {
    /// Checks that the value is in range.
    ///
    /// # Errors
    /// [`MeshFilterError::Fraction`], [`MeshFilterError::Distance`].
    pub fn check(&self) -> Result<(), MeshFilterError> {
        match *self {
            Self::Fraction(found) if !(0.0..=1.0).contains(&found) => {
                Err(MeshFilterError::Fraction { found })
            }
            Self::Error(found) if !(found >= 0.0 && found.is_finite()) => {
                Err(MeshFilterError::Distance { found })
            }
            _ => Ok(()),
        }
    }

    /// Returns the minimum number of triangles and the maximum error for a mesh of `triangles`.
    fn limits(self, triangles: usize) -> (usize, f64) {
        match self {
            // tolerates rounding: 0.1 of 30 triangles is three
            Self::Fraction(fraction) => {
                let min = triangles as f64 * fraction * (1.0 + 1e-12);
                (min.floor() as usize, f64::INFINITY)
            }
            Self::Error(distance) => (0, distance),
        }
    }
}

/// Result of a simplification.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplifyReport {
    /// Number of vertices before.
    pub vertices_before: u64,
    /// Number of triangles before.
    pub triangles_before: u64,
    /// Number of vertices after.
    pub vertices: u64,
    /// Number of triangles after.
    pub triangles: u64,
    /// Largest distance, in world units, of a vertex from the surface it represents: the root mean
    /// squared distance from the planes of all triangles merged into it, weighted by their areas.
    pub error: f64,
}

impl SimplifyReport {
    /// Creates the report of a simplification of `before` to `after`.
    fn new(before: &TriangleMesh, after: &TriangleMesh, error: f64) -> Self {
        Self {
            vertices_before: before.vertices.len() as u64,
            triangles_before: before.triangles.len() as u64,
            vertices: after.vertices.len() as u64,
            triangles: after.triangles.len() as u64,
            error,
        }
    }
}

/// Simplifies a mesh on the host by contracting edges in the order of increasing cost (Garland and
/// Heckbert 1997, *Surface simplification using quadric error metrics*).
///
/// Preserves the topology for any target: connected components, holes, tunnels and boundaries. An
/// edge is contracted only if it satisfies the link condition (Dey, Edelsbrunner, Guha and Nekhayev
/// 1999, *Topology preserving edge contraction*). Closed, manifold and oriented meshes keep these
/// properties and their Euler characteristic; each closed component keeps at least four triangles.
/// Boundary vertices are neither moved nor removed. No contraction rotates a triangle by more than
/// 78 degrees. Unused vertices and normals are dropped;
/// [`recompute_normals`](super::recompute_normals) restores normals.
///
/// The result is the same on every machine. Single-threaded, in O(n log n) for n triangles; needs
/// about 300 bytes per vertex in addition to both meshes.
///
/// # Errors
/// [`MeshFilterError`] for a target out of range, an invalid mesh, a non-finite vertex, more
/// triangles than 32-bit corner indices can address, and insufficient memory;
/// [`DeviceError::Cancelled`](crate::device::DeviceError::Cancelled) if `monitor` cancels.
///
/// ```
/// use ferrovox::{device::Device, mesh, monitor::Monitor, synthetic};
/// use ferrovox::isosurface::{self, IsosurfaceParams};
/// use ferrovox::mesh_filter::{SimplifyTarget, simplify};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
/// let surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
/// let mesh = surface.download(&stream)?;
/// let (coarse, report) = simplify(&mesh, SimplifyTarget::Fraction(0.2), &Monitor::new())?;
/// assert!(coarse.triangles.len() * 5 <= mesh.triangles.len() && report.error < 0.2);
/// let after = mesh::check(&coarse);
/// assert!(after.is_closed() && after.is_manifold() && after.is_oriented());
/// assert_eq!(after.euler_characteristic(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify(
    mesh: &TriangleMesh,
    target: SimplifyTarget,
    monitor: &Monitor<'_>,
) -> Result<(TriangleMesh, SimplifyReport), MeshFilterError> {
    target.check()?;
    validate(mesh)?;
    let triangles = narrow_triangles(mesh)?;
    let mut simplifier = new_simplifier(&mesh.vertices, &triangles)?;
    let (min_triangles, max_error) = target.limits(mesh.triangles.len());
    let error = simplifier.contract_edges(min_triangles, max_error, monitor)?;
    let remaining = |triangle| simplifier.complex.triangle(triangle);
    let count = simplifier.complex.triangles;
    let result = compact_mesh(&simplifier.positions, remaining, count, mesh)?;
    let report = SimplifyReport::new(mesh, &result, error);
    Ok((result, report))
}

/// Creates a simplifier of a mesh with all edges between two triangles queued.
fn new_simplifier(
    positions: &[[f32; 3]],
    triangles: &[[u32; 3]],
) -> Result<Simplifier<CornerTable>, memory::OutOfMemory> {
    let mut table = CornerTable::new(triangles, positions.len())?;
    let mut kinds = memory::try_filled(SIMPLIFICATION, positions.len(), VertexKind::Fixed)?;
    let mut corners = Vec::new();
    for (vertex, kind) in kinds.iter_mut().enumerate() {
        table.corners_at(vertex as u32, &mut corners);
        *kind = table.kind(&corners);
    }
    let mut simplifier = Simplifier::new(table, kinds, positions, triangles)?;
    for &[a, b, c] in triangles {
        // of the two triangles of an edge, one has the edge in ascending direction
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if from < to {
                simplifier.push_edge(from, to)?;
            }
        }
    }
    Ok(simplifier)
}

/// Checks that a mesh is valid and its vertices are finite.
fn validate(mesh: &TriangleMesh) -> Result<(), MeshFilterError> {
    mesh.validate()?;
    let is_finite = |position: &[f32; 3]| position.iter().all(|x| x.is_finite());
    if let Some(vertex) = mesh.vertices.iter().position(|it| !is_finite(it)) {
        return Err(MeshFilterError::NotFinite {
            vertex,
            position: mesh.vertices[vertex],
        });
    }
    Ok(())
}

/// Returns the triangles of a mesh as 32-bit indices.
fn narrow_triangles(mesh: &TriangleMesh) -> Result<Cow<'_, [[u32; 3]]>, MeshFilterError> {
    let triangles = mesh.triangles.len();
    let fits = triangles < u32::MAX as usize / 3 && mesh.vertices.len() < u32::MAX as usize;
    match mesh.triangles.to_u32() {
        Some(narrow) if fits => Ok(narrow),
        _ => Err(MeshFilterError::TooManyTriangles { triangles }),
    }
}

/// Returns the remaining vertices and triangles, `count` of the latter, in their original order.
fn compact_mesh(
    positions: &[[f32; 3]],
    triangle: impl Fn(usize) -> Option<[u32; 3]>,
    count: usize,
    original: &TriangleMesh,
) -> Result<TriangleMesh, MeshFilterError> {
    let triangles = count;
    let mut new_indices = memory::try_filled(SIMPLIFICATION, positions.len(), 0u32)?;
    let remaining = || (0..original.triangles.len()).filter_map(&triangle);
    for vertex in remaining().flatten() {
        new_indices[vertex as usize] = 1;
    }
    let mut vertices = Vec::new();
    let count = new_indices.iter().filter(|&&used| used > 0).count();
    memory::try_reserve(SIMPLIFICATION, &mut vertices, count)?;
    for (new_index, position) in new_indices.iter_mut().zip(positions) {
        if *new_index > 0 {
            *new_index = vertices.len() as u32;
            vertices.push(*position);
        }
    }
    let renumbered = remaining().map(|corners| corners.map(|vertex| new_indices[vertex as usize]));
    let triangles = if matches!(original.triangles, Triangles::U64(_)) {
        let mut list = Vec::new();
        memory::try_reserve(SIMPLIFICATION, &mut list, triangles)?;
        list.extend(renumbered.map(|corners| corners.map(u64::from)));
        Triangles::U64(list)
    } else {
        let mut list = Vec::new();
        memory::try_reserve(SIMPLIFICATION, &mut list, triangles)?;
        list.extend(renumbered);
        Triangles::U32(list)
    };
    Ok(TriangleMesh {
        origin: original.origin,
        vertices,
        normals: None,
        triangles,
    })
}
