//! The parts of a mesh, joined on the host.

use super::{DeviceTriangles, IndexWidth, IsosurfaceError, MeshParts, together::on_device};
use crate::{
    device::{Buffer, DeviceError, Element, Stream},
    mesh::{TriangleMesh, Triangles},
};
use std::thread;

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
fn take<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (taken, left) = std::mem::take(rest).split_at_mut(count);
    *rest = left;
    taken
}

impl MeshParts {
    /// The whole mesh on the host. All devices copy at the same time, each part to its place.
    ///
    /// # Errors
    /// [`IsosurfaceError::OnDevice`] if a copy failed.
    pub fn download(&self) -> Result<TriangleMesh, IsosurfaceError> {
        let (vertices, triangles) = (self.vertex_count() as usize, self.triangle_count() as usize);
        let mut mesh = TriangleMesh {
            vertices: zeros(vertices),
            normals: self.has_normals.then(|| zeros(vertices)),
            triangles: match self.width {
                IndexWidth::Bits64 => Triangles::U64(zeros(triangles)),
                _ => Triangles::U32(zeros(triangles)),
            },
        };
        let shares = self.shares(&mut mesh);
        let results: Vec<Result<(), DeviceError>> = thread::scope(|scope| {
            let threads: Vec<_> = self
                .parts
                .iter()
                .zip(shares)
                .map(|(part, share)| scope.spawn(|| fill(part, share)))
                .collect();
            threads
                .into_iter()
                .map(|thread| match thread.join() {
                    Ok(result) => result,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        });
        for (worker, result) in results.into_iter().enumerate() {
            if let Err(error) = result {
                let ids: Vec<String> = self.parts.iter().map(|part| part.device().id()).collect();
                return Err(on_device(&ids, worker, error.into()));
            }
        }
        Ok(mesh)
    }

    fn shares<'a>(&self, mesh: &'a mut TriangleMesh) -> Vec<Share<'a>> {
        let mut positions = &mut mesh.vertices[..];
        let mut normals = mesh.normals.as_deref_mut();
        let mut triangles = match &mut mesh.triangles {
            Triangles::U32(triangles) => Indices::U32(triangles),
            Triangles::U64(triangles) => Indices::U64(triangles),
        };
        let share = |part: &super::MeshPart| {
            let (vertices, count) = (part.mesh.vertex_count(), part.mesh.triangle_count());
            Share {
                positions: take(&mut positions, vertices),
                normals: normals.as_mut().map(|normals| take(normals, vertices)),
                triangles: match &mut triangles {
                    Indices::U32(rest) => Indices::U32(take(rest, count)),
                    Indices::U64(rest) => Indices::U64(take(rest, count)),
                },
            }
        };
        self.parts.iter().map(share).collect()
    }
}

fn fill(part: &super::MeshPart, share: Share<'_>) -> Result<(), DeviceError> {
    let stream = &part.device().stream()?;
    let mesh = &part.mesh;
    flat(stream, &mesh.positions, share.positions)?;
    if let (Some(from), Some(to)) = (&mesh.normals, share.normals) {
        flat(stream, from, to)?;
    }
    match (&mesh.triangles, share.triangles) {
        (DeviceTriangles::U32(from), Indices::U32(to)) => flat(stream, from, to),
        (DeviceTriangles::U64(from), Indices::U64(to)) => flat(stream, from, to),
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
fn flat<T: Element>(
    stream: &Stream,
    from: &Buffer<T>,
    to: &mut [[T; 3]],
) -> Result<(), DeviceError> {
    stream.read(from, to.as_flattened_mut())
}

fn zeros<T: bytemuck::Zeroable>(len: usize) -> Vec<[T; 3]>
where
    [T; 3]: bytemuck::Zeroable,
{
    bytemuck::allocation::zeroed_vec(len)
}
