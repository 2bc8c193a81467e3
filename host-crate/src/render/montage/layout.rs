//! Layout of montages: the tiles, and the planes that they show.

use super::MontageParams;
use crate::{
    grid::{Sample, Volume},
    parallel,
};

/// Rows of a montage: the world axes across the planes, to the right and upwards.
const ROWS: [[usize; 3]; 3] = [[2, 0, 1], [1, 0, 2], [0, 1, 2]];
/// Pixels between planes.
const GAP: u32 = 6;
/// Part of the object's extent that is shown around it on each side, for the letters.
const MARGIN: f64 = 0.1;

/// Tile of a montage.
#[derive(Clone, Copy)]
pub struct Tile {
    /// World axes across, to the right and upwards.
    pub world: [usize; 3],
    /// Axes of the grid that are nearest to them, and their directions.
    pub axes: [usize; 3],
    pub signs: [f64; 3],
    /// Index of the plane along the axis across.
    pub plane: f64,
    /// Lowest and highest index that is shown along the axes to the right and upwards.
    pub ranges: [[f64; 2]; 2],
    pub corner: [u32; 2],
    pub size: [u32; 2],
}

impl Tile {
    /// Returns the position of a pixel in indices of the grid.
    pub fn index(&self, [x, y]: [u32; 2]) -> [f64; 3] {
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

/// Places the tiles, and returns them with the height of the picture.
pub fn arrange<T: Sample>(
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
