//! Pictures of surfaces, rasterised on the device, and of skeletons within them.
//!
//! [`isosurface()`] draws a volume, [`surfaces`] meshes, and a [`Scene`] meshes and skeletons with
//! a scale bar, directions and colour bars, from any direction.
//!
//! A surface is a triangle mesh: for each sample of a pixel, the nearest triangle is the smallest
//! pair of a depth and a triangle, so that the picture has the same bits on every device.
//!
//! ```
//! use ferrovox::{device::Device, synthetic, render::{self, RenderParams}};
//!
//! let stream = Device::best().stream()?;
//! let sphere = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
//! let params = RenderParams { width: 64, height: 64, ..Default::default() };
//! let picture = render::isosurface(&stream, &sphere, &params)?;
//! assert_eq!(picture.rgba().len(), 64 * 64 * 4);
//! # Ok::<(), ferrovox::render::RenderError>(())
//! ```

mod animation;
mod annotations;
mod curve_colours;
mod curves;
mod framing;
mod isolines;
mod legend;
mod lights;
mod montage;
mod picture;
mod raster;
mod scene;
mod text;
mod values;
mod view;

pub use animation::encode_animation;
pub use annotations::{Annotations, ValueRange};
pub use curve_colours::ColourBy;
pub use curves::{SkeletonStyle, skeleton, skeletons};
pub use isolines::{IsolineParams, isoline_step, isolines};
pub use montage::{MontageLabels, MontageParams, montage};
pub use picture::{Picture, RenderError};
pub use scene::Scene;
pub use values::{value_colours, value_range, vertex_values};
pub use view::ViewDirection;

use crate::{
    device::{Buffer, DeviceError, Stream},
    grid::{DeviceSample, DeviceVolume, Inside},
    isosurface::{self, DeviceMesh, IsosurfaceParams},
    memory,
    mesh::TriangleMesh,
};
use ferrovox_kernels::rows::Rows;
use framing::Framing;
use raster::DeviceSurfaces;

/// Parameters of [`isosurface()`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderParams {
    /// Isovalue.
    pub iso: f32,
    /// Side of the isovalue that is solid.
    pub inside: Inside,
    /// Direction from which the volume is viewed.
    pub view: ViewDirection,
    /// Width of the picture, in pixels.
    pub width: u32,
    /// Height of the picture, in pixels.
    pub height: u32,
    /// Rays per pixel along x and along y (supersampling): 2 smooths edges.
    pub rays: u32,
    /// Colour of the surface: linear red, green and blue from 0 to 1.
    pub surface: [f32; 3],
    /// Colour of the background: linear red, green and blue from 0 to 1.
    pub background: [f32; 3],
    /// `true` for a transparent background.
    pub transparent: bool,
    /// Fraction by which hollows are darkened, from 0 to 1: ambient occlusion within 3 % of the
    /// picture's height.
    pub occlusion: f32,
    /// Part of the world that fills the picture.
    pub frame: Frame,
}

/// Part of the world that fills a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frame {
    /// The whole volume.
    #[default]
    Volume,
    /// The surface.
    Surface,
}

impl Default for RenderParams {
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            view: ViewDirection::default(),
            width: 800,
            height: 600,
            rays: 2,
            surface: [0.85, 0.72, 0.62],
            background: [1.0, 1.0, 1.0],
            transparent: false,
            occlusion: 0.0,
            frame: Frame::Volume,
        }
    }
}

/// Largest width and height of a picture, in pixels.
pub const MAX_SIDE: u32 = 16384;

/// A surface to draw.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// The mesh. Normals that it lacks are computed from its triangles, and edges where triangles
    /// meet at a large angle are then creases.
    pub mesh: &'a TriangleMesh,
    /// Linear red, green and blue from 0 to 1.
    pub colour: [f32; 3],
    /// Linear colour of each vertex, instead of `colour`.
    pub vertex_colours: Option<&'a [[f32; 3]]>,
    /// Opacity from 0 to 1. Only the part of a surface nearest to the viewer is visible.
    pub opacity: f32,
}

impl<'a> Surface<'a> {
    /// Creates an opaque surface of one colour.
    pub fn new(mesh: &'a TriangleMesh, colour: [f32; 3]) -> Self {
        Self {
            mesh,
            colour,
            vertex_colours: None,
            opacity: 1.0,
        }
    }
}

