//! Duration of a sweep.

use ferrovox::occupancy::{
    BlockConfig, ComputeCapability, Gpu, HardwareModel, KernelResources, OccupancyModel, block_size,
};
use std::{hint::black_box, time::Instant};

/// The limit of a second applies without debug assertions only: `cargo test --release`.
#[test]
fn a_million_configurations_take_less_than_a_second_on_one_core() {
    let model = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
    let start = Instant::now();
    let (mut count, mut warps) = (0u64, 0u64);
    for threads in (32..=1024).step_by(32) {
        for registers in 0..=255 {
            for bytes in (0..128).map(|step| step * 1024) {
                let kernel = KernelResources::new(registers);
                let block = BlockConfig::new(threads).with_dynamic_shared(bytes);
                let occupancy = model
                    .occupancy(black_box(&kernel), black_box(&block))
                    .unwrap();
                warps += u64::from(occupancy.active_warps);
                count += 1;
            }
        }
    }
    let time = start.elapsed();
    assert!(count >= 1_000_000 && black_box(warps) > 0);
    let per_million = time.as_secs_f64() / count as f64 * 1e6;
    println!("{count} configurations: {per_million:.3} s for a million");
    assert!(
        cfg!(debug_assertions) || per_million < 1.0,
        "{per_million} s"
    );
}

/// Prints the host time for choosing a block size; there is no limit.
#[test]
fn time_of_choosing_a_block_size() {
    let device = Gpu::named("H200").unwrap().limits();
    let start = Instant::now();
    let (mut count, mut sum) = (0u32, 0u64);
    for registers in (24..=255).cycle().take(10_000) {
        let kernel = KernelResources::new(black_box(registers)).with_static_shared(4096);
        sum += u64::from(block_size(&device, &kernel, 1024, 1000));
        count += 1;
    }
    let microseconds = start.elapsed().as_secs_f64() * 1e6 / f64::from(count);
    println!("a block size in {microseconds:.2} microseconds");
    assert!(black_box(sum) > 0);
}
