//! Lists of what belongs to each vertex.

use super::MeshFilterError;
use crate::{
    device::{Buffer, Element, Stream, over},
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

/// A list for each vertex.
pub(super) struct Lists<I: Element> {
    /// Where each begins.
    pub starts: Buffer<u64>,
    /// How long each is.
    pub lengths: Buffer<u64>,
    /// All of them.
    pub elements: Buffer<I>,
}

/// How many vertices have so many coordinates.
pub(super) fn vertices_of(coordinates: usize) -> Result<u64, MeshFilterError> {
    match coordinates % 3 {
        0 => Ok(coordinates as u64 / 3),
        _ => Err(MeshFilterError::Coordinates { found: coordinates }),
    }
}

impl<I: Count + Element> Lists<I> {
    /// The neighbours that smoothing may follow. Takes 16 bytes for each vertex and six indices for
    /// each triangle.
    pub fn of_neighbours(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
    ) -> Result<Self, MeshFilterError> {
        stream.prepare(&[
            list_neighbours::<I>::entry(),
            select_smoothing_neighbours::<I>::entry(),
        ])?;
        let mut lists = Self::counted(stream, corners, vertices, 2)?;
        let (launch, items) = over(stream, corners.len() as u64 / 3);
        let starts = lists.starts.view();
        let lengths = lists.lengths.view_mut();
        // SAFETY: the starts are those of the counts of two elements for each corner, and the lists
        // have as many.
        unsafe {
            let elements = lists.elements.view_mut();
            let args = (corners.view(), items, vertices, starts, lengths, elements);
            stream.launch::<list_neighbours<I>>(launch, args)?;
        }
        let (launch, items) = over(stream, vertices);
        // SAFETY: each list is as long as its length says.
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

    /// The triangles at each vertex, in any order. Takes 16 bytes for each vertex and three indices
    /// for each triangle.
    pub fn of_triangles(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
    ) -> Result<Self, MeshFilterError> {
        let triangles = corners.len() / 3;
        if I::narrow(triangles as u64).widen() != triangles as u64 {
            return Err(MeshFilterError::NarrowIndices { triangles });
        }
        stream.prepare(&[list_incident_triangles::<I>::entry()])?;
        let mut lists = Self::counted(stream, corners, vertices, 1)?;
        let (launch, items) = over(stream, triangles as u64);
        // SAFETY: the starts are those of the counts of one element for each corner, and the lists
        // have as many.
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

    /// Empty lists with room for `each` elements for each corner at a vertex.
    fn counted(
        stream: &Stream,
        corners: &Buffer<I>,
        vertices: u64,
        each: u64,
    ) -> Result<Self, MeshFilterError> {
        let triangles = corners.len() as u64 / 3;
        // what the scan needs is little beside the lists
        let elements = triangles.saturating_mul(3 * each);
        let bytes = elements.saturating_mul(size_of::<I>() as u64);
        stream.require(bytes.saturating_add(vertices.saturating_mul(16)))?;
        stream.prepare(&[count_incident_triangles::<I>::entry()])?;
        let mut starts = stream.zeros::<u64>(vertices as usize)?;
        let mut invalid = stream.zeros::<u64>(1)?;
        let (launch, items) = over(stream, triangles);
        // SAFETY: three corners for each item, and a count for each vertex.
        unsafe {
            let counts = starts.view_mut();
            let invalid = invalid.view_mut();
            let args = (corners.view(), items, vertices, each, counts, invalid);
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
