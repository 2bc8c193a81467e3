//! Synthetic fields compared with their formulas.

use ferrovox::{
    device::Element,
    grid::DeviceVolume,
    synthetic::{self, Capsule, Levels, Metaball, Quantised},
};
use ferrovox_tests::devices;

fn assert_near(
    label: &str,
    volume: &[f32],
    dims: [usize; 3],
    field: impl Fn([f64; 3]) -> f64,
    tolerance: f64,
) {
    for (i, &value) in volume.iter().enumerate() {
        let place = [i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]].map(|c| c as f64);
        let expected = field(place);
        let close = (value as f64 - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(close, "{label} at {place:?}: {value}, expected {expected}");
    }
}

#[test]
fn fields_follow_their_formulas() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let samples = |volume: DeviceVolume<f32>| stream.download(volume.samples()).unwrap();
        let label = &test.label;

        let dims = [17, 9, 12];
        let sphere = samples(synthetic::sphere(&stream, dims, 4.5).unwrap());
        let square = |p: [f64; 3], c: [f64; 3]| (0..3).map(|k| (p[k] - c[k]).powi(2)).sum::<f64>();
        assert_near(
            label,
            &sphere,
            dims,
            |p| 4.5 - square(p, [8.0, 4.0, 5.5]).sqrt(),
            1e-6,
        );

        let gyroid = samples(synthetic::gyroid(&stream, dims, 20.0).unwrap());
        let coordinate = |p: [f64; 3], k: usize| p[k] * 20.0 / (dims[k] - 1) as f64;
        let expected = |p| {
            let [x, y, z] = [0, 1, 2].map(|k| coordinate(p, k));
            z.sin() * y.cos() + y.sin() * x.cos() + x.sin() * z.cos()
        };
        assert_near(label, &gyroid, dims, expected, 1e-5);

        let balls = [
            Metaball {
                centre: [5.0, 4.0, 6.0],
                radius: 3.0,
            },
            Metaball {
                centre: [10.5, 3.0, 5.0],
                radius: 2.0,
            },
        ];
        let metaballs = samples(synthetic::metaballs(&stream, dims, &balls).unwrap());
        let expected = |p| {
            let one = |ball: &Metaball| {
                let r2 = (ball.radius as f64).powi(2);
                r2 / square(p, ball.centre.map(f64::from)).max(1e-4 * r2)
            };
            balls.iter().map(one).sum()
        };
        assert_near(label, &metaballs, dims, expected, 1e-5);

        let capsules = [
            Capsule {
                ends: [[2.0, 3.0, 1.0], [11.0, 5.0, 9.0]],
                radii: [2.0, 1.0],
            },
            Capsule {
                ends: [[13.0, 1.0, 4.0]; 2],
                radii: [3.0, 9.0],
            },
        ];
        let (scale, offset) = ([0.5, 1.0, 2.0], [3.0, -1.0, 0.5]);
        let found = synthetic::capsules(&stream, dims, &capsules, 4.0, scale, offset).unwrap();
        let expected = |p: [f64; 3]| {
            let p = [0, 1, 2].map(|k| p[k] * f64::from(scale[k]) + f64::from(offset[k]));
            // the first is closest at one of its samples, the second is a ball
            let [from, to] = capsules[0].ends.map(|end| end.map(f64::from));
            let steps = [0, 1, 2].map(|k| to[k] - from[k]);
            let reach: f64 = (0..3).map(|k| (p[k] - from[k]) * steps[k]).sum();
            let part = (reach / square(from, to)).clamp(0.0, 1.0);
            let nearest = [0, 1, 2].map(|k| from[k] + part * steps[k]);
            let first = square(p, nearest).sqrt() - (2.0 - part);
            let second = square(p, [13.0, 1.0, 4.0]).sqrt() - 3.0;
            let overlap = (4.0 - (first - second).abs()).max(0.0);
            overlap * overlap / 16.0 - first.min(second)
        };
        assert_near(label, &samples(found), dims, expected, 1e-5);
        let none = samples(synthetic::capsules(&stream, [3; 3], &[], 4.0, scale, offset).unwrap());
        assert!(none.iter().all(|&value| value == f32::MIN));

        let nothing = samples(synthetic::metaballs(&stream, [3, 0, 5], &balls).unwrap());
        assert!(nothing.is_empty());
    }
}

/// Returns the nearest integer from `min` to `max`, with halves rounded away from zero.
fn nearest(value: f32, levels: Levels, min: f32, max: f32) -> f64 {
    let level = value * levels.scale + levels.offset;
    f64::from(level.round().clamp(min, max))
}

fn assert_quantised<T>(min: f32, max: f32)
where
    T: Quantised + Element + Into<f64>,
{
    let levels = Levels {
        scale: 37.5,
        offset: 20.5,
    };
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let dims = [19, 8, 11];
        let values = synthetic::sphere(&stream, dims, 5.25).unwrap();
        let quantised = synthetic::quantise::<T>(&stream, &values, levels).unwrap();
        let at_once = synthetic::sphere_as::<T>(&stream, dims, 5.25, levels).unwrap();
        let values = stream.download(values.samples()).unwrap();
        let quantised = stream.download(quantised.samples()).unwrap();
        let at_once = stream.download(at_once.samples()).unwrap();
        for (i, &value) in values.iter().enumerate() {
            let expected = nearest(value, levels, min, max);
            let label = &test.label;
            assert_eq!(
                quantised[i].into(),
                expected,
                "{label}, sample {i}, {value}"
            );
            assert_eq!(at_once[i].into(), expected, "{label}, sample {i}, {value}");
        }
    }
}

#[test]
fn values_are_rounded_and_clamped_to_integer_types() {
    assert_quantised::<u8>(0.0, 255.0);
    assert_quantised::<i8>(-128.0, 127.0);
    assert_quantised::<u16>(0.0, 65535.0);
    assert_quantised::<i16>(-32768.0, 32767.0);
}
