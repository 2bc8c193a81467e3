//! The shapes that the bench compares: each must be right before it is quick.

use ferrovox::device::{Device, Launch};
use ferrovox_kernels::scan::{
    TileJob,
    look_back::HEADER,
    tuning::{Ahead2, Ahead4, Ahead8, Rows4, Rows8, Staged4, Staged8, TileShape, tune_scan},
};
use ferrovox_tests::{devices, noise::Noise};

fn check<S: TileShape>(label: &str, device: &Device, input: &[u32]) {
    let stream = device.stream().unwrap();
    let launch = Launch::pieces(1)
        .at_most_threads(128)
        .dynamic_shared_bytes(S::SHARED_BYTES * 128);
    let plan = stream.plan::<tune_scan<S>>(launch).unwrap();
    let tile = u64::from(plan.threads) * S::ITEMS as u64;
    let tiles = (input.len() as u64).div_ceil(tile).max(1) as u32;
    let on_device = stream.upload(input).unwrap();
    let mut output = stream.alloc::<u32>(input.len()).unwrap();
    let mut states = stream.zeros::<u64>(HEADER + tiles as usize).unwrap();
    let mut total = stream.zeros::<u32>(1).unwrap();
    let mut first_number = 0;
    // with a block for each tile, and with blocks that take several
    for (round, blocks) in [tiles, tiles.div_ceil(3)].into_iter().enumerate() {
        let one_each = u32::from(blocks == tiles);
        let job = TileJob {
            count: input.len() as u64,
            tile,
            tiles,
            first_number,
            epoch: round as u32 + 1,
            inclusive: 0,
            pause: 0,
            one_each,
        };
        first_number += tiles + if one_each == 1 { 0 } else { blocks };
        let launch = Launch::pieces(blocks.into())
            .at_most_threads(128)
            .dynamic_shared_bytes(S::SHARED_BYTES * 128);
        let output_view = output.view_mut();
        // SAFETY: as many elements as the job says, a word for each tile, and numbers that go on.
        unsafe {
            let args = (
                on_device.view(),
                output_view,
                job,
                states.view_mut(),
                total.view_mut(),
            );
            stream.launch::<tune_scan<S>>(launch, args).unwrap();
        }
        let mut sum = 0u32;
        for (at, (&value, found)) in input
            .iter()
            .zip(stream.download(&output).unwrap())
            .enumerate()
        {
            assert_eq!(
                found,
                sum,
                "{label}: {} at {at} of {}",
                S::NAME,
                input.len()
            );
            sum = sum.wrapping_add(value);
        }
        assert_eq!(
            stream.download(&total).unwrap(),
            [sum],
            "{label}: {}",
            S::NAME
        );
        // every number was taken
        let counter = stream.download(&states).unwrap()[0];
        assert_eq!(counter, u64::from(first_number), "{label}: {}", S::NAME);
    }
}

#[test]
fn every_shape() {
    for test in devices::all() {
        let mut noise = Noise(91);
        for size in [0, 1, 1000, 2048, 4096, 10_007] {
            let input: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let (label, device) = (&test.label, &test.device);
            check::<Rows4>(label, device, &input);
            check::<Rows8>(label, device, &input);
            check::<Ahead2>(label, device, &input);
            check::<Ahead4>(label, device, &input);
            check::<Ahead8>(label, device, &input);
            check::<Staged4>(label, device, &input);
            check::<Staged8>(label, device, &input);
        }
    }
}
