//! Euler characteristics and components of solids, compared with counting cells and flood fill.

use super::{
    distance_sites::{SIZES, pack_words, random_mask},
    skeleton_classes::{mask, neighbourhood},
};
use ferrovox::{
    device::{Device, Stream},
    grid::{Geometry, Volume},
    skeleton::{components, euler_number},
};
use ferrovox_tests::{devices, solids::Solid};
use std::collections::HashSet;

/// Computes vertices − edges + faces − cubes. Cells are identified by twice their centre:
/// coordinates are even along axes perpendicular to the cell.
fn cells(dims: [usize; 3], is_object: impl Fn([usize; 3]) -> bool) -> i64 {
    let mut cells = HashSet::new();
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in (0..dims[0]).filter(|&x| is_object([x, y, z])) {
                for cell in 0..27 {
                    let step = [cell % 3, cell / 3 % 3, cell / 9];
                    cells.insert([2 * x + step[0], 2 * y + step[1], 2 * z + step[2]]);
                }
            }
        }
    }
    let sign = |cell: &[usize; 3]| match cell.iter().sum::<usize>() % 2 {
        0 => 1,
        _ => -1,
    };
    // a vertex has three even coordinates, an edge one odd coordinate
    cells.iter().map(sign).sum()
}

/// Labels the components by flood fill, in the order of their first voxels.
fn flood(solid: &Volume<u8>) -> (Vec<Option<u32>>, usize) {
    let dims = solid.dims();
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let mut labels = vec![None; solid.samples().len()];
    let mut count = 0;
    for z in 0..dims[2] {
        for y in 0..dims[1] {
            for x in 0..dims[0] {
                if solid.samples()[index([x, y, z])] == 0 || labels[index([x, y, z])].is_some() {
                    continue;
                }
                labels[index([x, y, z])] = Some(count);
                let mut stack = vec![[x, y, z]];
                while let Some(position) = stack.pop() {
                    for next in neighbourhood(dims, position).flatten() {
                        if solid.samples()[index(next)] != 0 && labels[index(next)].is_none() {
                            labels[index(next)] = Some(count);
                            stack.push(next);
                        }
                    }
                }
                count += 1;
            }
        }
    }
    (labels, count as usize)
}

fn check(label: &str, stream: &Stream, solid: &Volume<u8>) {
    let dims = solid.dims();
    let label = format!("{label}: {dims:?}");
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) * dims[0] + x;
    let mask = mask(stream, solid);
    let total = cells(dims, |position| solid.samples()[index(position)] != 0);
    assert_eq!(euler_number(stream, &mask).unwrap(), total, "{label}");
    let actual = components(stream, &mask).unwrap();
    let (labels, count) = flood(solid);
    assert_eq!(actual.count(), count, "{label}");
    for (z, y, x) in (0..dims[2])
        .flat_map(|z| (0..dims[1]).flat_map(move |y| (0..dims[0]).map(move |x| (z, y, x))))
    {
        let expected = labels[index([x, y, z])];
        assert_eq!(actual.label([x, y, z]), expected, "{label}");
    }
    assert_eq!(actual.label(dims), None);
    assert_eq!(actual.euler_numbers().iter().sum::<i64>(), total, "{label}");
    for component in 0..count.min(3) as u32 {
        let is_in_component = |position| labels[index(position)] == Some(component);
        let bits = actual.mask(stream, component).unwrap();
        assert!(
            bits.download(stream).unwrap() == pack_words(dims, is_in_component),
            "{label}"
        );
        let voxels = bits.count(stream).unwrap();
        assert_eq!(actual.voxels()[component as usize], voxels);
        let euler = actual.euler_numbers()[component as usize];
        assert_eq!(euler, cells(dims, is_in_component), "{label}");
    }
}

#[test]
fn random_solids_have_the_counted_components() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (number, dims) in SIZES.into_iter().chain([[39, 7, 8]]).enumerate() {
            for one_in in [2, 20] {
                check(
                    &test.label,
                    &stream,
                    &random_mask(dims, one_in, number as u64),
                );
            }
            let mut solid = random_mask(dims, 9, number as u64);
            solid.samples_mut().iter_mut().for_each(|v| *v = 7 - *v);
            check(&test.label, &stream, &solid);
        }
    }
}

#[test]
fn analytic_solids_have_their_euler_characteristic() {
    let expected = [
        (Solid::ball(6.0), 1),
        (Solid::ball(0.6), 1),
        (Solid::ellipsoid([8.0, 5.0, 4.0]), 1),
        (Solid::cuboid([9.0, 3.0, 4.0]), 1),
        (Solid::capsule(3.0, 20.0), 1),
        (Solid::tube(3.0, 20.0), 1),
        (Solid::y_of_tubes(2.5, 12.0), 1),
        (Solid::l_bar(2.0, 15.0), 1),
        (Solid::torus(7.0, 2.5), 0),
        (Solid::double_torus(7.0, 2.5), -1),
        (Solid::shell(6.0, 3.5), 2),
    ];
    let with_turned = expected.into_iter().flat_map(|(solid, euler)| {
        let turned = solid
            .rotated([3.0, 1.0, 2.0], 0.6)
            .shifted([0.3, -0.4, 0.2]);
        [solid, turned].map(|solid| (solid.voxels(), solid.name, euler))
    });
    let solids: Vec<_> = with_turned.collect();
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for (solid, name, euler) in &solids {
            let mask = mask(&stream, solid);
            let label = format!("{}: {name}", test.label);
            let actual = euler_number(&stream, &mask).unwrap();
            assert_eq!(actual, *euler, "{label}");
            let parts = components(&stream, &mask).unwrap();
            assert_eq!(parts.euler_numbers(), [actual], "{label}");
        }
    }
}

#[test]
fn empty_mask_and_two_components() {
    let stream = Device::cpu().stream().unwrap();
    let empty = Volume::from_fn([5, 4, 3], Geometry::default(), |_, _, _| 0).unwrap();
    let mask_of_none = mask(&stream, &empty);
    assert_eq!(components(&stream, &mask_of_none).unwrap().count(), 0);
    assert_eq!(euler_number(&stream, &mask_of_none).unwrap(), 0);
    // the bars touch at a corner: one component, not two
    let touching = |gap: usize| {
        Volume::from_fn([9, 9, 9], Geometry::default(), move |x, y, z| {
            let [low, high] = [x.min(y).min(z), x.max(y).max(z)];
            u8::from(high < 3 || low >= 3 + gap)
        })
        .unwrap()
    };
    for (gap, count) in [(0, 1), (1, 2)] {
        let mask = mask(&stream, &touching(gap));
        assert_eq!(components(&stream, &mask).unwrap().count(), count);
        assert_eq!(euler_number(&stream, &mask).unwrap(), count as i64);
    }
}
