//! Distances to the nearest voxel with another label, compared with all pairs of voxels.

use ferrovox::{
    device::Device,
    distance::{self, DistanceError, DistanceParams, Method, NoSites},
    grid::{DeviceMask, DeviceSample, DeviceVolume, Geometry, Sample, Volume},
    partition::TooLittleMemory,
};
use ferrovox_tests::{devices, noise::Noise};

/// Label volume.
struct Case {
    dims: [usize; 3],
    labels: Vec<u8>,
}

impl Case {
    /// Creates blocks of labels with random speckles of other labels.
    fn random(noise: &mut Noise, labels: u64) -> Self {
        let mut dims = [0, 1, 2].map(|_| 1 + noise.below(70) as usize);
        while dims.iter().product::<usize>() > 1500 {
            let longest = (0..3).max_by_key(|&axis| dims[axis]).unwrap();
            dims[longest] = dims[longest].div_ceil(2);
        }
        let block = 1 + noise.below(20) as usize;
        let [bx, by] = [dims[0].div_ceil(block), dims[1].div_ceil(block)];
        let block_labels: Vec<u8> = (0..bx * by * dims[2].div_ceil(block))
            .map(|_| noise.below(labels) as u8)
            .collect();
        let speckle_per_mille = [0, 5, 300][noise.below(3) as usize];
        let mut case = Self {
            dims,
            labels: Vec::new(),
        };
        case.labels = (0..dims.iter().product())
            .map(|voxel| {
                let [x, y, z] = case.at(voxel).map(|at| at / block);
                if noise.below(1000) < speckle_per_mille {
                    noise.below(labels) as u8
                } else {
                    block_labels[(z * by + y) * bx + x]
                }
            })
            .collect();
        // At least two labels.
        let last = case.labels.len() - 1;
        if case.labels.iter().all(|&label| label == case.labels[0]) && last > 0 {
            case.labels[last] = case.labels[0].wrapping_add(1);
        }
        case
    }

    fn at(&self, voxel: usize) -> [usize; 3] {
        let [nx, ny, _] = self.dims;
        [voxel % nx, voxel / nx % ny, voxel / (nx * ny)]
    }

    /// Returns the squared distance of each voxel for squared spacings.
    fn squared_distances(&self, weights: [f64; 3]) -> Vec<f64> {
        let positions: Vec<[f64; 3]> = (0..self.labels.len())
            .map(|voxel| self.at(voxel).map(|at| at as f64))
            .collect();
        let nearest = |voxel: usize| {
            let (voxel_position, label) = (positions[voxel], self.labels[voxel]);
            let mut min_squared = f64::INFINITY;
            for (other_position, &other_label) in positions.iter().zip(&self.labels) {
                if other_label != label {
                    let [x, y, z] = [0, 1, 2]
                        .map(|k| (voxel_position[k] - other_position[k]).powi(2) * weights[k]);
                    min_squared = min_squared.min(x + y + z);
                }
            }
            min_squared
        };
        (0..positions.len()).map(nearest).collect()
    }

    fn volume<T: Sample + DeviceSample>(
        &self,
        spacing: [f64; 3],
        convert: impl Fn(u8) -> T,
    ) -> Volume<T> {
        let geometry = Geometry::from_spacing(spacing, [1.0, -2.0, 3.0]).unwrap();
        let labels = self.labels.iter().map(|&label| convert(label)).collect();
        Volume::new(labels, self.dims, geometry).unwrap()
    }
}

fn distances<T: Sample + DeviceSample>(
    device: &Device,
    volume: &Volume<T>,
    params: &DistanceParams,
) -> Vec<f32> {
    let stream = device.stream().unwrap();
    let labels = DeviceVolume::upload(&stream, volume.view()).unwrap();
    let map = distance::transform_labels(&stream, &labels, params).unwrap();
    assert_eq!(
        (map.dims(), map.geometry()),
        (volume.dims(), volume.geometry())
    );
    stream.download(&map.distances).unwrap()
}

/// Returns the devices for a case: checked mode is slow, so it runs for one case in `every`.
fn devices_for_case(case_index: usize, every: usize) -> Vec<devices::TestDevice> {
    if case_index.is_multiple_of(every) {
        devices::all()
    } else {
        devices::fast()
    }
}

fn truncated(max_distance: Option<f64>) -> DistanceParams {
    DistanceParams {
        max_distance,
        ..Default::default()
    }
}

