//! Meshes of fewer triangles.

mod contraction;
mod quadric;
mod queue;
mod surface;

use super::MeshFilterError;
use crate::{
    memory,
    mesh::{TriangleMesh, Triangles},
    monitor::Monitor,
};
use contraction::Simplifier;
use surface::SIMPLIFICATION;

/// When a mesh is simple enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimplifyTarget {
    /// When it has this fraction of its triangles, from 0 to 1, or no edge is left that can go.
    Fraction(f64),
    /// When no edge is left that can go with an [error](SimplifyReport::error) up to this distance,
    /// in the mesh's units.
    Error(f64),
}

impl SimplifyTarget {
    /// Whether the number makes sense.
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
}

/// What was simplified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplifyReport {
    /// Vertices there were.
    pub vertices_before: u64,
    /// Triangles there were.
    pub triangles_before: u64,
    /// Vertices there are.
    pub vertices: u64,
    /// Triangles there are.
    pub triangles: u64,
    /// The largest distance, in the mesh's units, of a vertex from what it stands for: the root of
    /// the mean squared distance from the planes of all triangles that went into it, weighted by
    /// their areas.
    pub error: f64,
}

/// A mesh of fewer triangles, on the host: edges are contracted one after the other, those first
/// that change least, by the quadrics of Garland and Heckbert (*Surface simplification using
/// quadric error metrics*, 1997).
///
/// Its pieces, holes, tunnels and boundaries are those of the mesh, whatever the target: no edge is
/// contracted that would change them (the link condition of Dey, Edelsbrunner, Guha and Nekhayev,
/// *Topology preserving edge contraction*, 1999). What is closed, manifold and oriented stays so,
/// with the same Euler characteristic; each closed piece keeps four triangles at least. Vertices on
/// a boundary stay where they are, all of them. No triangle turns by more than 78 degrees at a
/// time. Vertices that no triangle has are left out, and normals:
/// [`renew_normals`](super::renew_normals) makes them.
///
/// It is the same on every machine. Work is linear in the triangles, times the logarithm of their
/// number, by one thread; memory beyond both meshes is some 300 bytes for each vertex.
///
/// # Errors
/// [`MeshFilterError`]: a target out of range, a mesh that is not valid, a vertex that is not
/// finite, more triangles than 32 bits count the corners of, and want of memory;
/// [`DeviceError::Cancelled`](crate::device::DeviceError::Cancelled) if `monitor` says so.
///
/// ```
/// use ferrovox::{device::Device, isosurface::{self, IsosurfaceParams}, mesh, monitor::Monitor, synthetic};
/// use ferrovox::mesh_filter::{SimplifyTarget, simplify};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
/// let surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
/// let mesh = surface.download(&stream)?;
/// let (coarse, report) = simplify(&mesh, SimplifyTarget::Fraction(0.2), &Monitor::silent())?;
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
    mesh.validate()?;
    let is_finite = |position: &[f32; 3]| position.iter().all(|x| x.is_finite());
    if let Some(vertex) = mesh.vertices.iter().position(|it| !is_finite(it)) {
        return Err(MeshFilterError::NotFinite {
            vertex,
            position: mesh.vertices[vertex],
        });
    }
    let all = mesh.triangles.len();
    let fits = all < u32::MAX as usize / 3 && mesh.vertices.len() < u32::MAX as usize;
    let triangles = match mesh.triangles.to_u32() {
        Some(triangles) if fits => triangles,
        _ => return Err(MeshFilterError::TooManyTriangles { triangles: all }),
    };
    let mut simplifier = Simplifier::new(&mesh.vertices, &triangles)?;
    let error = match target {
        // 0.1 of 30 triangles are three, whatever the last bit of 0.1
        SimplifyTarget::Fraction(fraction) => {
            let least = (all as f64 * fraction * (1.0 + 1e-12)).floor() as usize;
            simplifier.run(least, f64::INFINITY, monitor)?
        }
        SimplifyTarget::Error(distance) => simplifier.run(0, distance, monitor)?,
    };
    let result = gathered(
        &simplifier,
        all,
        matches!(mesh.triangles, Triangles::U64(_)),
    )?;
    let report = SimplifyReport {
        vertices_before: mesh.vertices.len() as u64,
        triangles_before: all as u64,
        vertices: result.vertices.len() as u64,
        triangles: result.triangles.len() as u64,
        error,
    };
    Ok((result, report))
}

/// What is left, in the order in which it was.
fn gathered(
    simplifier: &Simplifier,
    all: usize,
    is_wide: bool,
) -> Result<TriangleMesh, MeshFilterError> {
    let positions = simplifier.positions();
    let mut numbers = memory::try_filled(SIMPLIFICATION, positions.len(), 0u32)?;
    let left = || (0..all).filter_map(|triangle| simplifier.surface().triangle(triangle));
    for vertex in left().flatten() {
        numbers[vertex as usize] = 1;
    }
    let mut vertices = Vec::new();
    let count = numbers.iter().filter(|&&used| used > 0).count();
    memory::try_reserve(SIMPLIFICATION, &mut vertices, count)?;
    for (number, position) in numbers.iter_mut().zip(positions) {
        if *number > 0 {
            *number = vertices.len() as u32;
            vertices.push(*position);
        }
    }
    let count = simplifier.surface().triangles;
    let renumbered = left().map(|three| three.map(|vertex| numbers[vertex as usize]));
    let triangles = if is_wide {
        let mut list = Vec::new();
        memory::try_reserve(SIMPLIFICATION, &mut list, count)?;
        list.extend(renumbered.map(|three| three.map(u64::from)));
        Triangles::U64(list)
    } else {
        let mut list = Vec::new();
        memory::try_reserve(SIMPLIFICATION, &mut list, count)?;
        list.extend(renumbered);
        Triangles::U32(list)
    };
    Ok(TriangleMesh {
        vertices,
        normals: None,
        triangles,
    })
}
