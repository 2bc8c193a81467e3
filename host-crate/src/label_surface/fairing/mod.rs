//! Fairing of finished walls beyond the limits of the cells.
//!
//! [Relaxation](super::extract()) keeps vertices within their cells, which bounds the smoothness.
//! Here Taubin's filter continues in a box of [`MAX_SHIFT`] or [`MAX_THIN_SHIFT`] around a vertex,
//! volumes are adapted again, and vertices of triangles that intersect return to where they were,
//! until none do. Positions are in voxels, and sums are in the order of the triangles, so that the
//! result is the same on every machine.

mod incidence;

use super::{LabelField, LabelSurfaceParams};
use crate::{
    grid::Geometry,
    memory::{self, OutOfMemory},
    mesh::LabelledMesh,
    parallel,
};
use incidence::{IncidentTriangles, Neighbours};
use nalgebra::{Matrix3, Vector3};

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

/// Bytes of memory per wall between two voxels that the mesh and its fairing need.
pub(super) const BYTES_PER_WALL: u64 = 700;

/// Number of vertices or triangles that a thread processes at a time.
const CHUNK_VERTICES: usize = 1 << 12;

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
    let mut starts = memory::try_filled(PURPOSE, walls.mesh.vertices.len(), Vector3::zeros())?;
    map_vertices(&mut starts, |vertex, start| {
        *start = index(&walls.mesh.vertices[vertex]);
    });
    let incident = IncidentTriangles::new(&triangles, starts.len())?;
    let neighbours = Neighbours::new(&triangles, &walls.sides, &incident)?;
    let mut fairing = Fairing {
        max_shifts: find_max_shifts(&triangles, &starts, &incident, &neighbours)?,
        incident,
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
        map_vertices(&mut walls.mesh.vertices, |vertex, position| {
            *position = if is_reverted[vertex] {
                original[vertex]
            } else {
                let world = to_world * fairing.positions[vertex] + origin;
                world.map(|x| x as f32).into()
            };
        });
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

/// Calls `body(index, element)` for every element of a list per vertex or triangle.
fn map_vertices<T: Send>(list: &mut [T], body: impl Fn(usize, &mut T) + Sync) {
    parallel::for_each_chunk_mut(list, CHUNK_VERTICES, |first, chunk| {
        for (vertex, element) in (first..).zip(chunk) {
            body(vertex, element);
        }
    });
}

/// Area vector of a triangle, and its contribution to the volume inside.
#[derive(Clone, Copy, Default)]
struct TriangleMeasure {
    /// Normal with the length of twice the area.
    doubled: Vector3<f64>,
    area: f64,
    volume: f64,
}

struct Fairing {
    triangles: Vec<[u32; 3]>,
    incident: IncidentTriangles,
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
                map_vertices(&mut next, |vertex, position| {
                    let around = neighbours.list(vertex);
                    if around.is_empty() {
                        return;
                    }
                    let sum: Vector3<f64> = around.iter().map(|&it| from[it as usize]).sum();
                    let mean = sum / around.len() as f64;
                    let moved = from[vertex] + factor * (mean - from[vertex]);
                    *position = limit(moved, starts[vertex], max_shifts[vertex]);
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
        let len = self.triangles.len();
        let mut measures = memory::try_filled(PURPOSE, len, TriangleMeasure::default())?;
        for _ in 0..steps {
            map_vertices(&mut measures, |triangle, measure| {
                *measure = self.measure(triangle);
            });
            // in the order of the triangles, so that the sums do not depend on the threads
            sums.fill([0.0; 2]);
            for (measure, sides) in measures.iter().zip(sides) {
                let [inside, outside] = sides.map(|side| side as usize);
                sums[inside][0] += measure.volume;
                sums[outside][0] -= measure.volume;
                sums[inside][1] += measure.area;
                sums[outside][1] += measure.area;
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
            let (incident, starts) = (&self.incident, &self.starts);
            let max_shifts = &self.max_shifts;
            map_vertices(&mut self.positions, |vertex, position| {
                let (mut shift, mut area) = (Vector3::zeros(), 0.0);
                for &triangle in incident.list(vertex) {
                    let measure = &measures[triangle as usize];
                    let [inside, outside] = sides[triangle as usize].map(|side| side as usize);
                    shift += (pressures[inside] - pressures[outside]) * measure.doubled;
                    area += 2.0 * measure.area;
                }
                if area > 0.0 {
                    let shift = shift * (PRESSURE_FACTOR / area);
                    *position = limit(*position + shift, starts[vertex], max_shifts[vertex]);
                }
            });
        }
        Ok(())
    }

    /// Returns the measures of a triangle.
    fn measure(&self, triangle: usize) -> TriangleMeasure {
        let [a, b, c] = self.triangles[triangle].map(|vertex| self.positions[vertex as usize]);
        let doubled = self.orientation * (b - a).cross(&(c - a));
        TriangleMeasure {
            doubled,
            area: doubled.norm() / 2.0,
            volume: a.dot(&doubled) / 6.0,
        }
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
    incident: &IncidentTriangles,
    neighbours: &Neighbours,
) -> Result<Vec<f64>, OutOfMemory> {
    let doubled_area = |triangle: &u32| {
        let [a, b, c] = triangles[*triangle as usize].map(|vertex| starts[vertex as usize]);
        (b - a).cross(&(c - a))
    };
    let mut normals = memory::try_filled(PURPOSE, starts.len(), Vector3::<f64>::zeros())?;
    map_vertices(&mut normals, |vertex, normal| {
        let sum: Vector3<f64> = incident.list(vertex).iter().map(doubled_area).sum();
        *normal = sum.try_normalize(0.0).unwrap_or_default();
    });
    let mut max_shifts = memory::try_filled(PURPOSE, starts.len(), MAX_SHIFT)?;
    map_vertices(&mut max_shifts, |vertex, max_shift| {
        let is_flat = |&it: &u32| normals[vertex].dot(&normals[it as usize]) > MIN_FLAT_COSINE;
        if !neighbours.list(vertex).iter().all(is_flat) {
            *max_shift = MAX_THIN_SHIFT;
        }
    });
    Ok(max_shifts)
}
