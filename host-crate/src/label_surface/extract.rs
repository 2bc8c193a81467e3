//! The stages: mark, scan, vertices, quads.

use super::{LabelField, LabelSurfaceError, field::Numbers};
use crate::{
    device::{Buffer, Device, DeviceError, Element, Stream, over},
    grid::{grid_of, index_to_world},
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

/// The walls of labels, on the device that made them.
pub struct DeviceLabelSurface {
    positions: Buffer<f32>,
    triangles: Indices,
    /// Two numbers of labels for each quad.
    sides: Buffer<u32>,
}

/// Six numbers of vertices for each quad.
enum Indices {
    U32(Buffer<u32>),
    U64(Buffer<u64>),
}

/// The walls between the labels of a volume, and between them and the background: see
/// [the module](crate::label_surface).
///
/// Vertices are in world units, in the order of their cells, x fastest; triangles in the order of
/// the cells before their edges. The same bits on every device.
///
/// Work is linear in the voxels. Device memory: the numbers of the labels (one, two or four bytes
/// for a voxel), 1.1 bytes for a voxel in rows of whole words of 32, and the mesh: 12 bytes for
/// each vertex, 32 for each pair of triangles (56 beyond 2³² vertices).
///
/// # Errors
/// [`LabelSurfaceError`] for whatever the device reports.
pub fn extract(
    stream: &Stream,
    field: &LabelField,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    extract_with(stream, field, false)
}

/// The same, with indices of 64 bits in any case if they are `wide`.
pub(super) fn extract_with(
    stream: &Stream,
    field: &LabelField,
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    match &field.numbers {
        Numbers::U8(numbers) => run(stream, field, numbers, wide),
        Numbers::U16(numbers) => run(stream, field, numbers, wide),
        Numbers::U32(numbers) => run(stream, field, numbers, wide),
    }
}

fn run<T: Count + Element>(
    stream: &Stream,
    field: &LabelField,
    numbers: &[T],
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    let grid = grid_of(field.dims())?;
    if grid.samples() == 0 {
        return Ok(DeviceLabelSurface {
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
    let labels = stream.upload(numbers)?;
    let len = words as usize;
    let mut marks = stream.alloc::<u32>(len * MASKS_PER_WORD)?;
    let mut vertex_counts = stream.alloc::<u8>(len)?;
    let mut quad_counts = stream.alloc::<u8>(len)?;
    let (launch, items) = over(stream, words);
    // SAFETY: a label for each voxel; marks and counts for each word, which the items count.
    unsafe {
        let args = (
            labels.view(),
            net,
            items,
            marks.view_mut(),
            vertex_counts.view_mut(),
            quad_counts.view_mut(),
        );
        stream.launch::<classify_label_cells<T>>(launch, args)?;
    }
    let mut scanner = Scanner::new(stream)?;
    let mut before = |counts: &Buffer<u8>| -> Result<(Buffer<u64>, u64), LabelSurfaceError> {
        let mut offsets = stream.alloc::<u64>(len)?;
        let total = scanner.exclusive(Sum, counts, &mut offsets)?.download()?;
        Ok((offsets, total))
    };
    let (vertex_offsets, vertices) = before(&vertex_counts)?;
    let (quad_offsets, quads) = before(&quad_counts)?;
    drop((vertex_counts, quad_counts));
    let mut positions = stream.alloc::<f32>(vertices as usize * 3)?;
    let (launch, items) = over(stream, words);
    // SAFETY: marks and offsets of these labels, and room for three coordinates for each vertex.
    unsafe {
        let args = (
            labels.view(),
            net,
            items,
            marks.view(),
            vertex_offsets.view(),
            index_to_world(field.geometry()),
            positions.view_mut(),
        );
        stream.launch::<emit_label_vertices<T>>(launch, args)?;
    }
    let walls = Walls {
        stream,
        labels: &labels,
        net,
        marks: &marks,
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
        positions,
        triangles,
        sides,
    })
}

/// What quads are made of.
struct Walls<'a, T: Element> {
    stream: &'a Stream,
    labels: &'a Buffer<T>,
    net: Net,
    marks: &'a Buffer<u32>,
    /// Before each word: vertices, and quads.
    offsets: [&'a Buffer<u64>; 2],
    positions: &'a Buffer<f32>,
    flip: bool,
    quads: usize,
}

impl<T: Count + Element> Walls<'_, T> {
    fn emit<I: Count + Element>(&self) -> Result<(Buffer<I>, Buffer<u32>), DeviceError> {
        let mut triangles = self.stream.alloc::<I>(self.quads * 6)?;
        let mut sides = self.stream.alloc::<u32>(self.quads * 2)?;
        let (launch, items) = over(self.stream, self.net.words());
        let [vertex_offsets, quad_offsets] = self.offsets;
        // SAFETY: marks, offsets and positions of these labels; six indices and two labels for each
        // quad, whose vertices fit the index.
        unsafe {
            let args = (
                self.labels.view(),
                self.net,
                items,
                self.marks.view(),
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
    /// How many vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// How many triangles.
    pub fn triangle_count(&self) -> usize {
        self.sides.len()
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        self.positions.device()
    }

    /// The walls on the host, with the labels of the field that they were made of. Synchronises the
    /// stream.
    ///
    /// # Errors
    /// What the device reports, and where memory is short.
    pub fn download(
        &self,
        stream: &Stream,
        field: &LabelField,
    ) -> Result<LabelledMesh, LabelSurfaceError> {
        let triangles = match &self.triangles {
            Indices::U32(indices) => Triangles::U32(threes(stream.download(indices)?)?),
            Indices::U64(indices) => Triangles::U64(threes(stream.download(indices)?)?),
        };
        let of_quads = stream.download(&self.sides)?;
        let mut sides = Vec::new();
        memory::try_reserve("a mesh", &mut sides, of_quads.len())?;
        for quad in of_quads.chunks_exact(2) {
            sides.extend([[quad[0], quad[1]]; 2]);
        }
        Ok(LabelledMesh {
            mesh: TriangleMesh {
                vertices: threes(stream.download(&self.positions)?)?,
                normals: None,
                triangles,
            },
            labels: memory::try_copy("labels", field.labels())?,
            sides,
        })
    }
}

/// Three numbers each, without a copy where that is possible.
fn threes<T: bytemuck::Pod>(flat: Vec<T>) -> Result<Vec<[T; 3]>, OutOfMemory> {
    bytemuck::allocation::try_cast_vec(flat).or_else(|(_, flat)| {
        let threes = flat.chunks_exact(3).map(|it| [it[0], it[1], it[2]]);
        memory::try_collect("a mesh", threes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Geometry, Volume};

    /// Indices of 64 bits are those of 32; the volume beyond 2³² vertices that needs them is too
    /// large for a test.
    #[test]
    fn wide_indices_are_the_same() {
        let labels = Volume::from_fn([5, 4, 3], Geometry::default(), |x, y, z| {
            ((x * 7 + y * 5 + z * 3) % 4) as u8
        });
        let field = LabelField::new(&labels.unwrap().into(), None).unwrap();
        let stream = Device::cpu().stream().unwrap();
        let made = |wide| {
            let surface = extract_with(&stream, &field, wide).unwrap();
            surface.download(&stream, &field).unwrap()
        };
        let (narrow, wide) = (made(false), made(true));
        assert!(matches!(wide.mesh.triangles, Triangles::U64(_)));
        assert!(narrow.mesh.triangles.iter().eq(wide.mesh.triangles.iter()));
        assert_eq!(narrow.sides, wide.sides);
        for label in [1, 2, 3] {
            assert_eq!(wide.part(label).unwrap().unbalanced_edges(), Ok(0));
        }
    }
}
