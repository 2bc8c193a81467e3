//! The occupancy calculator compared with the CUDA driver of the devices that are present: every
//! kernel, every block size, a range of dynamic shared memory.

use ferrovox::{
    device::{Device, recorded_resources},
    occupancy::active_blocks,
};

#[test]
fn the_driver_agrees_for_every_kernel_and_block_size() {
    let count = match Device::cuda_count() {
        Ok(count) => count,
        Err(error) => {
            test_cases::report_skip(format_args!("{error}"));
            return;
        }
    };
    for index in 0..count {
        let device = Device::cuda(index).expect("a device that was counted opens");
        let limits = *device.limits();
        let capability = limits.capability.expect("a GPU's");
        let newest = recorded_resources()
            .iter()
            .filter(|(arch, _)| {
                arch.parse()
                    .is_ok_and(|it: ferrovox::occupancy::ComputeCapability| it <= capability)
            })
            .max_by_key(|(arch, _)| {
                arch.parse::<ferrovox::occupancy::ComputeCapability>()
                    .unwrap()
            });
        let (_, kernels) = newest.expect("PTX that the device runs");
        let stream = device.stream().unwrap();
        let entries: Vec<_> = kernels.keys().map(|name| name.clone().into()).collect();
        stream.prepare(&entries).unwrap();
        let mut asked = 0u64;
        for name in kernels.keys() {
            let kernel = device.kernel_resources(name).unwrap().expect("a GPU's");
            let max = limits.shared_bytes_per_block_opt_in - kernel.static_shared_bytes;
            for dynamic in [
                0,
                1,
                1000,
                8 * 1024,
                20_000,
                48 * 1024,
                75_000,
                100 * 1024,
                114 * 1024,
                max - 1,
                max,
            ] {
                if dynamic > max {
                    continue;
                }
                for threads in 1..=limits.threads_per_block.min(kernel.max_threads) {
                    let ours = active_blocks(&limits, &kernel, threads, dynamic);
                    let theirs = device
                        .active_blocks_by_driver(name, threads, dynamic)
                        .unwrap();
                    assert_eq!(
                        Some(ours),
                        theirs,
                        "{name} on {device}: {threads} threads, {dynamic} bytes, {kernel:?}"
                    );
                    asked += 1;
                }
            }
        }
        eprintln!(
            "{device}: the driver agrees for {} kernels in {asked} configurations",
            kernels.len()
        );
    }
}
