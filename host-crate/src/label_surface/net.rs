//! First stages of label surface extraction: the vertices and quads of the surface net.

use super::LabelSurfaceError;
use crate::{
    device::{Buffer, DeviceError, Element, Stream, items_launch},
    scan::{Scannable, Scanner, Sum},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    label_surface::{
        MASKS_PER_WORD, Net, assign_label_vertices, classify_label_cells, count_label_quads,
        emit_label_quads, find_face_points, list_ambiguous_cells, place_label_vertices,
        sheets::NODE_WORDS,
    },
    sample::Count,
};

/// Vertices of the cells of a label volume.
pub(super) struct NetVertices<'a, T: Element> {
    pub stream: &'a Stream,
    pub labels: &'a Buffer<T>,
    pub net: Net,
    /// Bit masks of each word of 32 cells.
    pub masks: Buffer<u32>,
    /// Number of cells with a vertex before each word.
    pub cell_offsets: Buffer<u64>,
    /// Number of ambiguous cells before each word.
    pub ambiguous_offsets: Buffer<u64>,
    /// Indices of the ambiguous cells.
    pub ambiguous_cells: Buffer<u64>,
    /// Vertex numbers of the nodes of each ambiguous cell.
    pub nodes: Buffer<u32>,
    /// Number of vertices beyond the first of their cell before each ambiguous cell, and in total.
    pub extra_offsets: Buffer<u64>,
    /// Faces with points of each ambiguous cell.
    pub faces: Buffer<u8>,
    /// Number of points on faces before each ambiguous cell.
    pub point_offsets: Buffer<u64>,
    /// Number of vertices in cells.
    pub vertices: u64,
    /// Number of points on faces.
    pub points: u64,
}

/// Quads of a surface net, with vertex indices of type `I`.
pub(super) struct NetQuads<I: Element> {
    /// Four vertices per quad.
    pub vertices: Buffer<I>,
    /// Inside and outside label of each quad.
    pub sides: Buffer<u32>,
    /// Location and properties of each quad.
    pub keys: Buffer<u64>,
}

impl<I: Element> NetQuads<I> {
    /// Returns the number of quads.
    pub fn len(&self) -> u64 {
        self.keys.len() as u64
    }
}

/// Number of quads, before they are emitted.
pub(super) struct QuadCounts {
    /// Number of quads before each word.
    offsets: Buffer<u64>,
    /// Number of quads.
    pub quads: u64,
    /// Number of pairs of neighbouring voxels whose labels have a quad each instead of one in
    /// common, before each word.
    unshared_offsets: Buffer<u64>,
    /// Total of these pairs.
    pub unshared: u64,
}

/// Numbers of elements of a net before a plane of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NetCounts {
    /// Number of vertices in cells.
    pub vertices: u64,
    /// Number of points on faces.
    pub points: u64,
    /// Number of quads.
    pub quads: u64,
    /// Number of pairs of neighbouring voxels whose labels have a quad each.
    pub unshared: u64,
}

impl NetCounts {
    /// Returns `true` if 32-bit indices suffice: for the elements of the lists of quads and of
    /// neighbours, whose indices are multiplied by 4 and 8. A quad has at most one vertex on its
    /// edge.
    pub fn fits_narrow_indices(&self) -> bool {
        let vertices = self.vertices + self.points + self.quads;
        (self.quads * 4).max(vertices * 8) <= u64::from(u32::MAX)
    }

    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |one, other| one + other)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, |one, other| one - other)
    }

    fn combine(&self, other: &Self, operation: fn(u64, u64) -> u64) -> Self {
        Self {
            vertices: operation(self.vertices, other.vertices),
            points: operation(self.points, other.points),
            quads: operation(self.quads, other.quads),
            unshared: operation(self.unshared, other.unshared),
        }
    }
}

/// Returns the exclusive scan of `counts` and their sum.
pub(super) fn exclusive_scan<C: Scannable<u64, Sum>>(
    scanner: &mut Scanner<'_>,
    stream: &Stream,
    counts: &Buffer<C>,
) -> Result<(Buffer<u64>, u64), LabelSurfaceError> {
    let mut offsets = stream.alloc::<u64>(counts.len())?;
    if counts.is_empty() {
        return Ok((offsets, 0));
    }
    let total = scanner.exclusive(Sum, counts, &mut offsets)?.download()?;
    Ok((offsets, total))
}

