//! Smoothing and resampling of volumes, compared with direct sums over all samples in `f64`.

use ferrovox::{
    grid::{AnyVolume, DeviceVolume, Geometry, Volume},
    nalgebra::{Matrix3, Point3, Vector3},
    volume_filter::{
        Interpolation, ResampleGrid, TargetSpacing, VolumeFilter, VolumeFilterError, resample,
        resample_nearest, smooth,
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    noise::Noise,
};

/// Sizes with an axis of 0, 1, primes, and long thin ones.
const DIMS: [[usize; 3]; 7] = [
    [0, 3, 4],
    [1, 1, 1],
    [7, 5, 3],
    [13, 1, 11],
    [67, 2, 1],
    [1, 3, 41],
    [17, 19, 23],
];

fn noise_volume(dims: [usize; 3], geometry: Geometry) -> Volume<i16> {
    let mut noise = Noise(dims.iter().sum::<usize>() as u64 + 5);
    Volume::from_fn(dims, geometry, |_, _, _| (noise.below(4001) as i16) - 2000).unwrap()
}

fn spaced(spacing: [f64; 3]) -> Geometry {
    Geometry::from_spacing(spacing, [-7.0, 3.0, 11.0]).unwrap()
}

/// Returns the sample at an index, with the outermost samples beyond the border.
fn clamped(volume: &Volume<i16>, index: [i64; 3]) -> f64 {
    let dims = volume.dims();
    let inside = [0, 1, 2].map(|k| index[k].clamp(0, dims[k] as i64 - 1) as usize);
    f64::from(volume.get(inside).unwrap())
}

fn voxels(dims: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [nx, ny, nz] = dims;
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// Sums the samples of the box of truncation with the product of three Gaussians.
fn smoothed(volume: &Volume<i16>, voxel: [usize; 3], sigma: [f64; 3]) -> f64 {
    let radius = sigma.map(|sigma| (4.0 * sigma + 0.5).floor() as i64);
    let weight = |k: usize, step: i64| (-0.5 * (step as f64 / sigma[k]).powi(2)).exp();
    let (mut sum, mut total) = (0.0, 0.0);
    for dz in -radius[2]..=radius[2] {
        for dy in -radius[1]..=radius[1] {
            for dx in -radius[0]..=radius[0] {
                let step = [dx, dy, dz];
                let weight: f64 = (0..3).map(|k| weight(k, step[k])).product();
                let index = [0, 1, 2].map(|k| voxel[k] as i64 + step[k]);
                sum += weight * clamped(volume, index);
                total += weight;
            }
        }
    }
    sum / total
}

fn download(test: &TestDevice, volume: &DeviceVolume<f32>) -> Vec<f32> {
    let stream = test.device.stream().unwrap();
    stream.download(volume.samples()).unwrap()
}

#[test]
fn smoothing_matches_the_sum_over_a_box() {
    let spacing = [0.5, 1.0, 2.5];
    for (case, dims) in DIMS.into_iter().enumerate() {
        let volume = noise_volume(dims, spaced(spacing));
        let longest = (0..3)
            .map(|k| dims[k] as f64 * spacing[k])
            .fold(0.0, f64::max);
        let sigma = f64::min([0.9, 0.3, 1.7][case % 3_usize], longest);
        let mut bits: Option<Vec<u32>> = None;
        for test in devices::all() {
            let stream = test.device.stream().unwrap();
            let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let found = smooth(&stream, &on_device, sigma).unwrap();
            assert_eq!((found.dims(), found.geometry()), (dims, volume.geometry()));
            let found = download(&test, &found);
            for (voxel, &found) in voxels(dims).zip(&found) {
                let expected = smoothed(&volume, voxel, spacing.map(|step| sigma / step));
                let error = (f64::from(found) - expected).abs();
                assert!(
                    error < 2e-3,
                    "{}: {dims:?} {voxel:?} {found} {expected}",
                    test.label
                );
            }
            let found: Vec<u32> = found.iter().map(|it| it.to_bits()).collect();
            assert_eq!(*bits.get_or_insert(found.clone()), found, "{}", test.label);
        }
    }
}

#[test]
fn smoothing_keeps_constant_regions_and_means() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let plateau = |x: usize, _: usize, _: usize| if x < 20 { 100.3_f32 } else { 7.1 };
        let volume = Volume::from_fn([40, 5, 6], spaced([1.0; 3]), plateau).unwrap();
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let found = download(&test, &smooth(&stream, &on_device, 1.1).unwrap());
        for (voxel, found) in voxels(volume.dims()).zip(found) {
            match voxel[0] {
                0..15 => assert_eq!(found, 100.3),
                25.. => assert_eq!(found, 7.1),
                _ => assert!((7.1..=100.3).contains(&found)),
            }
        }
    }
}

