//! Step-by-step explanation of an occupancy result, in sentences.

use super::{
    Allocation, BlockConfig, KernelResources, Limiter, Occupancy, OccupancyModel, limits::WARP,
    register_rule::RegisterRule,
};

/// Explains the result of the hardware model.
pub(super) fn hardware(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Vec<String> {
    let allocation = model.allocate(kernel, block);
    let mut lines = vec![warps(model, block, &allocation), block_limit(&allocation)];
    lines.push(registers(model, kernel, block, &allocation));
    lines.push(shared(model, kernel, block, &allocation));
    if let Some(blocks) = allocation.limits.limit(Limiter::Barriers) {
        lines.push(format!(
            "Barriers: {} per block; {} per multiprocessor: {}.",
            kernel.barriers,
            model.device().barriers_per_multiprocessor,
            limit_text(Some(blocks))
        ));
    }
    lines.push(result(model, block, allocation));
    lines
}

/// Explains the result of equation (2).
pub(super) fn paper(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Vec<String> {
    let device = model.device();
    let allocation = model.allocate(kernel, block);
    vec![
        warps(model, block, &allocation),
        block_limit(&allocation),
        format!(
            "Registers: {} per thread for {} threads are {} per block; {} per multiprocessor: {}.",
            kernel.registers,
            block.threads,
            allocation.registers,
            device.registers_per_multiprocessor,
            limit_text(allocation.limits.limit(Limiter::Registers))
        ),
        format!(
            "Shared memory: {} bytes per block; {} bytes per multiprocessor: {}.",
            allocation.shared_bytes,
            device.shared_bytes_per_multiprocessor,
            limit_text(allocation.limits.limit(Limiter::SharedMemory))
        ),
        result(model, block, allocation),
    ]
}

fn limit_text(blocks: Option<u32>) -> String {
    match blocks {
        None => "no limit".to_owned(),
        Some(0) => "room for 0 blocks".to_owned(),
        Some(1) => "room for 1 block".to_owned(),
        Some(blocks) => format!("room for {blocks} blocks"),
    }
}

fn warps(model: &impl OccupancyModel, block: &BlockConfig, allocation: &Allocation) -> String {
    format!(
        "Warps: {} threads are {} warps of {WARP} threads; at most {} warps per multiprocessor: {}.",
        block.threads,
        block.threads.div_ceil(WARP),
        model.device().warps_per_multiprocessor,
        limit_text(allocation.limits.limit(Limiter::Warps))
    )
}

fn block_limit(allocation: &Allocation) -> String {
    format!(
        "Blocks: at most {} per multiprocessor.",
        allocation.limits.blocks
    )
}

fn registers(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
    allocation: &Allocation,
) -> String {
    let device = model.device();
    let blocks = allocation.limits.limit(Limiter::Registers);
    let (per_thread, total) = (kernel.registers, device.registers_per_multiprocessor);
    if per_thread == 0 {
        return "Registers: the kernel uses 0: no limit.".to_owned();
    }
    let rule = RegisterRule::new(device, per_thread);
    let warps = block.threads.div_ceil(WARP);
    let unit = rule.unit;
    if rule.by_blocks {
        return format!(
            "Registers: {per_thread} per thread for {} warps (rounded up to even), in units of {unit}: {} per block; {total} per multiprocessor: {}.",
            warps.next_multiple_of(2),
            allocation.registers,
            limit_text(blocks)
        );
    }
    let warp = per_thread
        .saturating_mul(WARP)
        .checked_next_multiple_of(unit)
        .unwrap_or(u32::MAX);
    let begin = format!(
        "Registers: {per_thread} per thread for {WARP} threads, in units of {unit}: {warp} per warp."
    );
    let checked = warps.next_multiple_of(rule.checked_parts);
    let needed = u64::from(warp) * u64::from(checked);
    if blocks == Some(0) && needed > u64::from(device.registers_per_block) {
        return format!(
            "{begin} {checked} warps, distributed evenly over {} partitions, need {needed}; at most {} per block: {}.",
            rule.checked_parts,
            device.registers_per_block,
            limit_text(blocks)
        );
    }
    let per_part = (total / rule.parts).checked_div(warp).unwrap_or(0);
    format!(
        "{begin} Each of the {} partitions of a multiprocessor has {}, enough for {per_part} warps, {} in total; a block has {warps} warps: {}.",
        rule.parts,
        total / rule.parts,
        per_part * rule.parts,
        limit_text(blocks)
    )
}

fn shared(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
    allocation: &Allocation,
) -> String {
    let device = model.device();
    let reserved = match device.reserved_shared_bytes_per_block {
        0 => String::new(),
        bytes => format!(" + {bytes} reserved by the system"),
    };
    let pool = allocation.shared_pool_bytes;
    let configuration = if pool < device.shared_bytes_per_multiprocessor {
        format!("{pool} per multiprocessor with this carveout")
    } else {
        format!("{pool} per multiprocessor")
    };
    format!(
        "Shared memory: {} bytes static + {} dynamic{reserved}, in units of {}: {} per block; {configuration}: {}.",
        kernel.static_shared_bytes,
        block.dynamic_shared_bytes,
        device.shared_granularity,
        allocation.shared_bytes,
        limit_text(allocation.limits.limit(Limiter::SharedMemory))
    )
}

fn result(model: &impl OccupancyModel, block: &BlockConfig, allocation: Allocation) -> String {
    let occupancy = Occupancy::new(model.device(), block.threads, allocation);
    let names: Vec<&str> = occupancy.limiters().map(Limiter::name).collect();
    format!(
        "The minimum is {}, limited by {}. {} x {} = {} of {} warps: {:.1} %.",
        occupancy.active_blocks,
        names.join(", "),
        occupancy.active_blocks,
        occupancy.warps_per_block,
        occupancy.active_warps,
        occupancy.max_warps,
        100.0 * occupancy.fraction()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComputeCapability, Gpu, HardwareModel, PaperModel};

    #[test]
    fn explanation_contains_every_step() {
        let ampere = HardwareModel::for_capability(ComputeCapability::new(8, 0)).unwrap();
        let text = ampere
            .explain(&KernelResources::new(92), &BlockConfig::new(224))
            .join("\n");
        for fact in [
            "7 warps of 32",
            "room for 9 blocks",
            "3072 per warp",
            "16384, enough for 5 warps, 20 in total; a block has 7 warps: room for 2 blocks",
            "The minimum is 2, limited by registers. 2 x 7 = 14 of 64 warps: 21.9 %.",
        ] {
            assert!(text.contains(fact), "{fact} is not in: {text}");
        }
        let text = ampere
            .explain(&KernelResources::new(100), &BlockConfig::new(1000))
            .join("\n");
        assert!(
            text.contains("need 106496; at most 65536 per block: room for 0 blocks"),
            "{text}"
        );
    }

    #[test]
    fn explanation_differs_for_old_devices_and_equation_2() {
        let fx_5800 = Gpu::named("FX 5800").unwrap().limits();
        let (kernel, block) = (KernelResources::new(16), BlockConfig::new(193));
        let text = HardwareModel::new(fx_5800)
            .explain(&kernel, &block)
            .join("\n");
        assert!(
            text.contains("8 warps (rounded up to even), in units of 512: 4096 per block"),
            "{text}"
        );
        let text = PaperModel::new(fx_5800).explain(&kernel, &block).join("\n");
        assert!(
            text.contains("16 per thread for 193 threads are 3088"),
            "{text}"
        );
    }
}
