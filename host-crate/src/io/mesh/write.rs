//! Writing of a mesh that is in memory, block by block.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::encoder::{DataBlock, MeshEncoder, MeshLayout};
use super::parallel_encode::{BATCH, write_encoded};
use super::{MeshCounts, MeshFormat};
use crate::io::output::early_writeback::EarlyWriteback;
use crate::mesh::{TriangleMesh, Triangles, VertexIndex, validate_indices};

/// Writes a file whose data blocks `write` writes, with the package of the format around them.
pub(super) fn write_file(
    format: MeshFormat,
    layout: &MeshLayout,
    file: &mut File,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, EarlyWriteback::new(file));
    match &format.info().package {
        None => write(&mut out)?,
        Some(package) => {
            let max_bytes = format.encoder().max_bytes(layout);
            package.write(&mut out, max_bytes, write)?;
        }
    }
    out.flush()
}

/// Labels inside and outside of a triangle, by triangle index.
pub(super) type FaceLabels<'a> = &'a (dyn Fn(usize) -> [i64; 2] + Sync);

/// Writes all blocks of a mesh within the limits of the format, with these triangles instead of its
/// own, which may be in another order. There must be a normal per vertex, or none. `labels` are
/// present if the layout has face labels.
///
/// # Errors
/// The errors of `out`, and an error around a [`MeshError`](crate::mesh::MeshError) for an index
/// out of range. The indices are compared with the number of vertices while they are encoded.
pub(super) fn write_blocks(
    format: MeshFormat,
    layout: &MeshLayout,
    mesh: &TriangleMesh,
    triangles: &Triangles,
    labels: Option<FaceLabels<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match triangles {
        Triangles::U32(triangles) => write_each(format, layout, mesh, triangles, labels, out),
        Triangles::U64(triangles) => write_each(format, layout, mesh, triangles, labels, out),
    }
}

fn write_each<I: VertexIndex + Into<u64>>(
    format: MeshFormat,
    layout: &MeshLayout,
    mesh: &TriangleMesh,
    triangles: &[[I; 3]],
    labels: Option<FaceLabels<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let encoder = format.encoder();
    let normals = mesh.normals.as_deref().filter(|_| layout.normals);
    for block in encoder.blocks(layout) {
        match block {
            DataBlock::Bytes(bytes) => out.write_all(&bytes)?,
            DataBlock::Vertices => write_vertices(encoder, layout, &mesh.vertices, normals, out)?,
            DataBlock::Normals => write_normals(encoder, layout, normals.unwrap_or_default(), out)?,
            DataBlock::Triangles => {
                let vertices = Some(mesh.vertices.len());
                write_triangles(encoder, layout, vertices, triangles, labels, out)?;
            }
            DataBlock::TriangleEnds => write_triangle_ends(encoder, layout.counts, out)?,
            DataBlock::Facets => write_facets(encoder, layout, &mesh.vertices, triangles, out)?,
            DataBlock::FaceLabels(side) => {
                if let Some(labels) = labels {
                    write_face_labels(encoder, triangles.len(), side, labels, out)?;
                }
            }
        }
    }
    Ok(())
}

pub(super) fn write_vertices(
    encoder: &dyn MeshEncoder,
    layout: &MeshLayout,
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let space = layout.space.unwrap_or_default();
    write_encoded(out, positions.len(), |range, bytes| {
        let mut converted = [[[0.0; 3]; BATCH]; 2];
        let [converted_positions, converted_normals] = &mut converted;
        let normals = normals.map(|normals| &normals[range.clone()]);
        let normals = normals.map(|normals| space.convert_batch(normals, converted_normals));
        let positions = space.convert_batch(&positions[range], converted_positions);
        encoder.encode_vertices(positions, normals, layout, bytes);
        Ok(())
    })
}

pub(super) fn write_normals(
    encoder: &dyn MeshEncoder,
    layout: &MeshLayout,
    normals: &[[f32; 3]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let space = layout.space.unwrap_or_default();
    write_encoded(out, normals.len(), |range, bytes| {
        let mut buffer = [[0.0; 3]; BATCH];
        encoder.encode_normals(space.convert_batch(&normals[range], &mut buffer), bytes);
        Ok(())
    })
}

/// Writes triangles. An index that is not less than the number of vertices, if given, is an error.
pub(super) fn write_triangles<I: VertexIndex + Into<u64>>(
    encoder: &dyn MeshEncoder,
    layout: &MeshLayout,
    vertices: Option<usize>,
    triangles: &[[I; 3]],
    labels: Option<FaceLabels<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_encoded(out, triangles.len(), |range, bytes| {
        let count = range.len();
        if let Some(vertices) = vertices {
            check_indices(range.start, &triangles[range.clone()], vertices)?;
        }
        let mut indices = [[0; 3]; BATCH];
        for (indices, corners) in indices.iter_mut().zip(&triangles[range.clone()]) {
            *indices = corners.map(Into::into);
        }
        let mut pairs = [[0; 2]; BATCH];
        let labels = labels.map(|labels| {
            for (pair, triangle) in pairs.iter_mut().zip(range) {
                *pair = labels(triangle);
            }
            &pairs[..count]
        });
        encoder.encode_triangles(&indices[..count], labels, layout, bytes);
        Ok(())
    })
}

/// Checks the vertex indices of consecutive triangles, of which `first` is the index of the first.
/// The error is around a [`MeshError`](crate::mesh::MeshError).
fn check_indices<I: VertexIndex + Into<u64>>(
    first: usize,
    triangles: &[[I; 3]],
    vertices: usize,
) -> io::Result<()> {
    validate_indices(first, triangles, vertices).map_err(io::Error::other)
}

pub(super) fn write_triangle_ends(
    encoder: &dyn MeshEncoder,
    counts: MeshCounts,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = usize::try_from(counts.triangles).map_err(io::Error::other)?;
    write_encoded(out, count, |range, bytes| {
        encoder.encode_triangle_ends(range.start as u64..range.end as u64, bytes);
        Ok(())
    })
}

/// Writes triangles with the positions of their corners. An index that is not less than the number
/// of positions is an error.
pub(super) fn write_facets<I: VertexIndex + Into<u64>>(
    encoder: &dyn MeshEncoder,
    layout: &MeshLayout,
    positions: &[[f32; 3]],
    triangles: &[[I; 3]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let space = layout.space.unwrap_or_default();
    write_encoded(out, triangles.len(), |range, bytes| {
        let count = range.len();
        check_indices(range.start, &triangles[range.clone()], positions.len())?;
        let mut facets = [[[0.0; 3]; 3]; BATCH];
        for (facet, corners) in facets.iter_mut().zip(&triangles[range]) {
            *facet = corners.map(|corner| space.convert(positions[corner.position()]));
        }
        encoder.encode_facets(&facets[..count], bytes);
        Ok(())
    })
}

fn write_face_labels(
    encoder: &dyn MeshEncoder,
    triangles: usize,
    side: usize,
    labels: FaceLabels<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_encoded(out, triangles, |range, bytes| {
        let count = range.len();
        let mut batch = [0; BATCH];
        for (label, triangle) in batch.iter_mut().zip(range) {
            *label = labels(triangle)[side];
        }
        encoder.encode_face_labels(&batch[..count], bytes);
        Ok(())
    })
}
