//! Pictures of isosurfaces, drawn on the device by ray casting, and of skeletons within them.
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

/// Parameters of [`isosurface`].
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

/// Largest width and height of a picture, in pixels.
pub const MAX_SIDE: u32 = 16384;

/// Draws the isosurface of a volume with an orthographic camera that shows the whole volume.
///
/// Time: pixels × rays² × samples along the volume's diagonal. Device memory: 4 bytes per pixel.
///
/// # Errors
/// [`RenderError::Size`] for an empty picture or one larger than [`MAX_SIDE`],
/// [`RenderError::Rays`] for rays per pixel outside 1 to 8, [`RenderError::Iso`] for an isovalue
/// that is not finite, and [`RenderError::Device`] for an error of the device.
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
    let framing = Framing::fit_volume(volume, params.view, [width, height]);
    let pixels = surface(stream, volume, &framing, params)?;
    let pixels = stream.download(&pixels)?;
    Ok(Picture::from_pixels(width, height, &pixels)?)
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
    let picture = Picture::filled(params.width, params.height, params.background)?;
    let pixel = |rgba: &[u8; 4]| u32::from_le_bytes(*rgba);
    let (pixels, _) = picture.rgba().as_chunks::<4>();
    stream.upload(&memory::try_collect(
        picture::PIXELS,
        pixels.iter().map(pixel),
    )?)
}

/// Draws a volume that has samples and returns the pixels on the device.
fn surface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    framing: &Framing,
    params: &RenderParams,
) -> Result<Buffer<u32>, DeviceError> {
    let (camera, light) = camera::look_at(volume, framing, params);
    let rows = pixel_rows(stream, params);
    let mut pixels = stream.alloc::<u32>(params.width as usize * params.height as usize)?;
    // SAFETY: the volume has a sample for every grid point and at least one along each axis, and
    // `pixels` has an element for every pixel.
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
