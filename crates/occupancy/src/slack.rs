//! Slack of each resource: the distance to one more resident block, and to one fewer.

use super::{BlockConfig, KernelResources, Limiter, OccupancyModel};

/// Slack of one resource at the current occupancy.
///
/// The unit depends on the resource ([`Limiter::unit`]): registers per thread, bytes of shared
/// memory per block, threads per block ([`Limiter::Warps`]) or barriers per block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// Additional amount that the kernel could use without losing a resident block.
    pub spare: u32,
    /// Smallest reduction after which this resource allows more blocks than are resident now;
    /// `None` if the resource does not limit the number of blocks, or if no reduction helps.
    pub reduction: Option<Reduction>,
}

/// Reduction of a kernel's use of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Amount by which the use is reduced.
    pub by: u32,
    /// Remaining use.
    pub to: u32,
    /// Number of resident blocks after the reduction; unchanged if another resource limits them
    /// too.
    pub active_blocks: u32,
}

/// Computes the slack of one resource by evaluating the model with other amounts of the resource.
/// Returns `None` for [`Limiter::Blocks`], which does not depend on the kernel, and if another
/// resource prevents every block from running.
///
/// Takes time logarithmic in the range of the resource.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, Limiter, slack};
///
/// let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0))?;
/// // 43 registers are rounded up to 48, which leaves room for 1344 threads
/// let (kernel, block) = (KernelResources::new(43), BlockConfig::new(256));
/// let slack = slack(&hopper, &kernel, &block, Limiter::Registers).unwrap();
/// assert_eq!(slack.spare, 5);
/// let fewer = slack.reduction.unwrap();
/// assert_eq!((fewer.by, fewer.to, fewer.active_blocks), (3, 40, 6));
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
pub fn slack(
    model: &(impl OccupancyModel + ?Sized),
    kernel: &KernelResources,
    block: &BlockConfig,
    limiter: Limiter,
) -> Option<Slack> {
    let device = model.device();
    let shared = kernel
        .static_shared_bytes
        .saturating_add(block.dynamic_shared_bytes);
    // amount used now, its minimum, its maximum
    let (now, min, max) = match limiter {
        Limiter::Warps => (block.threads, 1, device.threads_per_block),
        Limiter::Registers => (kernel.registers, 0, device.registers_per_thread),
        Limiter::SharedMemory => (
            shared,
            0,
            super::limits::max_shared_bytes(device, block.opt_in),
        ),
        Limiter::Barriers => (kernel.barriers, 0, 16),
        Limiter::Blocks => return None,
    };
    let with = |amount: u32| {
        let (mut kernel, mut block) = (*kernel, *block);
        match limiter {
            Limiter::Warps => block.threads = amount,
            Limiter::Registers => kernel.registers = amount,
            Limiter::SharedMemory => {
                (kernel.static_shared_bytes, block.dynamic_shared_bytes) = (amount, 0);
            }
            Limiter::Barriers => kernel.barriers = amount,
            Limiter::Blocks => {}
        }
        model.allocate(&kernel, &block).limits
    };
    let active = with(now).min();
    let own = |amount: u32| with(amount).limit(limiter).unwrap_or(u32::MAX);
    if active == 0 && own(now) > 0 {
        return None;
    }
    // the number of blocks decreases monotonically with the amount
    let allows_more_blocks = |amount: &u32| own(*amount) > active;
    let last = last_where(min, now, allows_more_blocks);
    Some(Slack {
        spare: match active {
            0 => 0,
            _ => last_where(now, max, |&amount| with(amount).min() >= active)
                .map_or(0, |amount| amount - now),
        },
        reduction: last.filter(|&amount| amount < now).map(|amount| Reduction {
            by: now - amount,
            to: amount,
            active_blocks: with(amount).min(),
        }),
    })
}

