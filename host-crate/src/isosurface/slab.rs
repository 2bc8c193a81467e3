//! A part of a volume between two planes.

use crate::{device::Buffer, volume::Geometry};
use ferrovox_kernels::isosurface::padded::Padded;

/// Samples on a device, and the cells of theirs whose surface is wanted.
///
/// The samples may begin a plane before these cells and end a plane after them: gradients need that, and it decides whether an
/// edge has a cell beside it that is not left out.
pub(super) struct Slab<'a, T> {
    pub samples: &'a Buffer<T>,
    /// Empty, or as many elements as samples.
    pub mask: &'a Buffer<u8>,
    pub padded: Padded,
    /// Of the whole volume, with the border if there is one.
    pub geometry: Geometry,
    /// What the first plane of the samples is in the volume.
    pub plane: u32,
    /// The first plane of the wanted cells, and the one after their last.
    pub first: u32,
    pub last: u32,
    /// Whether the vertices in the plane `last` are this part's; else they are the next part's, and have the numbers after
    /// this part's own.
    pub last_plane_too: bool,
}
