//! Pictures of isosurfaces, drawn on the device by casting rays through the volume, and of
//! skeletons within them.
//!
//! ```
//! use ferrovox::{device::Device, synthetic, render::{self, RenderParams}};
//!
//! let stream = Device::best().stream()?;
//! let sphere = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
//! let picture = render::isosurface(&stream, &sphere, &RenderParams { width: 64, height: 64, ..Default::default() })?;
//! assert_eq!(picture.rgba().len(), 64 * 64 * 4);
//! # Ok::<(), ferrovox::render::RenderError>(())
//! ```

mod camera;
mod curves;
mod framing;
mod isolines;
mod picture;
mod view;

pub use curves::{ColourBy, SkeletonStyle, skeleton, skeletons};
pub use isolines::{IsolineParams, isoline_step, isolines};
pub use picture::{Picture, RenderError};
pub use view::ViewDirection;

use crate::{
    device::{Buffer, DeviceError, Stream, rows_launch},
    grid::{DeviceSample, DeviceVolume, Inside, gradient_to_world},
    memory,
};
use ferrovox_kernels::{render::render_isosurface, rows::Rows};
use framing::Framing;

/// What [`isosurface`] is to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderParams {
    /// The isovalue.
    pub iso: f32,
    /// Where the solid is.
    pub inside: Inside,
    /// From where to look.
    pub view: ViewDirection,
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
    /// Rays per pixel along x and along y: 2 smooths edges.
    pub rays: u32,
    /// The surface's colour, linear red, green and blue from 0 to 1.
    pub surface: [f32; 3],
    /// The background's colour.
    pub background: [f32; 3],
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
        }
    }
}

/// The most pixels along a side of a picture.
pub const MAX_SIDE: u32 = 16384;

/// Draws a volume's isosurface with an orthographic camera that shows the whole volume.
///
/// Work is proportional to pixels × rays² × samples along the volume's diagonal; device memory is 4
/// bytes per pixel.
///
/// # Errors
/// [`RenderError::Size`] for a picture without pixels or larger than [`MAX_SIDE`],
/// [`RenderError::Rays`] for rays per pixel outside 1 to 8, [`RenderError::Iso`] for an isovalue
/// that is not finite, [`RenderError::Device`] from the device.
pub fn isosurface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &RenderParams,
) -> Result<Picture, RenderError> {
    check(params)?;
    let RenderParams { width, height, .. } = *params;
    if volume.samples().is_empty() {
        return Ok(Picture::filled(width, height, params.background)?);
    }
    let framing = Framing::of_volume(volume, params.view, [width, height]);
    let pixels = surface(stream, volume, &framing, params)?;
    let pixels = stream.download(&pixels)?;
    Ok(Picture::from_pixels(width, height, &pixels)?)
}

/// Refuses what cannot be drawn.
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

/// How the pixels of a picture are dealt out on a device.
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

/// The pixels of a picture of nothing.
fn fill(stream: &Stream, params: &RenderParams) -> Result<Buffer<u32>, DeviceError> {
    let picture = Picture::filled(params.width, params.height, params.background)?;
    let pixel = |rgba: &[u8; 4]| u32::from_le_bytes(*rgba);
    let (pixels, _) = picture.rgba().as_chunks::<4>();
    stream.upload(&memory::try_collect(
        picture::PIXELS,
        pixels.iter().map(pixel),
    )?)
}

/// The pixels of a picture of a volume with samples.
fn surface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    framing: &Framing,
    params: &RenderParams,
) -> Result<Buffer<u32>, DeviceError> {
    let (camera, light) = camera::look_at(volume, framing, params);
    let rows = pixel_rows(stream, params);
    let mut pixels = stream.alloc::<u32>(params.width as usize * params.height as usize)?;
    // SAFETY: a sample for each of the grid's, at least one along each axis, and an element for
    // each pixel.
    unsafe {
        stream.launch::<render_isosurface<T>>(
            rows_launch(rows),
            (
                volume.samples().view(),
                volume.grid(),
                rows,
                params.iso,
                (params.inside == Inside::Above) as u32,
                camera,
                gradient_to_world(volume.geometry()),
                light,
                pixels.view_mut(),
            ),
        )?;
    }
    Ok(pixels)
}
