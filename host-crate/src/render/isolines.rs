//! Pictures of planes of distances, drawn on the host.

use super::{MAX_SIDE, Picture, RenderError, picture::PIXELS};
use crate::{device::DeviceError, memory};

/// What [`isolines`] is to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsolineParams {
    /// Pixels along the longer side.
    pub longest_side: u32,
    /// The distance between isolines; `None` takes [`isoline_step`].
    pub step: Option<f32>,
}

impl Default for IsolineParams {
    fn default() -> Self {
        Self {
            longest_side: 900,
            step: None,
        }
    }
}

/// More lines would be a grey.
const MAX_LINES: f32 = 14.0;
/// One of this many lines is stronger.
const STRONG: i64 = 5;

/// Colours as sRGB.
const OUTSIDE: [[f32; 3]; 2] = [[246.0, 248.0, 250.0], [126.0, 150.0, 176.0]];
const INSIDE: [[f32; 3]; 2] = [[251.0, 245.0, 236.0], [205.0, 158.0, 116.0]];
const NO_VALUE: [f32; 3] = [225.0; 3];
const LINE: [f32; 3] = [52.0, 68.0, 88.0];
const ZERO: [f32; 3] = [150.0, 42.0, 40.0];

/// A distance between isolines of these values that is 1, 2 or 5 times a power of ten, and gives
/// some ten lines.
pub fn isoline_step(values: &[f32]) -> f32 {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f32::INFINITY, f32::min);
    let high = finite().fold(f32::NEG_INFINITY, f32::max);
    let range = high - low.min(0.0);
    if !(range > 0.0 && range.is_finite()) {
        return 1.0;
    }
    let least = range / MAX_LINES;
    let power = 10f32.powi(least.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(steps[3])
}

/// Draws a plane of distances with isolines, which make errors visible: the first axis to the
/// right, the second upwards. The farther, the darker; inside, where distances are negative, is
/// brown, outside blue. Where the distance is 0 it is red.
///
/// `values` has `dims[0]` values in a row, and `dims[1]` rows, a voxel of `spacing` for each.
/// Between them values are interpolated.
///
/// ```
/// use ferrovox::render::{IsolineParams, isolines};
///
/// let from_middle = |i: usize| ((i % 21) as f32 - 10.0).hypot((i / 21) as f32 - 10.0);
/// let distances: Vec<f32> = (0..441).map(|i| from_middle(i) - 5.0).collect();
/// let picture = isolines(&distances, [21, 21], [1.0, 1.0], &IsolineParams::default())?;
/// assert_eq!((picture.width(), picture.height()), (900, 900));
/// # Ok::<(), ferrovox::render::RenderError>(())
/// ```
///
/// # Errors
/// [`RenderError::Size`] if there are no values, or if the picture would be too large.
///
/// # Panics
/// If there are not `dims[0] · dims[1]` values.
pub fn isolines(
    values: &[f32],
    dims: [usize; 2],
    spacing: [f64; 2],
    params: &IsolineParams,
) -> Result<Picture, RenderError> {
    assert_eq!(values.len(), dims[0] * dims[1], "a value for each voxel");
    let extent = [0, 1].map(|axis| dims[axis] as f64 * spacing[axis]);
    let scale = f64::from(params.longest_side) / extent[0].max(extent[1]);
    let [width, height] = extent.map(|side| (side * scale).round().max(1.0) as u32);
    let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
    if values.is_empty() || !fits(width) || !fits(height) || !fits(params.longest_side) {
        return Err(RenderError::Size { width, height });
    }
    let plane = Plane {
        values,
        dims,
        spacing,
    };
    // upper left corner first
    let pixels = (0..height)
        .rev()
        .flat_map(|y| (0..width).map(move |x| [x, y]));
    let mut sampled = Vec::new();
    let count = width as usize * height as usize;
    memory::try_reserve(PIXELS, &mut sampled, count).map_err(DeviceError::from)?;
    sampled.extend(pixels.map(|pixel| plane.at(pixel.map(|k| (f64::from(k) + 0.5) / scale))));
    let image = Image {
        values: &sampled,
        width: width as usize,
        height: height as usize,
        pixel: (1.0 / scale) as f32,
        voxel: (spacing[0].min(spacing[1]) * scale) as f32,
        step: params.step.unwrap_or_else(|| isoline_step(values)),
        largest: sampled
            .iter()
            .filter(|value| value.is_finite())
            .fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs())),
    };
    let colours = (0..sampled.len()).map(|at| image.colour(at));
    let pixels = memory::try_collect(PIXELS, colours).map_err(DeviceError::from)?;
    Ok(Picture::from_pixels(width, height, &pixels)?)
}

struct Plane<'a> {
    values: &'a [f32],
    dims: [usize; 2],
    spacing: [f64; 2],
}

impl Plane<'_> {
    /// The value at a place, in the world's units from the plane's corner: bilinear between voxels,
    /// constant beyond their centres.
    fn at(&self, place: [f64; 2]) -> f32 {
        let axis = |axis: usize| {
            let last = self.dims[axis] - 1;
            let index = (place[axis] / self.spacing[axis] - 0.5).clamp(0.0, last as f64);
            let low = (index as usize).min(last);
            (low, (low + 1).min(last), (index - low as f64) as f32)
        };
        let ((x0, x1, u), (y0, y1, v)) = (axis(0), axis(1));
        let value = |x: usize, y: usize| self.values[y * self.dims[0] + x];
        let row = |y: usize| between(value(x0, y), value(x1, y), u);
        between(row(y0), row(y1), v)
    }
}

