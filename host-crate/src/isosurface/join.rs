//! A mesh in parts, each on the device that made it; and the parts joined on the host.

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

/// A part of a mesh: the surface in some planes of cells.
pub struct MeshPart {
    /// Vertices and triangles, on the part's device. Its triangles have the whole mesh's vertex
    /// numbers: those of its own begin with [`first_vertex`](Self::first_vertex), and vertices in
    /// its last plane are the next part's.
    pub mesh: DeviceMesh,
    /// How many vertices come before this part's own.
    pub first_vertex: u64,
    /// The planes of cells, as in [`VolumeSlab::cells`](super::VolumeSlab::cells).
    pub cells: Range<u32>,
}

impl MeshPart {
    /// The device that the part is on.
    pub fn device(&self) -> &Device {
        self.mesh.positions.device()
    }
}

/// A mesh in parts that follow each other along z. Joined they are the mesh that
/// [`extract`](super::extract) makes of the whole volume, bit for bit: [`join`](Self::join).
pub struct MeshParts {
    /// The parts, in order. None where there are no cells.
    pub parts: Vec<MeshPart>,
    width: IndexWidth,
    has_normals: bool,
}

impl MeshParts {
    /// Of parts in order.
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

    /// How many vertices, in all.
    pub fn vertex_count(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.vertex_count() as u64)
            .sum()
    }

    /// How many triangles, in all.
    pub fn triangle_count(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.triangle_count() as u64)
            .sum()
    }

    /// How many cells were left out because a corner of theirs is NaN or infinite.
    pub fn non_finite_cells(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.mesh.non_finite_cells)
            .sum()
    }

    /// What ambiguous cells were found to be.
    pub fn topology(&self) -> TopologyCounts {
        self.parts
            .iter()
            .map(|part| part.mesh.topology)
            .fold(TopologyCounts::default(), TopologyCounts::plus)
    }
}

/// Where a part's share of the whole mesh goes.
struct Share<'a> {
    positions: &'a mut [[f32; 3]],
    normals: Option<&'a mut [[f32; 3]]>,
    triangles: Indices<'a>,
}

enum Indices<'a> {
    U32(&'a mut [[u32; 3]]),
    U64(&'a mut [[u64; 3]]),
}

/// The first elements of a slice, which it loses.
fn split_front<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, back) = std::mem::take(rest).split_at_mut(count);
    *rest = back;
    front
}

impl MeshParts {
    /// The whole mesh on the host. All devices copy at the same time, each part to its place.
    ///
    /// # Errors
    /// [`IsosurfaceError::OnDevice`] if a copy failed.
    pub fn join(&self) -> Result<TriangleMesh, IsosurfaceError> {
        let (vertices, triangles) = (self.vertex_count() as usize, self.triangle_count() as usize);
        let mut mesh = TriangleMesh {
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
        // an early part of a mesh that turned out to be large
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

/// Copies numbers to where they stand in threes.
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
