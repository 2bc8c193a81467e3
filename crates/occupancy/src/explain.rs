//! The calculator's working, in sentences.

use super::{
    Allocation, BlockConfig, KernelResources, Limiter, Occupancy, OccupancyModel, limits::WARP,
    registers::RegisterRule,
};

/// By the rules of the hardware.
pub(super) fn hardware(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Vec<String> {
    let allocation = model.allocate(kernel, block);
    let mut lines = vec![warps(model, block, &allocation), most_blocks(&allocation)];
    lines.push(registers(model, kernel, block, &allocation));
    lines.push(shared(model, kernel, block, &allocation));
    if let Some(blocks) = allocation.limits.of(Limiter::Barriers) {
        lines.push(format!(
            "Barriers: a block uses {}; a multiprocessor has {}: {}.",
            kernel.barriers,
            model.device().barriers_per_multiprocessor,
            room(Some(blocks))
        ));
    }
    lines.push(result(model, block, allocation));
    lines
}

/// By equation (2).
pub(super) fn paper(
    model: &impl OccupancyModel,
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Vec<String> {
    let device = model.device();
    let allocation = model.allocate(kernel, block);
    vec![
        warps(model, block, &allocation),
        most_blocks(&allocation),
        format!(
            "Registers: {} for each of {} threads are {}; a multiprocessor has {}: {}.",
            kernel.registers,
            block.threads,
            allocation.registers,
            device.registers_per_multiprocessor,
            room(allocation.limits.of(Limiter::Registers))
        ),
        format!(
            "Shared memory: {} bytes for a block; a multiprocessor has {}: {}.",
            allocation.shared_bytes,
            device.shared_bytes_per_multiprocessor,
            room(allocation.limits.of(Limiter::SharedMemory))
        ),
        result(model, block, allocation),
    ]
}

fn room(blocks: Option<u32>) -> String {
    match blocks {
        None => "no limit".to_owned(),
        Some(0) => "room for no block".to_owned(),
        Some(1) => "room for 1 block".to_owned(),
        Some(blocks) => format!("room for {blocks} blocks"),
    }
}

fn warps(model: &impl OccupancyModel, block: &BlockConfig, allocation: &Allocation) -> String {
    format!(
        "Warps: {} threads are {} warps of {WARP}; a multiprocessor holds {}: {}.",
        block.threads,
        block.threads.div_ceil(WARP),
        model.device().warps_per_multiprocessor,
        room(allocation.limits.of(Limiter::Warps))
    )
}

fn most_blocks(allocation: &Allocation) -> String {
    format!(
        "Blocks: a multiprocessor holds {} at most.",
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
    let blocks = allocation.limits.of(Limiter::Registers);
    let (per_thread, all) = (kernel.registers, device.registers_per_multiprocessor);
    if per_thread == 0 {
        return "Registers: the kernel takes none: no limit.".to_owned();
    }
    let rule = RegisterRule::of(device, per_thread);
    let warps = block.threads.div_ceil(WARP);
    let unit = rule.unit;
    if rule.by_blocks {
        return format!(
            "Registers: {per_thread} for each thread of {} warps (an even number), in units of {unit}: {} for a block; a multiprocessor has {all}: {}.",
            warps.next_multiple_of(2),
            allocation.registers,
            room(blocks)
        );
    }
    let warp = per_thread
        .saturating_mul(WARP)
        .checked_next_multiple_of(unit)
        .unwrap_or(u32::MAX);
    let begin = format!(
        "Registers: {per_thread} for each of {WARP} threads, in units of {unit}: {warp} for a warp."
    );
    let checked = warps.next_multiple_of(rule.checked_parts);
    let needed = u64::from(warp) * u64::from(checked);
    if blocks == Some(0) && needed > u64::from(device.registers_per_block) {
        return format!(
            "{begin} {checked} warps, as many on each of {} parts, take {needed}; a block can have {}: {}.",
            rule.checked_parts,
            device.registers_per_block,
            room(blocks)
        );
    }
    let per_part = (all / rule.parts).checked_div(warp).unwrap_or(0);
    format!(
        "{begin} Each of {} parts of a multiprocessor has {}, for {per_part} warps, together {}; a block has {warps}: {}.",
        rule.parts,
        all / rule.parts,
        per_part * rule.parts,
        room(blocks)
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
        bytes => format!(" + {bytes} for the system"),
    };
    let pool = allocation.shared_pool_bytes;
    let configuration = if pool < device.shared_bytes_per_multiprocessor {
        format!("a multiprocessor, so divided, has {pool}")
    } else {
        format!("a multiprocessor has {pool}")
    };
    format!(
        "Shared memory: {} bytes of the kernel + {} of the launch{reserved}, in units of {}: {} for a block; {configuration}: {}.",
        kernel.static_shared_bytes,
        block.dynamic_shared_bytes,
        device.shared_granularity,
        allocation.shared_bytes,
        room(allocation.limits.of(Limiter::SharedMemory))
    )
}

fn result(model: &impl OccupancyModel, block: &BlockConfig, allocation: Allocation) -> String {
    let occupancy = Occupancy::new(model.device(), block.threads, allocation);
    let names: Vec<&str> = occupancy.limiters().map(Limiter::name).collect();
    format!(
        "The least is {}, by {}. {} x {} = {} of {} warps: {:.1} %.",
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
    fn every_step_is_told() {
        let ampere = HardwareModel::of(ComputeCapability::new(8, 0)).unwrap();
        let text = ampere
            .explain(&KernelResources::new(92), &BlockConfig::new(224))
            .join("\n");
        for fact in [
            "7 warps of 32",
            "room for 9 blocks",
            "3072 for a warp",
            "16384, for 5 warps, together 20; a block has 7: room for 2 blocks",
            "The least is 2, by registers. 2 x 7 = 14 of 64 warps: 21.9 %.",
        ] {
            assert!(text.contains(fact), "{fact} is not in: {text}");
        }
        let text = ampere
            .explain(&KernelResources::new(100), &BlockConfig::new(1000))
            .join("\n");
        assert!(
            text.contains("take 106496; a block can have 65536: room for no block"),
            "{text}"
        );
    }

    #[test]
    fn old_devices_and_the_paper_have_their_own_words() {
        let fx_5800 = Gpu::named("FX 5800").unwrap().limits();
        let (kernel, block) = (KernelResources::new(16), BlockConfig::new(193));
        let text = HardwareModel::new(fx_5800)
            .explain(&kernel, &block)
            .join("\n");
        assert!(
            text.contains("8 warps (an even number), in units of 512: 4096 for a block"),
            "{text}"
        );
        let text = PaperModel::new(fx_5800).explain(&kernel, &block).join("\n");
        assert!(
            text.contains("16 for each of 193 threads are 3088"),
            "{text}"
        );
    }
}
