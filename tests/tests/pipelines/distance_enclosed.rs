//! Enclosed voxels, compared with a flood fill.

use super::distance_sites::{SIZES, face_neighbours, pack_words, random_mask};
use ferrovox::{
    device::{Device, Stream},
    distance::{self, DistanceError, DistanceParams, Method, Sites},
    grid::{DeviceMask, DeviceVolume, Geometry, Volume},
};
use ferrovox_tests::{devices, noise::Noise};

/// Returns the voxels that no path of face neighbours avoiding the sites connects to the border.
fn expected(sites: &Volume<u8>) -> Vec<u32> {
    let dims = sites.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let mut outside = vec![false; sites.samples().len()];
    let mut queue = Vec::new();
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in 0..dims[0] {
                let position = [x, y, z];
                let at_end = |axis: usize| {
                    dims[axis] > 1 && (position[axis] == 0 || position[axis] + 1 == dims[axis])
                };
                let is_border = (0..3).any(at_end) || dims == [1, 1, 1];
                if is_border && sites.samples()[index(position)] == 0 {
                    outside[index(position)] = true;
                    queue.push(position);
                }
            }
        }
    }
    while let Some(position) = queue.pop() {
        for next in face_neighbours(dims, position) {
            let at = index(next);
            if sites.samples()[at] == 0 && !outside[at] {
                outside[at] = true;
                queue.push(next);
            }
        }
    }
    pack_words(dims, |position| {
        let at = index(position);
        sites.samples()[at] == 0 && !outside[at]
    })
}

fn check(label: &str, stream: &Stream, sites: &Volume<u8>) -> u64 {
    let on_device = DeviceVolume::upload(stream, sites.view()).unwrap();
    let mask = DeviceMask::from_non_zero(stream, &on_device).unwrap();
    let inside = DeviceMask::enclosed_by(stream, &mask).unwrap();
    assert!(
        inside.download(stream).unwrap() == expected(sites),
        "{label}: {:?}",
        sites.dims()
    );
    inside.count(stream).unwrap()
}

fn sites(dims: [usize; 3], is_site: impl Fn([i64; 3]) -> bool) -> Volume<u8> {
    Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(is_site([x, y, z].map(|i| i as i64)))
    })
    .unwrap()
}

/// Returns `true` if a voxel lies on the surface of a box.
fn is_on_box(position: [i64; 3], low: [i64; 3], high: [i64; 3]) -> bool {
    (0..3).all(|axis| (low[axis]..=high[axis]).contains(&position[axis]))
        && (0..3).any(|axis| position[axis] == low[axis] || position[axis] == high[axis])
}

#[test]
fn boxes_enclose_their_interior() {
    let (low, high) = ([3, 2, 4], [36, 9, 12]);
    let closed_box = sites([41, 12, 15], |position| is_on_box(position, low, high));
    let hole = sites([41, 12, 15], |position| {
        is_on_box(position, low, high) && position != [20, 9, 7]
    });
    let two = sites([70, 12, 15], |position| {
        is_on_box(position, low, high)
            || is_on_box(position, [38, 3, 3], [60, 8, 9])
            || is_on_box(position, [42, 5, 5], [50, 7, 7])
    });
    // The box coincides with the border of the volume.
    let at_border = sites([35, 8, 9], |position| {
        is_on_box(position, [0; 3], [34, 7, 8])
    });
    // Half of the box lies outside the volume.
    let cut = sites([41, 12, 15], |position| {
        is_on_box(position, [-5, 2, 4], high)
    });
    let none = sites([41, 12, 15], |_| false);
    let all = sites([41, 12, 15], |_| true);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let count = |volume| check(&test.label, &stream, volume);
        assert_eq!(count(&closed_box), 32 * 6 * 7);
        assert_eq!(count(&hole), 0);
        // The inner box lies inside the second one and encloses voxels of its own.
        assert_eq!(count(&two), 32 * 6 * 7 + 21 * 4 * 5 - (9 * 3 * 3 - 7));
        assert_eq!(count(&at_border), 33 * 6 * 7);
        assert_eq!(count(&cut), 0);
        assert_eq!((count(&none), count(&all)), (0, 0));
    }
}

