//! Zero crossings, compared with a loop over the edges of the grid.

use super::distance_sites::SIZES;
use ferrovox::{
    device::Stream,
    grid::{DevicePoints, DeviceSample, DeviceVolume, Geometry, Sample, Volume},
};
use ferrovox_kernels::grid::Grid;
use ferrovox_tests::{devices, noise::Noise};

/// Returns the crossings of a volume in order of the edge slots.
fn expected<T: Sample>(volume: &Volume<T>, level: f32, value: impl Fn(T) -> f32) -> Vec<[f32; 3]> {
    let [nx, ny, nz] = volume.dims();
    let [nx, ny, nz] = [nx as u32, ny as u32, nz as u32];
    let grid = Grid { nx, ny, nz };
    let mut points = Vec::new();
    for slot in 0..grid.edges() {
        let (axis, low) = grid.edge_at(slot);
        let mut high = low;
        high[axis as usize] += 1;
        let at =
            |position: [u32; 3]| value(volume.get(position.map(|i| i as usize)).expect("a voxel"));
        let (low_value, high_value) = (at(low), at(high));
        let finite = low_value.is_finite() && high_value.is_finite();
        if finite && (low_value >= level) != (high_value >= level) {
            let [low_value, high_value, level] = [low_value, high_value, level].map(f64::from);
            let mut point = low.map(|i| i as f32);
            let coordinate =
                f64::from(low[axis as usize]) + (level - low_value) / (high_value - low_value);
            point[axis as usize] = coordinate as f32;
            points.push(point);
        }
    }
    points
}

fn check<T: DeviceSample + Sample>(
    label: &str,
    stream: &Stream,
    volume: &Volume<T>,
    level: f32,
    value: impl Fn(T) -> f32,
) {
    let on_device = DeviceVolume::upload(stream, volume.view()).unwrap();
    let found = DevicePoints::from_crossings(stream, &on_device, level).unwrap();
    let bits = |points: Vec<[f32; 3]>| -> Vec<[u32; 3]> {
        points.into_iter().map(|p| p.map(f32::to_bits)).collect()
    };
    let expected = bits(expected(volume, level, value));
    assert_eq!(found.len(), expected.len(), "{label}: {:?}", volume.dims());
    assert_eq!(found.is_empty(), expected.is_empty());
    let found = bits(found.download(stream).unwrap());
    assert!(found == expected, "{label}: {:?}", volume.dims());
}

#[test]
fn crossings_of_noise_match_the_edge_loop() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().chain([[70, 33, 5]]).enumerate() {
            let mut noise = Noise(number as u64);
            let floats =
                Volume::from_fn(dims, Geometry::default(), |_, _, _| match noise.below(20) {
                    0 => f32::NAN,
                    1 => f32::INFINITY,
                    2 => f32::NEG_INFINITY,
                    3 => f32::MAX,
                    4 => f32::MIN,
                    5..8 => 0.25,
                    _ => noise.signed(),
                });
            check(&test.label, &stream, &floats.unwrap(), 0.25, |value| value);
            let shorts = Volume::from_fn(dims, Geometry::default(), |_, _, _| noise.bits() as i16);
            check(&test.label, &stream, &shorts.unwrap(), -77.5, f32::from);
            let bytes = Volume::from_fn(dims, Geometry::default(), |_, _, _| noise.bits() as u8);
            check(&test.label, &stream, &bytes.unwrap(), 200.0, f32::from);
        }
    }
}

/// The points lie on the sphere up to the error of linear interpolation.
#[test]
fn crossings_of_a_sphere_lie_on_the_sphere() {
    let dims = [61, 64, 57];
    let centre = [30.2, 31.7, 28.1];
    let from_centre = |position: [f64; 3]| -> f64 {
        (0..3)
            .map(|axis| (position[axis] - centre[axis]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let sphere = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        (20.0 - from_centre([x, y, z].map(|i| i as f64))) as f32
    })
    .unwrap();
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        check(&test.label, &stream, &sphere, 0.0, |value| value);
        let on_device = DeviceVolume::upload(&stream, sphere.view()).unwrap();
        let points = DevicePoints::from_crossings(&stream, &on_device, 0.0).unwrap();
        let points = points.download(&stream).unwrap();
        assert!(points.len() > 5000, "{}", points.len());
        for point in points {
            let deviation = from_centre(point.map(f64::from)) - 20.0;
            // Sagitta of a chord of one voxel length.
            assert!(
                deviation.abs() < 1.0 / (8.0 * 19.0) + 1e-4,
                "{point:?} deviates by {deviation}"
            );
        }
    }
}
