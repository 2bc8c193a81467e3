//! What each resource has room for, and its slack, as a table to read.

use super::{BlockConfig, KernelResources, Limiter, OccupancyModel, slack};

/// A line for each resource below a heading: how many blocks it has room for, `<` where it bounds
/// their number, what there is to spare, and how much less the kernel would have to take for more.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, resource_table};
///
/// let hopper = HardwareModel::of(ComputeCapability::new(9, 0))?;
/// let table = resource_table(&hopper, &KernelResources::new(43), &BlockConfig::new(256));
/// assert_eq!(table[3], "registers           5 <  3 fewer (40): 6 blocks; 5 more: as many blocks [registers per thread]");
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
pub fn resource_table(
    model: &(impl OccupancyModel + ?Sized),
    kernel: &KernelResources,
    block: &BlockConfig,
) -> Vec<String> {
    let limits = model.allocate(kernel, block).limits;
    let mut lines = vec![format!("{:<14} {:>6}    slack", "resource", "blocks")];
    for limiter in Limiter::ALL {
        let room = limits.of(limiter);
        let blocks = room.map_or("-".to_owned(), |blocks| blocks.to_string());
        let mark = if room == Some(limits.least()) {
            "<"
        } else {
            " "
        };
        let slack = room.and_then(|_| in_words(model, kernel, block, limiter));
        let line = format!(
            "{:<14} {blocks:>6} {mark}  {}",
            limiter.name(),
            slack.unwrap_or_default()
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn in_words(
    model: &(impl OccupancyModel + ?Sized),
    kernel: &KernelResources,
    block: &BlockConfig,
    limiter: Limiter,
) -> Option<String> {
    let slack = slack(model, kernel, block, limiter)?;
    let fewer = slack.fewer.map_or(String::new(), |fewer| {
        let ending = if fewer.active_blocks == 1 { "" } else { "s" };
        format!(
            "{} fewer ({}): {} block{ending}; ",
            fewer.by, fewer.to, fewer.active_blocks
        )
    });
    Some(format!(
        "{fewer}{} more: as many blocks [{}]",
        slack.spare,
        limiter.unit()
    ))
}
