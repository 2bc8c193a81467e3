//! Triangles and neighbours of the vertices of walls.

use super::{CHUNK_VERTICES, PURPOSE};
use crate::{
    memory::{self, ExtendOrUnwind, OutOfMemory, catch_out_of_memory},
    parallel,
};
use std::ops::Range;

/// The triangles at each vertex, in ascending order.
pub(super) struct IncidentTriangles {
    starts: Vec<usize>,
    triangles: Vec<u32>,
}

impl IncidentTriangles {
    pub fn new(triangles: &[[u32; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let mut starts = memory::try_zeroed::<usize>(PURPOSE, vertices + 1)?;
        for &vertex in triangles.as_flattened() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut ends = memory::try_copy(PURPOSE, &starts)?;
        let mut lists = memory::try_zeroed::<u32>(PURPOSE, triangles.len() * 3)?;
        for (index, triangle) in triangles.iter().enumerate() {
            for &vertex in triangle {
                lists[ends[vertex as usize]] = index as u32;
                ends[vertex as usize] += 1;
            }
        }
        Ok(Self {
            starts,
            triangles: lists,
        })
    }

    /// Returns the triangles at a vertex.
    pub fn list(&self, vertex: usize) -> &[u32] {
        &self.triangles[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

/// Neighbours that each vertex is moved towards: those along lines for a vertex where walls meet,
/// all for others.
pub(super) struct Neighbours {
    starts: Vec<usize>,
    lists: Vec<u32>,
}

/// A directed edge from a vertex to its neighbour, and the labels of a triangle at it.
type Spoke = (u32, [u32; 2]);

impl Neighbours {
    pub fn new(
        triangles: &[[u32; 3]],
        sides: &[[u32; 2]],
        incident: &IncidentTriangles,
    ) -> Result<Self, OutOfMemory> {
        let vertices = incident.starts.len() - 1;
        let list_range = |range: Range<usize>| {
            let (mut ends, mut lists) = (Vec::new(), Vec::new());
            let mut spokes: Vec<Spoke> = Vec::new();
            for vertex in range {
                spokes.clear();
                for &triangle in incident.list(vertex) {
                    let corners = triangles[triangle as usize];
                    let others = corners.into_iter().filter(|&it| it as usize != vertex);
                    let sides = sides[triangle as usize];
                    spokes.extend_or_unwind(others.map(|it| (it, sides)));
                }
                spokes.sort_unstable();
                list_neighbours(&spokes, &mut lists);
                ends.push_or_unwind(lists.len());
            }
            (ends, lists)
        };
        catch_out_of_memory(PURPOSE, || {
            let parts = parallel::map_ranges(vertices, CHUNK_VERTICES, list_range);
            let mut starts = memory::try_zeroed::<usize>(PURPOSE, 1)?;
            let mut lists = Vec::new();
            memory::try_reserve(PURPOSE, &mut starts, vertices)?;
            let len = parts.iter().map(|it| it.1.len()).sum();
            memory::try_reserve(PURPOSE, &mut lists, len)?;
            for (ends, part) in parts {
                starts.extend(ends.iter().map(|end| lists.len() + end));
                lists.extend(part);
            }
            Ok(Self { starts, lists })
        })
    }

    /// Returns the neighbours of a vertex; none if only one line leads to it, so that it is fixed.
    pub fn list(&self, vertex: usize) -> &[u32] {
        let list = &self.lists[self.starts[vertex]..self.starts[vertex + 1]];
        if list.len() < 2 { &[] } else { list }
    }
}

/// Appends the neighbours of a vertex to `lists`, in ascending order.
fn list_neighbours(spokes: &[Spoke], lists: &mut Vec<u32>) {
    let groups = || spokes.chunk_by(|one, other| one.0 == other.0);
    // an edge between two triangles of one wall is within the wall
    let is_line = |group: &[Spoke]| group.len() != 2 || group[0].1 != group[1].1;
    let is_on_line = groups().any(is_line);
    let counts = |group: &&[Spoke]| !is_on_line || is_line(group);
    lists.extend_or_unwind(groups().filter(counts).map(|group| group[0].0));
}
