//! Fairing of finished walls beyond the limits of the cells.
//!
//! [Relaxation](super::extract()) keeps vertices within their cells, which bounds the smoothness.
//! Here Taubin's filter continues in a box of [`MAX_SHIFT`] or [`MAX_THIN_SHIFT`] around a vertex,
//! volumes are adapted again, and vertices of triangles that intersect return to where they were,
//! until none do. Positions are in voxels, and sums are in the order of the triangles, so that the
//! result is the same on every machine.

use super::{LabelField, LabelSurfaceParams};
use crate::{
    grid::Geometry,
    memory::{self, OutOfMemory},
    mesh::LabelledMesh,
    parallel,
};
use nalgebra::{Matrix3, Vector3};
use rayon::slice::ParallelSliceMut;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the fairing of walls";

/// Factors of the two steps of Taubin's filter. They are larger and closer to each other than those
/// of the relaxation: the filter smooths more per step, and volumes are adapted anyway.
const TAUBIN: [f64; 2] = [0.68, -0.69];

/// Maximum distance of a vertex from its start along each axis, in voxels, if the surface around it
/// is [flat](MIN_FLAT_COSINE).
const MAX_SHIFT: f64 = 0.5;

/// Maximum distance elsewhere: less than half of the distance between opposite walls of a single
/// voxel, so that thin parts do not collapse.
const MAX_THIN_SHIFT: f64 = 0.25;

/// Minimum cosine of the angle between the normals of a vertex and of each neighbour where the
/// surface counts as flat.
const MIN_FLAT_COSINE: f64 = 0.4;

/// Difference between the enclosed volume of a label and that of its voxels that needs no further
/// step, as a fraction of the latter.
const TOLERANCE: f64 = 1.0 / 1024.0;

/// Fraction of the previous pressure of a label that is added to the new one, as in
/// `kernels-crate/src/label_surface/pressure.rs`.
const MOMENTUM: f64 = 0.5;

/// Fraction of the pressure that is applied per step.
const PRESSURE_FACTOR: f64 = 0.8;

/// Number of vertices that a thread moves at a time.
const CHUNK_VERTICES: usize = 1 << 12;

/// An edge of a triangle: its vertices in ascending order, and the labels of the triangle.
type Edge = ([u32; 2], [u32; 2]);

/// Continues the smoothing of walls with the double steps of Taubin's filter, and the adaptation of
/// volumes, that `params` ask for.
///
/// `walls` have the vertices of `geometry`, the geometry of `field` relative to their origin. Walls
/// with more than 2³² vertices are left as they are.
///
/// # Errors
/// [`OutOfMemory`]; needs about 250 bytes per vertex in addition to the walls.
pub(super) fn fair_walls(
    walls: &mut LabelledMesh,
    field: &LabelField,
    geometry: &Geometry,
    params: &LabelSurfaceParams,
) -> Result<(), OutOfMemory> {
    let Some(triangles) = walls.mesh.triangles.to_u32() else {
        return Ok(());
    };
    if params.fairing_steps == 0 || triangles.is_empty() {
        return Ok(());
    }
    let triangles = memory::try_copy(PURPOSE, &triangles)?;
    let to_world = *geometry.axes();
    let to_index = to_world.try_inverse().unwrap_or_else(Matrix3::identity);
    let origin = geometry.origin().coords;
    let is_mirrored = geometry.mirrors();
    let index = |position: &[f32; 3]| to_index * (Vector3::from(position.map(f64::from)) - origin);
    let starts = memory::try_collect(PURPOSE, walls.mesh.vertices.iter().map(index))?;
    let neighbours = Neighbours::new(&triangles, &walls.sides, starts.len())?;
    let mut fairing = Fairing {
        max_shifts: find_max_shifts(&triangles, &starts, &neighbours)?,
        neighbours,
        positions: memory::try_copy(PURPOSE, &starts)?,
        starts,
        triangles,
        orientation: if is_mirrored { -1.0 } else { 1.0 },
    };
    fairing.smooth(params.fairing_steps)?;
    fairing.adapt_volumes(&walls.sides, field.voxels(), params.volume_steps)?;
    let original = memory::try_copy(PURPOSE, &walls.mesh.vertices)?;
    let mut is_reverted = memory::try_filled(PURPOSE, original.len(), false)?;
    let (mut rings, mut changed) = (0, None);
    loop {
        for (vertex, position) in walls.mesh.vertices.iter_mut().enumerate() {
            *position = if is_reverted[vertex] {
                original[vertex]
            } else {
                let world = to_world * fairing.positions[vertex] + origin;
                world.map(|x| x as f32).into()
            };
        }
        let crossed = walls.intersecting_triangles(changed.as_deref())?;
        if !fairing.revert(&crossed, rings, &mut is_reverted)? {
            return Ok(());
        }
        let has_reverted = |it: &[u32; 3]| it.iter().any(|&it| is_reverted[it as usize]);
        changed = Some(memory::try_collect(
            PURPOSE,
            fairing.triangles.iter().map(has_reverted),
        )?);
        rings = 2 * rings + 1;
    }
}

