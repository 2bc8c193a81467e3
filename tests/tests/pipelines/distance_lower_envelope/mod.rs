//! Lower-envelope kernels: compared bit by bit with the other exact kernels, and with minima along
//! scanlines.

mod anisotropic;
mod isotropic;
mod labels;

use ferrovox::{
    device::{CpuOptions, Device},
    distance::{self, DistanceParams, NearestIndices, NoSites, Sites},
    grid::{DeviceMask, Geometry},
};
use ferrovox_tests::{devices, noise::Noise};
use simt::Mode;

type Dims = [usize; 3];

/// Returns the squared distance to the nearest site for squared spacings, and the smallest index on
/// ties: minima along each axis in turn, over all candidates that can be better.
fn nearest_sites(mask: &[u8], [nx, ny, nz]: Dims, weights: [u64; 3]) -> Vec<(u64, usize)> {
    let background = (u64::MAX / 4, usize::MAX);
    let mut map: Vec<(u64, usize)> = (0..mask.len())
        .map(|i| if mask[i] == 0 { background } else { (0, i) })
        .collect();
    let axes = [
        (nx, 1, (0..ny * nz).map(|i| i * nx).collect::<Vec<_>>()),
        (
            ny,
            nx,
            (0..nx * nz).map(|i| i / nx * nx * ny + i % nx).collect(),
        ),
        (nz, nx * ny, (0..nx * ny).collect()),
    ];
    for ((len, stride, line_starts), weight) in axes.into_iter().zip(weights) {
        for first in line_starts {
            let costs: Vec<(u64, usize)> = (0..len).map(|i| map[first + i * stride]).collect();
            for output in 0..len {
                let mut best = costs[output];
                let mut step = 1;
                while step < len && weight * ((step * step) as u64) <= best.0 {
                    let step_squared = weight * (step * step) as u64;
                    let before = output
                        .checked_sub(step)
                        .map_or(background, |position| costs[position]);
                    let after = costs.get(output + step).copied().unwrap_or(background);
                    let (cost, site) = before.min(after);
                    best = best.min((cost.saturating_add(step_squared), site));
                    step += 1;
                }
                map[first + output * stride] = best;
            }
        }
    }
    map
}

/// Squared spacings, and the distance represented by a squared distance of 1.
type Metric = ([u64; 3], f64);

/// Returns the metric of isotropic voxels.
fn isotropic(side: f64) -> Metric {
    ([1; 3], side)
}

/// Returns the distances rounded to f32, as a product of a unit and a root in f64.
fn distances(mask: &[u8], dims: Dims, metric: Metric) -> Vec<f32> {
    bounded_map(mask, dims, metric, None).0
}

