//! Label surface extraction: the surface net, relaxation, triangles.

use super::{
    LabelField, LabelSurfaceError, LabelSurfaceParams,
    fairing::{self, DeviceWalls},
    field::IndexBits,
    net::{NetQuads, NetVertices, exclusive_scan},
    relax::Relaxation,
    runs::LabelIndex,
};
use crate::{
    device::{Buffer, Device, Element, Stream, items_launch},
    grid::{Geometry, index_to_world, kernel_grid},
    memory,
    mesh::{DeviceTriangles, LabelledMesh, TriangleMesh, group_triples},
    scan::Scanner,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    isosurface::interpolate::IndexToWorld,
    label_surface::{
        Net, divide_label_quads, emit_face_points, emit_label_quads, emit_label_triangles,
        emit_label_vertices, place_label_vertices,
    },
    sample::Count,
};
use nalgebra::Point3;

/// The walls between labels, in the memory of the device that extracted them.
pub struct DeviceLabelSurface {
    /// World position that `positions` are relative to.
    origin: Point3<f64>,
    positions: Buffer<f32>,
    triangles: DeviceTriangles,
    /// Two label indices per triangle.
    sides: Buffer<u32>,
    walls: u64,
    unshared_walls: u64,
}

/// Extracts the walls between the labels of a volume, and between labels and the background: see
/// [the module](crate::label_surface).
///
/// Vertices are in world units, relative to [`Geometry::local_origin`](crate::grid::Geometry):
/// first those within cells, in the order of the cells, x fastest; then points on faces of cells;
/// then points on edges. Triangles are in the order of the cell whose highest corner is the upper
/// end of the edge that they surround. The bits are the same on every device.
///
/// Time is linear in the voxels. Device memory: label indices (one, two or four bytes per voxel),
/// 1.4 bytes per voxel in rows padded to multiples of 32, and about 130 bytes per pair of
/// neighbouring voxels with different labels, including the mesh, or 500 for
/// [fairing](LabelSurfaceParams::fairing_steps), which a GPU with less leaves to the CPU.
///
/// # Errors
/// [`LabelSurfaceError`] if the device reports an error.
pub fn extract(
    stream: &Stream,
    field: &LabelField,
    params: &LabelSurfaceParams,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    extract_with(stream, field, params, false)
}

/// Extracts the walls. `wide` forces 64-bit indices, even if 32 bits suffice.
pub(super) fn extract_with(
    stream: &Stream,
    field: &LabelField,
    params: &LabelSurfaceParams,
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    match field.index_bits() {
        IndexBits::U8 => extract_indexed::<u8>(stream, field, params, wide),
        IndexBits::U16 => extract_indexed::<u16>(stream, field, params, wide),
        IndexBits::U32 => extract_indexed::<u32>(stream, field, params, wide),
    }
}

fn extract_indexed<T: Count + Element + LabelIndex>(
    stream: &Stream,
    field: &LabelField,
    params: &LabelSurfaceParams,
    wide: bool,
) -> Result<DeviceLabelSurface, LabelSurfaceError> {
    let grid = kernel_grid(field.dims())?;
    let origin = field.geometry().local_origin(field.dims());
    if grid.samples() == 0 {
        return Ok(DeviceLabelSurface {
            origin,
            positions: stream.alloc(0)?,
            triangles: DeviceTriangles::U32(stream.alloc(0)?),
            sides: stream.alloc(0)?,
            walls: 0,
            unshared_walls: 0,
        });
    }
    let words = (grid.nx as u64 / 32 + 1) * (grid.ny as u64 + 1) * (grid.nz as u64 + 1);
    stream.require((grid.samples() * size_of::<T>() as u64).saturating_add(words * 40))?;
    let labels = stream.upload(&field.decode_planes::<T>(0..field.dims()[2])?)?;
    let net = Net::new(grid, params.contact.kernel_rule());
    let net = NetVertices::find(stream, &labels, net)?;
    let counts = net.count_quads()?;
    let is_narrow = net.counts(&counts).fits_narrow_indices();
    let job = Job {
        net: &net,
        field,
        origin,
        params,
    };
    if wide || !is_narrow {
        job.run::<u64>(counts, DeviceTriangles::U64)
    } else {
        job.run::<u32>(counts, DeviceTriangles::U32)
    }
}

/// Stages of the extraction after the width of vertex indices is known.
struct Job<'a, T: Element> {
    net: &'a NetVertices<'a, T>,
    field: &'a LabelField,
    origin: Point3<f64>,
    params: &'a LabelSurfaceParams,
}