#[test]
fn integer_spacings_are_exact() {
    let mut noise = Noise(21);
    for case_index in 0..60 {
        let spacing = [[1u32; 3], [1, 2, 3], [3, 1, 1], [700, 1, 1], [2, 2, 5]][case_index % 5];
        let labels = [2, 3, 40][case_index % 3];
        let case = Case::random(&mut noise, labels);
        let spacing = spacing.map(f64::from);
        let squared_distances = case.squared_distances(spacing.map(|s| s * s));
        let volume = case.volume(spacing, |label| label);
        for test in devices_for_case(case_index, 11) {
            for max_distance in [None, Some(3.0), Some(4.5), Some(40.0)] {
                let found = distances(&test.device, &volume, &truncated(max_distance));
                for (voxel, (found, squared)) in found.iter().zip(&squared_distances).enumerate() {
                    let exact = squared.sqrt().min(max_distance.unwrap_or(f64::INFINITY)) as f32;
                    assert_eq!(
                        *found, exact,
                        "{} case_index {case_index} {:?} {max_distance:?} voxel {voxel}",
                        test.label, case.dims
                    );
                }
            }
        }
    }
}

#[test]
fn irregular_spacings_are_exact_up_to_rounding() {
    let mut noise = Noise(22);
    for case_index in 0..10 {
        let case = Case::random(&mut noise, 4);
        let spacing = [[0.71, 1.3, std::f64::consts::PI], [1e-3, 1.7e-3, 1.0]][case_index % 2];
        let squared_distances = case.squared_distances(spacing.map(|s| s * s));
        let volume = case.volume(spacing, |label| label);
        let max_distance = 6.0 * spacing[1];
        for test in devices_for_case(case_index, 5) {
            for max_distance in [None, Some(max_distance)] {
                let found = distances(&test.device, &volume, &truncated(max_distance));
                for (voxel, (found, squared)) in found.iter().zip(&squared_distances).enumerate() {
                    let exact = squared.sqrt().min(max_distance.unwrap_or(f64::INFINITY));
                    assert!(
                        (f64::from(*found) - exact).abs() <= 1e-7 * exact,
                        "{} case_index {case_index} {max_distance:?} voxel {voxel}: {found} {exact}",
                        test.label
                    );
                }
            }
        }
    }
}

#[test]
fn labels_of_every_sample_type_match() {
    let case = Case::random(&mut Noise(23), 5);
    let squared_distances = case.squared_distances([1.0; 3]);
    let exact: Vec<f32> = squared_distances
        .iter()
        .map(|squared| squared.sqrt() as f32)
        .collect();
    let unit = [1.0; 3];
    let params = DistanceParams::default();
    for test in devices::all() {
        let device = &test.device;
        let of_i8 = case.volume(unit, |label| -(label as i8));
        assert_eq!(distances(device, &of_i8, &params), exact);
        let of_u16 = case.volume(unit, |label| u16::MAX - u16::from(label));
        assert_eq!(distances(device, &of_u16, &params), exact);
        let of_i16 = case.volume(unit, |label| i16::MIN + i16::from(label));
        assert_eq!(distances(device, &of_i16, &params), exact);
        // 24-bit numbers that differ in the lowest bit.
        let of_f32 = case.volume(unit, |label| 16_777_210.0 + f32::from(label));
        assert_eq!(distances(device, &of_f32, &params), exact);
    }
}

#[test]
fn nan_differs_from_every_label() {
    let mut labels = vec![1.0f32; 40];
    labels[10] = f32::NAN;
    labels[11] = f32::NAN;
    labels[30] = -0.0;
    labels[31] = 0.0;
    let volume = Volume::new(labels, [40, 1, 1], Geometry::default()).unwrap();
    for test in devices::all() {
        let found = distances(&test.device, &volume, &DistanceParams::default());
        assert_eq!(found[9..13], [1.0; 4], "{}", test.label);
        assert_eq!(found[0], 10.0);
        assert_eq!(found[20], 9.0);
        assert_eq!(found[29..33], [1.0; 4]);
        assert_eq!(found[39], 8.0);
    }
}

