//! Small kernels of skeletons, compared with loops over voxels, in checked mode too.

use super::skeleton_classes::mask;
use ferrovox::{
    device::{Launch, Stream},
    grid::DevicePoints,
    skeleton::potential_field::{
        self, SurfaceNeighbours, VoxelClasses, classify,
        field::{ForceField, force_field},
    },
};
use ferrovox_kernels::{
    grid::Grid,
    rows::{Items, Rows},
    skeleton::{
        critical::mark_critical_cells, divergence::direction_divergence,
        interpolation::interpolate_at_points,
    },
};
use ferrovox_tests::{devices, noise::Noise, solids::Solid};
use std::collections::HashMap;

/// Returns a solid longer than one word along x.
fn solid() -> Solid {
    Solid::ellipsoid([17.0, 6.0, 5.0]).rotated([0.0, 0.0, 1.0], 0.2)
}

fn field(stream: &Stream) -> (VoxelClasses, ForceField) {
    let voxels = solid().voxels();
    let classes = classify(stream, &mask(stream, &voxels), SurfaceNeighbours::Faces).unwrap();
    let field = force_field(stream, &classes, &potential_field::Params::default()).unwrap();
    (classes, field)
}

fn rows() -> Rows {
    let [nx, ny, nz] = solid().dims().map(|n| n as u32);
    Rows {
        nx,
        ny,
        nz,
        chunk: 24,
        run: 1,
    }
}

fn launch(rows: Rows) -> Launch {
    Launch::pieces(rows.chunks()).max_useful_threads(rows.chunk)
}

type Forces = HashMap<[i64; 3], [f32; 4]>;

/// Downloads the forces by voxel, and the voxels in mask order.
fn on_host(stream: &Stream, field: &ForceField) -> (Forces, Vec<[i64; 3]>) {
    let positions = DevicePoints::from_mask(stream, &field.mask).unwrap();
    let positions = positions.download(stream).unwrap();
    let positions: Vec<[i64; 3]> = positions.iter().map(|at| at.map(|a| a as i64)).collect();
    let forces = stream.download(&field.forces).unwrap();
    let by_voxel = positions
        .iter()
        .copied()
        .zip(forces.as_chunks().0.iter().copied());
    (by_voxel.collect(), positions)
}

#[test]
fn divergences_match_differences_of_directions() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let (_, field) = field(&stream);
        let (forces, positions) = on_host(&stream, &field);
        let mut actual = stream.alloc::<f32>(positions.len()).unwrap();
        let rows = rows();
        // SAFETY: the words are those of the grid, and there are four floats and one result per
        // mask voxel.
        unsafe {
            let args = (
                field.mask.words().view(),
                field.before.view(),
                field.forces.view(),
                field.mask.layout(),
                rows,
                actual.view_mut(),
            );
            stream
                .launch::<direction_divergence>(launch(rows), args)
                .unwrap();
        }
        let actual = stream.download(&actual).unwrap();
        let mut finite = 0;
        for (at, actual) in positions.iter().zip(actual) {
            let along = |axis: usize, step: i64| {
                let mut neighbour = *at;
                neighbour[axis] += step;
                forces.get(&neighbour).map(|force| f64::from(force[axis]))
            };
            let sides = (0..3).map(|axis| Some(along(axis, 1)? - along(axis, -1)?));
            match sides.sum::<Option<f64>>() {
                Some(sum) => {
                    finite += 1;
                    assert!(
                        (f64::from(actual) - 0.5 * sum).abs() < 1e-5,
                        "{} {at:?}",
                        test.label
                    );
                }
                None => assert_eq!(actual, f32::INFINITY, "{} {at:?}", test.label),
            }
        }
        assert!(finite > 100);
    }
}

/// Returns the words of the cells that may have a critical point, processed in chunks of the given
/// size.
pub fn marked_cell_words(stream: &Stream, field: &ForceField, chunk: u32) -> Vec<u32> {
    let bits = field.mask.layout();
    let mut cells = stream.alloc::<u32>(bits.words() as usize).unwrap();
    let items = Items {
        count: bits.words(),
        chunk,
    };
    // SAFETY: there is one word of cells per word of the mask and per item, and four floats per
    // mask voxel.
    unsafe {
        let args = (
            field.mask.words().view(),
            field.before.view(),
            field.forces.view(),
            bits,
            items,
            cells.view_mut(),
        );
        let launch = Launch::pieces(items.chunks()).max_useful_threads(items.chunk);
        stream.launch::<mark_critical_cells>(launch, args).unwrap();
    }
    stream.download(&cells).unwrap()
}