#[test]
fn standard_deviation_out_of_range_is_an_error() {
    let stream = devices::fast()[0].device.stream().unwrap();
    let volume = noise_volume([5, 4, 3], spaced([2.0; 3]));
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    for sigma in [0.0, -1.0, f64::NAN] {
        let error = smooth(&stream, &on_device, sigma).unwrap_err();
        assert!(matches!(error, VolumeFilterError::Sigma { .. }), "{error}");
    }
    let error = smooth(&stream, &on_device, 10.5).unwrap_err();
    assert!(matches!(
        error,
        VolumeFilterError::SigmaTooLarge { longest: 10.0, .. }
    ));
}

/// Returns the trilinear interpolant at a world position, found by its own inverse of the affine.
fn interpolated(volume: &Volume<i16>, world: Point3<f64>) -> f64 {
    let geometry = volume.geometry();
    let dims = volume.dims();
    let inverse = geometry.axes().try_inverse().unwrap();
    let index = inverse * (world - geometry.origin());
    let at = [0, 1, 2].map(|k| index[k].clamp(0.0, dims[k] as f64 - 1.0));
    let mut sum = 0.0;
    for corner in 0..8_i64 {
        let corner = [corner & 1, corner >> 1 & 1, corner >> 2];
        let low = at.map(f64::floor);
        let weight = |k: usize| {
            let fraction = at[k] - low[k];
            if corner[k] == 1 {
                fraction
            } else {
                1.0 - fraction
            }
        };
        let index = [0, 1, 2].map(|k| low[k] as i64 + corner[k]);
        sum += (0..3).map(weight).product::<f64>() * clamped(volume, index);
    }
    sum
}

/// Geometries that are axis-aligned, mirrored, and oblique with anisotropic spacing.
fn geometries() -> [Geometry; 3] {
    let mirrored = Matrix3::from_diagonal(&Vector3::new(-0.7, 1.0, 2.0));
    let oblique = Matrix3::new(0.6, -0.7, 0.2, 0.5, 0.9, 0.3, -0.1, 0.1, 2.5);
    [
        spaced([1.0, 0.8, 3.0]),
        Geometry::new(mirrored, Vector3::new(4.0, 5.0, -6.0)).unwrap(),
        Geometry::new(oblique, Vector3::new(-10.0, 0.5, 2.0)).unwrap(),
    ]
}

fn targets() -> [TargetSpacing; 4] {
    [
        TargetSpacing::Isotropic,
        TargetSpacing::Given([0.37, 0.5, 1.9]),
        TargetSpacing::Given([2.3, 1.7, 5.1]),
        TargetSpacing::Given([1.0, 100.0, 0.9]),
    ]
}

#[test]
fn resampled_values_are_those_at_their_world_position() {
    for (case, dims) in DIMS.into_iter().enumerate() {
        let geometry = geometries()[case % 3_usize];
        let volume = noise_volume(dims, geometry);
        for target in targets() {
            let grid = ResampleGrid::new(dims, &geometry, target).unwrap();
            let mut bits: Option<Vec<u32>> = None;
            for test in devices::all() {
                let stream = test.device.stream().unwrap();
                let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
                let found = resample(&stream, &on_device, &grid).unwrap();
                assert_eq!(
                    (found.dims(), found.geometry()),
                    (grid.dims(), grid.geometry())
                );
                let found = download(&test, &found);
                for (voxel, &found) in voxels(grid.dims()).zip(&found) {
                    let index = Point3::from(voxel.map(|n| n as f64));
                    let expected = interpolated(&volume, grid.geometry().index_to_world(index));
                    let error = (f64::from(found) - expected).abs();
                    assert!(
                        error < 2e-3,
                        "{}: {dims:?} {target:?} {voxel:?}",
                        test.label
                    );
                }
                let found: Vec<u32> = found.iter().map(|it| it.to_bits()).collect();
                assert_eq!(*bits.get_or_insert(found.clone()), found, "{}", test.label);
            }
        }
    }
}