impl<'a, T: Count + Element> NetVertices<'a, T> {
    /// Finds the vertices of the cells between the voxels of a non-empty grid.
    pub fn find(
        stream: &'a Stream,
        labels: &'a Buffer<T>,
        net: Net,
    ) -> Result<Self, LabelSurfaceError> {
        stream.prepare(&[
            classify_label_cells::<T>::entry(),
            list_ambiguous_cells::entry(),
            assign_label_vertices::<T>::entry(),
            find_face_points::<T>::entry(),
            count_label_quads::<T>::entry(),
        ])?;
        let mut scanner = Scanner::new(stream)?;
        let words = net.words() as usize;
        let mut masks = stream.alloc::<u32>(words * MASKS_PER_WORD)?;
        let mut cell_counts = stream.alloc::<u8>(words)?;
        let mut ambiguous_counts = stream.alloc::<u8>(words)?;
        let (launch, items) = items_launch(stream, words as u64);
        // SAFETY: one label per voxel; masks and counts per word, which `items` counts.
        unsafe {
            let args = (
                labels.view(),
                net,
                items,
                masks.view_mut(),
                cell_counts.view_mut(),
                ambiguous_counts.view_mut(),
            );
            stream.launch::<classify_label_cells<T>>(launch, args)?;
        }
        let (cell_offsets, cells) = exclusive_scan(&mut scanner, stream, &cell_counts)?;
        let (ambiguous_offsets, ambiguous) =
            exclusive_scan(&mut scanner, stream, &ambiguous_counts)?;
        drop((cell_counts, ambiguous_counts));
        let mut ambiguous_cells = stream.alloc::<u64>(ambiguous as usize)?;
        // SAFETY: masks and offsets per word, and one element for each ambiguous cell.
        unsafe {
            let args = (
                items,
                masks.view(),
                ambiguous_offsets.view(),
                ambiguous_cells.view_mut(),
            );
            stream.launch::<list_ambiguous_cells>(launch, args)?;
        }
        let mut nodes = stream.alloc::<u32>(ambiguous as usize * NODE_WORDS)?;
        let mut extra = stream.zeros::<u8>(ambiguous as usize + 1)?;
        let mut faces = stream.alloc::<u8>(ambiguous as usize)?;
        let mut points = stream.alloc::<u8>(ambiguous as usize)?;
        let (launch, items) = items_launch(stream, ambiguous);
        // SAFETY: the cells are in the net; nodes and counts per ambiguous cell.
        unsafe {
            let args = (
                labels.view(),
                net,
                items,
                ambiguous_cells.view(),
                nodes.view_mut(),
                extra.view_mut(),
            );
            stream.launch::<assign_label_vertices<T>>(launch, args)?;
            let args = (
                labels.view(),
                net,
                items,
                masks.view(),
                ambiguous_offsets.view(),
                ambiguous_cells.view(),
                nodes.view(),
                faces.view_mut(),
                points.view_mut(),
            );
            stream.launch::<find_face_points<T>>(launch, args)?;
        }
        let (extra_offsets, further) = exclusive_scan(&mut scanner, stream, &extra)?;
        let (point_offsets, points) = exclusive_scan(&mut scanner, stream, &points)?;
        Ok(Self {
            stream,
            labels,
            net,
            masks,
            cell_offsets,
            ambiguous_offsets,
            ambiguous_cells,
            nodes,
            extra_offsets,
            faces,
            point_offsets,
            vertices: cells + further,
            points,
        })
    }

