//! Pictures in memory.

use crate::{
    device::DeviceError,
    error::ErrorKind,
    grid::GridError,
    isosurface::IsosurfaceError,
    memory::{self, OutOfMemory},
    mesh_filter::MeshFilterError,
};
use std::io::{self, Write};

/// Purpose of the allocations, quoted in the error.
pub(super) const PIXELS: &str = "the picture";

/// Error of drawing a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The picture is empty or too large.
    #[error(
        "the picture is {width}x{height} pixels; both sides must be 1 to {}",
        super::MAX_SIDE
    )]
    Size {
        /// Width, in pixels.
        width: u32,
        /// Height, in pixels.
        height: u32,
    },
    /// The number of rays is out of range.
    #[error("the picture has {rays} rays per pixel and side; use 1 to 8")]
    Rays {
        /// Rays per pixel along each side.
        rays: u32,
    },
    /// The isovalue is not finite.
    #[error("the isovalue is {iso}; give a finite number")]
    Iso {
        /// Isovalue.
        iso: f32,
    },
    /// The surface cannot be extracted.
    #[error(transparent)]
    Surface(Box<IsosurfaceError>),
    /// A mesh is invalid.
    #[error(transparent)]
    Mesh(Box<MeshFilterError>),
    /// The surfaces have too many triangles or vertices.
    #[error("the surfaces have more triangles or vertices than 32 bits can count; simplify them")]
    Triangles,
    /// The frames of an animation cannot be encoded.
    #[error("cannot encode the animation: {0}")]
    Animation(#[from] io::Error),
    /// The extent of the object could not be determined.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Error of the device.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl RenderError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Surface(error) => error.kind(),
            Self::Mesh(error) => error.kind(),
            Self::Animation(_) => ErrorKind::Io,
            Self::Grid(error) => error.kind(),
            Self::Device(error) => error.kind(),
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl RenderError {
    /// Creates the error of an invalid mesh.
    pub(super) fn invalid_mesh(error: impl Into<MeshFilterError>) -> Self {
        match error.into() {
            MeshFilterError::Device(error) => Self::Device(error),
            error => Self::Mesh(Box::new(error)),
        }
    }
}

impl From<OutOfMemory> for RenderError {
    fn from(error: OutOfMemory) -> Self {
        Self::Device(error.into())
    }
}

/// Converts a linear colour to sRGB with full opacity.
pub(super) fn to_srgb(colour: [f32; 3]) -> [u8; 4] {
    let [r, g, b] = colour.map(|channel| (channel.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8);
    [r, g, b, 255]
}

/// An image of 8-bit sRGB red, green, blue and alpha, row by row from the upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Picture {
    pub(super) fn from_pixels(
        width: u32,
        height: u32,
        pixels: &[u32],
    ) -> Result<Self, DeviceError> {
        let mut rgba = Vec::new();
        memory::try_reserve(PIXELS, &mut rgba, 4 * pixels.len())?;
        for pixel in pixels {
            rgba.extend_from_slice(&pixel.to_le_bytes());
        }
        Ok(Self {
            width,
            height,
            rgba,
        })
    }

    pub(super) fn filled(width: u32, height: u32, colour: [f32; 3]) -> Result<Self, DeviceError> {
        let pixels = width as usize * height as usize;
        let mut rgba = Vec::new();
        memory::try_reserve(PIXELS, &mut rgba, 4 * pixels)?;
        for _ in 0..pixels {
            rgba.extend_from_slice(&to_srgb(colour));
        }
        Ok(Self {
            width,
            height,
            rgba,
        })
    }

    /// Blends an sRGB colour (0 to 255) into a rectangle with opacity `opacity`. Pixels outside the
    /// picture are ignored.
    pub(super) fn blend_rectangle(
        &mut self,
        [left, top]: [u32; 2],
        [across, down]: [u32; 2],
        colour: [f32; 3],
        opacity: f32,
    ) {
        let right = left.saturating_add(across).min(self.width);
        let bottom = top.saturating_add(down).min(self.height);
        for y in top..bottom {
            for x in left..right {
                self.blend_pixel([x, y], colour, opacity);
            }
        }
    }

    /// Blends an sRGB colour (0 to 255) into a line of a width in pixels, with smooth edges.
    pub(super) fn blend_line(
        &mut self,
        [from, to]: [[f64; 2]; 2],
        width: f64,
        colour: [f32; 3],
        opacity: f32,
    ) {
        let reach = width / 2.0 + 1.0;
        let sides = [self.width, self.height];
        let range = |k: usize| {
            let low = (from[k].min(to[k]) - reach).max(0.0) as u32;
            let high = (from[k].max(to[k]) + reach).max(0.0).ceil() as u32;
            low..high.min(sides[k])
        };
        let along = [0, 1].map(|k| to[k] - from[k]);
        let square = along[0] * along[0] + along[1] * along[1];
        for y in range(1) {
            for x in range(0) {
                let offset = [f64::from(x) + 0.5 - from[0], f64::from(y) + 0.5 - from[1]];
                let product = offset[0] * along[0] + offset[1] * along[1];
                let part = if square > 0.0 {
                    (product / square).clamp(0.0, 1.0)
                } else {
                    0.0
                };
                let away = f64::hypot(offset[0] - part * along[0], offset[1] - part * along[1]);
                let cover = (width / 2.0 + 0.5 - away).clamp(0.0, 1.0) as f32;
                if cover > 0.0 {
                    self.blend_pixel([x, y], colour, cover * opacity);
                }
            }
        }
    }

    /// Blends an sRGB colour (0 to 255) into a pixel of the picture.
    fn blend_pixel(&mut self, [x, y]: [u32; 2], colour: [f32; 3], opacity: f32) {
        let pixel = y as usize * self.width as usize + x as usize;
        let [channels @ .., alpha] = &mut self.rgba[4 * pixel..4 * pixel + 4] else {
            return;
        };
        let total = if *alpha == 255 {
            1.0
        } else {
            opacity + f32::from(*alpha) / 255.0 * (1.0 - opacity)
        };
        if total <= 0.0 {
            return;
        }
        let weight = opacity / total;
        for (channel, colour) in channels.iter_mut().zip(colour) {
            let before = f32::from(*channel);
            *channel = (before + (colour - before) * weight + 0.5) as u8;
        }
        *alpha = (total * 255.0 + 0.5) as u8;
    }

    /// Returns `true` if every pixel has the linear colour `colour`, for example
    /// [`RenderParams::background`](super::RenderParams::background): the picture shows nothing.
    pub fn is_uniform(&self, colour: [f32; 3]) -> bool {
        let expected = to_srgb(colour);
        let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
        let mut pixels = self.rgba.chunks_exact(4);
        pixels.all(|pixel| pixel.iter().zip(&expected).all(near))
    }

    /// Returns the width, in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height, in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the four channels of each pixel.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn write_png(&self, to: impl Write) -> io::Result<()> {
        let mut writer = self.encoder(to).write_header()?;
        writer.write_image_data(&self.rgba)?;
        Ok(writer.finish()?)
    }

    pub(super) fn encoder<'a, W: Write + 'a>(&self, to: W) -> png::Encoder<'a, W> {
        let mut encoder = png::Encoder::new(to, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder
    }
}
