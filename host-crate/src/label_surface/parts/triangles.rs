//! Vertices and triangles of the slabs, from the relaxed surface net.

use super::{
    super::{
        LabelSurfaceError,
        extract::{Triangulation, group_pairs},
        net::NetCounts,
        runs::LabelIndex,
    },
    PURPOSE, Parts, SlabNet,
};
use crate::{
    device::{Buffer, Element, Stream},
    memory,
    mesh::{LabelledMesh, TriangleMesh, Triangles, group_triples},
    monitor::Monitor,
};
use ferrovox_kernels::sample::Count;
use std::ops::Range;

/// Vertices and triangles of a slab.
struct SurfacePart {
    vertices: Vec<f32>,
    points: Vec<f32>,
    centres: Vec<f32>,
    /// Vertices of each triangle, as an index among those of its kind.
    triangles: Vec<SlabIndex>,
    sides: Vec<u32>,
}

/// A vertex of a triangle, relative to the first one of its kind in the slab.
#[derive(Clone, Copy)]
enum SlabIndex {
    Vertex(u64),
    Point(u64),
    Centre(u64),
}

impl Parts<'_> {
    /// Emits the vertices and triangles of all slabs, for positions of vertices within their cells.
    pub(super) fn triangulate<T: Count + Element + LabelIndex>(
        &self,
        slabs: &[Range<usize>],
        before: &[NetCounts],
        within: &[f32],
        monitor: &Monitor<'_>,
    ) -> Result<LabelledMesh, LabelSurfaceError> {
        let total = before.last().copied().unwrap_or_default();
        let work = |stream: &Stream, slab: &Range<usize>| {
            self.with_slab::<T, _>(stream, slab, |found| {
                let index = slabs.partition_point(|other| other.start < slab.start);
                self.triangulate_slab(stream, &found, before[index].vertices, within)
            })
        };
        let fixed = (total.vertices + total.points) as usize;
        let mut vertices = memory::try_zeroed::<f32>(PURPOSE, fixed * 3)?;
        let mut triangles = Vec::new();
        let mut sides = Vec::new();
        let mut firsts = before.iter();
        self.for_each_slab(slabs, monitor, work, |part: SurfacePart| {
            let first = firsts.next().copied().unwrap_or_default();
            let first_point = total.vertices + first.points;
            let first_centre = vertices.len() as u64 / 3;
            copy_to(&mut vertices, first.vertices, &part.vertices);
            copy_to(&mut vertices, first_point, &part.points);
            memory::try_extend(PURPOSE, &mut vertices, &part.centres)?;
            memory::try_reserve_amortized(PURPOSE, &mut triangles, part.triangles.len())?;
            triangles.extend(part.triangles.iter().map(|index| match *index {
                SlabIndex::Vertex(vertex) => first.vertices + vertex,
                SlabIndex::Point(point) => first_point + point,
                SlabIndex::Centre(centre) => first_centre + centre,
            }));
            memory::try_extend(PURPOSE, &mut sides, &part.sides)?;
            Ok(())
        })?;
        Ok(LabelledMesh {
            mesh: TriangleMesh {
                origin: self.origin.into(),
                vertices: group_triples(vertices),
                normals: None,
                triangles: Triangles::U64(group_triples(triangles)),
            },
            labels: memory::try_copy("labels", self.field.labels())?,
            sides: group_pairs(sides)?,
        })
    }

    fn triangulate_slab<T: Count + Element>(
        &self,
        stream: &Stream,
        found: &SlabNet<'_, T>,
        first_vertex: u64,
        within: &[f32],
    ) -> Result<SurfacePart, LabelSurfaceError> {
        let SlabNet {
            net,
            quads,
            start,
            end,
        } = found;
        // positions of the slab's vertices and of those in the next plane of cells
        let mut own = memory::try_zeroed::<f32>(PURPOSE, net.vertices as usize * 3)?;
        let (to, from) = (start.vertices as usize * 3, first_vertex as usize * 3);
        let len = (own.len() - to).min(within.len() - from);
        own[to..to + len].copy_from_slice(&within[from..from + len]);
        let own = stream.upload(&own)?;
        let triangulation = Triangulation {
            net,
            to_world: self.to_world(),
            flip: self.field.geometry().mirrors(),
        };
        let (surface, offsets) = triangulation.run(quads, &own)?;
        let offset =
            |list: &Buffer<u64>, quad: u64, total: u64| -> Result<u64, LabelSurfaceError> {
                let list = stream.download(list)?;
                Ok(list.get(quad as usize).copied().unwrap_or(total))
            };
        let triangle_total = surface.sides.len() as u64 / 2;
        let centre_start = net.vertices + net.points;
        let centre_total = surface.positions.len() as u64 / 3 - centre_start;
        let triangle = |quad| offset(&offsets.triangles, quad, triangle_total);
        let centre = |quad| offset(&offsets.centres, quad, centre_total);
        let (first, last) = (triangle(start.quads)?, triangle(end.quads)?);
        let (first_centre, last_centre) = (centre(start.quads)?, centre(end.quads)?);
        let positions = stream.download(&surface.positions)?;
        let slice = |from: u64, to: u64| {
            memory::try_copy(PURPOSE, &positions[from as usize * 3..to as usize * 3])
        };
        let triangles = stream.download(&surface.triangles)?;
        let kind = |&index: &u64| {
            if index < net.vertices {
                SlabIndex::Vertex(index - start.vertices)
            } else if index < centre_start {
                SlabIndex::Point(index - net.vertices - start.points)
            } else {
                SlabIndex::Centre(index - centre_start - first_centre)
            }
        };
        let own = &triangles[first as usize * 3..last as usize * 3];
        let sides = stream.download(&surface.sides)?;
        Ok(SurfacePart {
            vertices: slice(start.vertices, end.vertices)?,
            points: slice(net.vertices + start.points, net.vertices + end.points)?,
            centres: slice(centre_start + first_centre, centre_start + last_centre)?,
            triangles: memory::try_collect(PURPOSE, own.iter().map(kind))?,
            sides: memory::try_copy(PURPOSE, &sides[first as usize * 2..last as usize * 2])?,
        })
    }
}

/// Copies coordinates into those of vertices from index `first` on.
fn copy_to(vertices: &mut [f32], first: u64, coordinates: &[f32]) {
    let first = first as usize * 3;
    vertices[first..first + coordinates.len()].copy_from_slice(coordinates);
}
