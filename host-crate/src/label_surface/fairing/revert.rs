//! Vertices that return to where they were before fairing.

use super::{super::LabelSurfaceError, Fairing, intersections::IntersectionSearch};
use crate::{
    device::{Buffer, items_launch},
    grid::index_to_world,
};
use cuda_std::Kernel;
use ferrovox_kernels::label_surface::fairing::{
    extend_marks, mark_crossed_vertices, mark_reverted_triangles, place_faired_vertices,
    revert_marked_vertices,
};

impl Fairing<'_> {
    /// Returns the world positions of the vertices, of which those of intersecting triangles, and
    /// then rings around them, are at their starts.
    pub fn revert_crossed(&self, dims: [usize; 3]) -> Result<Buffer<f32>, LabelSurfaceError> {
        let (stream, walls) = (self.stream, self.walls);
        stream.prepare(&[
            place_faired_vertices::entry(),
            mark_crossed_vertices::entry(),
            extend_marks::entry(),
            revert_marked_vertices::entry(),
            mark_reverted_triangles::entry(),
        ])?;
        let vertices = walls.vertex_count() as usize;
        let mut placed = stream.alloc::<f32>(vertices * 3)?;
        let mut reverted = stream.zeros::<u32>(vertices)?;
        let mut changed = stream.alloc::<u8>(walls.triangle_count() as usize)?;
        let search = IntersectionSearch::new(stream, walls, self.geometry, dims)?;
        let to_world = index_to_world(self.geometry);
        let (launch, items) = items_launch(stream, vertices as u64);
        let (triangle_launch, triangle_items) = items_launch(stream, walls.triangle_count());
        let mut rings = 0;
        loop {
            // SAFETY: one mark and three coordinates per vertex.
            unsafe {
                let args = (
                    items,
                    to_world,
                    self.positions.view(),
                    reverted.view(),
                    walls.positions.view(),
                    placed.view_mut(),
                );
                stream.launch::<place_faired_vertices>(launch, args)?;
            }
            let crossings = search.run(&placed, (rings > 0).then_some(&changed))?;
            let mut marks = stream.zeros::<u32>(vertices)?;
            let mut count = stream.zeros::<u64>(1)?;
            // SAFETY: three vertices per triangle, each with a mark.
            unsafe {
                let args = (
                    triangle_items,
                    crossings.view(),
                    walls.triangles.view(),
                    marks.view_mut(),
                    count.view_mut(),
                );
                stream.launch::<mark_crossed_vertices>(triangle_launch, args)?;
            }
            drop(crossings);
            if stream.download(&count)?.first() == Some(&0) {
                return Ok(placed);
            }
            for _ in 0..rings {
                let mut extended = stream.alloc::<u32>(vertices)?;
                // SAFETY: lists and marks per vertex.
                unsafe {
                    let args = (
                        items,
                        self.lists.starts.view(),
                        self.lists.neighbour_counts.view(),
                        self.lists.neighbours.view(),
                        marks.view(),
                        extended.view_mut(),
                    );
                    stream.launch::<extend_marks>(launch, args)?;
                }
                marks = extended;
            }
            stream.fill_with_zero(&mut count)?;
            // SAFETY: one mark per vertex, three vertices and a flag per triangle.
            unsafe {
                let args = (items, marks.view(), reverted.view_mut(), count.view_mut());
                stream.launch::<revert_marked_vertices>(launch, args)?;
                let args = (
                    triangle_items,
                    walls.triangles.view(),
                    reverted.view(),
                    changed.view_mut(),
                );
                stream.launch::<mark_reverted_triangles>(triangle_launch, args)?;
            }
            if stream.download(&count)?.first() == Some(&0) {
                return Ok(placed);
            }
            rings = 2 * rings + 1;
        }
    }
}