/// Returns the last number in `first..=last` for which `holds` is true. `holds` must be true up to
/// some number and false after it.
fn last_where(first: u32, last: u32, holds: impl Fn(&u32) -> bool) -> Option<u32> {
    if first > last || !holds(&first) {
        return None;
    }
    let (mut low, mut high) = (first, last);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(&middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComputeCapability, HardwareModel};

    /// Computes the slack by its definition, trying every amount.
    fn by_trying(
        model: &HardwareModel,
        kernel: KernelResources,
        block: BlockConfig,
        limiter: Limiter,
    ) -> Slack {
        let with = |amount: u32| {
            let (mut kernel, mut block) = (kernel, block);
            match limiter {
                Limiter::Warps => block.threads = amount,
                Limiter::Registers => kernel.registers = amount,
                Limiter::SharedMemory => block.dynamic_shared_bytes = amount,
                _ => unreachable!("not tested"),
            }
            model.allocate(&kernel, &block).limits
        };
        let (now, min, max) = match limiter {
            Limiter::Warps => (block.threads, 1, 1024),
            Limiter::Registers => (kernel.registers, 0, 255),
            _ => (
                block.dynamic_shared_bytes,
                0,
                model.device().shared_bytes_per_block_opt_in,
            ),
        };
        let active = with(now).min();
        let more = (now..=max).take_while(|&amount| with(amount).min() >= active);
        let bounds = with(now).limit(limiter) == Some(active);
        let fewer = (min..if bounds { now } else { min }).rev().find(|&amount| {
            with(amount)
                .limit(limiter)
                .is_none_or(|blocks| blocks > active)
        });
        Slack {
            spare: more.count().saturating_sub(1) as u32,
            reduction: fewer.map(|to| Reduction {
                by: now - to,
                to,
                active_blocks: with(to).min(),
            }),
        }
    }

    #[test]
    fn slack_equals_exhaustive_search() {
        for capability in [(8, 6), (9, 0), (6, 0), (2, 0)] {
            let model =
                HardwareModel::for_capability(ComputeCapability::new(capability.0, capability.1))
                    .unwrap();
            for registers in [21, 32, 33, 43, 63] {
                for threads in [32, 65, 192, 384] {
                    for bytes in [0, 1000, 20_000, 40_000] {
                        let kernel = KernelResources::new(registers);
                        let block = BlockConfig::new(threads).with_dynamic_shared(bytes);
                        if model.active_blocks(&kernel, &block) == 0 {
                            continue;
                        }
                        for limiter in [Limiter::Warps, Limiter::Registers, Limiter::SharedMemory] {
                            let mut expected = by_trying(&model, kernel, block, limiter);
                            if limiter == Limiter::Registers {
                                let max = model.device().registers_per_thread;
                                expected.spare = expected.spare.min(max - registers);
                            }
                            assert_eq!(
                                slack(&model, &kernel, &block, limiter),
                                Some(expected),
                                "{capability:?}, {registers} registers, {threads} threads, {bytes} bytes, {limiter:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn slack_of_a_block_that_cannot_run_is_the_reduction_that_lets_it_run() {
        let model = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let (kernel, block) = (KernelResources::new(100), BlockConfig::new(1024));
        assert_eq!(model.active_blocks(&kernel, &block), 0);
        let registers = slack(&model, &kernel, &block, Limiter::Registers).unwrap();
        let fewer = registers.reduction.unwrap();
        assert_eq!((registers.spare, fewer.to, fewer.active_blocks), (0, 64, 1));
        let threads = slack(&model, &kernel, &block, Limiter::Warps);
        assert_eq!(threads, None, "the warps fit");
        assert_eq!(slack(&model, &kernel, &block, Limiter::Blocks), None);
    }

    #[test]
    fn reducing_one_of_several_tied_limiters_does_not_add_blocks() {
        let model = HardwareModel::for_capability(ComputeCapability::new(9, 0)).unwrap();
        let (kernel, block) = (KernelResources::new(32), BlockConfig::new(64));
        let fewer = slack(&model, &kernel, &block, Limiter::Registers)
            .unwrap()
            .reduction
            .unwrap();
        assert_eq!((fewer.to, fewer.active_blocks), (24, 32));
    }
}
