//! Pictures of isosurfaces, drawn on the device by casting rays through the volume, and of skeletons within them.
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
mod isolines;
mod picture;
mod skeleton;
mod view;

pub use isolines::{IsolineParams, isoline_step, isolines};
pub use picture::{Picture, RenderError};
pub use skeleton::{SkeletonStyle, skeleton};
pub use view::ViewDirection;

use crate::{
    device::Stream,
    grid::{DeviceSample, DeviceVolume, Inside, gradient_to_world},
};
use ferrovox_kernels::{render::render_isosurface, rows::Rows};

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
/// Work is proportional to pixels × rays² × samples along the volume's diagonal; device memory is 4 bytes per pixel.
///
/// # Errors
/// [`RenderError::Size`] for a picture without pixels or larger than [`MAX_SIDE`], [`RenderError::Rays`] for rays per pixel
/// outside 1 to 8, [`RenderError::Iso`] for an isovalue that is not finite, [`RenderError::Device`] from the device.
pub fn isosurface<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &RenderParams,
) -> Result<Picture, RenderError> {
    let RenderParams {
        width,
        height,
        rays,
        ..
    } = *params;
    if width == 0 || height == 0 || width > MAX_SIDE || height > MAX_SIDE {
        return Err(RenderError::Size { width, height });
    }
    if !(1..=8).contains(&rays) {
        return Err(RenderError::Rays { rays });
    }
    if !params.iso.is_finite() {
        return Err(RenderError::Iso { iso: params.iso });
    }
    if volume.samples().is_empty() {
        return Ok(Picture::filled(width, height, params.background));
    }
    let (camera, light) = camera::look_at(volume, params);
    let run = if stream.device().limits().threads_per_block == 1 {
        32
    } else {
        1
    };
    let pixel_rows = Rows {
        nx: width,
        ny: height,
        nz: 1,
        piece: run * 128,
        run,
    };
    let mut pixels = stream.alloc::<u32>(width as usize * height as usize)?;
    // SAFETY: a sample for each of the grid's, at least one along each axis, and an element for each pixel.
    unsafe {
        stream.launch::<render_isosurface<T>>(
            crate::device::rows_launch(pixel_rows),
            (
                volume.samples().view(),
                volume.grid(),
                pixel_rows,
                params.iso,
                (params.inside == Inside::Above) as u32,
                camera,
                gradient_to_world(volume.geometry()),
                light,
                pixels.view_mut(),
            ),
        )?;
    }
    Ok(Picture::from_pixels(
        width,
        height,
        &stream.download(&pixels)?,
    ))
}