/// Of two values that of the first alone where the other has no part in it: it may be infinite.
fn between(a: f32, b: f32, part: f32) -> f32 {
    if part > 0.0 {
        a * (1.0 - part) + b * part
    } else {
        a
    }
}

struct Image<'a> {
    /// One for each pixel.
    values: &'a [f32],
    width: usize,
    height: usize,
    /// A pixel's side in the world's units.
    pixel: f32,
    /// A voxel's shorter side in pixels.
    voxel: f32,
    step: f32,
    largest: f32,
}

impl Image<'_> {
    fn colour(&self, at: usize) -> u32 {
        let value = self.values[at];
        if !value.is_finite() {
            return packed(NO_VALUE);
        }
        let [near, far] = if value < 0.0 { INSIDE } else { OUTSIDE };
        let mut colour = mix(near, far, (value.abs() / self.largest).powf(0.8));
        let number = (value / self.step).round();
        let is_zero = number == 0.0;
        let strong = number as i64 % STRONG == 0;
        let (half_width, opacity) = if strong { (0.8, 0.9) } else { (0.55, 0.6) };
        if is_zero {
            // beside a site the distance grows by a pixel's side in each pixel; as wide as sites
            // that are voxels
            let away = value.abs() / self.pixel;
            colour = mix(colour, ZERO, cover((0.5 * self.voxel).max(1.0), away));
        } else if let Some(slope) = self.slope(at) {
            let away = (value - number * self.step).abs() / slope;
            colour = mix(colour, LINE, opacity * cover(half_width, away));
        }
        packed(colour)
    }

    /// How much the value changes from this pixel to the next, at most; `None` where it is as good
    /// as constant.
    fn slope(&self, at: usize) -> Option<f32> {
        let (x, y) = (at % self.width, at / self.width);
        let along = |low: usize, high: usize, pixels: usize| {
            (self.values[high] - self.values[low]) / pixels.max(1) as f32
        };
        let (left, right) = (x.saturating_sub(1), (x + 1).min(self.width - 1));
        let (up, down) = (y.saturating_sub(1), (y + 1).min(self.height - 1));
        let row = y * self.width;
        let dx = along(row + left, row + right, right - left);
        let dy = along(up * self.width + x, down * self.width + x, down - up);
        let slope = dx.hypot(dy);
        (slope > 0.05 * self.pixel).then_some(slope)
    }
}

/// How much of a pixel a line covers whose middle is `away` pixels from the pixel's.
fn cover(half_width: f32, away: f32) -> f32 {
    (half_width + 0.5 - away).clamp(0.0, 1.0)
}

fn mix(from: [f32; 3], to: [f32; 3], part: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * part.clamp(0.0, 1.0))
}

fn packed(colour: [f32; 3]) -> u32 {
    let [r, g, b] = colour.map(|channel| (channel + 0.5) as u8);
    u32::from_le_bytes([r, g, b, 255])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        let step = |high: f32| isoline_step(&[0.0, high]);
        assert_eq!(step(10.0), 1.0);
        assert_eq!(step(70.0), 5.0);
        assert_eq!(step(100.0), 10.0);
        assert!((step(0.25) - 0.02).abs() < 1e-6);
        assert_eq!(isoline_step(&[]), 1.0);
        assert_eq!(isoline_step(&[3.0, f32::INFINITY]), 0.5);
    }

    fn pixel(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
        let at = 4 * (y * picture.width() + x) as usize;
        picture.rgba()[at..at + 3].try_into().unwrap()
    }

    #[test]
    fn lines_are_where_the_values_are() {
        // distances from the left side, 10 pixels a voxel: isolines at 2, 4, ... stand at x = 5 +
        // 10 · value
        let ramp: Vec<f32> = (0..20 * 4).map(|i| (i % 20) as f32).collect();
        let params = IsolineParams {
            longest_side: 200,
            step: Some(2.0),
        };
        let picture = isolines(&ramp, [20, 4], [1.0, 1.0], &params).unwrap();
        assert_eq!((picture.width(), picture.height()), (200, 40));
        for y in [0, 20, 39] {
            let dark = |x: u32| u32::from(pixel(&picture, x, y)[0]);
            assert!(dark(45) + 40 < dark(55), "{} {}", dark(45), dark(55));
            assert!(dark(105) + 60 < dark(115), "a strong one");
            assert_eq!(pixel(&picture, 2, y), [150, 42, 40], "the line at 0");
        }
    }

    #[test]
    fn anisotropic_voxels_signs_and_no_values() {
        let values = [-1.0, 1.0, f32::INFINITY, 1.0];
        let params = IsolineParams {
            longest_side: 40,
            step: Some(100.0),
        };
        let picture = isolines(&values, [2, 2], [1.0, 2.0], &params).unwrap();
        assert_eq!((picture.width(), picture.height()), (20, 40));
        // the first row is at the bottom
        let [r, _, b] = pixel(&picture, 0, 39);
        assert!(r > b, "inside is brown");
        let [r, _, b] = pixel(&picture, 19, 39);
        assert!(r < b, "outside is blue");
        assert_eq!(pixel(&picture, 0, 0), [225, 225, 225]);
        let none = isolines(&[], [0, 3], [1.0, 1.0], &params);
        assert!(matches!(none, Err(RenderError::Size { .. })));
    }
}
