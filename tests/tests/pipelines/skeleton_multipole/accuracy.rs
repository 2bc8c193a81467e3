//! Errors of the multipole method, compared with their bounds.

use super::{
    EXPONENTS, check, classes, classes_in, hand, params, shapes, surface_sources, voxel_shapes,
    without_recomputation,
};
use ferrovox::{
    device::Device,
    grid::{DeviceMask, DevicePoints, Geometry},
    skeleton::potential_field::{
        FieldVariant,
        field::{Sources, force_field, forces_at_voxels},
    },
};
use ferrovox_tests::{
    devices::{self, TestDevice},
    solids::Solid,
};
use proptest::prelude::*;
use test_cases::shard;

#[test]
fn errors_are_within_their_bounds() {
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, solid) in shapes().into_iter().enumerate() {
            let classes = classes(&stream, &solid);
            let sources = surface_sources(&stream, &classes);
            for (turn, exponent) in shard(EXPONENTS.into_iter().enumerate(), number) {
                // with a small radius much of such a solid is far, on several levels
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, without_recomputation(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                let label = format!("{label}, {}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(
                    far || worst.relative_to_scale < 1e-4,
                    "{label} {exponent} {worst:?}"
                );
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds_for_anisotropic_voxels() {
    let solids = [
        hand(26.0),
        Solid::tube(6.0, 60.0).shifted([3.0, 5.0, 1.0]),
        Solid::ball(13.0),
    ];
    for TestDevice { label, device } in devices::fast() {
        let stream = device.stream().unwrap();
        for (number, shape) in voxel_shapes().into_iter().enumerate() {
            for (turn, exponent) in shard([2.0, 2.5, 6.0, 9.0].into_iter().enumerate(), number) {
                let solid = &solids[(number + turn) % 3];
                let classes = classes_in(&stream, solid, shape);
                let sources = surface_sources(&stream, &classes);
                let near = [None, Some(3), Some(9)][(number + turn) % 3];
                let params = params(exponent, without_recomputation(None, near));
                let field = force_field(&stream, &classes, &params).unwrap();
                assert_eq!(field.variant, FieldVariant::Multipole);
                let label = format!("{label}, {}, {shape:?}, near {near:?}", solid.name);
                let worst = check(&label, &stream, &field, &sources, exponent, 61);
                println!("{label}, m = {exponent}: {worst:?}");
                let far = near.is_some() || exponent < 4.0;
                assert!(
                    far || worst.relative_to_scale < 1e-4,
                    "{label} {exponent} {worst:?}"
                );
            }
        }
    }
}

#[test]
fn higher_orders_are_more_accurate() {
    let stream = Device::cpu().stream().unwrap();
    let classes = classes(&stream, &hand(36.0));
    let sources = surface_sources(&stream, &classes);
    for exponent in [2.0, 6.0, 9.0] {
        let mut before = f64::INFINITY;
        for order in [4, 6, 8, 10, 12] {
            let params = params(exponent, without_recomputation(Some(order), Some(6)));
            let field = force_field(&stream, &classes, &params).unwrap();
            let label = format!("order {order}");
            let worst = check(&label, &stream, &field, &sources, exponent, 37);
            println!("m = {exponent}, order {order}: {worst:?}");
            // the precision of f32 is reached
            assert!(
                worst.relative_to_scale < before.max(3e-7),
                "{exponent} {order}"
            );
            before = worst.relative_to_scale;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Arbitrary source and target voxels.
    #[test]
    fn scattered_voxels(
        seed in any::<u64>(),
        dims in [1usize..70, 1usize..50, 1usize..40],
        counts in [1usize..200, 1usize..200],
        exponent in 2.0f64..9.0,
        order in 1u32..=6,
        near in 3u32..=10,
        shape in prop::option::of(0usize..6),
    ) {
        let geometry = shape.map_or(Geometry::default(), |shape| voxel_shapes()[shape]);
        let mut noise = ferrovox_tests::noise::Noise(seed);
        let voxels = dims.iter().product::<usize>() as u64;
        let mut draw = |count: usize| -> std::collections::BTreeSet<u64> {
            (0..count).map(|_| noise.below(voxels)).collect()
        };
        let (sources, mut targets) = (draw(counts[0]), draw(counts[1]));
        targets.retain(|target| !sources.contains(target));
        let coords = |&index: &u64| {
            let index = index as usize;
            [index % dims[0], index / dims[0] % dims[1], index / dims[0] / dims[1]].map(|a| a as f32)
        };
        let stream = Device::cpu().stream().unwrap();
        let points: Vec<[f32; 3]> = sources.iter().map(coords).collect();
        let points = DevicePoints::from_voxels(&stream, &points, dims, geometry).unwrap();
        let points = Sources::new(&stream, points).unwrap();
        let targets: Vec<u64> = targets.into_iter().collect();
        let mask = DeviceMask::from_indices(&stream, &targets, dims, geometry).unwrap();
        let params = params(exponent, without_recomputation(Some(order), Some(near)));
        let field = forces_at_voxels(&stream, &points, mask, &params).unwrap();
        check("scattered", &stream, &field, &points, exponent, 1);
    }
}
