//! Rasterisation of surfaces on a device.

use super::{RenderError, RenderParams, Surface, framing::Framing, lights};
use crate::{
    device::{Buffer, Stream, items_launch, rows_launch},
    isosurface::DeviceMesh,
    memory,
    mesh::DeviceTriangles,
    mesh_filter::vertex_normals,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    render::{Raster, SURFACE_LEN, Shading, raster_triangles, shade_surfaces},
    rows::Rows,
};
use nalgebra::Vector3;

/// Purpose of the allocations of meshes, quoted in errors.
const MESHES: &str = "the surfaces of a picture";

/// Maximum number of bytes of the samples that are drawn at a time.
const BAND_BYTES: usize = 256 << 20;

/// Parts of the rows of a triangle on a GPU: large triangles would otherwise occupy one thread.
const GPU_PARTS: u32 = 32;

/// Radius of the surroundings that occlude a point, as a fraction of the picture's height.
const OCCLUSION_RADIUS: f32 = 0.03;

/// Surfaces in device memory, whose vertices and triangles are in common lists.
pub(super) struct DeviceSurfaces {
    /// World position that vertex positions are relative to.
    pub origin: [f64; 3],
    pub positions: Buffer<f32>,
    pub normals: Buffer<f32>,
    /// Linear red, green and blue of each vertex; empty if no surface has colours per vertex.
    pub colours: Buffer<f32>,
    pub triangles: Buffer<u32>,
    pub surfaces: Vec<SurfaceRange>,
}

/// Surface in common lists of triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceRange {
    /// First triangle and the number of triangles.
    pub first: u32,
    pub count: u32,
    /// Linear red, green and blue from 0 to 1.
    pub colour: [f32; 3],
    pub opacity: f32,
    /// `true` if the vertices have colours of their own.
    pub has_vertex_colours: bool,
    /// `true` to show edges between triangles at a large angle as creases.
    pub has_creases: bool,
}

impl DeviceSurfaces {
    /// Takes over a mesh with normals.
    pub fn from_mesh(
        stream: &Stream,
        mesh: DeviceMesh,
        colour: [f32; 3],
        opacity: f32,
    ) -> Result<Self, RenderError> {
        let count = u32::try_from(mesh.triangle_count()).map_err(|_| RenderError::Triangles)?;
        let (DeviceTriangles::U32(triangles), Some(normals)) = (mesh.triangles, mesh.normals)
        else {
            return Err(RenderError::Triangles);
        };
        Ok(Self {
            origin: mesh.origin,
            positions: mesh.positions,
            normals,
            colours: stream.alloc::<f32>(0)?,
            triangles,
            surfaces: vec![SurfaceRange {
                first: 0,
                count,
                colour,
                opacity,
                has_vertex_colours: false,
                has_creases: false,
            }],
        })
    }

