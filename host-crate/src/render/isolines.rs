//! Pictures of planes of distances with isolines, drawn on the host.

use super::{MAX_SIDE, Picture, RenderError, picture::PIXELS};
use crate::{device::DeviceError, memory};

/// Parameters of [`isolines`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsolineParams {
    /// Length of the longer side of the picture, in pixels.
    pub longest_side: u32,
    /// Distance between isolines; `None` for [`isoline_step`].
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

/// Largest number of isolines; more would merge into grey.
const MAX_LINES: f32 = 14.0;
/// Interval of the strong lines: every fifth isoline.
const STRONG_INTERVAL: i64 = 5;

/// sRGB colours at distance 0 and at the largest distance outside.
const OUTSIDE: [[f32; 3]; 2] = [[246.0, 248.0, 250.0], [126.0, 150.0, 176.0]];
/// sRGB colours at distance 0 and at the largest distance inside.
const INSIDE: [[f32; 3]; 2] = [[251.0, 245.0, 236.0], [205.0, 158.0, 116.0]];
/// sRGB colour of infinite values.
const NO_VALUE: [f32; 3] = [225.0; 3];
/// sRGB colour of isolines.
const LINE: [f32; 3] = [52.0, 68.0, 88.0];
/// sRGB colour of distance 0.
const ZERO: [f32; 3] = [150.0, 42.0, 40.0];

/// Returns a distance between isolines that is 1, 2 or 5 times a power of ten and gives about ten
/// lines for these values.
pub fn isoline_step(values: &[f32]) -> f32 {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f32::INFINITY, f32::min);
    let high = finite().fold(f32::NEG_INFINITY, f32::max);
    let range = high - low.min(0.0);
    if !(range > 0.0 && range.is_finite()) {
        return 1.0;
    }
    let min_step = range / MAX_LINES;
    let power = 10f32.powi(min_step.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|&step| step >= min_step)
        .unwrap_or(steps[3])
}

/// Draws a plane of distances with isolines, which make errors visible. The first axis points to
/// the right, the second upwards. Larger distances are darker; negative distances (inside) are
/// brown, positive ones blue, and distance 0 red.
///
/// `values` has `dims[1]` rows of `dims[0]` values, one per voxel of size `spacing`, with bilinear
/// interpolation in between.
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
/// [`RenderError::Size`] if there are no values or the picture would be too large.
///
/// # Panics
/// If the number of values is not `dims[0] · dims[1]`.
pub fn isolines(
    values: &[f32],
    dims: [usize; 2],
    spacing: [f64; 2],
    params: &IsolineParams,
) -> Result<Picture, RenderError> {
    assert_eq!(values.len(), dims[0] * dims[1], "one value per voxel");
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
    // The upper left corner comes first.
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
            .fold(f32::MIN_POSITIVE, |max, value| max.max(value.abs())),
    };
    let colours = (0..sampled.len()).map(|pixel| image.colour(pixel));
    let pixels = memory::try_collect(PIXELS, colours).map_err(DeviceError::from)?;
    Ok(Picture::from_pixels(width, height, &pixels)?)
}

/// Values on a grid of voxels.
struct Plane<'a> {
    values: &'a [f32],
    dims: [usize; 2],
    spacing: [f64; 2],
}

impl Plane<'_> {
    /// Returns the value at a position in world units from the plane's corner: bilinear between
    /// voxel centres, constant beyond them.
    fn at(&self, position: [f64; 2]) -> f32 {
        let axis = |axis: usize| {
            let last = self.dims[axis] - 1;
            let index = (position[axis] / self.spacing[axis] - 0.5).clamp(0.0, last as f64);
            let low = (index as usize).min(last);
            (low, (low + 1).min(last), (index - low as f64) as f32)
        };
        let ((x0, x1, u), (y0, y1, v)) = (axis(0), axis(1));
        let value = |x: usize, y: usize| self.values[y * self.dims[0] + x];
        let row = |y: usize| interpolate(value(x0, y), value(x1, y), u);
        interpolate(row(y0), row(y1), v)
    }
}

/// Interpolates linearly. With weight 0 the second value is ignored, because it may be infinite.
fn interpolate(a: f32, b: f32, weight: f32) -> f32 {
    if weight > 0.0 {
        a * (1.0 - weight) + b * weight
    } else {
        a
    }
}

/// Interpolated values of a picture.
struct Image<'a> {
    /// Value at each pixel.
    values: &'a [f32],
    width: usize,
    height: usize,
    /// Side of a pixel, in world units.
    pixel: f32,
    /// Shorter side of a voxel, in pixels.
    voxel: f32,
    step: f32,
    largest: f32,
}

impl Image<'_> {
    fn colour(&self, pixel: usize) -> u32 {
        let value = self.values[pixel];
        if !value.is_finite() {
            return pack(NO_VALUE);
        }
        let [near, far] = if value < 0.0 { INSIDE } else { OUTSIDE };
        let mut colour = mix(near, far, (value.abs() / self.largest).powf(0.8));
        let line = (value / self.step).round();
        let is_zero = line == 0.0;
        let is_strong = line as i64 % STRONG_INTERVAL == 0;
        let (half_width, opacity) = if is_strong { (0.8, 0.9) } else { (0.55, 0.6) };
        if is_zero {
            // Next to a site the distance grows by one pixel side per pixel. The line is as wide as
            // the voxels of the sites.
            let offset = value.abs() / self.pixel;
            colour = mix(colour, ZERO, coverage((0.5 * self.voxel).max(1.0), offset));
        } else if let Some(slope) = self.slope(pixel) {
            let offset = (value - line * self.step).abs() / slope;
            colour = mix(colour, LINE, opacity * coverage(half_width, offset));
        }
        pack(colour)
    }

    /// Returns the largest change of the value per pixel; `None` if it is almost constant.
    fn slope(&self, pixel: usize) -> Option<f32> {
        let (x, y) = (pixel % self.width, pixel / self.width);
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

/// Returns the fraction of a pixel that a line covers whose centre is `offset` pixels away.
fn coverage(half_width: f32, offset: f32) -> f32 {
    (half_width + 0.5 - offset).clamp(0.0, 1.0)
}

fn mix(from: [f32; 3], to: [f32; 3], weight: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * weight.clamp(0.0, 1.0))
}

fn pack(colour: [f32; 3]) -> u32 {
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
    fn isolines_are_at_multiples_of_the_step() {
        // Distances from the left side with 10 pixels per voxel: the isolines at 2, 4, … are at x =
        // 5 + 10 · value.
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
    fn anisotropic_voxels_signs_and_infinite_values_are_drawn() {
        let values = [-1.0, 1.0, f32::INFINITY, 1.0];
        let params = IsolineParams {
            longest_side: 40,
            step: Some(100.0),
        };
        let picture = isolines(&values, [2, 2], [1.0, 2.0], &params).unwrap();
        assert_eq!((picture.width(), picture.height()), (20, 40));
        // The first row is at the bottom.
        let [r, _, b] = pixel(&picture, 0, 39);
        assert!(r > b, "inside is brown");
        let [r, _, b] = pixel(&picture, 19, 39);
        assert!(r < b, "outside is blue");
        assert_eq!(pixel(&picture, 0, 0), [225, 225, 225]);
        let empty = isolines(&[], [0, 3], [1.0, 1.0], &params);
        assert!(matches!(empty, Err(RenderError::Size { .. })));
    }
}
