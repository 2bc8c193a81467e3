//! Code of volumes in pages: 8-bit samples, and the region of the object.

use crate::{
    grid::{AnyVolume, Geometry, Histogram, OtsuError, Sample, Volume, with_volume},
    memory::{
        CollectOrUnwind, ExtendOrUnwind, concat_or_unwind, filled_or_unwind, unwrap_or_unwind,
        with_capacity_or_unwind,
    },
    parallel,
};
use nalgebra::{Matrix4, Vector3};
use std::collections::VecDeque;

/// Maximum number of samples along an axis of the volume that is shown.
pub(super) const MAX_SIDE: usize = 256;

/// Percentiles of the samples that are black and white.
const WINDOW: [f64; 2] = [0.2, 99.8];

/// Code of a volume, before compression: one byte per sample, and one bit per sample of the
/// region, 8 along x in a byte.
#[derive(Debug)]
pub(super) struct VolumeCode {
    /// Samples along x, y and z in the code.
    pub dims: [usize; 3],
    /// Samples of the volume along x, y and z per sample of the code.
    pub reduction: [usize; 3],
    /// Affine map from sample indices of the code to the world.
    pub to_world: Matrix4<f64>,
    /// Sample values of the bytes 0 and 255.
    pub window: [f64; 2],
    /// Full planes through the centre, perpendicular to x, y and z, if the volume was reduced.
    pub planes: Vec<PlaneCode>,
    pub bytes: Vec<u8>,
}

/// Plane of a volume at its full resolution.
#[derive(Debug)]
pub(super) struct PlaneCode {
    /// Axis perpendicular to the plane.
    pub axis: usize,
    /// Index of the plane in the volume.
    pub index: usize,
    /// Samples along the other two axes.
    pub dims: [usize; 2],
}

/// Range of values of the code, and the region that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct VolumeWindow {
    /// Isovalue, which the window includes.
    pub iso: Option<f64>,
    /// `true` to leave out air: samples of low values that are connected to the border.
    pub hides_air: bool,
}

impl VolumeCode {
    /// Encodes a volume.
    pub fn new(volume: &AnyVolume, window: VolumeWindow) -> Self {
        with_volume!(volume, volume => encode(volume, window))
    }
}

fn encode<T: Sample>(volume: &Volume<T>, window: VolumeWindow) -> VolumeCode {
    let dims = volume.dims();
    let reduction = dims.map(|n| n.div_ceil(MAX_SIDE).max(1));
    let reduced: [usize; 3] = [0, 1, 2].map(|axis| dims[axis].div_ceil(reduction[axis]));
    let small = average(volume, reduction, reduced);
    let histogram = Histogram::from_samples(volume.samples(), None);
    if let Err(OtsuError::Memory(error)) = histogram {
        unwrap_or_unwind(Err(error))
    }
    let range = value_range(&histogram, volume, window);
    let quantize = quantizer(range);
    let mut bytes: Vec<u8> = small
        .iter()
        .map(|&value| quantize(value))
        .collect_or_unwind();
    let is_reduced = reduction.iter().any(|&by| by > 1);
    let air = match &histogram {
        Ok(histogram) if window.hides_air => air_threshold(histogram, window.iso),
        _ => f64::NEG_INFINITY,
    };
    bytes.extend_or_unwind(bits(&object_region(&small, reduced, air), reduced[0]));
    let mut planes = Vec::new();
    if is_reduced {
        for (axis, length) in dims.into_iter().enumerate() {
            let index = length / 2;
            let (samples, plane_dims) = plane(volume, axis, index);
            bytes.extend_or_unwind(samples.iter().map(|&value| quantize(value)));
            planes.push(PlaneCode {
                axis,
                index,
                dims: plane_dims,
            });
        }
    }
    VolumeCode {
        dims: reduced,
        reduction,
        to_world: reduced_affine(volume.geometry(), reduction),
        window: range,
        planes,
        bytes,
    }
}

/// Returns the affine map of the centres of blocks of samples.
fn reduced_affine(geometry: &Geometry, reduction: [usize; 3]) -> Matrix4<f64> {
    let step = Vector3::from(reduction.map(|by| by as f64));
    let center = step.map(|by| (by - 1.0) / 2.0);
    let mut affine = geometry.affine();
    let origin = geometry.index_to_world(center.into());
    for axis in 0..3 {
        for row in 0..3 {
            affine[(row, axis)] *= step[axis];
        }
        affine[(axis, 3)] = origin[axis];
    }
    affine
}

