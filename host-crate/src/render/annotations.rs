//! Scale bars, directions and colour bars around the objects of a picture.

use super::{
    Picture,
    framing::Framing,
    text::{Font, TEXT, format_number},
};

/// Smallest side of a picture with annotations, in pixels.
const MIN_SIDE: u32 = 100;
/// Maximum length of a scale bar as a fraction of the picture's width.
const MAX_BAR: f64 = 0.25;
/// sRGB colours of the x, y and z axes.
const AXES: [[f32; 3]; 3] = [[192.0, 38.0, 45.0], [26.0, 127.0, 55.0], [5.0, 80.0, 174.0]];

/// Annotations of a picture. Pictures with a side of less than 100 pixels have none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// `true` for a scale bar below the objects.
    pub scale_bar: bool,
    /// Names of the negative and the positive end of each world axis, for a drawing of the
    /// directions.
    pub axes: Option<[[&'static str; 2]; 3]>,
    /// Values that the colours of surfaces show, for a colour bar.
    pub values: Option<ValueRange>,
    /// Unit of lengths, such as `mm`; empty if unknown.
    pub unit: String,
}

/// Quantity that is shown by colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueRange {
    /// Name of the quantity.
    pub title: String,
    /// Unit of the values; empty if unknown.
    pub unit: String,
    /// Smallest and largest value.
    pub range: [f64; 2],
}

impl Annotations {
    /// Returns the height of the margin below the objects, in pixels.
    pub(super) fn margin(&self, size: [u32; 2]) -> u32 {
        match self.font(size) {
            Some(font) if self.scale_bar => font.line() + font.line() / 2,
            _ => 0,
        }
    }

    fn font(&self, size: [u32; 2]) -> Option<Font> {
        let shorter = size[0].min(size[1]);
        (shorter >= MIN_SIDE).then(|| Font::for_picture(shorter))
    }

    /// Draws the scale bar and the directions. `occupied` are the margins of legends at the right
    /// and at the bottom, in pixels.
    pub(super) fn draw(&self, picture: &mut Picture, framing: &Framing, occupied: [u32; 2]) {
        let size = [picture.width(), picture.height()];
        let Some(font) = self.font(size) else {
            return;
        };
        if self.scale_bar {
            self.draw_scale_bar(picture, font, framing, occupied[1]);
        }
        if let Some(names) = &self.axes {
            let free = [0, 1].map(|k| size[k].saturating_sub(occupied[k]));
            draw_axes(picture, font, framing, names, free);
        }
    }

    fn draw_scale_bar(&self, picture: &mut Picture, font: Font, framing: &Framing, below: u32) {
        let line = font.line();
        let max_pixels = MAX_BAR * f64::from(picture.width());
        let Some(length) = round_length(max_pixels * framing.pixel) else {
            return;
        };
        let pixels = (length / framing.pixel).round() as u32;
        let thickness = (line / 8).max(2);
        let left = line / 2;
        let top = picture
            .height()
            .saturating_sub(below + self.margin([picture.width(), picture.height()]));
        let middle = top + line / 2;
        picture.blend_rectangle([left, middle], [pixels, thickness], TEXT, 1.0);
        for end in [left, (left + pixels).saturating_sub(thickness)] {
            let start = middle.saturating_sub(line / 4);
            picture.blend_rectangle([end, start], [thickness, line / 4], TEXT, 1.0);
        }
        let text = format!("{} {}", short_number(length), self.unit);
        let beside = [left + pixels + line / 2, top];
        font.write(picture, beside, text.trim(), TEXT);
    }
}

/// Returns the largest length of 1, 2 or 5 times a power of ten that is at most `max`.
fn round_length(max: f64) -> Option<f64> {
    if !(max > 0.0 && max.is_finite()) {
        return None;
    }
    let power = 10_f64.powf(max.log10().floor());
    let candidates = [5.0, 2.0, 1.0].map(|factor| factor * power);
    candidates.into_iter().find(|length| *length <= max)
}

/// Formats a length without trailing zeros.
fn short_number(length: f64) -> String {
    if (0.001..100_000.0).contains(&length) {
        let text = format!("{length:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format_number(length)
    }
}

/// Draws the directions of the world axes in the lower right corner. Names of one letter are drawn
/// at both ends, others at the positive end only.
fn draw_axes(
    picture: &mut Picture,
    font: Font,
    framing: &Framing,
    names: &[[&'static str; 2]; 3],
    free: [u32; 2],
) {
    let line = f64::from(font.line());
    let length = 2.0 * line;
    let center = free.map(|side| f64::from(side) - 3.1 * line);
    let mut ends = Vec::with_capacity(6);
    for (axis, pair) in names.iter().enumerate() {
        for (sign, name) in [(-1.0, pair[0]), (1.0, pair[1])] {
            if sign < 0.0 && name.chars().count() > 1 {
                continue;
            }
            let along = [framing.right, -framing.up, framing.viewer].map(|it| sign * it[axis]);
            ends.push((along, name, AXES[axis]));
        }
    }
    ends.sort_by(|a, b| a.0[2].total_cmp(&b.0[2]));
    for ([x, y, toward], name, colour) in ends {
        let opacity = if toward < -0.3 { 0.45 } else { 1.0 };
        let end = [center[0] + length * x, center[1] + length * y];
        picture.blend_line([center, end], line / 9.0, colour, opacity);
        let beyond = 0.55 * line / f64::max(x.hypot(y), 0.25);
        let half = [
            f64::from(font.width(name.trim_start_matches('+'))) / 2.0,
            line / 2.0,
        ];
        let corner = [end[0] + beyond * x - half[0], end[1] + beyond * y - half[1]];
        let corner = corner.map(|it| it.max(0.0).round() as u32);
        font.write(picture, corner, name.trim_start_matches('+'), colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_bars_have_round_lengths() {
        for (max, expected) in [
            (7.3, 5.0),
            (2.0, 2.0),
            (1.99, 1.0),
            (0.043, 0.02),
            (950.0, 500.0),
        ] {
            let length = round_length(max).unwrap();
            assert!((length / expected - 1.0).abs() < 1e-9, "{max}: {length}");
        }
        assert_eq!(round_length(0.0), None);
        let texts = [0.02, 5.0, 500.0, 2e5].map(short_number);
        assert_eq!(texts, ["0.02", "5", "500", "2.0e5"]);
    }
}
