//! A finished picture.

use crate::{
    device::DeviceError,
    grid::GridError,
    memory::{self, OutOfMemory},
};
use std::io::{self, Write};

/// What memory is for that holds pixels.
pub(super) const PIXELS: &str = "the picture";

/// An error in drawing a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// No pixels, or too many.
    #[error(
        "a picture of {width}x{height} pixels cannot be drawn; both sides must be 1 to {}",
        super::MAX_SIDE
    )]
    Size {
        /// Pixels along x.
        width: u32,
        /// Pixels along y.
        height: u32,
    },
    /// No rays, or too many.
    #[error("{rays} rays per pixel and side cannot be cast; use 1 to 8")]
    Rays {
        /// Rays per pixel and side.
        rays: u32,
    },
    /// An isovalue that no sample can be compared with.
    #[error("the isovalue is {iso}: it must be a finite number")]
    Iso {
        /// The isovalue.
        iso: f32,
    },
    /// What is in the object was not found.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl From<OutOfMemory> for RenderError {
    fn from(error: OutOfMemory) -> Self {
        Self::Device(error.into())
    }
}

/// A pixel of a colour.
fn colour_of(colour: [f32; 3]) -> [u8; 4] {
    let [r, g, b] = colour.map(|channel| (channel.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8);
    [r, g, b, 255]
}

/// Pixels, row by row from the upper left corner, as 8-bit sRGB red, green, blue and alpha.
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
            rgba.extend_from_slice(&colour_of(colour));
        }
        Ok(Self {
            width,
            height,
            rgba,
        })
    }

    /// Mixes a colour, as sRGB from 0 to 255, into the pixels of a box: all of it with `part` 1.
    /// What is outside the picture is left out.
    pub(super) fn mix_box(
        &mut self,
        [left, top]: [u32; 2],
        [across, down]: [u32; 2],
        colour: [f32; 3],
        part: f32,
    ) {
        let right = left.saturating_add(across).min(self.width);
        let bottom = top.saturating_add(down).min(self.height);
        for y in top..bottom {
            for x in left..right {
                let pixel = y as usize * self.width as usize + x as usize;
                let channels = &mut self.rgba[4 * pixel..4 * pixel + 3];
                for (channel, colour) in channels.iter_mut().zip(colour) {
                    let before = f32::from(*channel);
                    *channel = (before + (colour - before) * part + 0.5) as u8;
                }
            }
        }
    }

    /// Whether every pixel has a colour (as
    /// [`RenderParams::background`](super::RenderParams::background)): nothing is to be seen.
    pub fn is_only(&self, colour: [f32; 3]) -> bool {
        let wanted = colour_of(colour);
        let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
        let mut pixels = self.rgba.chunks_exact(4);
        pixels.all(|pixel| pixel.iter().zip(&wanted).all(near))
    }

    /// Pixels along x.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels along y.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The four channels of each pixel.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Writes the picture as a PNG file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_png(&self, to: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(to, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        Ok(writer.finish()?)
    }
}
