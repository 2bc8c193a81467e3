//! Figures 3(a) and 3(b) and the equation of Zhao et al. (2016), and devices that the header does
//! not cover.

use ferrovox::occupancy::{
    BlockConfig, ComputeCapability, Gpu, HardwareModel, KernelResources, Limiter, OccupancyModel,
    PaperModel, active_blocks, curve,
};

fn percent(model: &impl OccupancyModel, registers: u32, threads: u32) -> f64 {
    let kernel = KernelResources::new(registers);
    let occupancy = model
        .occupancy(&kernel, &BlockConfig::new(threads))
        .unwrap();
    100.0 * occupancy.fraction()
}

/// 192 threads: 5 blocks; 193: 4; 320: 3; 321: 2. The result printed for 42 registers holds up to
/// 16.
#[test]
fn figure_3a_matches_a_kernel_with_16_registers() {
    let fx_5800 = Gpu::named("Quadro FX 5800").unwrap().limits();
    let (paper, hardware) = (PaperModel::new(fx_5800), HardwareModel::new(fx_5800));
    for (threads, expected) in [(192, 93.75), (193, 87.5), (320, 93.75), (321, 68.75)] {
        assert_eq!(percent(&paper, 16, threads), expected, "{threads}");
        assert_eq!(percent(&hardware, 16, threads), expected, "{threads}");
    }
    assert_eq!(percent(&hardware, 17, 192), 75.0, "no longer with 17");
}

#[test]
fn equation_2_gives_fewer_blocks_for_the_published_kernel() {
    let fx_5800 = PaperModel::new(Gpu::named("FX 5800").unwrap().limits());
    let kernel = KernelResources::new(42).with_static_shared(1548);
    let at = |threads| {
        fx_5800
            .occupancy(&kernel, &BlockConfig::new(threads))
            .unwrap()
    };
    assert_eq!(at(192).fraction(), 0.375);
    assert_eq!(at(192).active_blocks, 2);
    assert!(at(192).limiters().eq([Limiter::Registers]));
    // Shared memory allows 10 blocks; the maximum is 8.
    assert_eq!(
        at(32).allocation.limits.limit(Limiter::SharedMemory),
        Some(10)
    );
    assert!(at(32).limiters().eq([Limiter::Blocks]));
}

/// Equation (2) for the GTX 580: 32768 / (42 · threads) blocks, at most 8 blocks and 48 warps.
#[test]
fn figure_3b_matches_equation_2_on_the_gtx_580() {
    let gtx_580 = PaperModel::new(Gpu::named("GTX 580").unwrap().limits());
    let kernel = KernelResources::new(42).with_static_shared(1548);
    let curve = curve::over_threads(&gtx_580, &kernel, &BlockConfig::new(1), |_| 0);
    for (threads, occupancy) in curve {
        let warps = threads.div_ceil(32);
        let blocks = (32768 / (42 * threads))
            .min(8)
            .min(48 / warps)
            .min(49152 / 1548);
        assert_eq!(occupancy.active_blocks, blocks, "{threads}");
        assert_eq!(
            occupancy.fraction(),
            f64::from(blocks * warps) / 48.0,
            "{threads}"
        );
    }
}

/// The expected results were computed by hand from the allocation rules of these devices.
#[test]
fn devices_older_than_the_header_match_hand_computed_results() {
    let blocks = |capability: (u8, u8), registers, static_bytes, threads| {
        let capability = ComputeCapability::new(capability.0, capability.1);
        let kernel = KernelResources::new(registers).with_static_shared(static_bytes);
        let model = HardwareModel::for_capability(capability).unwrap();
        model
            .occupancy(&kernel, &BlockConfig::new(threads))
            .unwrap()
            .active_blocks
    };
    // 1.0: 10 · 32 · 8 = 2560 of 8192 registers.
    assert_eq!(blocks((1, 0), 10, 0, 256), 3);
    // 11 · 32 · 8 = 2816: two blocks, with 7 warps as with 8.
    assert_eq!(blocks((1, 0), 11, 0, 256), 2);
    assert_eq!(blocks((1, 1), 11, 0, 224), 2);
    // 1.3: in units of 512 registers, 17 · 32 · 2 = 1088 become 1536, of which 10 fit; 8 blocks.
    assert_eq!(blocks((1, 3), 17, 0, 64), 8);
    assert_eq!(blocks((1, 3), 33, 0, 64), 6);
    // 1.x: shared memory in units of 512 bytes.
    assert_eq!(blocks((1, 2), 8, 4096, 64), 4);
    assert_eq!(blocks((1, 2), 8, 4097, 64), 3);
    // 2.0: 20 registers take 640 per warp, 25 warps per half; 21 take 768 and 21 warps.
    assert_eq!(blocks((2, 0), 20, 0, 192), 8);
    assert_eq!(blocks((2, 0), 21, 0, 192), 7);
    assert_eq!(blocks((2, 0), 23, 0, 192), 7);
    // 63 registers: 2048 for a warp, 8 on each half; a block of 17 warps would take 9 on one
    assert_eq!(blocks((2, 1), 63, 0, 512), 1);
    assert_eq!(blocks((2, 1), 63, 0, 513), 0);
    assert_eq!(blocks((2, 1), 32, 4096, 64), 8);
    assert_eq!(blocks((2, 1), 32, 8192, 64), 6);
}

#[test]
fn special_cases_of_the_allocation_rules() {
    let at = |capability: (u8, u8), registers, threads, dynamic| {
        let capability = ComputeCapability::new(capability.0, capability.1);
        let device = *HardwareModel::for_capability(capability).unwrap().device();
        active_blocks(&device, &KernelResources::new(registers), threads, dynamic)
    };
    assert_eq!(at((8, 0), 92, 224, 0), 2, "the naive formula says 3");
    assert_eq!(
        at((8, 6), 16, 128, 51_200),
        1,
        "the system takes 1 KiB of each block"
    );
    assert_eq!(at((9, 0), 33, 1024, 0), 1, "registers come in units of 8");
    let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
    let tied = hopper
        .occupancy(&KernelResources::new(32), &BlockConfig::new(64))
        .unwrap();
    assert_eq!((tied.active_blocks, tied.fraction()), (32, 1.0));
    assert!(
        tied.limiters()
            .eq([Limiter::Warps, Limiter::Blocks, Limiter::Registers])
    );
}