#[test]
fn nearest_samples_are_copied_bit_for_bit() {
    fn check<T: ferrovox::grid::Sample>(value: impl Fn(usize) -> T) {
        let dims = [7, 5, 4];
        let geometry = geometries()[2];
        let samples: Vec<T> = (0..140).map(value).collect();
        let volume = Volume::new(samples, dims, geometry).unwrap();
        for target in targets() {
            let grid = ResampleGrid::new(dims, &geometry, target).unwrap();
            for test in devices::all() {
                let stream = test.device.stream().unwrap();
                let found = resample_nearest(&stream, &volume, &grid).unwrap();
                assert_eq!(
                    (found.dims(), found.geometry()),
                    (grid.dims(), grid.geometry())
                );
                for (voxel, found) in voxels(grid.dims()).zip(found.samples()) {
                    let index = Point3::from(voxel.map(|n| n as f64));
                    let world = grid.geometry().index_to_world(index);
                    let at = geometry.world_to_index(world);
                    let clamped = [0, 1, 2].map(|k| at[k].clamp(0.0, dims[k] as f64 - 1.0));
                    // all samples within half a spacing are nearest, as for ties
                    let is_near = |candidate: &[usize; 3]| {
                        (0..3).all(|k| (candidate[k] as f64 - clamped[k]).abs() < 0.5 + 1e-6)
                    };

                    let equal = voxels(dims)
                        .filter(is_near)
                        .any(|candidate| bits(&volume.get(candidate).unwrap()) == bits(found));
                    assert!(equal, "{}: {target:?} {voxel:?} {found:?}", test.label);
                }
            }
        }
    }
    check(|i| i as u8);
    check(|i| i as i16 - 70);
    check(|i| i as i32 * -15_000_001);
    check(|i| f32::from_bits(0x7fc0_0000 + i as u32));
    check(|i| i as f64 * 1e300);
}

/// Returns the bytes of a sample.
fn bits<T: ferrovox::grid::Sample>(value: &T) -> Vec<u8> {
    let volume = Volume::new(vec![*value], [1, 1, 1], Geometry::default()).unwrap();
    AnyVolume::from(volume).bytes().to_vec()
}

#[test]
fn filters_of_any_type_apply_in_turn() {
    let geometry = spaced([1.0, 1.0, 2.0]);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let volume = noise_volume([9, 8, 7], geometry);
        let filter = VolumeFilter {
            sigma: Some(1.2),
            spacing: Some(TargetSpacing::Isotropic),
            interpolation: Interpolation::Linear,
        };
        let filtered = filter.apply(&stream, volume.clone().into()).unwrap();
        let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let smooth = smooth(&stream, &on_device, 1.2).unwrap();
        let grid = ResampleGrid::new([9, 8, 7], &geometry, TargetSpacing::Isotropic).unwrap();
        let expected = download(&test, &resample(&stream, &smooth, &grid).unwrap());
        let AnyVolume::F32(found) = filtered.volume else {
            panic!("not f32");
        };
        assert_eq!(found.dims(), [9, 8, 14]);
        assert_eq!(found.samples(), expected);
        // f64 is rounded, and counted
        let wide = Volume::from_fn([4, 4, 4], geometry, |x, _, _| 0.1 + x as f64).unwrap();
        let filtered = filter.apply(&stream, wide.into()).unwrap();
        assert_eq!(filtered.inexact, 64);
        let labels = VolumeFilter {
            interpolation: Interpolation::Nearest,
            ..filter
        };
        let error = labels.apply(&stream, volume.into()).unwrap_err();
        assert!(matches!(error, VolumeFilterError::SmoothLabels));
    }
}

#[test]
fn grids_beyond_the_memory_are_errors_with_their_size() {
    let stream = devices::fast()[0].device.stream().unwrap();
    let volume = noise_volume([50, 50, 50], spaced([1.0; 3]));
    let target = TargetSpacing::Given([0.001; 3]);
    let grid = ResampleGrid::new([50; 3], volume.geometry(), target).unwrap();
    let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let error = resample(&stream, &on_device, &grid)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("50000 x 50000 x 50000 samples, which need 500000000000000 bytes"),
        "{error}"
    );
    let error = resample_nearest(&stream, &volume, &grid)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("which need 250000000000000 bytes"),
        "{error}"
    );
}
