//! Text in pictures.

use crate::render::Picture;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// sRGB colour of text on a bright background.
pub const TEXT: [f32; 3] = [50.0, 54.0, 62.0];

/// Font and size of text.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    height: RasterHeight,
    /// Scale factor: pixels of the picture per pixel of the font.
    scale: u32,
}

impl Font {
    /// Returns a legible font for a picture whose shorter side has `shorter` pixels.
    pub fn for_picture(shorter: u32) -> Self {
        let height = match shorter {
            0..700 => RasterHeight::Size16,
            700..900 => RasterHeight::Size20,
            900..1200 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        };
        let scale = (shorter / 1200).max(1);
        Self { height, scale }
    }

    /// Returns the height of a line, in pixels.
    pub fn line(&self) -> u32 {
        self.height.val() as u32 * self.scale
    }

    /// Returns the width of a text, in pixels.
    pub fn width(&self, text: &str) -> u32 {
        let letter = get_raster_width(FontWeight::Regular, self.height) as u32;
        text.chars().count() as u32 * letter * self.scale
    }

    /// Writes a text in an sRGB colour with its upper left corner at a pixel. Pixels outside the
    /// picture are ignored.
    pub fn write(&self, picture: &mut Picture, [x, y]: [u32; 2], text: &str, colour: [f32; 3]) {
        let step = self.width(" ");
        for (letter, left) in text.chars().zip((x..).step_by(step.max(1) as usize)) {
            let Some(raster) = get_raster(letter, FontWeight::Regular, self.height) else {
                continue;
            };
            for (row, pixels) in (0u32..).zip(raster.rows()) {
                for (column, &strength) in (0u32..).zip(pixels) {
                    let corner = [left + column * self.scale, y + row * self.scale];
                    let opacity = f32::from(strength) / 255.0;
                    picture.blend_rectangle(corner, [self.scale; 2], colour, opacity);
                }
            }
        }
    }
}

/// Formats a number with three digits.
pub fn format_number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        0.001..1.0 => format!("{value:.3}"),
        1.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        100.0..100_000.0 => format!("{value:.0}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_with_three_digits() {
        let cases = [
            (0.0, "0"),
            (0.5, "0.500"),
            (3.1234, "3.12"),
            (99.94, "99.9"),
            (1234.5, "1234"),
            (2e-7, "2.0e-7"),
        ];
        for (value, text) in cases {
            assert_eq!(format_number(value), text);
        }
    }
}
