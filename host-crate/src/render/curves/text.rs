//! Text in pictures.

use crate::render::Picture;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// A size of text.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    height: RasterHeight,
    /// Pixels of the picture along a side of one of the letters'.
    times: u32,
}

const COLOUR: [f32; 3] = [50.0, 54.0, 62.0];

impl Font {
    /// One that can be read in a picture whose shorter side has so many pixels.
    pub fn for_picture(shorter: u32) -> Self {
        let height = match shorter {
            0..700 => RasterHeight::Size16,
            700..900 => RasterHeight::Size20,
            900..1200 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        };
        let times = (shorter / 1200).max(1);
        Self { height, times }
    }

    /// Pixels from one line to the next.
    pub fn line(&self) -> u32 {
        self.height.val() as u32 * self.times
    }

    /// Pixels along a text.
    pub fn width(&self, text: &str) -> u32 {
        let letter = get_raster_width(FontWeight::Regular, self.height) as u32;
        text.chars().count() as u32 * letter * self.times
    }

    /// Writes a text, with its upper left corner at a pixel. What is outside the picture is left
    /// out.
    pub fn write(&self, picture: &mut Picture, [x, y]: [u32; 2], text: &str) {
        let step = self.width(" ");
        for (letter, left) in text.chars().zip((x..).step_by(step.max(1) as usize)) {
            let Some(raster) = get_raster(letter, FontWeight::Regular, self.height) else {
                continue;
            };
            for (row, pixels) in (0u32..).zip(raster.rows()) {
                for (column, &strength) in (0u32..).zip(pixels) {
                    let corner = [left + column * self.times, y + row * self.times];
                    let part = f32::from(strength) / 255.0;
                    picture.mix_box(corner, [self.times; 2], COLOUR, part);
                }
            }
        }
    }
}