#[test]
fn cells_are_marked_where_all_components_change_sign() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let (_, field) = field(&stream);
        let (forces, _) = on_host(&stream, &field);
        let bits = field.mask.layout();
        let cells = marked_cell_words(&stream, &field, 32);
        let [nx, ny, nz] = solid().dims();
        let mut candidates = 0;
        for (x, y, z) in
            (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (x, y, z))))
        {
            let corners: Option<Vec<[f32; 3]>> = (0..8)
                .map(|k| {
                    let at = [x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)].map(|a| a as i64);
                    let [u, v, w, magnitude] = *forces.get(&at)?;
                    Some([u, v, w].map(|component| component * magnitude))
                })
                .collect();
            let word = (z * ny + y) * bits.per_row as usize + x / 32;
            let actual = cells[word] >> (x % 32) & 1 == 1;
            let Some(corners) = corners else {
                assert!(!actual, "{} {x} {y} {z}", test.label);
                continue;
            };
            let both = |axis: usize| {
                corners.iter().any(|f| f[axis] <= 0.0) && corners.iter().any(|f| f[axis] >= 0.0)
            };
            if both(0) && both(1) && both(2) {
                candidates += 1;
                assert!(actual, "{} {x} {y} {z}", test.label);
            }
            // additional cells have a component that nearly vanishes
            let nearly = |axis: usize| {
                let largest = corners
                    .iter()
                    .flatten()
                    .fold(0.0, |a: f32, f| a.max(f.abs()));
                both(axis) || corners.iter().any(|f| f[axis].abs() <= 1e-6 * largest)
            };
            assert!(
                !actual || (nearly(0) && nearly(1) && nearly(2)),
                "{} {x} {y} {z}",
                test.label
            );
        }
        assert!(candidates > 0, "{}", test.label);
    }
}

#[test]
fn samples_between_voxels_are_interpolated() {
    let (nx, ny, nz) = (5usize, 4usize, 3usize);
    let mut noise = Noise(5);
    let samples: Vec<f32> = (0..nx * ny * nz).map(|_| noise.below(100) as f32).collect();
    // inside, at voxels, at the border and outside
    let mut points: Vec<[f32; 3]> = (0..40)
        .map(|_| [7, 6, 5].map(|n| noise.below(n * 100) as f32 * 0.01 - 1.0))
        .collect();
    points.extend([[0.0; 3], [4.0, 3.0, 2.0], [2.0, 1.0, 1.0]]);
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let volume = stream.upload(&samples).unwrap();
        let at = stream.upload(points.as_flattened()).unwrap();
        let mut values = stream.alloc::<f32>(points.len()).unwrap();
        let items = Items {
            count: points.len() as u64,
            chunk: 16,
        };
        let grid = Grid {
            nx: nx as u32,
            ny: ny as u32,
            nz: nz as u32,
        };
        // SAFETY: the samples are those of the grid; there are three coordinates and one value per
        // point.
        unsafe {
            let args = (volume.view(), grid, at.view(), items, values.view_mut());
            let launch = Launch::pieces(items.chunks()).max_useful_threads(items.chunk);
            stream
                .launch::<interpolate_at_points>(launch, args)
                .unwrap();
        }
        let values = stream.download(&values).unwrap();
        for (point, actual) in points.iter().zip(values) {
            let axis_weights = |axis: usize, len: usize| {
                let at = f64::from(point[axis]).clamp(0.0, len as f64 - 1.0);
                (at.floor() as usize, at.fract())
            };
            let axes = [
                axis_weights(0, nx),
                axis_weights(1, ny),
                axis_weights(2, nz),
            ];
            let lens = [nx, ny, nz];
            let corner = |k: usize| {
                let side = [k & 1, k >> 1 & 1, k >> 2];
                let at = [0, 1, 2].map(|a| (axes[a].0 + side[a]).min(lens[a] - 1));
                let weight: f64 = (0..3)
                    .map(|a| {
                        if side[a] == 1 {
                            axes[a].1
                        } else {
                            1.0 - axes[a].1
                        }
                    })
                    .product();
                weight * f64::from(samples[(at[2] * ny + at[1]) * nx + at[0]])
            };
            let expected: f64 = (0..8).map(corner).sum();
            assert!(
                (f64::from(actual) - expected).abs() < 1e-3,
                "{} {point:?}",
                test.label
            );
        }
    }
}
