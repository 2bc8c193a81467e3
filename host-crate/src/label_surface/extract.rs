//! Stages of label surface extraction: classify, scan, vertices, quads.

use super::{LabelField, LabelSurfaceError, field::LabelIndices};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Stream, items_launch},
    grid::{index_to_world, kernel_grid},
    memory::{self, OutOfMemory},
    mesh::{LabelledMesh, TriangleMesh, Triangles},
    scan::{Scanner, Sum},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    label_surface::{
        MASKS_PER_WORD, Net, classify_label_cells, emit_label_quads, emit_label_vertices,
    },
    sample::Count,
};
use nalgebra::Point3;

/// The walls between labels, in the memory of the device that extracted them.
pub struct DeviceLabelSurface {
    /// World position that `positions` are relative to.
    origin: Point3<f64>,
    positions: Buffer<f32>,
    triangles: Indices,
    /// Two label indices per quad.
    sides: Buffer<u32>,
}

/// Six vertex indices per quad.
enum Indices {
    U32(Buffer<u32>),
    U64(Buffer<u64>),
}

/// Extracts the walls between the labels of a volume, and between labels and the background: see
/// [the module](crate::label_surface).
///
/// Vertices are in world units, relative to [`Geometry::local_origin`](crate::grid::Geometry), in
/// the order of their cells, x fastest. The two triangles of a quad
/// are in the order of the cell whose highest corner is the upper end of the edge that the quad
/// crosses. The bits are the same on every device.
///
/// Time is linear in the voxels. Device memory: label indices (one, two or four bytes per voxel),
/// 1.1 bytes per voxel in rows padded to multiples of 32, and the mesh: 12 bytes per vertex, 32 per
/// pair of triangles (56 beyond 2³² vertices).
///
/// # Errors
/// [`LabelSurfaceError`] if the device reports an error.
pub fn extract(
    stream: &Stream,
    field: &LabelField,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    extract_with(stream, field, false)
}

/// Extracts the walls. `wide` forces 64-bit indices, even if 32 bits suffice.
pub(super) fn extract_with(
    stream: &Stream,
    field: &LabelField,
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    match &field.indices {
        LabelIndices::U8(indices) => extract_indexed(stream, field, indices, wide),
        LabelIndices::U16(indices) => extract_indexed(stream, field, indices, wide),
        LabelIndices::U32(indices) => extract_indexed(stream, field, indices, wide),
    }
}

fn extract_indexed<T: Count + Element>(
    stream: &Stream,
    field: &LabelField,
    indices: &[T],
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    let grid = kernel_grid(field.dims())?;
    let origin = field.geometry().local_origin(field.dims());
    if grid.samples() == 0 {
        return Ok(DeviceLabelSurface {
            origin,
            positions: stream.alloc(0)?,
            triangles: Indices::U32(stream.alloc(0)?),
            sides: stream.alloc(0)?,
        });
    }
    let net = Net::new(grid);
    let words = net.words();
    stream.require((grid.samples() * size_of::<T>() as u64).saturating_add(words * 34))?;
    stream.prepare(&[
        classify_label_cells::<T>::entry(),
        emit_label_vertices::<T>::entry(),
        emit_label_quads::<T, u32>::entry(),
    ])?;
    let labels = stream.upload(indices)?;
    let len = words as usize;
    let mut masks = stream.alloc::<u32>(len * MASKS_PER_WORD)?;
    let mut vertex_counts = stream.alloc::<u8>(len)?;
    let mut quad_counts = stream.alloc::<u8>(len)?;
    let (launch, items) = items_launch(stream, words);
    // SAFETY: one label per voxel; masks and counts per word, and `items` is the number of words.
    unsafe {
        let args = (
            labels.view(),
            net,
            items,
            masks.view_mut(),
            vertex_counts.view_mut(),
            quad_counts.view_mut(),
        );
        stream.launch::<classify_label_cells<T>>(launch, args)?;
    }
    let mut scanner = Scanner::new(stream)?;
    let mut exclusive_scan =
        |counts: &Buffer<u8>| -> Result<(Buffer<u64>, u64), LabelSurfaceError> {
            let mut offsets = stream.alloc::<u64>(len)?;
            let total = scanner.exclusive(Sum, counts, &mut offsets)?.download()?;
            Ok((offsets, total))
        };
    let (vertex_offsets, vertices) = exclusive_scan(&vertex_counts)?;
    let (quad_offsets, quads) = exclusive_scan(&quad_counts)?;
    drop((vertex_counts, quad_counts));
    let mut positions = stream.alloc::<f32>(vertices as usize * 3)?;
    let (launch, items) = items_launch(stream, words);
    // SAFETY: masks and offsets belong to these labels, and there are three coordinates per vertex.
    unsafe {
        let args = (
            labels.view(),
            net,
            items,
            masks.view(),
            vertex_offsets.view(),
            index_to_world(&field.geometry().relative_to(origin)),
            positions.view_mut(),
        );
        stream.launch::<emit_label_vertices<T>>(launch, args)?;
    }
    let walls = Walls {
        stream,
        labels: &labels,
        net,
        masks: &masks,
        offsets: [&vertex_offsets, &quad_offsets],
        positions: &positions,
        flip: field.geometry().mirrors(),
        quads: quads as usize,
    };
    let (triangles, sides) = if wide || vertices > u64::from(u32::MAX) {
        let (triangles, sides) = walls.emit::<u64>()?;
        (Indices::U64(triangles), sides)
    } else {
        let (triangles, sides) = walls.emit::<u32>()?;
        (Indices::U32(triangles), sides)
    };
    Ok(DeviceLabelSurface {
        origin,
        positions,
        triangles,
        sides,
    })
}