/// Returns the mean of each block of samples. Samples that are not finite are 0.
fn average<T: Sample>(volume: &Volume<T>, by: [usize; 3], dims: [usize; 3]) -> Vec<f64> {
    let [nx, ny, nz] = volume.dims();
    let samples = volume.samples();
    let rows = parallel::map_ranges(dims[1] * dims[2], 64, |range| {
        let mut means = with_capacity_or_unwind(range.len() * dims[0]);
        for row in range {
            let [first_y, first_z] = [row % dims[1] * by[1], row / dims[1] * by[2]];
            for first_x in (0..dims[0]).map(|x| x * by[0]) {
                let (mut sum, mut count) = (0.0, 0.0);
                for z in first_z..(first_z + by[2]).min(nz) {
                    for y in first_y..(first_y + by[1]).min(ny) {
                        let start = (z * ny + y) * nx;
                        for x in first_x..(first_x + by[0]).min(nx) {
                            sum += finite(samples[start + x]);
                            count += 1.0;
                        }
                    }
                }
                means.push(sum / count);
            }
        }
        means
    });
    concat_or_unwind(&rows)
}

fn finite<T: Sample>(sample: T) -> f64 {
    if sample.is_finite() {
        sample.to_f64()
    } else {
        0.0
    }
}

/// Returns the samples of a plane, in the order of the remaining axes.
fn plane<T: Sample>(volume: &Volume<T>, axis: usize, index: usize) -> (Vec<f64>, [usize; 2]) {
    let dims = volume.dims();
    let others: [usize; 2] = [[1, 2], [0, 2], [0, 1]][axis];
    let plane_dims = others.map(|other| dims[other]);
    let mut values = with_capacity_or_unwind(plane_dims[0] * plane_dims[1]);
    for second in 0..plane_dims[1] {
        for first in 0..plane_dims[0] {
            let mut at = [index; 3];
            at[others[0]] = first;
            at[others[1]] = second;
            values.push(volume.get(at).map_or(0.0, finite));
        }
    }
    (values, plane_dims)
}

/// Returns the values of the bytes 0 and 255.
fn value_range<T: Sample>(
    histogram: &Result<Histogram, OtsuError>,
    volume: &Volume<T>,
    window: VolumeWindow,
) -> [f64; 2] {
    let summary = volume.summary();
    let whole = [summary.min.unwrap_or(0.0), summary.max.unwrap_or(1.0)];
    let [mut low, mut high] = whole;
    // Bytes, and values on a colour bar, are shown as they are.
    if let Ok(histogram) = histogram
        && window.hides_air
        && T::TYPE.bytes() > 1
    {
        low = histogram.percentile(WINDOW[0]).unwrap_or(low);
        high = histogram.percentile(WINDOW[1]).unwrap_or(high);
    }
    if let Some(iso) = window.iso {
        low = low.min(iso).max(whole[0]);
        high = high.max(iso).min(whole[1]);
    }
    if high > low {
        [low, high]
    } else {
        [low, low + 1.0]
    }
}

fn quantizer([low, high]: [f64; 2]) -> impl Fn(f64) -> u8 {
    move |value| {
        ((value - low) / (high - low) * 255.0)
            .round()
            .clamp(0.0, 255.0) as u8
    }
}

/// Returns the value below which samples are air: Otsu's threshold, or half of the isovalue's
/// height above the lowest samples if that is less.
fn air_threshold(histogram: &Histogram, iso: Option<f64>) -> f64 {
    let otsu = histogram.threshold().unwrap_or(f64::NEG_INFINITY);
    let low = histogram.percentile(WINDOW[0]).unwrap_or(otsu);
    let [from_otsu, from_iso] = [Some(otsu), iso].map(|it| it.unwrap_or(otsu));
    low + 0.5 * (from_otsu.min(from_iso) - low).max(0.0)
}

