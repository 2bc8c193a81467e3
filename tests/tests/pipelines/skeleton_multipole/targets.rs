//! Buffers, bits and memory of the multipole method for different sets of targets.

use super::{
    check, classes, classes_in, on_host, params, surface_sources, voxel_shapes,
    without_recomputation,
};
use ferrovox::{
    device::Device,
    grid::{DeviceMask, Geometry},
    skeleton::potential_field::{
        FieldVariant, MultipoleParams, SurfaceNeighbours, classify,
        field::{force_field, forces_at_voxels},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    solids::Solid,
};
use nalgebra::{Matrix3, Vector3};

/// Too elongated for the multipole method.
#[test]
fn very_elongated_voxels_use_all_pairs() {
    let stream = Device::cpu().stream().unwrap();
    let flat = Geometry::new(
        Matrix3::from_diagonal(&[1.0, 1.0, 40.0].into()),
        Vector3::zeros(),
    );
    let classes = classes_in(&stream, &Solid::ball(5.0), flat.unwrap());
    let field = force_field(&stream, &classes, &params(6.0, MultipoleParams::default())).unwrap();
    assert_eq!(field.variant, FieldVariant::Tuned);
    assert!(field.bounds.is_none());
}

/// Includes checked mode.
#[test]
fn every_kernel_stays_within_its_buffers() {
    let solid = Solid::tube(4.0, 44.0).shifted([1.0, 3.0, 2.0]);
    for shape in [Geometry::default(), voxel_shapes()[0], voxel_shapes()[5]] {
        let mut bits: Option<Vec<u32>> = None;
        for TestDevice { label, device } in devices::all() {
            let stream = device.stream().unwrap();
            let classes = classes_in(&stream, &solid, shape);
            let sources = surface_sources(&stream, &classes);
            let params = params(6.0, without_recomputation(Some(3), Some(3)));
            let field = force_field(&stream, &classes, &params).unwrap();
            check(&label, &stream, &field, &sources, 6.0, 7);
            // few enough for the direct-summation kernel
            let recomputed = field.bounds.as_ref().unwrap().recomputed;
            let targets = classes.counts.boundary + classes.counts.interior;
            let few = recomputed > 0 && recomputed <= targets / 4;
            assert!(few, "{label}: {recomputed} of {targets} recomputed");
            let forces = stream.download(&field.forces).unwrap();
            let actual: Vec<u32> = forces.into_iter().map(f32::to_bits).collect();
            let expected = bits.get_or_insert_with(|| actual.clone());
            assert!(&actual == expected, "{label}: bits differ");
        }
    }
}

#[test]
fn bits_do_not_depend_on_other_targets() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &Solid::tube(6.0, 70.0));
    let sources = surface_sources(&stream, &classes);
    let inside = classes.inside(&stream).unwrap();
    let params = params(6.0, without_recomputation(Some(5), Some(3)));
    let all = forces_at_voxels(&stream, &sources, inside.copy(&stream).unwrap(), &params).unwrap();
    let recomputed = all.bounds.as_ref().unwrap().recomputed;
    let (positions, all) = on_host(&stream, &all);
    let few: Vec<u64> = (0..positions.len())
        .step_by(11)
        .map(|at| {
            let [nx, ny, _] = inside.dims();
            let [x, y, z] = [0, 1, 2].map(|axis| positions[at][axis] as usize);
            ((z * ny + y) * nx + x) as u64
        })
        .collect();
    let mask = DeviceMask::from_indices(&stream, &few, inside.dims(), Geometry::default());
    let few = forces_at_voxels(&stream, &sources, mask.unwrap(), &params).unwrap();
    let (_, few) = on_host(&stream, &few);
    let pairs = all.iter().step_by(11).zip(&few);
    // without marked cells nothing is recomputed
    let others = pairs.filter(|(all, few)| all != few).count() as u64;
    assert!(
        others <= recomputed && recomputed < 500,
        "{others} {recomputed}"
    );
}

#[test]
fn sparse_large_grid_takes_little_memory() {
    let device = Device::cpu();
    let stream = device.stream().unwrap();
    // two bars in opposite corners
    let dims = [512, 512, 256];
    let index = |[x, y, z]: [usize; 3]| (z * dims[1] + y) as u64 * dims[0] as u64 + x as u64;
    let bar = |corner: [usize; 3]| {
        (0..40 * 9 * 9).map(move |i| {
            let at = [i % 40, i / 40 % 9, i / 360];
            index([0, 1, 2].map(|axis| corner[axis] + at[axis]))
        })
    };
    let voxels: Vec<u64> = bar([2, 3, 5]).chain(bar([465, 500, 240])).collect();
    let solid = DeviceMask::from_indices(&stream, &voxels, dims, Geometry::default()).unwrap();
    let classes = classify(&stream, &solid, SurfaceNeighbours::Faces).unwrap();
    let before = device.memory_use().now;
    let field = force_field(
        &stream,
        &classes,
        &params(3.0, without_recomputation(None, None)),
    )
    .unwrap();
    let used_bytes = device.memory_use().peak - before;
    let sources = surface_sources(&stream, &classes);
    check("two bars", &stream, &field, &sources, 3.0, 7);
    // a quarter of a byte per voxel of the grid
    assert!(used_bytes < 60 << 20, "{used_bytes} bytes");
}