/// Draws the isosurface of a volume with an orthographic camera.
///
/// The surface is extracted on the device, closed at the border of the volume, and rasterised.
/// Time: that of [`isosurface::extract`], plus triangles and covered samples. Device memory: that
/// of the mesh, 4 bytes per pixel, and 8 per sample of a pixel, at most 256 MiB.
///
/// # Errors
/// [`RenderError::Size`] for an empty picture or one larger than [`MAX_SIDE`],
/// [`RenderError::Rays`] for rays per pixel outside 1 to 8, [`RenderError::Iso`] for an isovalue
/// that is not finite, [`RenderError::Surface`] for a surface that cannot be extracted, and
/// [`RenderError::Device`] for an error of the device.
pub fn isosurface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &RenderParams,
) -> Result<Picture, RenderError> {
    check(params)?;
    let RenderParams { width, height, .. } = *params;
    if volume.samples().is_empty() {
        return background(params);
    }
    let mesh = extract(stream, volume, params)?;
    match params.frame {
        Frame::Volume => {
            let framing = Framing::fit_volume(volume, params.view, [width, height]);
            let pixels = draw_mesh(stream, mesh, &framing, params)?;
            let pixels = stream.download(&pixels)?;
            Ok(Picture::from_pixels(width, height, &pixels)?)
        }
        Frame::Surface => {
            let min_half = volume.geometry().spacing().min();
            Scene::from_device_mesh(stream, mesh, params.surface, 1.0)?
                .min_half_side(min_half)
                .draw(stream, params)
        }
    }
}

/// Draws meshes with an orthographic camera. They fill the picture; of `params`, the isovalue, the
/// colour of the surface and the frame are ignored. A [`Scene`] draws several pictures of them,
/// also with skeletons and annotations.
///
/// ```
/// use ferrovox::{device::Device, mesh::{TriangleMesh, Triangles}};
/// use ferrovox::render::{self, RenderParams, Surface};
///
/// let mesh = TriangleMesh {
///     vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: Triangles::U32(vec![[0, 1, 2]]),
///     ..TriangleMesh::default()
/// };
/// let params = RenderParams { width: 32, height: 32, ..RenderParams::default() };
/// let surface = Surface::new(&mesh, [0.8, 0.3, 0.2]);
/// let picture = render::surfaces(&Device::cpu().stream()?, &[surface], &params)?;
/// assert!(!picture.is_uniform(params.background));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`isosurface()`]; [`RenderError::Mesh`] for a mesh with invalid indices, and
/// [`RenderError::Triangles`] for more triangles or vertices than 32 bits can count.
pub fn surfaces(
    stream: &Stream,
    surfaces: &[Surface<'_>],
    params: &RenderParams,
) -> Result<Picture, RenderError> {
    check(params)?;
    Scene::upload(stream, surfaces)?.draw(stream, params)
}

/// Returns a picture that shows nothing.
fn background(params: &RenderParams) -> Result<Picture, RenderError> {
    let RenderParams { width, height, .. } = *params;
    if params.transparent {
        let pixels = memory::try_zeroed(picture::PIXELS, width as usize * height as usize)?;
        return Ok(Picture::from_pixels(width, height, &pixels)?);
    }
    Ok(Picture::filled(width, height, params.background)?)
}

/// Fails for parameters that are out of range.
fn check(params: &RenderParams) -> Result<(), RenderError> {
    let RenderParams {
        width,
        height,
        rays,
        iso,
        ..
    } = *params;
    if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
        return Err(RenderError::Size { width, height });
    }
    if !(1..=8).contains(&rays) {
        return Err(RenderError::Rays { rays });
    }
    if !iso.is_finite() {
        return Err(RenderError::Iso { iso });
    }
    Ok(())
}

/// Returns the assignment of the pixels to threads.
fn pixel_rows(stream: &Stream, params: &RenderParams) -> Rows {
    let run = if stream.device().limits().threads_per_block == 1 {
        32
    } else {
        1
    };
    Rows {
        nx: params.width,
        ny: params.height,
        nz: 1,
        chunk: run * 128,
        run,
    }
}

/// Returns a picture of the background on the device.
fn fill(stream: &Stream, params: &RenderParams) -> Result<Buffer<u32>, DeviceError> {
    let background = if params.transparent {
        0
    } else {
        u32::from_le_bytes(picture::to_srgb(params.background))
    };
    let count = params.width as usize * params.height as usize;
    let pixels = std::iter::repeat_n(background, count);
    stream.upload(&memory::try_collect(picture::PIXELS, pixels)?)
}

/// Draws the isosurface of a volume that has samples and returns the pixels on the device.
fn surface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    framing: &Framing,
    params: &RenderParams,
) -> Result<Buffer<u32>, RenderError> {
    let mesh = extract(stream, volume, params)?;
    draw_mesh(stream, mesh, framing, params)
}

/// Extracts the surface that a picture shows, closed at the border of the volume.
fn extract<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &RenderParams,
) -> Result<DeviceMesh, RenderError> {
    let params = IsosurfaceParams {
        iso: params.iso,
        inside: params.inside,
        close: true,
        normals: true,
        ..IsosurfaceParams::default()
    };
    let mesh = isosurface::extract(stream, volume, None, &params);
    mesh.map_err(|error| match error {
        isosurface::IsosurfaceError::Device(error) => RenderError::Device(error),
        error => RenderError::Surface(Box::new(error)),
    })
}

fn draw_mesh(
    stream: &Stream,
    mesh: DeviceMesh,
    framing: &Framing,
    params: &RenderParams,
) -> Result<Buffer<u32>, RenderError> {
    DeviceSurfaces::from_mesh(stream, mesh, params.surface, 1.0)?.draw(stream, framing, params)
}