    /// Joins meshes and uploads them. Normals that a mesh lacks are computed on the device.
    pub fn upload(stream: &Stream, surfaces: &[Surface<'_>]) -> Result<Self, RenderError> {
        let origin = surfaces.first().map_or([0.0; 3], |it| it.mesh.origin);
        let is_coloured = surfaces.iter().any(|it| it.vertex_colours.is_some());
        let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        let (mut colours, mut ranges) = (Vec::new(), Vec::new());
        for surface in surfaces {
            let mesh = surface.mesh;
            mesh.validate().map_err(RenderError::invalid_mesh)?;
            let corners = mesh.triangles.to_u32().ok_or(RenderError::Triangles)?;
            let before = u32::try_from(positions.len() / 3).map_err(|_| RenderError::Triangles)?;
            let first = u32::try_from(triangles.len() / 3).map_err(|_| RenderError::Triangles)?;
            let shift = [0, 1, 2].map(|axis| (mesh.origin[axis] - origin[axis]) as f32);
            let moved = mesh
                .vertices
                .iter()
                .flat_map(|it| [0, 1, 2].map(|k| it[k] + shift[k]));
            memory::try_reserve(MESHES, &mut positions, 3 * mesh.vertices.len())?;
            positions.extend(moved);
            match &mesh.normals {
                Some(own) => memory::try_extend(MESHES, &mut normals, own.as_flattened())?,
                None => {
                    let vertices = stream.upload(mesh.vertices.as_flattened())?;
                    let corners = DeviceTriangles::upload(stream, &mesh.triangles)?;
                    let computed = vertex_normals(stream, &vertices, &corners);
                    let own = stream.download(&computed.map_err(RenderError::invalid_mesh)?)?;
                    memory::try_extend(MESHES, &mut normals, &own)?;
                }
            }
            if is_coloured {
                memory::try_reserve(MESHES, &mut colours, 3 * mesh.vertices.len())?;
                let own = surface.vertex_colours.unwrap_or_default();
                let missing = mesh.vertices.len().saturating_sub(own.len());
                let own = own.iter().take(mesh.vertices.len()).copied();
                let filled = own.chain(std::iter::repeat_n(surface.colour, missing));
                colours.extend(filled.flatten());
            }
            memory::try_reserve(MESHES, &mut triangles, 3 * corners.len())?;
            triangles.extend(corners.as_flattened().iter().map(|corner| corner + before));
            ranges.push(SurfaceRange {
                first,
                count: u32::try_from(corners.len()).map_err(|_| RenderError::Triangles)?,
                colour: surface.colour,
                opacity: surface.opacity,
                has_vertex_colours: surface.vertex_colours.is_some(),
                has_creases: mesh.normals.is_none(),
            });
        }
        Ok(Self {
            origin,
            positions: stream.upload(&positions)?,
            normals: stream.upload(&normals)?,
            colours: stream.upload(&colours)?,
            triangles: stream.upload(&triangles)?,
            surfaces: ranges,
        })
    }

    /// Draws the surfaces and returns the pixels. Pixels are drawn in bands of rows, so that the
    /// memory for samples is limited.
    pub fn draw(
        &self,
        stream: &Stream,
        framing: &Framing,
        params: &RenderParams,
    ) -> Result<Buffer<u32>, RenderError> {
        let RenderParams {
            width,
            height,
            rays,
            ..
        } = *params;
        stream.prepare(&[raster_triangles::entry(), shade_surfaces::entry()])?;
        let count = self.surfaces.len() as u32;
        let row_bytes = 8 * (width * rays) as usize * (rays * count.max(1)) as usize;
        let halo = if params.occlusion > 0.0 {
            (OCCLUSION_RADIUS * height as f32).ceil() as u32 + 1
        } else {
            0
        };
        let band = (BAND_BYTES / row_bytes).max(1) as u32;
        let band = band.saturating_sub(2 * halo).max(1).min(height);
        let single_threads = stream.device().limits().threads_per_block == 1;
        let mut list = Vec::new();
        memory::try_reserve("surfaces", &mut list, self.surfaces.len() * SURFACE_LEN)?;
        for SurfaceRange {
            colour: [red, green, blue],
            opacity,
            has_vertex_colours,
            has_creases,
            ..
        } in &self.surfaces
        {
            let [own, creases] = [has_vertex_colours, has_creases].map(|it| u8::from(*it).into());
            list.extend([*red, *green, *blue, *opacity, own, creases]);
        }
        let list = stream.upload(&list)?;
        let light = lights::light_in_world(framing, params);
        let mut pixels = stream.alloc::<u32>(width as usize * height as usize)?;
        let mut keys = stream.alloc::<u64>(0)?;
        for first in (0..height).step_by(band as usize) {
            let end = (first + band).min(height);
            let sampled = [first.saturating_sub(halo), (end + halo).min(height)];
            let raster = Raster {
                first: sampled[0] * rays,
                rows: (sampled[1] - sampled[0]) * rays,
                width: width * rays,
                rays,
                parts: if single_threads { 1 } else { GPU_PARTS },
                ..self.projection(framing, rays)
            };
            let plane = raster.width as usize * raster.rows as usize;
            if keys.len() != plane * self.surfaces.len() {
                keys = stream.alloc::<u64>(plane * self.surfaces.len())?;
            }
            stream.fill_with_zero(&mut keys)?;
            for (number, surface) in self.surfaces.iter().enumerate() {
                let work = u64::from(surface.count) * u64::from(raster.parts);
                let (launch, items) = items_launch(stream, work);
                // SAFETY: the triangles of a mesh refer to its vertices, and `keys` holds the
                // samples of all surfaces.
                unsafe {
                    let args = (
                        items,
                        self.positions.view(),
                        self.triangles.view(),
                        surface.first,
                        (number * plane) as u64,
                        raster,
                        keys.view_mut(),
                    );
                    stream.launch::<raster_triangles>(launch, args)?;
                }
            }
            let shading = Shading {
                first,
                first_sampled: sampled[0],
                width,
                surfaces: count,
                is_transparent: params.transparent.into(),
                occlusion_radius: if params.occlusion > 0.0 {
                    OCCLUSION_RADIUS * (height * rays) as f32
                } else {
                    0.0
                },
                occlusion: params.occlusion,
            };
            let rows = Rows {
                ny: end - first,
                ..super::pixel_rows(stream, params)
            };
            // SAFETY: as above; `pixels` has an element for every pixel.
            unsafe {
                let args = (
                    rows,
                    self.positions.view(),
                    self.normals.view(),
                    self.colours.view(),
                    self.triangles.view(),
                    list.view(),
                    raster,
                    shading,
                    light,
                    keys.view(),
                    pixels.view_mut(),
                );
                stream.launch::<shade_surfaces>(rows_launch(rows), args)?;
            }
        }
        Ok(pixels)
    }

    /// Returns the projection from positions to samples.
    fn projection(&self, framing: &Framing, rays: u32) -> Raster {
        let sample = framing.pixel / f64::from(rays);
        let offset = Vector3::from(self.origin) - framing.corner.coords;
        let row = |axis: Vector3<f64>| -> [f32; 4] {
            let axis = axis / sample;
            [axis.x, axis.y, axis.z, axis.dot(&offset)].map(|it| it as f32)
        };
        Raster {
            right: row(framing.right),
            down: row(-framing.up),
            depth: row(-framing.viewer),
            width: 0,
            first: 0,
            rows: 0,
            rays,
            parts: 1,
        }
    }
}