struct Fairing {
    triangles: Vec<[u32; 3]>,
    neighbours: Neighbours,
    starts: Vec<Vector3<f64>>,
    positions: Vec<Vector3<f64>>,
    /// Maximum distance of each vertex from its start along each axis.
    max_shifts: Vec<f64>,
    /// -1 if the grid mirrors triangles, else 1.
    orientation: f64,
}

impl Fairing {
    /// Applies double steps of Taubin's filter within the limits.
    fn smooth(&mut self, steps: u32) -> Result<(), OutOfMemory> {
        let mut next = memory::try_copy(PURPOSE, &self.positions)?;
        for _ in 0..steps {
            for factor in TAUBIN {
                let (from, starts, neighbours) = (&self.positions, &self.starts, &self.neighbours);
                let max_shifts = &self.max_shifts;
                parallel::for_each_chunk_mut(&mut next, CHUNK_VERTICES, |first, chunk| {
                    for (vertex, position) in (first..).zip(chunk) {
                        let around = neighbours.list(vertex);
                        if around.is_empty() {
                            continue;
                        }
                        let sum: Vector3<f64> = around.iter().map(|&it| from[it as usize]).sum();
                        let mean = sum / around.len() as f64;
                        let moved = from[vertex] + factor * (mean - from[vertex]);
                        *position = limit(moved, starts[vertex], max_shifts[vertex]);
                    }
                });
                std::mem::swap(&mut self.positions, &mut next);
            }
        }
        Ok(())
    }

    /// Moves walls such that each label encloses the volume of its voxels, in at most `steps`
    /// steps.
    fn adapt_volumes(
        &mut self,
        sides: &[[u32; 2]],
        voxels: &[u64],
        steps: u32,
    ) -> Result<(), OutOfMemory> {
        let labels = voxels.len() + 1;
        let mut pressures = memory::try_zeroed::<f64>(PURPOSE, labels)?;
        let mut sums = memory::try_zeroed::<[f64; 2]>(PURPOSE, labels)?;
        let mut shifts = memory::try_filled(PURPOSE, self.positions.len(), Vector3::zeros())?;
        let mut areas = memory::try_zeroed::<f64>(PURPOSE, self.positions.len())?;
        for _ in 0..steps {
            sums.fill([0.0; 2]);
            for (triangle, [inside, outside]) in self.triangles.iter().zip(sides) {
                let [a, b, c] = triangle.map(|vertex| self.positions[vertex as usize]);
                let doubled = self.orientation * (b - a).cross(&(c - a));
                let (volume, area) = (a.dot(&doubled) / 6.0, doubled.norm() / 2.0);
                let [inside, outside] = [inside, outside].map(|side| *side as usize);
                sums[inside][0] += volume;
                sums[outside][0] -= volume;
                sums[inside][1] += area;
                sums[outside][1] += area;
            }
            let mut differs = false;
            for (label, &voxels) in voxels.iter().enumerate() {
                let [volume, area] = sums[label + 1];
                let missing = voxels as f64 - volume;
                differs |= missing.abs() > TOLERANCE * voxels as f64;
                if area > 0.0 {
                    let pressure = &mut pressures[label + 1];
                    *pressure = missing / area + MOMENTUM * *pressure;
                }
            }
            if !differs {
                break;
            }
            shifts.fill(Vector3::zeros());
            areas.fill(0.0);
            for (triangle, [inside, outside]) in self.triangles.iter().zip(sides) {
                let [a, b, c] = triangle.map(|vertex| self.positions[vertex as usize]);
                let doubled = self.orientation * (b - a).cross(&(c - a));
                let pressure = pressures[*inside as usize] - pressures[*outside as usize];
                let area = doubled.norm();
                for &vertex in triangle {
                    shifts[vertex as usize] += pressure * doubled;
                    areas[vertex as usize] += area;
                }
            }
            for (vertex, position) in self.positions.iter_mut().enumerate() {
                if areas[vertex] > 0.0 {
                    let shift = shifts[vertex] * (PRESSURE_FACTOR / areas[vertex]);
                    *position = limit(
                        *position + shift,
                        self.starts[vertex],
                        self.max_shifts[vertex],
                    );
                }
            }
        }
        Ok(())
    }

