//! Rasterisation of surfaces on a device.

use super::{RenderError, RenderParams, framing::Framing, lights};
use crate::{
    device::{Buffer, Stream, items_launch, rows_launch},
    memory,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    render::{Raster, SURFACE_LEN, Shading, raster_triangles, shade_surfaces},
    rows::Rows,
};
use nalgebra::Vector3;

/// Maximum number of bytes of the samples that are drawn at a time.
const BAND_BYTES: usize = 256 << 20;

/// Parts of the rows of a triangle on a GPU: large triangles would otherwise occupy one thread.
const GPU_PARTS: u32 = 32;

/// Radius of the surroundings that occlude a point, as a fraction of the picture's height.
const OCCLUSION_RADIUS: f32 = 0.03;

/// Surfaces in device memory, whose vertices and triangles are in common lists.
pub(super) struct DeviceSurfaces<'a> {
    /// World position that vertex positions are relative to.
    pub origin: [f64; 3],
    pub positions: &'a Buffer<f32>,
    pub normals: &'a Buffer<f32>,
    pub triangles: &'a Buffer<u32>,
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
}

impl DeviceSurfaces<'_> {
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
            ..
        } in &self.surfaces
        {
            list.extend([*red, *green, *blue, *opacity]);
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