impl<T: Count + Element> Job<'_, T> {
    fn run<I: Count + Element>(
        &self,
        counts: super::net::QuadCounts,
        wrap: fn(Buffer<I>) -> DeviceTriangles,
    ) -> Result<DeviceLabelSurface, LabelSurfaceError> {
        let net = self.net;
        let stream = net.stream;
        stream.prepare(&[
            emit_label_quads::<T, I>::entry(),
            place_label_vertices::<T>::entry(),
        ])?;
        let unshared_walls = counts.unshared;
        let quads = net.emit_quads::<I>(counts)?;
        let (origins, bound) = net.place()?;
        let geometry = self.field.geometry().relative_to(self.origin);
        let to_world = index_to_world(&geometry);
        let voxels = self.field.kernel_voxels()?;
        let relaxation = Relaxation {
            stream,
            net: net.net,
            quads: &quads,
            matrix: to_world.matrix,
            voxels: &voxels,
            bound: &bound,
            origins: &origins,
        };
        let within = relaxation.run(self.params)?;
        drop((origins, bound));
        let triangulation = Triangulation {
            net,
            to_world,
            flip: self.field.geometry().mirrors(),
        };
        let (surface, _) = triangulation.run(&quads, &within)?;
        let walls = quads.len() - unshared_walls;
        drop((quads, within));
        let mut surface = DeviceLabelSurface {
            origin: self.origin,
            positions: surface.positions,
            triangles: wrap(surface.triangles),
            sides: surface.sides,
            walls,
            unshared_walls,
        };
        surface.fair(stream, self.field, &geometry, self.params)?;
        Ok(surface)
    }
}

/// Division of quads into triangles.
pub(super) struct Triangulation<'a, T: Element> {
    pub net: &'a NetVertices<'a, T>,
    pub to_world: IndexToWorld,
    /// `true` if the grid mirrors triangles.
    pub flip: bool,
}

/// Numbers of triangles and of centres of fans before each quad.
pub(super) struct QuadOffsets {
    pub triangles: Buffer<u64>,
    pub centres: Buffer<u64>,
}

impl<T: Count + Element> Triangulation<'_, T> {
    /// Emits vertices and triangles for positions of vertices within their cells.
    pub fn run<I: Count + Element>(
        &self,
        quads: &NetQuads<I>,
        within: &Buffer<f32>,
    ) -> Result<(Surface<I>, QuadOffsets), LabelSurfaceError> {
        let (net, to_world) = (self.net, self.to_world);
        let stream = net.stream;
        stream.prepare(&[
            divide_label_quads::<I>::entry(),
            emit_label_vertices::entry(),
            emit_face_points::<T>::entry(),
            emit_label_triangles::<I>::entry(),
        ])?;
        let len = quads.len() as usize;
        let mut divisions = stream.alloc::<u8>(len)?;
        let mut triangle_counts = stream.alloc::<u8>(len)?;
        let mut centre_counts = stream.alloc::<u8>(len)?;
        let (quad_launch, quad_items) = items_launch(stream, quads.len());
        // SAFETY: vertices and keys per quad, positions per vertex, and three numbers per quad.
        unsafe {
            let args = (
                quad_items,
                quads.vertices.view(),
                quads.keys.view(),
                within.view(),
                to_world.matrix,
                divisions.view_mut(),
                triangle_counts.view_mut(),
                centre_counts.view_mut(),
            );
            stream.launch::<divide_label_quads<I>>(quad_launch, args)?;
        }
        let mut scanner = Scanner::new(stream)?;
        let (triangle_offsets, triangles) = exclusive_scan(&mut scanner, stream, &triangle_counts)?;
        let (centre_offsets, centres) = exclusive_scan(&mut scanner, stream, &centre_counts)?;
        drop((triangle_counts, centre_counts));
        let first_vertices = [net.vertices, net.vertices + net.points];
        let vertices = (first_vertices[1] + centres) as usize;
        let mut positions = stream.alloc::<f32>(vertices * 3)?;
        let mut indices = stream.alloc::<I>(triangles as usize * 3)?;
        let mut sides = stream.alloc::<u32>(triangles as usize * 2)?;
        let (launch, items) = items_launch(stream, net.net.words());
        // SAFETY: masks and offsets are those of the net; three coordinates per vertex.
        unsafe {
            let args = (
                net.net,
                items,
                net.masks.view(),
                net.cell_offsets.view(),
                net.ambiguous_offsets.view(),
                net.extra_offsets.view(),
                within.view(),
                to_world,
                positions.view_mut(),
            );
            stream.launch::<emit_label_vertices>(launch, args)?;
        }
        let (launch, items) = items_launch(stream, net.ambiguous_cells.len() as u64);
        // SAFETY: cells, faces and offsets per ambiguous cell; points follow the vertices in cells.
        unsafe {
            let args = (
                net.labels.view(),
                net.net,
                items,
                net.ambiguous_cells.view(),
                net.faces.view(),
                net.point_offsets.view(),
                net.vertices,
                to_world,
                positions.view_mut(),
            );
            stream.launch::<emit_face_points<T>>(launch, args)?;
        }
        // SAFETY: the arrays per quad and per ambiguous cell are those of the net; centres follow
        // the points, and triangles and their labels are as many as counted.
        unsafe {
            let args = (
                net.net,
                quad_items,
                net.masks.view(),
                net.ambiguous_offsets.view(),
                net.nodes.view(),
                net.faces.view(),
                net.point_offsets.view(),
                quads.vertices.view(),
                quads.sides.view(),
                quads.keys.view(),
                divisions.view(),
                triangle_offsets.view(),
                centre_offsets.view(),
                within.view(),
                first_vertices,
                to_world,
                u32::from(self.flip),
                positions.view_mut(),
                indices.view_mut(),
                sides.view_mut(),
            );
            stream.launch::<emit_label_triangles<I>>(quad_launch, args)?;
        }
        let surface = Surface {
            positions,
            triangles: indices,
            sides,
        };
        let offsets = QuadOffsets {
            triangles: triangle_offsets,
            centres: centre_offsets,
        };
        Ok((surface, offsets))
    }
}

