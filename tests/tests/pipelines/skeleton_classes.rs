//! Voxel classes and cavities, compared with loops over voxels.

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

/// Returns the 27 voxels of the neighbourhood of a voxel; `None` outside the grid.
pub fn neighbourhood(
    dims: [usize; 3],
    position: [usize; 3],
) -> impl Iterator<Item = Option<[usize; 3]>> {
    (0..27).map(move |number| {
        let step = [number % 3, number / 3 % 3, number / 9];
        let mut next = position;
        for k in 0..3 {
            next[k] = (next[k] + step[k]).checked_sub(1)?;
            if next[k] >= dims[k] {
                return None;
            }
        }
        Some(next)
    })
}

/// Uploads a volume as a mask.
pub fn mask(stream: &Stream, solid: &Volume<u8>) -> DeviceMask {
    let on_device = DeviceVolume::upload(stream, solid.view()).unwrap();
    DeviceMask::from_non_zero(stream, &on_device).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Exterior,
    Surface,
    Boundary,
    Interior,
}

/// Classifies voxels by definition.
fn expected(solid: &Volume<u8>, surface: SurfaceNeighbours) -> Vec<Class> {
    let dims = solid.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let positions = || {
        let [nx, ny, nz] = dims;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    };
    let is_object = |position| solid.samples()[index(position)] != 0;
    let mut classes: Vec<Class> = positions()
        .map(|position| {
            let is_neighbour = |k: &(usize, Option<[usize; 3]>)| {
                // within the 27 voxels: the centre and those across faces
                surface == SurfaceNeighbours::Corners || [4, 10, 12, 13, 14, 16, 22].contains(&k.0)
            };
            let mut neighbours = neighbourhood(dims, position)
                .enumerate()
                .filter(is_neighbour);
            let all = neighbours.all(|(_, next)| next.is_some_and(is_object));
            match (is_object(position), all) {
                (false, _) => Class::Exterior,
                (true, false) => Class::Surface,
                (true, true) => Class::Interior,
            }
        })
        .collect();
    let before = classes.clone();
    for position in positions() {
        let is_surface = |next: Option<_>| next.is_some_and(|n| before[index(n)] == Class::Surface);
        if before[index(position)] == Class::Interior
            && neighbourhood(dims, position).any(is_surface)
        {
            classes[index(position)] = Class::Boundary;
        }
    }
    classes
}

fn check(label: &str, stream: &Stream, solid: &Volume<u8>) -> ClassCounts {
    check_with_neighbours(label, stream, solid, SurfaceNeighbours::Faces);
    check_with_neighbours(label, stream, solid, SurfaceNeighbours::Corners)
}

fn check_with_neighbours(
    label: &str,
    stream: &Stream,
    solid: &Volume<u8>,
    surface: SurfaceNeighbours,
) -> ClassCounts {
    let dims = solid.dims();
    let classes = classify(stream, &mask(stream, solid), surface).unwrap();
    let expected = expected(solid, surface);
    let number = |class| {
        expected
            .iter()
            .filter(|&&voxel_class| voxel_class == class)
            .count() as u64
    };
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
fn random_solids_are_classified_correctly() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().chain([[45, 19, 8]]).enumerate() {
            let mut solid = random_mask(dims, 60, number as u64);
            // most voxels are in the solid, so that there is an interior
            solid.samples_mut().iter_mut().for_each(|v| *v = 7 - *v);
            check(&test.label, &stream, &solid);
            check(&test.label, &stream, &random_mask(dims, 2, number as u64));
        }
    }
}

#[test]
fn full_and_empty_grids_are_classified_correctly() {
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
fn analytic_solids_are_classified_correctly() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let turned = Solid::torus(10.0, 5.0).rotated([1.0, 2.0, 3.0], 0.7);
        for solid in [Solid::ball(9.5), Solid::capsule(6.0, 30.0), turned] {
            let counts = check(&test.label, &stream, &solid.voxels());
            assert!(counts.interior > 0 && counts.boundary > 0);
        }
    }
}

/// Fills cavities by flooding the background from outside the grid through faces.
fn fill_by_flooding(solid: &Volume<u8>) -> Vec<u32> {
    let dims = solid.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let mut outside = vec![false; solid.samples().len()];
    let mut stack = Vec::new();
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in 0..dims[0] {
                let position = [x, y, z];
                let is_end = (0..3).any(|k| position[k] == 0 || position[k] + 1 == dims[k]);
                if is_end && solid.samples()[index(position)] == 0 {
                    outside[index(position)] = true;
                    stack.push(position);
                }
            }
        }
    }
    while let Some(position) = stack.pop() {
        for next in face_neighbours(dims, position) {
            if solid.samples()[index(next)] == 0 && !outside[index(next)] {
                outside[index(next)] = true;
                stack.push(next);
            }
        }
    }
    pack_words(dims, |position| !outside[index(position)])
}

#[test]
fn cavities_are_filled_but_tunnels_are_kept() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let check = |solid: &Volume<u8>| {
            let filled_mask = fill_cavities(&stream, &mask(&stream, solid)).unwrap();
            let words = filled_mask.download(&stream).unwrap();
            assert!(
                words == fill_by_flooding(solid),
                "{}: {:?}",
                test.label,
                solid.dims()
            );
            filled_mask.count(&stream).unwrap()
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
        // a ring in a grid of one plane has a tunnel but no cavity
        let ring = Volume::from_fn([9, 9, 1], Geometry::default(), |x, y, _| {
            u8::from(x.max(y) == 6 && x.min(y) >= 2 || x.min(y) == 2 && x.max(y) <= 6)
        });
        assert_eq!(check(&ring.unwrap()), 16);
    }
}
