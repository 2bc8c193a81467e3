//! The interface of a mesh format: its properties and the encoding of its data blocks.

use super::bounds::Bounds;
use super::counts::MeshCounts;
use super::package::Package;
use super::space::MeshSpace;
use crate::io::FileProblem;
use crate::io::source::Source;
use crate::mesh::{TriangleMesh, to_world};
use std::ops::Range;

/// Upper bound on the encoded size of one vertex, normal or triangle, in bytes. The longest items
/// are lines of text: an `f32` has at most 50 characters.
pub(super) const MAX_ITEM_BYTES: usize = 512;

/// Names of the two labels of a triangle, as files store them.
pub(super) const FACE_LABEL_NAMES: [&str; 2] = ["label_inside", "label_outside"];

/// Properties of a mesh format, from which lookups, limits, messages and tables are derived.
#[derive(Debug)]
pub(super) struct MeshFormatInfo {
    /// Short name, for messages.
    pub name: &'static str,
    /// File name extension, without a dot and in lower case.
    pub extension: &'static str,
    /// Name and encoding, for tables.
    pub description: &'static str,
    /// Byte sequences that identify the format at the start of a file.
    pub signatures: &'static [&'static [u8]],
    /// `true` if a file may start with any bytes, including the signature of another format.
    pub has_free_header: bool,
    /// Reader of the format; `None` if it is only written.
    pub reader: Option<MeshReader>,
    /// Largest mesh that the format can store; `None` if the size is unlimited.
    pub limit: Option<CountLimit>,
    /// Normals in the file, for tables.
    pub normals: &'static str,
    /// Width of the vertex indices in the file, for tables.
    pub indices: &'static str,
    /// `true` if each triangle is stored with the coordinates of its corners, as one
    /// [`DataBlock::Facets`], instead of with vertex indices.
    pub stores_facets: bool,
    /// `true` if world positions of a mesh with a local origin are stored with the digits of `f64`.
    pub stores_f64: bool,
    /// `true` if the two labels of each triangle can be stored.
    pub holds_face_labels: bool,
    /// `true` if triangles with face labels are stored in [groups](MeshLayout::groups) of equal
    /// labels.
    pub groups_face_labels: bool,
    /// `true` if the header states the [bounds](MeshLayout::bounds) of the positions.
    pub stores_bounds: bool,
    /// Zip archive around the data blocks; `None` if these are the file.
    pub package: Option<Package>,
}

impl MeshFormatInfo {
    /// Describes a format without a signature, reader, limit, normals or optional contents.
    pub const fn new(name: &'static str, extension: &'static str) -> Self {
        Self {
            name,
            extension,
            description: name,
            signatures: &[],
            has_free_header: false,
            reader: None,
            limit: None,
            normals: "no",
            indices: "",
            stores_facets: false,
            stores_f64: false,
            holds_face_labels: false,
            groups_face_labels: false,
            stores_bounds: false,
            package: None,
        }
    }
}

/// Reader of a mesh format.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeshReader {
    /// Encodings that can be read, for tables.
    pub encodings: &'static str,
    /// Reads a mesh from the start of a file.
    pub read: fn(Source<'_>) -> Result<TriangleMesh, FileProblem>,
}

/// Largest number of elements that a format can count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountLimit {
    pub element: Element,
    /// Width of the count or of the indices, in bits.
    pub bits: u32,
    /// Largest number of elements.
    pub max: u64,
}

/// Kind of element that a [`CountLimit`] applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Vertices,
    Triangles,
}

/// Contents of a mesh file.
#[derive(Clone, Debug)]
pub(super) struct MeshLayout {
    pub counts: MeshCounts,
    /// World position that vertex positions are relative to, in the space of the file. Unless it is
    /// zero, world positions are written as `f64`.
    pub origin: [f64; 3],
    /// Space of the file, into which positions and normals are converted; `None` if positions are
    /// not in the world.
    pub space: Option<MeshSpace>,
    /// `true` if vertex normals are written.
    pub normals: bool,
    /// Range of the face labels; `None` if no labels are written.
    pub face_labels: Option<LabelRange>,
    /// Consecutive triangles with equal labels, for a format that stores such groups.
    pub groups: Vec<FaceGroup>,
    /// Least and greatest coordinates of the positions in the space of the file, relative to the
    /// origin; unspecified for a format that does not state them.
    pub bounds: Bounds,
}

/// Consecutive triangles with the same two labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaceGroup {
    /// Labels inside and outside of the triangles.
    pub labels: [i64; 2],
    /// Number of triangles.
    pub triangles: u64,
}

impl MeshLayout {
    /// Describes an empty mesh with this world origin, without normals or labels.
    pub fn new(space: Option<MeshSpace>, origin: [f64; 3]) -> Self {
        Self {
            counts: MeshCounts::default(),
            origin: Self::file_origin(origin, space),
            space,
            normals: false,
            face_labels: None,
            groups: Vec::new(),
            bounds: Bounds::default(),
        }
    }

    /// Returns `true` if positions are written as `f64`, which their sums with the origin need.
    pub fn has_f64_positions(&self) -> bool {
        self.origin != [0.0; 3]
    }

    /// Returns the world origin of the positions in the space of the file.
    pub fn file_origin(origin: [f64; 3], space: Option<MeshSpace>) -> [f64; 3] {
        space.unwrap_or_default().convert(origin)
    }