/// A triangulated surface.
pub(super) struct Surface<I: Element> {
    pub positions: Buffer<f32>,
    pub triangles: Buffer<I>,
    pub sides: Buffer<u32>,
}

impl DeviceLabelSurface {
    /// Fairs the walls as `params` ask for, unless they have more than 2³² vertices or triangles.
    fn fair(
        &mut self,
        stream: &Stream,
        field: &LabelField,
        geometry: &Geometry,
        params: &LabelSurfaceParams,
    ) -> Result<(), LabelSurfaceError> {
        if !fairing::is_wanted(params, self.triangle_count() as u64) {
            return Ok(());
        }
        let narrowed;
        let triangles = match &self.triangles {
            DeviceTriangles::U32(triangles) => triangles,
            // indices that may fit 32 bits, although numbers that the net multiplies do not
            DeviceTriangles::U64(_) => {
                let wide = self.triangles.download(stream)?;
                let Some(triangles) = wide.to_u32() else {
                    return Ok(());
                };
                narrowed = stream.upload(triangles.as_flattened())?;
                &narrowed
            }
        };
        let walls = DeviceWalls {
            positions: &self.positions,
            triangles,
            sides: &self.sides,
        };
        self.positions = fairing::fair_walls(stream, &walls, field, geometry, params)?;
        Ok(())
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len() / 3
    }

    /// Returns the number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.sides.len() / 2
    }

    /// Returns the number of pairs of neighbouring voxels with different labels, each of which has
    /// a wall between them.
    pub fn wall_count(&self) -> u64 {
        self.walls
    }

    /// Returns the number of pairs of neighbouring voxels with two labels whose wall is not shared:
    /// each label has triangles of its own there, with the background outside.
    pub fn unshared_wall_count(&self) -> u64 {
        self.unshared_walls
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
        let sides = stream.download(&self.sides)?;
        Ok(LabelledMesh {
            mesh: TriangleMesh {
                origin: self.origin.into(),
                vertices: group_triples(stream.download(&self.positions)?),
                normals: None,
                triangles: self.triangles.download(stream)?,
            },
            labels: memory::try_copy("labels", field.labels())?,
            sides: group_pairs(sides)?,
        })
    }
}

/// Groups numbers into pairs, without a copy if possible.
pub(super) fn group_pairs(flat: Vec<u32>) -> Result<Vec<[u32; 2]>, memory::OutOfMemory> {
    bytemuck::allocation::try_cast_vec(flat).or_else(|(_, flat): (_, Vec<u32>)| {
        memory::try_collect("a mesh", flat.chunks_exact(2).map(|it| [it[0], it[1]]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Volume, mesh::Triangles};

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
            let params = LabelSurfaceParams::default();
            let surface = extract_with(&stream, &field, &params, wide).unwrap();
            surface.download(&stream, &field).unwrap()
        };
        let (narrow, wide) = (extract(false), extract(true));
        assert!(matches!(wide.mesh.triangles, Triangles::U64(_)));
        assert!(narrow.mesh.triangles.iter().eq(wide.mesh.triangles.iter()));
        assert_eq!(narrow.sides, wide.sides);
        assert_eq!(narrow.mesh.vertices, wide.mesh.vertices);
        for label in [1, 2, 3] {
            assert_eq!(wide.label_mesh(label).unwrap().unbalanced_edges(), Ok(0));
        }
    }
}
