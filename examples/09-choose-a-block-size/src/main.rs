//! How many blocks of a kernel a GPU runs at a time, and which block size is best. No GPU is
//! needed: its limits are known by its name.

use ferrovox::{
    device::recorded_kernel,
    occupancy::{
        BlockConfig, Gpu, HardwareModel, KernelResources, Limiter, OccupancyModel, Waves,
        best_block, curve, slack,
    },
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A GPU and its limits.
    let gpu = Gpu::named("H200")?;
    let model = HardwareModel::new(gpu.limits());
    let device = model.device();
    println!(
        "{}: {} multiprocessors, each with {} registers and room for {} warps",
        gpu.name,
        device.multiprocessors,
        device.registers_per_multiprocessor,
        device.warps_per_multiprocessor
    );

    // 2. A kernel: what the assembler says of it (`ptxas -v`). And blocks of 256 threads.
    let kernel = KernelResources::new(43);
    let block = BlockConfig::new(256);
    let occupancy = model.occupancy(&kernel, &block)?;
    println!(
        "43 registers, 256 threads: {} blocks on a multiprocessor, {} of {} warps",
        occupancy.active_blocks, occupancy.active_warps, occupancy.max_warps
    );
    assert_eq!((occupancy.active_blocks, occupancy.fraction()), (5, 0.625));

    // 3. What bounds it, and what would help.
    assert!(occupancy.limiters().eq([Limiter::Registers]));
    let registers = slack(&model, &kernel, &block, Limiter::Registers);
    let fewer = registers
        .and_then(|slack| slack.fewer)
        .expect("registers bound it");
    println!(
        "with {} registers: {} blocks",
        fewer.to, fewer.active_blocks
    );
    assert_eq!((fewer.to, fewer.active_blocks), (40, 6));

    // 4. The best block size: here no shared memory is asked for by the launch, and any size will
    //    do.
    let largest = BlockConfig::new(device.threads_per_block);
    let best = best_block(&model, &kernel, &largest, |_| 0, |_| true).expect("some block runs");
    println!(
        "best: {} threads, {} blocks on a multiprocessor, {} fill the GPU",
        best.threads, best.active_blocks, best.least_grid
    );
    assert_eq!((best.threads, best.active_blocks), (640, 2));

    // 5. All block sizes; here every fourth number of warps. None has more threads active than the
    //    best.
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

    // 6. A grid goes through the GPU in waves; a last one that is nearly empty takes as long as a
    //    full one.
    let waves = Waves::new(device, &occupancy, 700).expect("some block runs");
    println!(
        "a grid of 700 blocks: {} waves of {}, the last with {} blocks",
        waves.count(),
        waves.blocks_per_wave,
        waves.tail_blocks
    );
    assert_eq!((waves.count(), waves.tail_blocks), (2, 40));

    // 7. The kernels of ferrovox have their figures on record.
    let own = recorded_kernel("fill_sphere", gpu.capability)?;
    println!("{}: {} registers", own.name, own.resources.registers);
    Ok(())
}