    /// Marks the vertices up to `rings` edges from those of `crossed` triangles, and returns `true`
    /// if some were not marked before.
    fn revert(
        &self,
        crossed: &[usize],
        rings: u32,
        is_reverted: &mut [bool],
    ) -> Result<bool, OutOfMemory> {
        let mut front = Vec::new();
        memory::try_reserve(PURPOSE, &mut front, crossed.len() * 3)?;
        front.extend(crossed.iter().flat_map(|&it| self.triangles[it]));
        let mut changed = false;
        for ring in 0..=rings {
            for &vertex in &front {
                changed |= !is_reverted[vertex as usize];
                is_reverted[vertex as usize] = true;
            }
            if ring < rings {
                let lists = || front.iter().map(|&it| self.neighbours.list(it as usize));
                let mut next = Vec::new();
                memory::try_reserve(PURPOSE, &mut next, lists().map(<[u32]>::len).sum())?;
                next.extend(lists().flatten().copied());
                next.sort_unstable();
                next.dedup();
                front = next;
            }
        }
        Ok(changed)
    }
}

/// Limits a position to `max_shift` from its start along each axis.
fn limit(position: Vector3<f64>, start: Vector3<f64>, max_shift: f64) -> Vector3<f64> {
    let low = start.map(|x| x - max_shift);
    position.sup(&low).inf(&start.map(|x| x + max_shift))
}

/// Returns the maximum distance of each vertex from its start along each axis.
fn find_max_shifts(
    triangles: &[[u32; 3]],
    starts: &[Vector3<f64>],
    neighbours: &Neighbours,
) -> Result<Vec<f64>, OutOfMemory> {
    let mut normals = memory::try_filled(PURPOSE, starts.len(), Vector3::zeros())?;
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| starts[vertex as usize]);
        let doubled_area = (b - a).cross(&(c - a));
        for &vertex in triangle {
            normals[vertex as usize] += doubled_area;
        }
    }
    for normal in &mut normals {
        *normal = normal.try_normalize(0.0).unwrap_or_default();
    }
    let max_shift = |vertex: usize| {
        let mut around = neighbours.list(vertex).iter();
        let is_flat = |&it: &u32| normals[vertex].dot(&normals[it as usize]) > MIN_FLAT_COSINE;
        if around.all(is_flat) {
            MAX_SHIFT
        } else {
            MAX_THIN_SHIFT
        }
    };
    memory::try_collect(PURPOSE, (0..starts.len()).map(max_shift))
}

/// Neighbours that each vertex is moved towards: those along lines for a vertex where walls meet,
/// all for others.
struct Neighbours {
    starts: Vec<usize>,
    lists: Vec<u32>,
}

impl Neighbours {
    fn new(
        triangles: &[[u32; 3]],
        sides: &[[u32; 2]],
        vertices: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut edges: Vec<Edge> = Vec::new();
        memory::try_reserve(PURPOSE, &mut edges, triangles.len() * 3)?;
        for (&[a, b, c], &sides) in triangles.iter().zip(sides) {
            edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], sides)));
        }
        edges.par_sort_unstable();
        let groups = || edges.chunk_by(|one, other| one.0 == other.0);
        // an edge between two triangles of one wall is within the wall
        let is_line = |group: &[Edge]| group.len() != 2 || group[0].1 != group[1].1;
        let mut on_line = memory::try_filled(PURPOSE, vertices, false)?;
        for group in groups().filter(|group| is_line(group)) {
            for vertex in group[0].0 {
                on_line[vertex as usize] = true;
            }
        }
        // directed edges from a vertex to each neighbour
        let directed = || {
            groups().flat_map(|group| {
                let [a, b] = group[0].0;
                let is_line = is_line(group);
                [[a, b], [b, a]].map(|it| (it, is_line))
            })
        };
        let mut starts = memory::try_zeroed::<usize>(PURPOSE, vertices + 1)?;
        let counts = |([from, _], is_line): &([u32; 2], bool)| *is_line || !on_line[*from as usize];
        for ([from, _], _) in directed().filter(|it| counts(it)) {
            starts[from as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut lists = memory::try_zeroed::<u32>(PURPOSE, starts[vertices])?;
        let mut ends = memory::try_copy(PURPOSE, &starts)?;
        for ([from, to], _) in directed().filter(|it| counts(it)) {
            lists[ends[from as usize]] = to;
            ends[from as usize] += 1;
        }
        Ok(Self { starts, lists })
    }

    /// Returns the neighbours of a vertex; none if only one line leads to it, so that it is fixed.
    fn list(&self, vertex: usize) -> &[u32] {
        let list = &self.lists[self.starts[vertex]..self.starts[vertex + 1]];
        if list.len() < 2 { &[] } else { list }
    }
}