    /// Counts the quads between neighbouring voxels with different labels.
    pub fn count_quads(&self) -> Result<QuadCounts, LabelSurfaceError> {
        let stream = self.stream;
        let words = self.net.words();
        let mut counts = stream.alloc::<u8>(words as usize)?;
        let mut unshared = stream.alloc::<u8>(words as usize)?;
        let (launch, items) = items_launch(stream, words);
        // SAFETY: masks, offsets and nodes are those of the net; counts per word.
        unsafe {
            let args = (
                self.labels.view(),
                self.net,
                items,
                self.masks.view(),
                self.ambiguous_offsets.view(),
                self.nodes.view(),
                counts.view_mut(),
                unshared.view_mut(),
            );
            stream.launch::<count_label_quads<T>>(launch, args)?;
        }
        let mut scanner = Scanner::new(stream)?;
        let (offsets, quads) = exclusive_scan(&mut scanner, stream, &counts)?;
        let (unshared_offsets, unshared) = exclusive_scan(&mut scanner, stream, &unshared)?;
        Ok(QuadCounts {
            offsets,
            quads,
            unshared_offsets,
            unshared,
        })
    }

    /// Returns the numbers of elements in all planes of cells.
    pub fn counts(&self, quads: &QuadCounts) -> NetCounts {
        NetCounts {
            vertices: self.vertices,
            points: self.points,
            quads: quads.quads,
            unshared: quads.unshared,
        }
    }

    /// Returns the numbers of elements before each of two planes of cells.
    pub fn count_before(
        &self,
        planes: [usize; 2],
        quads: &QuadCounts,
    ) -> Result<[NetCounts; 2], DeviceError> {
        let cells = self.stream.download(&self.cell_offsets)?;
        let ambiguous = self.stream.download(&self.ambiguous_offsets)?;
        let extra = self.stream.download(&self.extra_offsets)?;
        let points = self.stream.download(&self.point_offsets)?;
        let offsets = self.stream.download(&quads.offsets)?;
        let unshared = self.stream.download(&quads.unshared_offsets)?;
        Ok(planes.map(|plane| {
            let word = plane * self.net.words_per_plane() as usize;
            let Some(&rank) = ambiguous.get(word) else {
                return self.counts(quads);
            };
            let rank = rank as usize;
            NetCounts {
                vertices: cells[word] + extra[rank],
                points: points.get(rank).copied().unwrap_or(self.points),
                quads: offsets[word],
                unshared: unshared[word],
            }
        }))
    }

    /// Emits the quads.
    pub fn emit_quads<I: Count + Element>(
        &self,
        counts: QuadCounts,
    ) -> Result<NetQuads<I>, DeviceError> {
        let stream = self.stream;
        let len = counts.quads as usize;
        let mut vertices = stream.alloc::<I>(len * 4)?;
        let mut sides = stream.alloc::<u32>(len * 2)?;
        let mut keys = stream.alloc::<u64>(len)?;
        let (launch, items) = items_launch(stream, self.net.words());
        // SAFETY: masks, offsets and nodes are those of the net; the arrays have an element for
        // each quad, corner and label, and vertex indices fit `I`.
        unsafe {
            let args = (
                self.labels.view(),
                self.net,
                items,
                self.masks.view(),
                self.cell_offsets.view(),
                self.ambiguous_offsets.view(),
                self.extra_offsets.view(),
                self.nodes.view(),
                self.faces.view(),
                counts.offsets.view(),
                vertices.view_mut(),
                sides.view_mut(),
                keys.view_mut(),
            );
            stream.launch::<emit_label_quads<T, I>>(launch, args)?;
        }
        Ok(NetQuads {
            vertices,
            sides,
            keys,
        })
    }

    /// Returns the start of each vertex within its cell, and 1 for each vertex that shares its
    /// cell, else 0.
    pub fn place(&self) -> Result<(Buffer<f32>, Buffer<u8>), DeviceError> {
        let stream = self.stream;
        let mut positions = stream.alloc::<f32>(self.vertices as usize * 3)?;
        let mut bound = stream.alloc::<u8>(self.vertices as usize)?;
        let (launch, items) = items_launch(stream, self.net.words());
        // SAFETY: masks, offsets and nodes are those of the net; three coordinates and one flag for
        // each vertex.
        unsafe {
            let args = (
                self.labels.view(),
                self.net,
                items,
                self.masks.view(),
                self.cell_offsets.view(),
                self.ambiguous_offsets.view(),
                self.extra_offsets.view(),
                self.nodes.view(),
                positions.view_mut(),
                bound.view_mut(),
            );
            stream.launch::<place_label_vertices<T>>(launch, args)?;
        }
        Ok((positions, bound))
    }
}
