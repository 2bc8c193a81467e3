//! Simplification of walls that labels share.

use super::{
    SIMPLIFICATION, SimplifyReport, SimplifyTarget, compact_mesh,
    contraction::Simplifier,
    narrow_triangles, validate,
    wall_complex::{Neighbour, WallComplex, WallVertexKind},
};
use crate::{
    memory::{self, OutOfMemory},
    mesh::{LabelSurfaceMeasure, LabelledMesh, MeshError},
    mesh_filter::MeshFilterError,
    monitor::Monitor,
};

/// Simplifies walls between labels on the host, as [`simplify`](super::simplify()) simplifies a
/// mesh. Walls stay shared: both labels of a wall keep the same triangles.
///
/// The lines where walls meet are simplified along themselves, and their ends stay in place. The
/// surface of each label keeps its topology: a closed manifold remains one, with the same Euler
/// characteristic, and each wall and line remains. If surfaces without self-intersections intersect
/// after the simplification, or a small label is turned inside out, it is repeated with the
/// vertices fixed that were involved, until there are no such surfaces.
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
    let before = walls.label_measures()?;
    let mut rings = 0;
    loop {
        let mut simplifier = new_simplifier(walls, &triangles, &fixed)?;
        let error = simplifier.contract_edges(min_triangles, max_error, monitor)?;
        let simple = compact_walls(&simplifier, walls)?;
        let mut faulty = simple.intersecting_triangles()?;
        append_inverted(&simple, &before, &mut faulty)?;
        let grown = !faulty.is_empty() && {
            fix_origins(&simplifier.complex, &faulty, &mut fixed)?
                | fix_neighbours(&triangles, rings, &mut fixed)?
        };
        if !grown {
            let report = SimplifyReport::new(&walls.mesh, &simple.mesh, error);
            return Ok((simple, report));
        }
        rings = 2 * rings + 1;
    }
}

/// Adds the triangles of labels whose volume was positive and no longer is to a list of triangles,
/// which is ascending before and after.
fn append_inverted(
    simple: &LabelledMesh,
    before: &[LabelSurfaceMeasure],
    triangles: &mut Vec<usize>,
) -> Result<(), OutOfMemory> {
    let after = simple.label_measures()?;
    let is_inverted = |side: u32| {
        let index = (side as usize).checked_sub(1);
        let volumes = index.and_then(|index| Some([before.get(index)?, after.get(index)?]));
        volumes.is_some_and(|[before, after]| before.volume > 0.0 && after.volume <= 0.0)
    };
    let sides = simple.sides.iter().enumerate();
    let inverted = sides.filter(|(_, sides)| sides.iter().any(|&side| is_inverted(side)));
    for (triangle, _) in inverted {
        memory::try_reserve_amortized(SIMPLIFICATION, triangles, 1)?;
        triangles.push(triangle);
    }
    triangles.sort_unstable();
    triangles.dedup();
    Ok(())
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

/// Creates a simplifier of walls with all edges queued, except those between fixed vertices.
fn new_simplifier<'a>(
    walls: &'a LabelledMesh,
    triangles: &[[u32; 3]],
    fixed: &[bool],
) -> Result<Simplifier<WallComplex<'a>>, OutOfMemory> {
    let positions = &walls.mesh.vertices;
    let complex = WallComplex::new(triangles, &walls.sides, positions.len())?;
    let mut kinds = memory::try_filled(SIMPLIFICATION, fixed.len(), WallVertexKind::Fixed)?;
    let mut around: Vec<Neighbour> = Vec::new();
    for (vertex, kind) in kinds.iter_mut().enumerate() {
        if !fixed[vertex] {
            complex.neighbours(vertex as u32, &mut around);
            *kind = WallComplex::classify(&around);
        }
    }
    let mut simplifier = Simplifier::new(complex, kinds, positions, triangles)?;
    for vertex in 0..fixed.len() as u32 {
        simplifier.complex.neighbours(vertex, &mut around);
        for other in around.iter().map(|it| it.vertex) {
            if vertex < other {
                simplifier.push_edge(vertex, other)?;
            }
        }
    }
    Ok(simplifier)
}

/// Returns the remaining walls.
fn compact_walls(
    simplifier: &Simplifier<WallComplex<'_>>,
    walls: &LabelledMesh,
) -> Result<LabelledMesh, MeshFilterError> {
    let count = simplifier.complex.triangles;
    let triangle = |index| simplifier.complex.triangle(index);
    let mesh = compact_mesh(&simplifier.positions, triangle, count, &walls.mesh)?;
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
fn fix_origins(
    complex: &WallComplex<'_>,
    triangles: &[usize],
    fixed: &mut [bool],
) -> Result<bool, OutOfMemory> {
    let mut is_involved = memory::try_filled(SIMPLIFICATION, fixed.len(), false)?;
    let mut wanted = triangles.iter().copied().peekable();
    let mut index = 0;
    for triangle in 0..complex.sides.len() {
        let Some(vertices) = complex.triangle(triangle) else {
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
        while complex.merged_into[end as usize] != end {
            end = complex.merged_into[end as usize];
        }
        if is_involved[end as usize] && !*fixed {
            *fixed = true;
            grown = true;
        }
    }
    Ok(grown)
}
