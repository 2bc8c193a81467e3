//! Meshes in parts on several devices, and joining them in host memory.

use super::{
    DeviceMesh, DeviceTriangles, IndexWidth, IsosurfaceError, IsosurfaceParams, TopologyCounts,
};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Stream},
    memory,
    mesh::{TriangleMesh, Triangles},
    partition::devices::{Stop, collect_results, run_workers},
};
use std::ops::Range;

/// A part of a mesh: the surface in a range of planes of cells.
pub struct MeshPart {
    /// Vertices and triangles, in the memory of the part's device. Vertex indices are those of the
    /// whole mesh: the part's own vertices begin at [`first_vertex`](Self::first_vertex), and
    /// vertices in its last plane belong to the next part.
    pub mesh: DeviceMesh,
    /// Number of vertices of all preceding parts.
    pub first_vertex: u64,
    /// Planes of cells, as in [`VolumeSlab::cells`](super::VolumeSlab::cells).
    pub cells: Range<u32>,
}

impl MeshPart {
    /// Returns the device that holds the part.
    pub fn device(&self) -> &Device {
        self.mesh.positions.device()
    }
}

/// A mesh in parts that are consecutive along z. [Joined](Self::join), they equal the mesh that
/// [`extract`](super::extract) computes from the whole volume, bit for bit.
pub struct MeshParts {
    /// The parts in order; empty if the volume has no cells.
    pub parts: Vec<MeshPart>,
    width: IndexWidth,
    has_normals: bool,
}

impl MeshParts {
    /// Collects parts in order.
    pub(super) fn new(parts: Vec<MeshPart>, params: &IsosurfaceParams) -> Self {
        let is_wide = |part: &MeshPart| matches!(part.mesh.triangles, DeviceTriangles::U64(_));
        Self {
            width: if parts.iter().any(is_wide) {
                IndexWidth::Bits64
            } else {
                IndexWidth::Bits32
            },
            parts,
            has_normals: params.normals,
        }
    }

    /// Returns the total number of vertices.
    pub fn vertex_count(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.vertex_count() as u64)
            .sum()
    }

    /// Returns the total number of triangles.
    pub fn triangle_count(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.triangle_count() as u64)
            .sum()
    }

    /// Returns the number of cells omitted because a corner is NaN or infinite.
    pub fn non_finite_cells(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.non_finite_cells)
            .sum()
    }

    /// Returns the world position that vertex positions are relative to.
    pub fn origin(&self) -> [f64; 3] {
        self.parts.first().map_or([0.0; 3], |part| part.mesh.origin)
    }

    /// Returns the statistics of ambiguous cells.
    pub fn topology(&self) -> TopologyCounts {
        self.parts
            .iter()
            .map(|part| part.mesh.topology)
            .fold(TopologyCounts::default(), TopologyCounts::plus)
    }
}

/// Slices of the whole mesh that a part is downloaded to.
struct Share<'a> {
    positions: &'a mut [[f32; 3]],
    normals: Option<&'a mut [[f32; 3]]>,
    triangles: Indices<'a>,
}

enum Indices<'a> {
    U32(&'a mut [[u32; 3]]),
    U64(&'a mut [[u64; 3]]),
}

/// Splits off and returns the first `count` elements of a slice.
fn split_front<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, back) = std::mem::take(rest).split_at_mut(count);
    *rest = back;
    front
}

impl MeshParts {
    /// Downloads the parts from all devices concurrently and returns the whole mesh.
    ///
    /// # Errors
    /// [`IsosurfaceError::OnDevice`] if a download failed.
    pub fn join(&self) -> Result<TriangleMesh, IsosurfaceError> {
        let (vertices, triangles) = (self.vertex_count() as usize, self.triangle_count() as usize);
        let mut mesh = TriangleMesh {
            origin: self.origin(),
            vertices: zeros(vertices)?,
            normals: self.has_normals.then(|| zeros(vertices)).transpose()?,
            triangles: match self.width {
                IndexWidth::Bits64 => Triangles::U64(zeros(triangles)?),
                _ => Triangles::U32(zeros(triangles)?),
            },
        };
        let shares = self.shares(&mut mesh);
        let filled = run_workers(self.parts.iter().zip(shares), |_, (part, share)| {
            download_part(part, share).map_err(Stop::<IsosurfaceError>::from)
        })?;
        collect_results(self.parts.iter().map(MeshPart::device), filled)?;
        Ok(mesh)
    }

    fn shares<'a>(&self, mesh: &'a mut TriangleMesh) -> Vec<Share<'a>> {
        let mut positions = &mut mesh.vertices[..];
        let mut normals = mesh.normals.as_deref_mut();
        let mut triangles = match &mut mesh.triangles {
            Triangles::U32(triangles) => Indices::U32(triangles),
            Triangles::U64(triangles) => Indices::U64(triangles),
        };
        let share = |part: &MeshPart| {
            let (vertices, count) = (part.mesh.vertex_count(), part.mesh.triangle_count());
            Share {
                positions: split_front(&mut positions, vertices),
                normals: normals
                    .as_mut()
                    .map(|normals| split_front(normals, vertices)),
                triangles: match &mut triangles {
                    Indices::U32(rest) => Indices::U32(split_front(rest, count)),
                    Indices::U64(rest) => Indices::U64(split_front(rest, count)),
                },
            }
        };
        self.parts.iter().map(share).collect()
    }
}

fn download_part(part: &MeshPart, share: Share<'_>) -> Result<(), DeviceError> {
    let stream = &part.device().stream()?;
    let mesh = &part.mesh;
    download_flat(stream, &mesh.positions, share.positions)?;
    if let (Some(from), Some(to)) = (&mesh.normals, share.normals) {
        download_flat(stream, from, to)?;
    }
    match (&mesh.triangles, share.triangles) {
        (DeviceTriangles::U32(from), Indices::U32(to)) => download_flat(stream, from, to),
        (DeviceTriangles::U64(from), Indices::U64(to)) => download_flat(stream, from, to),
        // a part with narrower indices than another part
        (DeviceTriangles::U32(from), Indices::U64(to)) => {
            let indices = stream.download(from)?;
            for (wide, narrow) in to.as_flattened_mut().iter_mut().zip(indices) {
                *wide = narrow.into();
            }
            Ok(())
        }
        (DeviceTriangles::U64(_), Indices::U32(_)) => {
            unreachable!("the mesh's indices are as wide as the widest part's")
        }
    }
}

/// Downloads a flat buffer into a slice of triples.
fn download_flat<T: Element>(
    stream: &Stream,
    from: &Buffer<T>,
    to: &mut [[T; 3]],
) -> Result<(), DeviceError> {
    stream.read(from, to.as_flattened_mut())
}

fn zeros<T: bytemuck::Zeroable>(len: usize) -> Result<Vec<[T; 3]>, DeviceError>
where
    [T; 3]: bytemuck::Zeroable,
{
    Ok(memory::try_zeroed("the mesh", len)?)
}