    /// Returns the tag of the space, between other words of a header; empty if there is none.
    pub fn space_tag(&self, before: &str) -> String {
        let tag = self.space.map(|space| format!("{before}{}", space.tag()));
        tag.unwrap_or_default()
    }

    /// Extends the bounds by positions in RAS, if the format states them.
    pub fn extend_bounds(&mut self, info: &MeshFormatInfo, positions: &[[f32; 3]]) {
        if info.stores_bounds {
            let space = self.space.unwrap_or_default();
            self.bounds.extend(positions, |it| space.convert(it));
        }
    }

    /// Returns a position in the world.
    pub fn to_world(&self, position: [f32; 3]) -> [f64; 3] {
        to_world(self.origin, position)
    }
}

/// Range of the face labels of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelRange {
    /// Every label fits into `i32`.
    I32,
    /// At least one label needs more than 32 bits.
    I64,
}

/// A data block of a mesh file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DataBlock {
    /// Literal bytes, such as a header.
    Bytes(Vec<u8>),
    /// All vertices, encoded by [`MeshEncoder::encode_vertices`].
    Vertices,
    /// All normals, encoded by [`MeshEncoder::encode_normals`].
    Normals,
    /// All triangles, encoded by [`MeshEncoder::encode_triangles`].
    Triangles,
    /// The end of each triangle in the index array, encoded by
    /// [`MeshEncoder::encode_triangle_ends`].
    TriangleEnds,
    /// All triangles with the coordinates of their corners, encoded by
    /// [`MeshEncoder::encode_facets`].
    Facets,
    /// One of the two labels of all triangles (0: inside, 1: outside), encoded by
    /// [`MeshEncoder::encode_face_labels`].
    FaceLabels(usize),
}

impl DataBlock {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Bytes(text.into().into_bytes())
    }
}

/// Encoder of a mesh format.
///
/// [`blocks`](Self::blocks) lists the data blocks of a file in order. The writers supply the
/// elements of each block in batches and in order, encode batches on all threads, and write the
/// results in order. A format implements the methods of the blocks that it lists. Every method
/// appends at most [`MAX_ITEM_BYTES`] per element to `bytes`, whose capacity is reserved.
pub(super) trait MeshEncoder: Sync {
    /// Returns the properties of the format.
    fn info(&self) -> &'static MeshFormatInfo;

    /// Returns the data blocks of a file, in order.
    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock>;

    /// Returns the number of bytes that the format counts in 32 bits; 0 if it counts none.
    fn counted_bytes(&self, _layout: &MeshLayout) -> u64 {
        0
    }

    /// Returns an upper bound of the size of the data blocks, in bytes, for a format with a
    /// [package](MeshFormatInfo::package).
    fn max_bytes(&self, _layout: &MeshLayout) -> u64 {
        u64::MAX
    }

    /// Appends vertices, as `f32`, or as `f64` if the layout has a local origin. `normals`, one per
    /// position, are present if the layout has normals; a format with a separate block of normals
    /// ignores them.
    fn encode_vertices(
        &self,
        _positions: &[[f32; 3]],
        _normals: Option<&[[f32; 3]]>,
        _layout: &MeshLayout,
        _bytes: &mut Vec<u8>,
    ) {
    }

    /// Appends vertex normals.
    fn encode_normals(&self, _normals: &[[f32; 3]], _bytes: &mut Vec<u8>) {}

    /// Appends triangles, given by the 0-based indices of their vertices. `labels`, one pair per
    /// triangle, are present if the layout has face labels; a format with separate blocks of
    /// labels ignores them.
    fn encode_triangles(
        &self,
        _triangles: &[[u64; 3]],
        _labels: Option<&[[i64; 2]]>,
        _layout: &MeshLayout,
        _bytes: &mut Vec<u8>,
    ) {
    }

    /// Appends, for each triangle in the range, the position in the index array just past its last
    /// index.
    fn encode_triangle_ends(&self, _triangles: Range<u64>, _bytes: &mut Vec<u8>) {}

    /// Appends triangles, given by the positions of their corners.
    fn encode_facets(&self, _facets: &[[[f32; 3]; 3]], _bytes: &mut Vec<u8>) {}

    /// Appends one label per triangle.
    fn encode_face_labels(&self, _labels: &[i64], _bytes: &mut Vec<u8>) {}
}

/// Appends three floats, little-endian.
pub(super) fn append_le(bytes: &mut Vec<u8>, values: [f32; 3]) {
    bytes.extend_from_slice(values.map(f32::to_le_bytes).as_flattened());
}

/// Appends a position little-endian: as `f32`, or in the world as `f64` if the layout has a local
/// origin.
pub(super) fn append_position_le(bytes: &mut Vec<u8>, layout: &MeshLayout, position: [f32; 3]) {
    if layout.has_f64_positions() {
        let world = layout.to_world(position);
        bytes.extend_from_slice(world.map(f64::to_le_bytes).as_flattened());
    } else {
        append_le(bytes, position);
    }
}

/// Appends a position like [`append_position_le`], big-endian.
pub(super) fn append_position_be(bytes: &mut Vec<u8>, layout: &MeshLayout, position: [f32; 3]) {
    if layout.has_f64_positions() {
        let world = layout.to_world(position);
        bytes.extend_from_slice(world.map(f64::to_be_bytes).as_flattened());
    } else {
        append_be(bytes, position);
    }
}

/// Appends three floats, big-endian.
pub(super) fn append_be(bytes: &mut Vec<u8>, values: [f32; 3]) {
    bytes.extend_from_slice(values.map(f32::to_be_bytes).as_flattened());
}
