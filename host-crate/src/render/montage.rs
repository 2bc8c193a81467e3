//! Montages: planes of a volume side by side, drawn on the host.

use super::{MAX_SIDE, Picture, RenderError, picture::PIXELS, text::Font};
use crate::{
    device::DeviceError,
    grid::{AnyVolume, Histogram, Sample, Volume, with_volume},
    memory, parallel,
};

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

/// Rows of a montage: the world axes across the planes, to the right and upwards.
const ROWS: [[usize; 3]; 3] = [[2, 0, 1], [1, 0, 2], [0, 1, 2]];
/// Pixels between planes.
const GAP: u32 = 6;
/// Part of the object's extent that is shown around it on each side.
const MARGIN: f64 = 0.06;
/// Percentiles of the samples that are black and white.
const WINDOW: [f64; 2] = [0.5, 99.5];
/// sRGB colour between planes.
const BETWEEN: [f32; 3] = [24.0, 27.0, 33.0];
/// sRGB colour of contours.
const CONTOUR: [f32; 3] = [255.0, 96.0, 52.0];
/// sRGB colours of letters and positions.
const LETTER: [f32; 3] = [255.0, 214.0, 92.0];
const POSITION: [f32; 3] = [205.0, 212.0, 222.0];
/// Opacity of labels, and of their borders.
const LABEL_OPACITY: [f32; 2] = [0.42, 0.95];

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
    with_volume!(volume, volume => draw(volume, labels, params))
}

/// Tile of a montage.
#[derive(Clone, Copy)]
struct Tile {
    /// World axes across, to the right and upwards.
    world: [usize; 3],
    /// Axes of the grid that are nearest to them, and their directions.
    axes: [usize; 3],
    signs: [f64; 3],
    /// Index of the plane along the axis across.
    plane: f64,
    /// Lowest and highest index that is shown along the axes to the right and upwards.
    ranges: [[f64; 2]; 2],
    corner: [u32; 2],
    size: [u32; 2],
}

