//! Text table of the block limit and the slack of each resource.

use super::{BlockConfig, KernelResources, Limiter, OccupancyModel, slack};

/// Formats a heading and one line per resource: the number of blocks that it allows, `<` if it
/// limits the occupancy, the reduction needed for more blocks, and the amount to spare.
///
/// ```
/// use occupancy::{BlockConfig, ComputeCapability, HardwareModel, KernelResources, resource_table};
///
/// let hopper = HardwareModel::for_capability(ComputeCapability::new(9, 0))?;
/// let table = resource_table(&hopper, &KernelResources::new(43), &BlockConfig::new(256));
/// assert_eq!(
///     table[3],
///     "registers           5 <  3 fewer (40) for 6 blocks; 5 to spare [registers per thread]"
/// );
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
        let limit = limits.limit(limiter);
        let blocks = limit.map_or("-".to_owned(), |blocks| blocks.to_string());
        let mark = if limit == Some(limits.min()) {
            "<"
        } else {
            " "
        };
        let slack = limit.and_then(|_| format_slack(model, kernel, block, limiter));
        let line = format!(
            "{:<14} {blocks:>6} {mark}  {}",
            limiter.name(),
            slack.unwrap_or_default()
        );
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn format_slack(
    model: &(impl OccupancyModel + ?Sized),
    kernel: &KernelResources,
    block: &BlockConfig,
    limiter: Limiter,
) -> Option<String> {
    let slack = slack(model, kernel, block, limiter)?;
    let fewer = slack.reduction.map_or(String::new(), |fewer| {
        let ending = if fewer.active_blocks == 1 { "" } else { "s" };
        format!(
            "{} fewer ({}) for {} block{ending}; ",
            fewer.by, fewer.to, fewer.active_blocks
        )
    });
    Some(format!(
        "{fewer}{} to spare [{}]",
        slack.spare,
        limiter.unit()
    ))
}
