//! Montages: planes of a volume side by side, drawn on the host.

mod colours;
mod layout;

use super::{MAX_SIDE, Picture, RenderError, picture::PIXELS, text::Font};
use crate::{
    device::DeviceError,
    grid::{AnyVolume, Histogram, OtsuError, Sample, Volume, with_volume},
    memory::{self, OutOfMemory},
};
use colours::{pack, tile_colours};
use layout::{Tile, arrange};

/// Parameters of [`montage`].
#[derive(Clone, Debug, PartialEq)]
pub struct MontageParams {
    /// Number of planes perpendicular to each axis, at least 1.
    pub planes: u32,
    /// Width of the picture, in pixels.
    pub width: u32,
    /// Isovalue: its contour is drawn, and the planes are spread over the samples above it.
    pub iso: Option<f64>,
    /// Sample values that are black and white; `None` for percentiles of the samples.
    pub window: Option<[f64; 2]>,
    /// Letters at the negative and the positive end of each world axis.
    pub letters: [[&'static str; 2]; 3],
}

impl Default for MontageParams {
    /// Returns four planes per axis, 1200 pixels, and the names X, Y and Z of the axes.
    fn default() -> Self {
        Self {
            planes: 4,
            width: 1200,
            iso: None,
            window: None,
            letters: [["-X", "+X"], ["-Y", "+Y"], ["-Z", "+Z"]],
        }
    }
}

/// Labels that are drawn over the planes of a montage, and their sRGB colours.
pub struct MontageLabels<'a> {
    /// Label map in the same world as the volume, on any grid; 0 is transparent.
    pub volume: &'a AnyVolume,
    /// Colour of a label.
    pub color: &'a (dyn Fn(i64) -> [u8; 3] + Sync),
}

/// Percentiles of the samples that are black and white.
const WINDOW: [f64; 2] = [0.5, 99.5];
/// sRGB colours of letters and positions.
const LETTER: [f32; 3] = [255.0, 214.0, 92.0];
const POSITION: [f32; 3] = [205.0, 212.0, 222.0];
/// sRGB colour between planes.
const BETWEEN: [f32; 3] = [24.0, 27.0, 33.0];

/// Draws planes through the object of a volume: one row of planes across z, one across y and one
/// across x, with the contour of the isovalue, the colours of labels, the names of directions, and
/// the position of each plane. All planes have one scale, in world units. Planes follow the axes of
/// the grid, each named after the nearest world axis.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::render::{MontageParams, montage};
///
/// let ball = Volume::from_fn([20; 3], Geometry::default(), |x, y, z| {
///     9.0 - [x, y, z].iter().map(|&k| (k as f32 - 9.5).powi(2)).sum::<f32>().sqrt()
/// })?;
/// let defaults = MontageParams::default();
/// let params = MontageParams { planes: 3, width: 300, iso: Some(2.0), ..defaults };
/// let picture = montage(&ball.into(), None, &params)?;
/// assert_eq!(picture.width(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RenderError::Size`] for a picture without pixels or one larger than
/// [`MAX_SIDE`](super::MAX_SIDE), and of an empty volume.
pub fn montage(
    volume: &AnyVolume,
    labels: Option<&MontageLabels<'_>>,
    params: &MontageParams,
) -> Result<Picture, RenderError> {
    memory::catch_out_of_memory(
        "a montage",
        || with_volume!(volume, volume => draw(volume, labels, params)),
    )
}

fn draw<T: Sample>(
    volume: &Volume<T>,
    labels: Option<&MontageLabels<'_>>,
    params: &MontageParams,
) -> Result<Picture, RenderError> {
    let width = params.width;
    let planes = params.planes.max(1);
    let too_large = |height: u32| RenderError::Size { width, height };
    if volume.samples().is_empty() || width == 0 || width > MAX_SIDE {
        return Err(too_large(0));
    }
    let (tiles, height) = arrange(volume, planes, params).ok_or(too_large(0))?;
    if height > MAX_SIDE {
        return Err(too_large(height));
    }
    let window = match params.window {
        Some(window) => window,
        None => percentiles(volume)?,
    };
    let mut pixels = Vec::new();
    let count = width as usize * height as usize;
    memory::try_reserve(PIXELS, &mut pixels, count).map_err(DeviceError::from)?;
    pixels.resize(count, pack(BETWEEN));
    for tile in &tiles {
        let colours = tile_colours(volume, labels, tile, window, params.iso);
        for (row, colours) in (0u32..).zip(colours.chunks(tile.size[0] as usize)) {
            let start = ((tile.corner[1] + row) * width + tile.corner[0]) as usize;
            pixels[start..start + colours.len()].copy_from_slice(colours);
        }
    }
    let mut picture = Picture::from_pixels(width, height, &pixels)?;
    let font = Font::for_picture(width.min(height));
    for tile in &tiles {
        annotate(&mut picture, font, tile, volume, params);
    }
    Ok(picture)
}

/// Returns the sample values that are black and white: the percentiles [`WINDOW`], or all values if
/// they are equal or not finite.
fn percentiles<T: Sample>(volume: &Volume<T>) -> Result<[f64; 2], OutOfMemory> {
    let summary = volume.summary();
    let whole = [summary.min.unwrap_or(0.0), summary.max.unwrap_or(1.0)];
    match Histogram::from_samples(volume.samples(), None) {
        Ok(histogram) => {
            let [low, high] = WINDOW.map(|percent| histogram.percentile(percent));
            Ok([low.unwrap_or(whole[0]), high.unwrap_or(whole[1])])
        }
        Err(OtsuError::Memory(error)) => Err(error),
        Err(OtsuError::NoSamples | OtsuError::AllEqual { .. }) => Ok(whole),
    }
}

/// Writes the names of the directions and the position of a plane.
fn annotate<T: Sample>(
    picture: &mut Picture,
    font: Font,
    tile: &Tile,
    volume: &Volume<T>,
    params: &MontageParams,
) {
    let [left, top] = tile.corner;
    let [width, height] = tile.size;
    let line = font.line();
    let [across, right, up] = tile.world;
    let letters = params.letters;
    let middle = top + (height.saturating_sub(line)) / 2;
    let center = |text: &str| left + width.saturating_sub(font.width(text)) / 2;
    let end = |text: &str| left + width.saturating_sub(font.width(text) + 4);
    font.write(picture, [left + 4, middle], letters[right][0], LETTER);
    font.write(
        picture,
        [end(letters[right][1]), middle],
        letters[right][1],
        LETTER,
    );
    font.write(
        picture,
        [center(letters[up][1]), top + 2],
        letters[up][1],
        LETTER,
    );
    let bottom = top + height.saturating_sub(line + 2);
    font.write(
        picture,
        [center(letters[up][0]), bottom],
        letters[up][0],
        LETTER,
    );
    let mut index = volume.dims().map(|n| (n - 1) as f64 / 2.0);
    index[tile.axes[0]] = tile.plane;
    let position = volume.geometry().index_to_world(index.into())[across];
    let text = format!("{} {:.1}", ["x", "y", "z"][across], position);
    font.write(picture, [left + 4, top + 2], &text, POSITION);
}