/// Returns distances and nearest sites, truncated at a bound.
fn bounded_map(
    mask: &[u8],
    dims: Dims,
    (weights, unit): Metric,
    max_distance: Option<f64>,
) -> (Vec<f32>, Vec<u32>) {
    let background = max_distance.map_or(f32::INFINITY, |max_distance| max_distance as f32);
    let max_squared = max_distance.map_or(f64::from(u32::MAX), |max_distance| {
        (max_distance / unit).powi(2).floor()
    });
    nearest_sites(mask, dims, weights)
        .into_iter()
        .map(|(squared, site)| {
            if squared as f64 > max_squared {
                return (background, u32::MAX);
            }
            let distance = (unit * (squared as f64).sqrt()) as f32;
            (distance.min(background), site as u32)
        })
        .unzip()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Field {
    Empty,
    Full,
    One,
    Corners,
    Plane,
    Shell,
    /// One random voxel in this many.
    Random(u64),
}

const FIELDS: [Field; 9] = [
    Field::Empty,
    Field::Full,
    Field::One,
    Field::Corners,
    Field::Plane,
    Field::Shell,
    Field::Random(2),
    Field::Random(50),
    Field::Random(2000),
];

fn mask(field: Field, dims: Dims, seed: u64) -> Vec<u8> {
    let [nx, ny, nz] = dims;
    let mut noise = Noise(seed);
    let min_side = *dims.iter().min().unwrap() as f64;
    let single_site = dims.map(|n| noise.below(n as u64) as usize);
    (0..nx * ny * nz)
        .map(|i| {
            let at = [i % nx, i / nx % ny, i / (nx * ny)];
            let is_site = match field {
                Field::Empty => false,
                Field::Full => true,
                Field::One => at == single_site,
                Field::Corners => at == [0; 3] || at == dims.map(|n| n - 1),
                Field::Plane => at[2] == nz / 2,
                Field::Shell => {
                    let from_centre = |a: usize| at[a] as f64 - (dims[a] as f64 - 1.0) / 2.0;
                    let radius = (0..3).map(|a| from_centre(a).powi(2)).sum::<f64>().sqrt();
                    (radius - 0.4 * min_side).abs() < 0.5
                }
                Field::Random(one_in) => noise.below(one_in) == 0,
            };
            u8::from(is_site)
        })
        .collect()
}

fn params() -> DistanceParams {
    DistanceParams {
        no_sites: NoSites::Infinity,
        ..DistanceParams::default()
    }
}

fn checked(seed: u64) -> Device {
    Device::cpu_with(CpuOptions {
        mode: Mode::Checked { seed },
        block: 1,
    })
}

#[track_caller]
fn assert_same(found: &[f32], expected: &[f32], context: &str) {
    assert_eq!(found.len(), expected.len(), "{context}");
    let wrong = (0..found.len()).find(|&i| found[i].to_bits() != expected[i].to_bits());
    if let Some(i) = wrong {
        panic!("{context}, voxel {i}: {}, not {}", found[i], expected[i]);
    }
}

/// Returns the spacing of a metric.
fn spacing((weights, unit): Metric) -> [f64; 3] {
    weights.map(|weight| unit * (weight as f64).sqrt())
}

/// Compares bounds and nearest sites of the lower-envelope kernels on `device` and of the default
/// kernels on all devices with minima along scanlines.
fn check_sites(
    device: &Device,
    field: Field,
    dims: Dims,
    metric: Metric,
    max_distance: Option<f64>,
) {
    let mask = mask(field, dims, dims.iter().sum::<usize>() as u64);
    check_mask(
        device,
        &mask,
        dims,
        metric,
        max_distance,
        &format!("{field:?}"),
    );
}

fn check_mask(
    device: &Device,
    mask: &[u8],
    dims: Dims,
    metric: Metric,
    max_distance: Option<f64>,
    context: &str,
) {
    let (distances, sites) = bounded_map(mask, dims, metric, max_distance);
    let geometry = Geometry::from_spacing(spacing(metric), [0.0; 3]).unwrap();
    let fast = devices::fast();
    let all = std::iter::once((device, true)).chain(fast.iter().map(|test| (&test.device, false)));
    for (device, use_lower_envelope) in all {
        let stream = device.stream().unwrap();
        let mask = DeviceMask::upload(&stream, mask, dims, geometry).unwrap();
        // With the kernels for long and for short scanlines.
        for (nearest, has_long_scanlines) in [(false, true), (false, false), (true, false)] {
            if !has_long_scanlines && !nearest && !use_lower_envelope {
                continue;
            }
            let context = format!(
                "{} {context} {dims:?} {metric:?} {max_distance:?} {nearest} {has_long_scanlines}",
                device.id()
            );
            let params = DistanceParams {
                max_distance,
                nearest,
                ..params()
            };
            let map = if use_lower_envelope {
                let map =
                    distance::transform_by_envelopes(&stream, &mask, &params, has_long_scanlines)
                        .unwrap();
                map.expect("the grid is_site supported")
            } else {
                distance::transform(&stream, Sites::Voxels(&mask), &params).unwrap()
            };
            assert_same(
                &stream.download(&map.distances).unwrap(),
                &distances,
                &context,
            );
            match map.nearest {
                Some(NearestIndices::U32(found)) => {
                    let found = stream.download(&found).unwrap();
                    let wrong = (0..found.len()).find(|&i| found[i] != sites[i]);
                    if let Some(i) = wrong {
                        panic!("{context}, voxel {i}: site {}, not {}", found[i], sites[i]);
                    }
                }
                found => assert!(found.is_none() && !nearest, "{context}"),
            }
        }
    }
}
