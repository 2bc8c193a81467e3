//! A part of a volume between two planes.

use crate::{
    device::{Buffer, Element},
    grid::Geometry,
};
use cuda_std::View;
use ferrovox_kernels::isosurface::padded::PaddedGrid;
use std::ops::Range;

/// Samples on a device, and the cells of theirs whose surface is wanted.
///
/// The samples may begin a plane before these cells and end a plane after them: gradients need
/// that, and it decides whether an edge has a cell beside it that is not left out.
pub(crate) struct Slab<'a, T> {
    pub samples: Elements<'a, T>,
    /// Empty, or as many elements as samples.
    pub mask: Elements<'a, u8>,
    pub padded: PaddedGrid,
    /// Of the whole volume, with the border if there is one.
    pub geometry: Geometry,
    /// What the first plane of the samples is in the volume.
    pub plane: u32,
    /// The first plane of the wanted cells, and the one after their last.
    pub first: u32,
    pub last: u32,
    /// Whether the vertices in the plane `last` are this part's; else they are the next part's, and
    /// have the numbers after this part's own.
    pub last_plane_too: bool,
}

/// Some of a buffer's elements.
pub(crate) struct Elements<'a, T> {
    buffer: &'a Buffer<T>,
    elements: Range<usize>,
}

impl<'a, T: Element> Elements<'a, T> {
    /// The elements of a range; none of a buffer that is empty.
    pub fn new(buffer: &'a Buffer<T>, elements: Range<usize>) -> Self {
        let end = elements.end.min(buffer.len());
        let elements = elements.start.min(end)..end;
        Self { buffer, elements }
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements as a kernel reads them.
    pub fn view(&self) -> View<'a, T> {
        self.buffer
            .view()
            .slice(self.elements.start, self.elements.len())
    }
}
