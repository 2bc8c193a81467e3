//! How far a kernel is from one more block, and from one fewer.

use super::{BlockConfig, KernelResources, Limiter, OccupancyModel};

/// What a resource has to spare, and what it would take to have one more block.
///
/// Numbers are of registers per thread, of bytes of shared memory per block, of threads per block
/// ([`Limiter::Warps`]), of barriers per block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack {
    /// How much more the kernel could take with as many blocks as now.
    pub spare: u32,
    /// The least change after which this resource has room for more blocks than run now; none where
    /// it has room already, and where no change makes any.
    pub fewer: Option<Fewer>,
}

/// A change for the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fewer {
    /// By how much less of the resource.
    pub by: u32,
    /// What the kernel would take then.
    pub to: u32,
    /// How many blocks would run then: as many as now if something else bounds them too.
    pub active_blocks: u32,
}

/// The slack of one resource, by the model itself asked with other numbers. `None` for
/// [`Limiter::Blocks`], of which a kernel takes neither more nor less, and where nothing runs
/// because of something else.
///
/// Takes time of the logarithm of the resource's range.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, Limiter, slack};
///
/// let hopper = HardwareModel::of(ComputeCapability::new(9, 0))?;
/// // 43 registers are given out as 48, of which there is room for 1344 threads
/// let (kernel, block) = (KernelResources::new(43), BlockConfig::new(256));
/// let slack = slack(&hopper, &kernel, &block, Limiter::Registers).unwrap();
/// assert_eq!(slack.spare, 5);
/// let fewer = slack.fewer.unwrap();
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
    // what the kernel takes now, the least it could, the most
    let (now, least, most) = match limiter {
        Limiter::Warps => (block.threads, 1, device.threads_per_block),
        Limiter::Registers => (kernel.registers, 0, device.registers_per_thread),
        Limiter::SharedMemory => (shared, 0, super::limits::most_shared(device, block.opt_in)),
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
    let active = with(now).least();
    let own = |amount: u32| with(amount).of(limiter).unwrap_or(u32::MAX);
    if active == 0 && own(now) > 0 {
        return None;
    }
    // the more is taken, the fewer blocks there are
    let more_room = |amount: &u32| own(*amount) > active;
    let last = last_where(least, now, more_room);
    Some(Slack {
        spare: match active {
            0 => 0,
            _ => last_where(now, most, |&amount| with(amount).least() >= active)
                .map_or(0, |amount| amount - now),
        },
        fewer: last.filter(|&amount| amount < now).map(|amount| Fewer {
            by: now - amount,
            to: amount,
            active_blocks: with(amount).least(),
        }),
    })
}

/// The last number from `first` to `last` for which `holds`, if it holds up to somewhere and
/// nowhere after.
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

    /// The definition, tried number by number.
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
                _ => unreachable!("not tried"),
            }
            model.allocate(&kernel, &block).limits
        };
        let (now, least, most) = match limiter {
            Limiter::Warps => (block.threads, 1, 1024),
            Limiter::Registers => (kernel.registers, 0, 255),
            _ => (
                block.dynamic_shared_bytes,
                0,
                model.device().shared_bytes_per_block_opt_in,
            ),
        };
        let active = with(now).least();
        let more = (now..=most).take_while(|&amount| with(amount).least() >= active);
        let bounds = with(now).of(limiter) == Some(active);
        let fewer = (least..if bounds { now } else { least })
            .rev()
            .find(|&amount| {
                with(amount)
                    .of(limiter)
                    .is_none_or(|blocks| blocks > active)
            });
        Slack {
            spare: more.count().saturating_sub(1) as u32,
            fewer: fewer.map(|to| Fewer {
                by: now - to,
                to,
                active_blocks: with(to).least(),
            }),
        }
    }

    #[test]
    fn slack_is_what_trying_every_number_finds() {
        for capability in [(8, 6), (9, 0), (6, 0), (2, 0)] {
            let model =
                HardwareModel::of(ComputeCapability::new(capability.0, capability.1)).unwrap();
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
                                let most = model.device().registers_per_thread;
                                expected.spare = expected.spare.min(most - registers);
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
    fn what_fits_nowhere_says_what_would() {
        let model = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
        let (kernel, block) = (KernelResources::new(100), BlockConfig::new(1024));
        assert_eq!(model.active_blocks(&kernel, &block), 0);
        let registers = slack(&model, &kernel, &block, Limiter::Registers).unwrap();
        let fewer = registers.fewer.unwrap();
        assert_eq!((registers.spare, fewer.to, fewer.active_blocks), (0, 64, 1));
        let threads = slack(&model, &kernel, &block, Limiter::Warps);
        assert_eq!(threads, None, "there is room for the warps");
        assert_eq!(slack(&model, &kernel, &block, Limiter::Blocks), None);
    }

    #[test]
    fn one_limiter_alone_does_not_help_where_several_tie() {
        let model = HardwareModel::of(ComputeCapability::new(9, 0)).unwrap();
        let (kernel, block) = (KernelResources::new(32), BlockConfig::new(64));
        let fewer = slack(&model, &kernel, &block, Limiter::Registers)
            .unwrap()
            .fewer
            .unwrap();
        assert_eq!((fewer.to, fewer.active_blocks), (24, 32));
    }
}
