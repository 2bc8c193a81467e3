//! Colours of the pixels of a tile: samples, labels and the contour.

use super::{MontageLabels, layout::Tile};
use crate::{
    grid::{AnyVolume, Sample, Volume, with_volume},
    memory::{CollectOrUnwind, concat_or_unwind},
    parallel,
};

/// sRGB colour of contours.
const CONTOUR: [f32; 3] = [255.0, 96.0, 52.0];
/// Opacity of labels, and of their borders.
const LABEL_OPACITY: [f32; 2] = [0.42, 0.95];

/// Returns the pixels of a tile.
pub fn tile_colours<T: Sample>(
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
        range.map(value).collect_or_unwind()
    });
    let values = concat_or_unwind(&values);
    let label_values = labels.map(|labels| {
        let labels = parallel::map_ranges(count, per_thread, |range| {
            let label = |at| {
                let index = tile.index(pixel(at)).into();
                let world = volume.geometry().index_to_world(index);
                nearest_label(labels.volume, world)
            };
            range.map(label).collect_or_unwind()
        });
        concat_or_unwind(&labels)
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
    (0..count).map(colour).collect_or_unwind()
}

/// Returns the trilinear interpolation at an index; constant beyond the border.
fn interpolate<T: Sample>(volume: &Volume<T>, index: [f64; 3]) -> f64 {
    let dims = volume.dims();
    let clamped = [0, 1, 2].map(|axis| index[axis].clamp(0.0, (dims[axis] - 1) as f64));
    volume.interpolate(clamped).unwrap_or(0.0)
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

fn mix(from: [f32; 3], to: [f32; 3], weight: f32) -> [f32; 3] {
    [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * weight)
}

pub fn pack(colour: [f32; 3]) -> u32 {
    let [r, g, b] = colour.map(|channel| (channel + 0.5) as u8);
    u32::from_le_bytes([r, g, b, 255])
}
