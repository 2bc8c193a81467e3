//! Comparison of the shortest paths of devices and of the host.

use super::{
    device_paths::DeviceComponent,
    edge_weights::DistancesAndWeights,
    shortest_paths::{ShortestPaths, extremal_voxel},
};
use crate::{
    device::{CpuOptions, Device},
    grid::{Geometry, Mask, Metric},
    skeleton::medial::{
        progress::ComponentProgress,
        voxels::{distance_transform::squared_distances, frame::Frame, object::Object, runs::Runs},
    },
};
use proptest::prelude::*;
use test_cases::case_count;

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(60), failure_persistence: None, ..Default::default() })]

    /// Relaxation of bricks on the device and Dijkstra's algorithm on the host give the same bits.
    #[test]
    fn device_paths_equal_host_paths(
        seed in any::<u64>(),
        fill in 0.2f64..1.0,
        dims in prop::array::uniform3(1usize..22),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [0.7, 0.9, 1.1]]),
        block in prop::sample::select(vec![1u32, 32, 128, 512]),
    ) {
        let mut state = seed;
        let mut mask = Mask::new(dims, Geometry::from_spacing(spacing, [0.0; 3]).unwrap()).unwrap();
        let samples: Vec<bool> = (0..dims.iter().product::<usize>()).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f64) < fill * (1u64 << 24) as f64
        }).collect();
        mask = Mask::from_bools(&samples, dims, *mask.geometry()).unwrap();
        let runs = Runs::from_mask(&mask).unwrap();
        let components = runs.components().unwrap();
        let Some(runs) = components.iter().max_by_key(|runs| runs.len()) else { return Ok(()) };
        let (metric, _) = Metric::rounded(mask.geometry());
        let frame = Frame::canonical(runs, &metric);
        let metric = frame.metric(&metric);
        let object = Object::new(runs, &frame, &ComponentProgress::disabled()).unwrap();
        let progress = &ComponentProgress::disabled();
        let by_host = squared_distances(&object, &metric, progress).unwrap();
        let device = Device::cpu_with(CpuOptions { mode: simt::Mode::Checked { seed }, block });
        let stream = device.stream().unwrap();
        let (on_device, by_device) = DeviceComponent::new(&stream, &object, &metric).unwrap();
        let by_host = DistancesAndWeights::new(&object, &metric, by_host);
        prop_assert!(by_host == by_device);
        let root = extremal_voxel(&object, &metric);
        let ours = ShortestPaths::from_root(&object, &metric, &by_host.edge_weights, root, true, progress).unwrap();
        let theirs = on_device.shortest_paths(&object, &metric, root, true, progress).unwrap();
        prop_assert!(ours == theirs);
    }
}
