//! A slab of a volume in device memory.

use crate::{
    device::{Buffer, Element},
    grid::Geometry,
};
use cuda_std::View;
use ferrovox_kernels::isosurface::padded::PaddedGrid;
use nalgebra::Point3;
use std::ops::Range;

/// Samples in device memory, and the range of their cells to be meshed.
///
/// The samples may extend one plane beyond these cells on both sides. These planes are needed for
/// gradients, and to find out whether all cells around an edge are excluded.
pub(crate) struct Slab<'a, T> {
    pub samples: Elements<'a, T>,
    /// Mask of the samples; empty, or as many elements as `samples`.
    pub mask: Elements<'a, u8>,
    /// Grid of the samples, with the border if there is one.
    pub padded: PaddedGrid,
    /// World position that vertices are relative to.
    pub origin: Point3<f64>,
    /// Geometry of the whole volume relative to `origin`, with the border if there is one.
    pub geometry: Geometry,
    /// Index of the first plane of `samples` in the volume.
    pub plane: u32,
    /// First plane of the cells to be meshed.
    pub first: u32,
    /// Plane after the last plane of these cells.
    pub end: u32,
    /// `true` if the vertices in the plane `end` belong to this part, which is then the last part
    /// of the mesh. Otherwise they are the first vertices of the next part: this part numbers them
    /// after its own vertices, in the same order, but does not emit them.
    pub owns_end_plane: bool,
}

/// A range of a buffer.
pub(crate) struct Elements<'a, T> {
    buffer: &'a Buffer<T>,
    elements: Range<usize>,
}

impl<'a, T: Element> Elements<'a, T> {
    /// Returns a range of a buffer, or an empty range if the buffer is empty.
    pub fn new(buffer: &'a Buffer<T>, elements: Range<usize>) -> Self {
        let end = elements.end.min(buffer.len());
        let elements = elements.start.min(end)..end;
        Self { buffer, elements }
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the range as a kernel argument.
    pub fn view(&self) -> View<'a, T> {
        self.buffer
            .view()
            .slice(self.elements.start, self.elements.len())
    }
}