/// Returns `true` for samples that are not air: those of at least `air`, and those that they
/// enclose.
fn object_region(values: &[f64], [nx, ny, nz]: [usize; 3], air: f64) -> Vec<bool> {
    let mut is_object = filled_or_unwind(true, values.len());
    let mut queue = VecDeque::new();
    let mut visit = |at: usize, queue: &mut VecDeque<usize>| {
        if is_object[at] && values[at] < air {
            is_object[at] = false;
            queue.push_or_unwind(at);
        }
    };
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let is_border = |at: usize, n: usize| at == 0 || at + 1 == n;
                if is_border(x, nx) || is_border(y, ny) || is_border(z, nz) {
                    visit((z * ny + y) * nx + x, &mut queue);
                }
            }
        }
    }
    while let Some(at) = queue.pop_front() {
        let [x, y, z] = [at % nx, at / nx % ny, at / (nx * ny)];
        for (position, n, stride) in [(x, nx, 1), (y, ny, nx), (z, nz, nx * ny)] {
            if position > 0 {
                visit(at - stride, &mut queue);
            }
            if position + 1 < n {
                visit(at + stride, &mut queue);
            }
        }
    }
    is_object
}

/// Packs rows of `nx` flags into bytes, the first flag into the lowest bit.
fn bits(flags: &[bool], nx: usize) -> impl Iterator<Item = u8> + '_ {
    let byte = |flags: &[bool]| {
        let bits = flags.iter().enumerate();
        bits.map(|(at, &flag)| u8::from(flag) << at).sum()
    };
    flags
        .chunks(nx.max(1))
        .flat_map(move |row| row.chunks(8).map(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: VolumeWindow = VolumeWindow {
        iso: None,
        hides_air: false,
    };

    #[test]
    fn small_volume_is_not_reduced() {
        let geometry = Geometry::from_spacing([2.0, 1.0, 0.5], [1.0, 2.0, 3.0]).unwrap();
        let value = |x: usize, y: usize, z: usize| (100 * x + 10 * y + z) as i16;
        let volume = Volume::from_fn([3, 2, 2], geometry, value).unwrap();
        let code = VolumeCode::new(&volume.into(), WHOLE);
        assert_eq!((code.dims, code.reduction), ([3, 2, 2], [1; 3]));
        assert_eq!(code.to_world, geometry.affine());
        assert_eq!(code.window, [0.0, 211.0]);
        assert_eq!(code.bytes[..3], [0, 121, 242]);
        // one byte of flags per row
        assert_eq!((code.bytes.len(), code.bytes[12]), (12 + 4, 0b111));
    }

    #[test]
    fn large_volume_is_averaged_and_has_full_planes() {
        let volume = Volume::from_fn([600, 5, 4], Geometry::default(), |x, _, _| x as f32).unwrap();
        let code = VolumeCode::new(&volume.into(), WHOLE);
        assert_eq!((code.dims, code.reduction), ([200, 5, 4], [3, 1, 1]));
        assert_eq!(code.to_world[(0, 3)], 1.0);
        assert_eq!(code.to_world[(0, 0)], 3.0);
        let [first, second, third] = &code.planes[..] else {
            panic!("{:?}", code.planes)
        };
        assert_eq!((first.axis, first.index, first.dims), (0, 300, [5, 4]));
        assert_eq!((second.index, third.dims), (2, [600, 5]));
        let planes = 20 + 600 * 4 + 600 * 5;
        assert_eq!(code.bytes.len(), 200 * 20 + 25 * 20 + planes);
        // the first block has the samples 0, 1 and 2, so the mean 1 of 0 to 599
        assert_eq!(code.bytes[0], (255.0_f64 / 599.0).round() as u8);
    }

    #[test]
    fn air_around_the_object_is_left_out_and_cavities_are_not() {
        // a hollow box
        let value = |x: usize, y: usize, z: usize| {
            let inside = |low, high| [x, y, z].iter().all(|&it| it >= low && it < high);
            200 * u8::from(inside(2, 9) && !inside(4, 7))
        };
        let volume = Volume::from_fn([11; 3], Geometry::default(), value).unwrap();
        let window = VolumeWindow {
            iso: Some(100.0),
            hides_air: true,
        };
        let code = VolumeCode::new(&volume.into(), window);
        let bits = &code.bytes[11 * 11 * 11..];
        let is_object = |x: usize, y: usize, z: usize| {
            let row = (z * 11 + y) * 2;
            bits[row + x / 8] >> (x % 8) & 1 == 1
        };
        assert!(is_object(5, 5, 5) && is_object(2, 2, 2) && is_object(8, 8, 8));
        assert!(!is_object(1, 5, 5) && !is_object(9, 9, 9) && !is_object(0, 0, 0));
    }
}
