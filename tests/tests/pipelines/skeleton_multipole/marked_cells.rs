//! Cells that may contain a critical point, compared with sums over all sources.

use super::{classes_in, hand, on_host, params, surface_sources, voxel_shapes};
use crate::skeleton_kernels::marked_cell_words;
use ferrovox::{
    device::Stream,
    grid::{DeviceMask, DevicePoints, Geometry},
    skeleton::potential_field::{
        MultipoleParams,
        field::{ForceField, PointForce, force_field, forces_at_points},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    solids::Solid,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// Returns the cells in which no component of the exact forces has one sign at all corners.
fn exact_cells(positions: &[Point3<f64>], exact: &[PointForce]) -> Vec<[i64; 3]> {
    let key = |at: &Point3<f64>| [0, 1, 2].map(|axis| at[axis] as i64);
    let pairs = positions.iter().map(key).zip(exact);
    let by_voxel: HashMap<[i64; 3], &PointForce> = pairs.collect();
    let may_vanish = |cell: &[i64; 3]| {
        let corner = |k: i64| {
            [
                cell[0] + (k & 1),
                cell[1] + (k >> 1 & 1),
                cell[2] + (k >> 2),
            ]
        };
        let corners: Option<Vec<_>> = (0..8).map(|k| by_voxel.get(&corner(k))).collect();
        let Some(corners) = corners else {
            return false;
        };
        let largest = corners.iter().map(|at| at.force.norm()).fold(0.0, f64::max);
        (0..3).all(|axis| {
            let min = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::INFINITY, f64::min);
            let max = corners
                .iter()
                .map(|at| at.force[axis])
                .fold(f64::NEG_INFINITY, f64::max);
            min <= 1e-9 * largest && max >= -1e-9 * largest
        })
    };
    let mut cells: Vec<_> = by_voxel.keys().copied().filter(may_vanish).collect();
    cells.sort_unstable();
    cells
}

/// Returns the cells that the field marks as possibly containing a critical point.
fn marked_cells(stream: &Stream, field: &ForceField) -> Vec<[i64; 3]> {
    let words = marked_cell_words(stream, field, 64);
    let mask = DeviceMask::from_words(stream, &words, field.mask.dims(), Geometry::default());
    let actual = DevicePoints::from_mask(stream, &mask.unwrap()).unwrap();
    let actual = actual.download(stream).unwrap();
    let mut cells: Vec<_> = actual.iter().map(|at| at.map(|a| a as i64)).collect();
    cells.sort_unstable();
    cells
}

#[test]
fn marked_cells_match_all_pairs() {
    let solids = [
        hand(32.0),
        Solid::tube(6.0, 80.0),
        Solid::ball(13.0),
        Solid::cuboid([28.0, 20.0, 3.0]),
        Solid::y_of_tubes(5.0, 26.0).shifted([3.0, 5.0, 1.0]),
    ];
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, solid) in solids.iter().enumerate() {
            // the first solid on an anisotropic grid
            let shape = [voxel_shapes()[0], Geometry::default()][number.min(1)];
            let classes = classes_in(&stream, solid, shape);
            let sources = surface_sources(&stream, &classes);
            for exponent in [[3.0, 6.0], [6.0, 9.0]][number % 2] {
                let mut expected = None;
                for near in [None, Some(3)] {
                    let multipole = MultipoleParams {
                        squared_near_radius: near,
                        ..MultipoleParams::default()
                    };
                    let field =
                        force_field(&stream, &classes, &params(exponent, multipole)).unwrap();
                    let expected = expected.get_or_insert_with(|| {
                        let (positions, _) = on_host(&stream, &field);
                        let exact =
                            forces_at_points(&stream, &sources, &positions, exponent).unwrap();
                        exact_cells(&positions, &exact)
                    });
                    let recomputed = field.bounds.as_ref().unwrap().recomputed;
                    let actual = marked_cells(&stream, &field);
                    println!(
                        "{label}, {}, m = {exponent}, near {near:?}: {} cells, {recomputed} of {} voxels recomputed",
                        solid.name,
                        actual.len(),
                        classes.counts.boundary + classes.counts.interior
                    );
                    assert_eq!(&actual, expected, "{label} {} {exponent}", solid.name);
                }
            }
        }
    }
}