#[test]
fn memory_limits_do_not_change_the_map() {
    let mut noise = Noise(24);
    let dims = [131, 9, 7];
    let labels =
        (0..131 * 9 * 7).map(|voxel| (voxel % 131 / 40 + usize::from(noise.below(50) == 0)) as u8);
    let case = Case {
        dims,
        labels: labels.collect(),
    };
    let volume = case.volume([1.0; 3], |label| label);
    for test in devices::all() {
        let untruncated = distances(&test.device, &volume, &DistanceParams::default());
        let stream = test.device.stream().unwrap();
        let labels = DeviceVolume::upload(&stream, volume.view()).unwrap();
        let limited = |limit| DistanceParams {
            memory: Some(limit),
            ..Default::default()
        };
        let minimum = match distance::transform_labels(&stream, &labels, &limited(1)) {
            Err(DistanceError::Memory(TooLittleMemory {
                budget: 1,
                needed: minimum,
            })) => minimum,
            result => panic!("{result:?}"),
        };
        let bytes_before = test.device.memory_use().now;
        test.device.reset_peak_memory();
        let map = distance::transform_labels(&stream, &labels, &limited(minimum)).unwrap();
        let bytes_used =
            test.device.memory_use().peak - bytes_before - map.distances.bytes() as u64;
        assert!(
            bytes_used <= minimum,
            "{}: {bytes_used} {minimum}",
            test.label
        );
        assert_eq!(stream.download(&map.distances).unwrap(), untruncated);
        for limit in [minimum - 1, 0] {
            let found = distance::transform_labels(&stream, &labels, &limited(limit));
            assert!(matches!(found, Err(DistanceError::Memory(_))));
        }
    }
}

#[test]
fn label_edges_are_voxels_next_to_another_label() {
    let mut noise = Noise(25);
    for case_index in 0..10 {
        let case = Case::random(&mut noise, 3);
        let volume = case.volume([1.0; 3], |label| label);
        let squared_distances = case.squared_distances([1.0; 3]);
        let [nx, ny, _] = case.dims;
        let per_row = nx.div_ceil(32);
        for test in devices_for_case(case_index, 5) {
            let stream = test.device.stream().unwrap();
            let labels = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let edges = DeviceMask::from_label_edges(&stream, &labels).unwrap();
            let words = edges.download(&stream).unwrap();
            for (voxel, &squared) in squared_distances.iter().enumerate() {
                let [x, y, z] = case.at(voxel);
                let word = words[(z * ny + y) * per_row + x / 32];
                let context = format!("{} {:?} {voxel}", test.label, case.dims);
                assert_eq!(word >> (x % 32) & 1 == 1, squared == 1.0, "{context}");
            }
            let count = squared_distances
                .iter()
                .filter(|&&squared| squared == 1.0)
                .count();
            assert_eq!(edges.count(&stream).unwrap(), count as u64);
        }
    }
}

#[test]
fn unsupported_label_requests_return_errors() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for dims in [[1, 1, 1], [33, 4, 2]] {
            let one = vec![-7i16; dims.iter().product()];
            let volume = Volume::new(one, dims, Geometry::default()).unwrap();
            let labels = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let error = distance::transform_labels(&stream, &labels, &DistanceParams::default());
            let error = error.unwrap_err();
            assert!(matches!(error, DistanceError::SingleLabel { label: -7.0 }));
            assert!(error.to_string().contains("label -7"), "{error}");
            for (max_distance, value) in [(None, f32::INFINITY), (Some(2.5), 2.5)] {
                let allowed = DistanceParams {
                    no_sites: NoSites::Infinity,
                    max_distance,
                    ..Default::default()
                };
                let found = distances(&test.device, &volume, &allowed);
                assert!(found.iter().all(|&it| it == value), "{}", test.label);
            }
        }
    }
    let stream = Device::cpu().stream().unwrap();
    let volume = Volume::<u8>::new(vec![1, 2], [2, 1, 1], Geometry::default()).unwrap();
    let labels = DeviceVolume::upload(&stream, volume.view()).unwrap();
    for method in Method::ALL {
        let params = DistanceParams {
            method,
            ..Default::default()
        };
        let found = distance::transform_labels(&stream, &labels, &params);
        match method {
            Method::Separable => assert!(found.is_ok()),
            _ => {
                let message = found.unwrap_err().to_string();
                assert!(message.contains(method.name()), "{message}");
                assert!(message.contains("use separable"), "{message}");
            }
        }
    }
    let nearest = DistanceParams {
        nearest: true,
        ..Default::default()
    };
    let found = distance::transform_labels(&stream, &labels, &nearest);
    assert!(matches!(
        found,
        Err(DistanceError::NearestUnsupportedForLabels)
    ));
    for max_distance in [0.0, -1.0, f64::NAN] {
        let found = distance::transform_labels(&stream, &labels, &truncated(Some(max_distance)));
        assert!(matches!(
            found,
            Err(DistanceError::InvalidMaxDistance { .. })
        ));
    }
}