#[test]
fn enclosed_voxels_of_noise_match_the_flood_fill() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().chain([[45, 19, 18]]).enumerate() {
            for one_in in [2, 3, 5] {
                check(
                    &test.label,
                    &stream,
                    &random_mask(dims, one_in, number as u64),
                );
            }
        }
    }
}

/// In a volume of one plane, a closed curve encloses its interior.
#[test]
fn closed_curve_encloses_its_interior_in_a_plane() {
    let curve = sites([40, 30, 1], |[x, y, _]| {
        is_on_box([x, y, 1], [5, 5, 0], [36, 20, 2])
    });
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        assert_eq!(check(&test.label, &stream, &curve), 30 * 14);
    }
}

/// The passage has more bends than a few passes can follow: transverse walls with gaps at
/// alternating ends.
#[test]
fn winding_passage_connects_the_interior_to_the_border() {
    let dims = [67, 203, 5];
    let winding = sites(dims, |[x, y, z]| {
        let frame = is_on_box([x, y, z], [0, 0, 0], [66, 202, 4]);
        let gap = if y % 4 == 0 { x == 1 } else { x == 65 };
        (frame && [x, y, z] != [5, 0, 2]) || (y % 2 == 0 && y > 0 && !gap)
    });
    let mut closed = winding.clone();
    closed.samples_mut()[(2 * 203) * 67 + 5] = 1;
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        assert_eq!(check(&test.label, &stream, &winding), 0);
        assert!(check(&test.label, &stream, &closed) > 10_000);
    }
}

#[test]
fn apply_sign_negates_distances_in_the_mask() {
    let mut noise = Noise(3);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for dims in [[1, 1, 1], [33, 5, 3], [64, 3, 2], [130, 2, 3]] {
            let volume = random_mask(dims, 6, noise.bits());
            let on_device = DeviceVolume::upload(&stream, volume.view()).unwrap();
            let sites = DeviceMask::from_non_zero(&stream, &on_device).unwrap();
            if sites.count(&stream).unwrap() == 0 {
                continue;
            }
            let other = random_mask(dims, 2, noise.bits());
            let inside = DeviceVolume::upload(&stream, other.view()).unwrap();
            let inside = DeviceMask::from_non_zero(&stream, &inside).unwrap();
            let params = DistanceParams {
                method: Method::CityBlock,
                ..DistanceParams::default()
            };
            let mut map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
            let before = map.download(&stream).unwrap();
            // Applying the sign twice changes nothing more.
            for _ in 0..2 {
                distance::apply_sign(&stream, &mut map, &inside).unwrap();
                let after = map.download(&stream).unwrap();
                for (at, (&before, &after)) in
                    before.samples().iter().zip(after.samples()).enumerate()
                {
                    let negative = other.samples()[at] != 0 && before != 0.0;
                    let expected = if negative { -before } else { before };
                    assert_eq!(after.to_bits(), expected.to_bits(), "{}", test.label);
                }
            }
        }
    }
}

#[test]
fn apply_sign_rejects_a_mask_of_another_grid() {
    let stream = Device::cpu().stream().unwrap();
    let geometry = Geometry::default();
    let sites = DeviceMask::from_indices(&stream, &[0], [4, 3, 2], geometry).unwrap();
    let other = DeviceMask::from_indices(&stream, &[0], [4, 2, 3], geometry).unwrap();
    let params = DistanceParams {
        method: Method::Chessboard,
        ..DistanceParams::default()
    };
    let mut map = distance::transform(&stream, Sites::Voxels(&sites), &params).unwrap();
    let error = distance::apply_sign(&stream, &mut map, &other).unwrap_err();
    assert!(
        matches!(error, DistanceError::GridMismatch { .. }),
        "{error}"
    );
}