/// Inputs of the quad stage.
struct Walls<'a, T: Element> {
    stream: &'a Stream,
    labels: &'a Buffer<T>,
    net: Net,
    masks: &'a Buffer<u32>,
    /// Exclusive scans of the vertex and quad counts of each word.
    offsets: [&'a Buffer<u64>; 2],
    positions: &'a Buffer<f32>,
    flip: bool,
    quads: usize,
}

impl<T: Count + Element> Walls<'_, T> {
    fn emit<I: Count + Element>(&self) -> Result<(Buffer<I>, Buffer<u32>), DeviceError> {
        let mut triangles = self.stream.alloc::<I>(self.quads * 6)?;
        let mut sides = self.stream.alloc::<u32>(self.quads * 2)?;
        let (launch, items) = items_launch(self.stream, self.net.words());
        let [vertex_offsets, quad_offsets] = self.offsets;
        // SAFETY: masks, offsets and positions belong to these labels; there are six indices and
        // two labels per quad, and vertex indices fit `I`.
        unsafe {
            let args = (
                self.labels.view(),
                self.net,
                items,
                self.masks.view(),
                vertex_offsets.view(),
                quad_offsets.view(),
                self.positions.view(),
                self.flip as u32,
                triangles.view_mut(),
                sides.view_mut(),
            );
            self.stream.launch::<emit_label_quads<T, I>>(launch, args)?;
        }
        Ok((triangles, sides))
    }
}

impl DeviceLabelSurface {
    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// Returns the number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.sides.len()
    }

    /// Returns the device that holds the surface.
    pub fn device(&self) -> &Device {
        self.positions.device()
    }

    /// Downloads the walls, with the labels of the field that they were extracted from.
    /// Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device, and insufficient host memory.
    pub fn download(
        &self,
        stream: &Stream,
        field: &LabelField,
    ) -> Result<LabelledMesh, LabelSurfaceError> {
        let triangles = match &self.triangles {
            Indices::U32(indices) => Triangles::U32(group_triples(stream.download(indices)?)?),
            Indices::U64(indices) => Triangles::U64(group_triples(stream.download(indices)?)?),
        };
        let quad_sides = stream.download(&self.sides)?;
        let mut sides = Vec::new();
        memory::try_reserve("a mesh", &mut sides, quad_sides.len())?;
        for quad in quad_sides.chunks_exact(2) {
            sides.extend([[quad[0], quad[1]]; 2]);
        }
        Ok(LabelledMesh {
            mesh: TriangleMesh {
                origin: self.origin.into(),
                vertices: group_triples(stream.download(&self.positions)?)?,
                normals: None,
                triangles,
            },
            labels: memory::try_copy("labels", field.labels())?,
            sides,
        })
    }
}

/// Groups numbers into triples, without a copy if possible.
fn group_triples<T: bytemuck::Pod>(flat: Vec<T>) -> Result<Vec<[T; 3]>, OutOfMemory> {
    bytemuck::allocation::try_cast_vec(flat).or_else(|(_, flat)| {
        let group_triples = flat.chunks_exact(3).map(|it| [it[0], it[1], it[2]]);
        memory::try_collect("a mesh", group_triples)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Volume};

    /// 64-bit indices equal 32-bit indices; a volume with more than 2³² vertices is too large for a
    /// test.
    #[test]
    fn wide_indices_equal_narrow_indices() {
        let labels = Volume::from_fn([5, 4, 3], Geometry::default(), |x, y, z| {
            ((x * 7 + y * 5 + z * 3) % 4) as u8
        });
        let field = LabelField::new(&labels.unwrap().into(), None).unwrap();
        let stream = Device::cpu().stream().unwrap();
        let extract = |wide| {
            let surface = extract_with(&stream, &field, wide).unwrap();
            surface.download(&stream, &field).unwrap()
        };
        let (narrow, wide) = (extract(false), extract(true));
        assert!(matches!(wide.mesh.triangles, Triangles::U64(_)));
        assert!(narrow.mesh.triangles.iter().eq(wide.mesh.triangles.iter()));
        assert_eq!(narrow.sides, wide.sides);
        for label in [1, 2, 3] {
            assert_eq!(wide.label_mesh(label).unwrap().unbalanced_edges(), Ok(0));
        }
    }
}
