//! Computes the occupancy of a kernel and chooses its block size. No GPU is needed: the calculator
//! finds the limits of a GPU by its product name.

use ferrovox::{
    device::recorded_kernel,
    occupancy::{
        BlockConfig, Gpu, HardwareModel, KernelResources, Limiter, OccupancyModel, Waves,
        best_block, curve, slack,
    },
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. Select a GPU by name and print its limits.
    let gpu = Gpu::named("H200")?;
    let model = HardwareModel::new(gpu.limits());
    let device = model.device();
    println!(
        "{}: {} multiprocessors, each with {} registers and at most {} warps",
        gpu.name,
        device.multiprocessors,
        device.registers_per_multiprocessor,
        device.warps_per_multiprocessor
    );

    // 2. Compute the occupancy of a kernel with 43 registers per thread (as printed by `ptxas -v`)
    //    and blocks of 256 threads.
    let kernel = KernelResources::new(43);
    let block = BlockConfig::new(256);
    let occupancy = model.occupancy(&kernel, &block)?;
    println!(
        "43 registers, 256 threads: {} blocks on a multiprocessor, {} of {} warps",
        occupancy.active_blocks, occupancy.active_warps, occupancy.max_warps
    );
    assert_eq!((occupancy.active_blocks, occupancy.fraction()), (5, 0.625));

    // 3. Find the limiting resource, and the reduction needed for one more block.
    assert!(occupancy.limiters().eq([Limiter::Registers]));
    let registers = slack(&model, &kernel, &block, Limiter::Registers);
    let reduction = registers
        .and_then(|slack| slack.reduction)
        .expect("registers limit the occupancy");
    println!(
        "with {} registers: {} blocks",
        reduction.to, reduction.active_blocks
    );
    assert_eq!((reduction.to, reduction.active_blocks), (40, 6));

    // 4. Find the best block size. The launch uses no dynamic shared memory, and any size suits.
    let largest = BlockConfig::new(device.threads_per_block);
    let best = best_block(&model, &kernel, &largest, |_| 0, |_| true).expect("a block fits");
    println!(
        "best: {} threads, {} blocks on a multiprocessor, {} fill the GPU",
        best.threads, best.active_blocks, best.min_grid_size
    );
    assert_eq!((best.threads, best.active_blocks), (640, 2));

    // 5. Plot the occupancy by block size, at every fourth warp. No size has more active threads
    //    than the best one.
    let sizes = curve::over_threads(&model, &kernel, &block, |_| 0);
    for (threads, occupancy) in sizes {
        assert!(occupancy.active_threads() <= best.threads * best.active_blocks);
        if threads % 128 == 0 {
            let bar = "#".repeat(occupancy.active_warps as usize);
            println!(
                "{threads:>5} threads {:>5.1} % {bar}",
                100.0 * occupancy.fraction()
            );
        }
    }

    // 6. Divide a grid into waves. A partial last wave takes as long as a full one.
    let waves = Waves::new(device, &occupancy, 700).expect("a block fits");
    println!(
        "a grid of 700 blocks: {} waves of {}, the last with {} blocks",
        waves.count(),
        waves.blocks_per_wave,
        waves.tail_blocks
    );
    assert_eq!((waves.count(), waves.tail_blocks), (2, 40));

    // 7. Look up the recorded resource usage of a kernel of ferrovox.
    let recorded = recorded_kernel("fill_sphere", gpu.capability)?;
    println!(
        "{}: {} registers",
        recorded.name, recorded.resources.registers
    );
    Ok(())
}
