//! Classes of voxels and cavities, against loops over voxels.

use super::distance_sites::{SIZES, face_neighbours, pack_words, random_mask};
use ferrovox::{
    device::Stream,
    grid::{DeviceMask, DeviceVolume, Geometry, Volume},
    skeleton::{
        fill_cavities,
        potential_field::{ClassCounts, SurfaceNeighbours, classify},
    },
};
use ferrovox_tests::{devices, solids::Solid};

/// The voxels of the cube of 27 about a place; None beyond the grid.
pub fn cube(dims: [usize; 3], place: [usize; 3]) -> impl Iterator<Item = Option<[usize; 3]>> {
    (0..27).map(move |number| {
        let step = [number % 3, number / 3 % 3, number / 9];
        let mut next = place;
        for k in 0..3 {
            next[k] = (next[k] + step[k]).checked_sub(1)?;
            if next[k] >= dims[k] {
                return None;
            }
        }
        Some(next)
    })
}

/// A volume's mask on a device.
pub fn mask(stream: &Stream, solid: &Volume<u8>) -> DeviceMask {
    let on_device = DeviceVolume::upload(stream, solid.view()).unwrap();
    DeviceMask::from_mask(stream, &on_device).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Exterior,
    Surface,
    Boundary,
    Interior,
}

/// By the definition, voxel by voxel.
fn expected(solid: &Volume<u8>, surface: SurfaceNeighbours) -> Vec<Class> {
    let dims = solid.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let places = || {
        let [nx, ny, nz] = dims;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    };
    let is_object = |place| solid.samples()[index(place)] != 0;
    let mut classes: Vec<Class> = places()
        .map(|place| {
            let is_neighbour = |k: &(usize, Option<[usize; 3]>)| {
                // of the cube of 27 the middle and those across faces
                surface == SurfaceNeighbours::Corners || [4, 10, 12, 13, 14, 16, 22].contains(&k.0)
            };
            let mut neighbours = cube(dims, place).enumerate().filter(is_neighbour);
            let all = neighbours.all(|(_, next)| next.is_some_and(is_object));
            match (is_object(place), all) {
                (false, _) => Class::Exterior,
                (true, false) => Class::Surface,
                (true, true) => Class::Interior,
            }
        })
        .collect();
    let before = classes.clone();
    for place in places() {
        let is_surface = |next: Option<_>| next.is_some_and(|n| before[index(n)] == Class::Surface);
        if before[index(place)] == Class::Interior && cube(dims, place).any(is_surface) {
            classes[index(place)] = Class::Boundary;
        }
    }
    classes
}

fn check(label: &str, stream: &Stream, solid: &Volume<u8>) -> ClassCounts {
    check_by(label, stream, solid, SurfaceNeighbours::Faces);
    check_by(label, stream, solid, SurfaceNeighbours::Corners)
}

fn check_by(
    label: &str,
    stream: &Stream,
    solid: &Volume<u8>,
    surface: SurfaceNeighbours,
) -> ClassCounts {
    let dims = solid.dims();
    let classes = classify(stream, &mask(stream, solid), surface).unwrap();
    let expected = expected(solid, surface);
    let number = |class| expected.iter().filter(|&&other| other == class).count() as u64;
    let counts = ClassCounts {
        exterior: number(Class::Exterior),
        surface: number(Class::Surface),
        boundary: number(Class::Boundary),
        interior: number(Class::Interior),
    };
    assert_eq!(classes.counts, counts, "{label}: {dims:?}, {surface:?}");
    let masks = [
        (classes.surface, Class::Surface),
        (classes.boundary, Class::Boundary),
        (classes.interior, Class::Interior),
    ];
    for (mask, class) in masks {
        let expected = pack_words(dims, |[x, y, z]| {
            expected[(z * dims[1] + y) * dims[0] + x] == class
        });
        assert!(
            mask.download(stream).unwrap() == expected,
            "{label}: {dims:?}, {surface:?}"
        );
    }
    counts
}

#[test]
fn random_solids() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().chain([[45, 19, 8]]).enumerate() {
            let mut solid = random_mask(dims, 60, number as u64);
            // most voxels are of it, so that there is an inside
            solid.samples_mut().iter_mut().for_each(|v| *v = 7 - *v);
            check(&test.label, &stream, &solid);
            check(&test.label, &stream, &random_mask(dims, 2, number as u64));
        }
    }
}

#[test]
fn full_grids_and_empty_ones() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for dims in [[70, 6, 7], [32, 5, 5], [64, 1, 9], [1, 1, 1], [5, 5, 5]] {
            let full = Volume::from_fn(dims, Geometry::default(), |_, _, _| 1).unwrap();
            let counts = check(&test.label, &stream, &full);
            let deep: usize = dims.map(|n| n.saturating_sub(4)).iter().product();
            assert_eq!(counts.interior, deep as u64);
            let empty = Volume::from_fn(dims, Geometry::default(), |_, _, _| 0).unwrap();
            assert_eq!(check(&test.label, &stream, &empty).object(), 0);
        }
    }
}

#[test]
fn solids() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let turned = Solid::torus(10.0, 5.0).turned([1.0, 2.0, 3.0], 0.7);
        for solid in [Solid::ball(9.5), Solid::capsule(6.0, 30.0), turned] {
            let counts = check(&test.label, &stream, &solid.voxels());
            assert!(counts.interior > 0 && counts.boundary > 0);
        }
    }
}

/// A flood from outside the grid through the faces of voxels.
fn filled(solid: &Volume<u8>) -> Vec<u32> {
    let dims = solid.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let mut outside = vec![false; solid.samples().len()];
    let mut left = Vec::new();
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in 0..dims[0] {
                let place = [x, y, z];
                let is_end = (0..3).any(|k| place[k] == 0 || place[k] + 1 == dims[k]);
                if is_end && solid.samples()[index(place)] == 0 {
                    outside[index(place)] = true;
                    left.push(place);
                }
            }
        }
    }
    while let Some(place) = left.pop() {
        for next in face_neighbours(dims, place) {
            if solid.samples()[index(next)] == 0 && !outside[index(next)] {
                outside[index(next)] = true;
                left.push(next);
            }
        }
    }
    pack_words(dims, |place| !outside[index(place)])
}

#[test]
fn cavities_are_filled_and_tunnels_are_not() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let check = |solid: &Volume<u8>| {
            let found = fill_cavities(&stream, &mask(&stream, solid)).unwrap();
            let words = found.download(&stream).unwrap();
            assert!(words == filled(solid), "{}: {:?}", test.label, solid.dims());
            found.count(&stream).unwrap()
        };
        let shell = Solid::shell(7.5, 4.5).voxels();
        let ball = Solid::ball(7.5).voxels();
        assert_eq!(check(&shell), check(&ball));
        let torus = Solid::torus(7.0, 3.0).voxels();
        let voxels = torus.samples().iter().filter(|&&v| v != 0).count();
        assert_eq!(check(&torus), voxels as u64);
        for (number, dims) in SIZES.into_iter().chain([[45, 19, 8]]).enumerate() {
            for one_in in [2, 3] {
                check(&random_mask(dims, one_in, number as u64));
            }
        }
        // a ring in a grid of one plane has a tunnel, and no cavity
        let ring = Volume::from_fn([9, 9, 1], Geometry::default(), |x, y, _| {
            u8::from(x.max(y) == 6 && x.min(y) >= 2 || x.min(y) == 2 && x.max(y) <= 6)
        });
        assert_eq!(check(&ring.unwrap()), 16);
    }
}