impl Tile {
    /// Returns the position of a pixel in indices of the grid.
    fn index(&self, [x, y]: [u32; 2]) -> [f64; 3] {
        let parts = [
            (f64::from(x) + 0.5) / f64::from(self.size[0]),
            1.0 - (f64::from(y) + 0.5) / f64::from(self.size[1]),
        ];
        let mut index = [0.0; 3];
        index[self.axes[0]] = self.plane;
        for k in 0..2 {
            let part = if self.signs[k + 1] > 0.0 {
                parts[k]
            } else {
                1.0 - parts[k]
            };
            let [low, high] = self.ranges[k];
            index[self.axes[k + 1]] = low + part * (high - low);
        }
        index
    }
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
    let window = params.window.unwrap_or_else(|| percentiles(volume));
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

/// Places the tiles, and returns them with the height of the picture.
fn arrange<T: Sample>(
    volume: &Volume<T>,
    planes: u32,
    params: &MontageParams,
) -> Option<(Vec<Tile>, u32)> {
    let geometry = volume.geometry();
    let spacing = geometry.spacing();
    let ranges = object_ranges(volume, params.iso);
    let grid_axes = nearest_axes(geometry.axes());
    let shown = [0, 1, 2].map(|axis| {
        let [low, high] = ranges[axis];
        let margin = MARGIN * (high - low) + 1.0;
        [low - margin, high + margin]
    });
    let length = |axis: usize| (shown[axis][1] - shown[axis][0]) * spacing[axis];
    let free = params.width.checked_sub(GAP * (planes + 1))?;
    let per_tile = f64::from(free / planes);
    let widest = ROWS.map(|[_, right, _]| length(grid_axes[right].0));
    let scale = per_tile / widest.into_iter().fold(0.0, f64::max);
    let mut tiles = Vec::new();
    let mut top = GAP;
    for world in ROWS {
        let found = world.map(|axis| grid_axes[axis]);
        let axes = found.map(|(axis, _)| axis);
        let size = [1, 2].map(|k| ((length(axes[k]) * scale).round() as u32).max(1));
        let row = size[0] * planes + GAP * (planes - 1);
        let left = params.width.checked_sub(row)? / 2;
        let [low, high] = ranges[axes[0]];
        for number in 0..planes {
            let part = (f64::from(number) + 0.5) / f64::from(planes);
            let part = if found[0].1 > 0.0 { part } else { 1.0 - part };
            tiles.push(Tile {
                world,
                axes,
                signs: found.map(|(_, sign)| sign),
                plane: (low + part * (high - low)).round(),
                ranges: [shown[axes[1]], shown[axes[2]]],
                corner: [left + number * (size[0] + GAP), top],
                size,
            });
        }
        top += size[1] + GAP;
    }
    Some((tiles, top))
}

/// Returns the axis of the grid that is nearest to each world axis, and the sign of its direction.
fn nearest_axes(matrix: &nalgebra::Matrix3<f64>) -> [(usize, f64); 3] {
    let mut orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let unit = |row: usize, axis: usize| matrix[(row, axis)] / matrix.column(axis).norm();
    let fit = |order: &[usize; 3]| (0..3).map(|row| unit(row, order[row]).abs()).sum::<f64>();
    orders.sort_by(|a, b| fit(b).total_cmp(&fit(a)));
    [0, 1, 2].map(|row| (orders[0][row], unit(row, orders[0][row]).signum()))
}

/// Returns the first and the last index along each axis of the samples of at least the isovalue;
/// the whole volume without an isovalue, or without such samples.
fn object_ranges<T: Sample>(volume: &Volume<T>, iso: Option<f64>) -> [[f64; 2]; 3] {
    let dims = volume.dims();
    let whole = dims.map(|n| [0.0, (n - 1) as f64]);
    let Some(iso) = iso else {
        return whole;
    };
    let [nx, ny, _] = dims;
    let samples = volume.samples();
    let range = |rows: std::ops::Range<usize>| {
        let mut box_ = [[usize::MAX, 0]; 3];
        for row in rows {
            let values = &samples[row * nx..(row + 1) * nx];
            let is_inside = |value: &T| value.to_f64() >= iso;
            let (Some(first), Some(last)) = (
                values.iter().position(is_inside),
                values.iter().rposition(is_inside),
            ) else {
                continue;
            };
            for (axis, [low, high]) in [(0, [first, last]), (1, [row % ny; 2]), (2, [row / ny; 2])]
            {
                box_[axis] = [box_[axis][0].min(low), box_[axis][1].max(high)];
            }
        }
        box_
    };
    let join = |a: [[usize; 2]; 3], b: [[usize; 2]; 3]| {
        [0, 1, 2].map(|axis| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
    };
    match parallel::reduce(dims[1] * dims[2], 256, range, join) {
        Some(found) if found[0][0] <= found[0][1] => found.map(|ends| ends.map(|at| at as f64)),
        _ => whole,
    }
}

fn percentiles<T: Sample>(volume: &Volume<T>) -> [f64; 2] {
    let summary = volume.summary();
    let whole = [summary.min.unwrap_or(0.0), summary.max.unwrap_or(1.0)];
    match Histogram::from_samples(volume.samples(), None) {
        Ok(histogram) => {
            let [low, high] = WINDOW.map(|percent| histogram.percentile(percent));
            [low.unwrap_or(whole[0]), high.unwrap_or(whole[1])]
        }
        Err(_) => whole,
    }
}

/// Returns the pixels of a tile.
fn tile_colours<T: Sample>(
    volume: &Volume<T>,
    labels: Option<&MontageLabels<'_>>,
    tile: &Tile,
    [black, white]: [f64; 2],
    iso: Option<f64>,
) -> Vec<u32> {
    let [width, height] = tile.size;
    let pixel = |at: usize| [at as u32 % width, at as u32 / width];
    let count = width as usize * height as usize;
    let per_thread = 4096;
    let values = parallel::map_ranges(count, per_thread, |range| {
        let value = |at| interpolate(volume, tile.index(pixel(at)));
        range.map(value).collect::<Vec<f64>>()
    })
    .concat();
    let label_values = labels.map(|labels| {
        parallel::map_ranges(count, per_thread, |range| {
            let label = |at| {
                let index = tile.index(pixel(at)).into();
                let world = volume.geometry().index_to_world(index);
                nearest_label(labels.volume, world)
            };
            range.map(label).collect::<Vec<i64>>()
        })
        .concat()
    });
    let near = |at: usize, [dx, dy]: [i64; 2]| {
        let [x, y] = pixel(at);
        let x = (i64::from(x) + dx).clamp(0, i64::from(width) - 1);
        let y = (i64::from(y) + dy).clamp(0, i64::from(height) - 1);
        (y * i64::from(width) + x) as usize
    };
    let colour = |at: usize| {
        let gray = ((values[at] - black) / (white - black).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let mut colour = [gray as f32 * 255.0; 3];
        if let (Some(labels), Some(list)) = (labels, &label_values)
            && list[at] != 0
        {
            let own = (labels.color)(list[at]).map(f32::from);
            let is_border = [[1, 0], [0, 1], [-1, 0], [0, -1]]
                .into_iter()
                .any(|step| list[near(at, step)] != list[at]);
            colour = mix(colour, own, LABEL_OPACITY[usize::from(is_border)]);
        }
        if let Some(iso) = iso {
            let change = |a, b| (values[near(at, a)] - values[near(at, b)]) / 2.0;
            let slope = f64::hypot(change([1, 0], [-1, 0]), change([0, 1], [0, -1]));
            let away = (values[at] - iso).abs() / slope.max(1e-12);
            if slope > 0.0 {
                colour = mix(colour, CONTOUR, (1.4 - away).clamp(0.0, 1.0) as f32);
            }
        }
        pack(colour)
    };
    (0..count).map(colour).collect()
}

/// Returns the trilinear interpolation at an index; constant beyond the border.
fn interpolate<T: Sample>(volume: &Volume<T>, index: [f64; 3]) -> f64 {
    let dims = volume.dims();
    let cells = [0, 1, 2].map(|axis| {
        let at = index[axis].clamp(0.0, (dims[axis] - 1) as f64);
        let low = at.floor();
        let next = ((low as usize) + 1).min(dims[axis] - 1);
        ([low as usize, next], at - low)
    });
    let mut sum = 0.0;
    for corner in 0..8 {
        let (mut at, mut weight) = ([0; 3], 1.0);
        for axis in 0..3 {
            let side = corner >> axis & 1;
            at[axis] = cells[axis].0[side];
            weight *= if side == 1 {
                cells[axis].1
            } else {
                1.0 - cells[axis].1
            };
        }
        if weight > 0.0 {
            sum += weight * volume.get(at).map_or(0.0, Sample::to_f64);
        }
    }
    sum
}

/// Returns the label of the voxel that contains a point; 0 outside of the map.
fn nearest_label(labels: &AnyVolume, world: nalgebra::Point3<f64>) -> i64 {
    let index = labels.geometry().world_to_index(world);
    let rounded = [index.x, index.y, index.z].map(f64::round);
    if rounded.iter().any(|&at| !(0.0..1e9).contains(&at)) {
        return 0;
    }
    let at = rounded.map(|it| it as usize);
    with_volume!(labels, labels => labels.get(at).map_or(0, |label| label.to_f64() as i64))
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

fn mix(from: [f32; 3], to: [f32; 3], weight: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * weight)
}

fn pack(colour: [f32; 3]) -> u32 {
    let [r, g, b] = colour.map(|channel| (channel + 0.5) as u8);
    u32::from_le_bytes([r, g, b, 255])
}
