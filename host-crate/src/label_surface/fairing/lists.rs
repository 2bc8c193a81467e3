//! Triangles and neighbours of the vertices of walls.

use super::{super::LabelSurfaceError, DeviceWalls};
use crate::{
    device::{Buffer, Stream, items_launch},
    mesh_filter::VertexLists,
};
use cuda_std::Kernel;
use ferrovox_kernels::label_surface::fairing::list_fairing_neighbours;

/// Lists of the triangles at each vertex and of the neighbours that it is moved towards, both in
/// ascending order.
pub(super) struct WallLists {
    /// Index of the first element of the lists of each vertex.
    pub starts: Buffer<u64>,
    /// Number of triangles at each vertex.
    pub lengths: Buffer<u64>,
    pub triangles: Buffer<u32>,
    pub neighbour_counts: Buffer<u32>,
    pub neighbours: Buffer<u32>,
}

impl WallLists {
    pub fn new(stream: &Stream, walls: &DeviceWalls<'_>) -> Result<Self, LabelSurfaceError> {
        let vertices = walls.vertex_count();
        let lists = VertexLists::incident_triangles(stream, walls.triangles, vertices)?;
        let VertexLists {
            starts,
            lengths,
            elements: mut triangles,
        } = lists;
        stream.prepare(&[list_fairing_neighbours::entry()])?;
        let mut spokes = stream.alloc::<u64>(triangles.len() * 2)?;
        let mut neighbours = stream.alloc::<u32>(triangles.len())?;
        let mut neighbour_counts = stream.alloc::<u32>(vertices as usize)?;
        let (launch, items) = items_launch(stream, vertices);
        // SAFETY: the lists are those of the triangles, which have two labels each.
        unsafe {
            let args = (
                items,
                walls.triangles.view(),
                walls.sides.view(),
                starts.view(),
                lengths.view(),
                triangles.view_mut(),
                spokes.view_mut(),
                neighbours.view_mut(),
                neighbour_counts.view_mut(),
            );
            stream.launch::<list_fairing_neighbours>(launch, args)?;
        }
        Ok(Self {
            starts,
            lengths,
            triangles,
            neighbour_counts,
            neighbours,
        })
    }
}
