//! Lists of neighbours or triangles of each vertex, in compressed sparse rows.

use super::MeshFilterError;
use crate::{
    device::{Buffer, Element, Stream, items_launch},
    scan::{Scanner, Sum},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    mesh_filter::{
        incidence::{count_incident_triangles, list_incident_triangles},
        neighbours::{list_neighbours, select_smoothing_neighbours},
    },
    sample::Count,
};

/// One list per vertex.
pub(crate) struct VertexLists<I: Element> {
    /// Index of the first element of each list.
    pub starts: Buffer<u64>,
    /// Length of each list.
    pub lengths: Buffer<u64>,
    /// Elements of all lists.
    pub elements: Buffer<I>,
}

/// Returns the number of vertices with this many coordinates.
pub(super) fn vertex_count(coordinates: usize) -> Result<u64, MeshFilterError> {
    match coordinates % 3 {
        0 => Ok(coordinates as u64 / 3),
        _ => Err(MeshFilterError::Coordinates { found: coordinates }),
    }
}

impl<I: Count + Element> VertexLists<I> {
    /// Builds the lists of neighbours used in smoothing. Takes 16 bytes per vertex and six indices
    /// per triangle.
    pub fn smoothing_neighbours(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
    ) -> Result<Self, MeshFilterError> {
        stream.prepare(&[
            list_neighbours::<I>::entry(),
            select_smoothing_neighbours::<I>::entry(),
        ])?;
        let mut lists = Self::allocate(stream, corners, vertices, 2)?;
        let (launch, items) = items_launch(stream, corners.len() as u64 / 3);
        let starts = lists.starts.view();
        let lengths = lists.lengths.view_mut();
        // SAFETY: the starts are the scanned counts of two elements per corner, and the lists have
        // as many elements.
        unsafe {
            let elements = lists.elements.view_mut();
            let args = (corners.view(), items, vertices, starts, lengths, elements);
            stream.launch::<list_neighbours<I>>(launch, args)?;
        }
        let (launch, items) = items_launch(stream, vertices);
        // SAFETY: each list has the length given by its count.
        unsafe {
            let starts = lists.starts.view();
            let args = (
                items,
                starts,
                lists.lengths.view_mut(),
                lists.elements.view_mut(),
            );
            stream.launch::<select_smoothing_neighbours<I>>(launch, args)?;
        }
        Ok(lists)
    }

    /// Builds the lists of triangles at each vertex, in unspecified order. Takes 16 bytes per
    /// vertex and three indices per triangle.
    pub fn incident_triangles(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
    ) -> Result<Self, MeshFilterError> {
        let triangles = corners.len() / 3;
        if I::narrow(triangles as u64).widen() != triangles as u64 {
            return Err(MeshFilterError::NarrowIndices { triangles });
        }
        stream.prepare(&[list_incident_triangles::<I>::entry()])?;
        let mut lists = Self::allocate(stream, corners, vertices, 1)?;
        let (launch, items) = items_launch(stream, triangles as u64);
        // SAFETY: the starts are the scanned counts of one element per corner, and the lists have
        // as many elements.
        unsafe {
            let args = (
                corners.view(),
                items,
                vertices,
                lists.starts.view(),
                lists.lengths.view_mut(),
                lists.elements.view_mut(),
            );
            stream.launch::<list_incident_triangles<I>>(launch, args)?;
        }
        Ok(lists)
    }

    /// Allocates empty lists with `increment` elements per corner at a vertex.
    fn allocate(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
        increment: u64,
    ) -> Result<Self, MeshFilterError> {
        let triangles = corners.len() as u64 / 3;
        // the memory of the scan is negligible
        let elements = triangles.saturating_mul(3 * increment);
        let bytes = elements.saturating_mul(size_of::<I>() as u64);
        stream.require(bytes.saturating_add(vertices.saturating_mul(16)))?;
        stream.prepare(&[count_incident_triangles::<I>::entry()])?;
        let mut starts = stream.zeros::<u64>(vertices as usize)?;
        let mut invalid = stream.zeros::<u64>(1)?;
        let (launch, items) = items_launch(stream, triangles);
        // SAFETY: three corners per item, and one count per vertex.
        unsafe {
            let counts = starts.view_mut();
            let invalid = invalid.view_mut();
            let args = (corners.view(), items, vertices, increment, counts, invalid);
            stream.launch::<count_incident_triangles<I>>(launch, args)?;
        }
        Scanner::new(stream)?.exclusive_in_place(Sum, &mut starts)?;
        let lists = Self {
            starts,
            lengths: stream.zeros(vertices as usize)?,
            elements: stream.alloc(elements as usize)?,
        };
        match stream.download(&invalid)?.first() {
            Some(&triangles) if triangles > 0 => Err(MeshFilterError::IndexOutOfRange {
                triangles,
                vertices,
            }),
            _ => Ok(lists),
        }
    }
}
