//! How each format writes the parts of a file. The writer of a whole mesh and the writer of one
//! that comes piece by piece differ only in where they take the parts from.

use std::io::{self, Write};

use super::encode::{items, put_be, put_le};
use super::parts::{MeshCounts, Part};
use super::{obj, ply, stl, vtk, vtp};
use crate::io::MeshFormat;
use crate::mesh::VertexIndex;

/// A format, with or without normals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub format: MeshFormat,
    pub normals: bool,
}

impl Form {
    /// The parts of a file, in order.
    pub fn parts(self, counts: MeshCounts) -> Vec<Part> {
        match self.format {
            MeshFormat::Ply => ply::parts(counts, self.normals),
            MeshFormat::Obj => obj::parts(self.normals),
            MeshFormat::Stl => stl::parts(counts),
            MeshFormat::Vtk => vtk::parts(counts, self.normals),
            MeshFormat::Vtp => vtp::parts(counts, self.normals),
        }
    }

    /// Writes vertices; `normals` has one for each, and is used where normals stand beside
    /// positions.
    pub fn write_vertices(
        self,
        positions: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self.format {
            MeshFormat::Ply => ply::write_vertices(positions, normals, out),
            MeshFormat::Obj => items(out, positions, |position, bytes| {
                obj::put_line(bytes, "v", position);
            }),
            // STL's facets are made of them later: they are kept as they lie in memory.
            MeshFormat::Stl => out.write_all(bytemuck::cast_slice(positions)),
            MeshFormat::Vtp => items(out, positions, |position, bytes| put_le(bytes, *position)),
            MeshFormat::Vtk => items(out, positions, |position, bytes| put_be(bytes, *position)),
        }
    }

    /// Writes normals, in the formats where they have a part of their own.
    pub fn write_normals(self, normals: &[[f32; 3]], out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            MeshFormat::Ply | MeshFormat::Stl => Ok(()),
            MeshFormat::Obj => items(out, normals, |normal, bytes| {
                obj::put_line(bytes, "vn", normal);
            }),
            MeshFormat::Vtk => items(out, normals, |normal, bytes| put_be(bytes, *normal)),
            MeshFormat::Vtp => items(out, normals, |normal, bytes| put_le(bytes, *normal)),
        }
    }

    /// Writes triangles by the numbers of their corners.
    pub fn write_triangles<I: VertexIndex + Into<u64>>(
        self,
        triangles: &[[I; 3]],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let normals = self.normals;
        match self.format {
            MeshFormat::Ply => items(out, triangles, |corners, bytes| {
                ply::put_triangle(bytes, corners.map(Into::into));
            }),
            MeshFormat::Obj => items(out, triangles, |corners, bytes| {
                obj::put_triangle(bytes, corners.map(Into::into), normals);
            }),
            MeshFormat::Vtk => items(out, triangles, |corners, bytes| {
                vtk::put_triangle(bytes, corners.map(Into::into));
            }),
            // As above.
            MeshFormat::Stl => items(out, triangles, |corners, bytes| {
                for corner in corners.map(Into::into) {
                    bytes.extend_from_slice(&corner.to_ne_bytes());
                }
            }),
            MeshFormat::Vtp => items(out, triangles, |corners, bytes| {
                vtp::put_triangle(bytes, corners.map(Into::into));
            }),
        }
    }
}

/// Writes STL's triangles; every index is one of a position.
pub(super) fn write_facets<I: VertexIndex>(
    positions: &[[f32; 3]],
    triangles: &[[I; 3]],
    out: &mut dyn Write,
) -> io::Result<()> {
    items(out, triangles, |corners, bytes| {
        stl::put_facet(bytes, corners.map(|corner| positions[corner.position()]));
    })
}
