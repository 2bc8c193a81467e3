//! Text output of `ferrovox occupancy`: tables and bar charts.

use super::occupancy_report::{Point, Report};
use crate::numbers::format_count;
use std::fmt::Write;

/// Width of a full bar, in columns.
const BAR: usize = 40;

/// Formats the whole report.
pub fn readable(report: &Report) -> String {
    let mut text = heading(report);
    for line in &report.resource_table {
        let _ = writeln!(text, "{line}");
    }
    if let (Some(waves), Some(tail), Some(fraction), Some(utilisation)) = (
        report.waves,
        report.tail,
        report.tail_fraction,
        report.utilisation,
    ) {
        let last = match tail {
            0 => "all full".to_owned(),
            _ => format!(
                "the last with {tail} of {} blocks ({} full)",
                u64::from(report.active_blocks) * u64::from(report.multiprocessors.unwrap_or(1)),
                percent(fraction)
            ),
        };
        let _ = writeln!(
            text,
            "\ngrid        {} blocks: {waves} waves, {last}; {} of the device used",
            report.grid.unwrap_or(0),
            percent(utilisation)
        );
    }
    if let Some(best) = &report.best_block
        && !report.block_is_best
    {
        let _ = writeln!(
            text,
            "\nbest block  {}: {}, {} in total",
            format_count(u64::from(best.block), "thread"),
            format_count(u64::from(best.active_blocks), "block"),
            format_count(u64::from(best.block * best.active_blocks), "thread")
        );
    }
    if let Some(explanation) = &report.explanation {
        text += "\n";
        for line in explanation {
            let _ = writeln!(text, "{line}");
        }
        text += "Occupancy is not speed: a kernel with enough independent instructions hides latency with few warps.\n";
    }
    if let Some(blocks) = &report.blocks {
        let _ = writeln!(
            text,
            "\nthreads  {:BAR$}          blocks  limited by",
            "occupancy"
        );
        bars(&mut text, blocks, 7, Some(report.block));
    }
    if let Some(curve) = &report.over {
        let width = curve.parameter.len().max(7);
        let _ = writeln!(
            text,
            "\n{}  {:BAR$}          blocks  limited by",
            curve.parameter, "occupancy"
        );
        bars(&mut text, &curve.points, width, None);
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "\nwarning     {warning}");
    }
    text
}

fn heading(report: &Report) -> String {
    let mut text = String::new();
    let mut device = report.device.clone();
    if let Some(capability) = &report.capability
        && !device.starts_with(capability)
    {
        let _ = write!(device, ", capability {capability}");
    }
    if let Some(count) = report.multiprocessors {
        let _ = write!(device, ", {count} multiprocessors");
    }
    if report.model == "paper" {
        device += ", equation (2) of Zhao et al. (2016)";
    }
    let _ = writeln!(text, "device      {device}");
    let name = match (&report.kernel, &report.assembled_for) {
        (Some(name), Some(capability)) => format!("{name} (assembled for {capability}): "),
        (Some(name), None) => format!("{name}: "),
        (None, _) => String::new(),
    };
    let _ = writeln!(
        text,
        "kernel      {name}{}, {} of shared memory, {}",
        format_count(u64::from(report.registers), "register"),
        format_count(u64::from(report.static_shared_bytes), "byte"),
        format_count(u64::from(report.barriers), "barrier")
    );
    let dynamic = match report.dynamic_shared_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} bytes of dynamic shared memory"),
    };
    let best = if report.block_is_best {
        ", the best"
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "block       {}{best}: {}{dynamic}",
        format_count(u64::from(report.block), "thread"),
        format_count(u64::from(report.warps_per_block), "warp")
    );
    if let Some(blocks) = report.active_blocks_by_driver {
        let _ = writeln!(
            text,
            "driver      {}",
            format_count(u64::from(blocks), "block")
        );
    }
    let _ = writeln!(
        text,
        "occupancy   {}: {}, {} of {} warps on a multiprocessor\n",
        percent(report.occupancy),
        format_count(u64::from(report.active_blocks), "block"),
        report.active_warps,
        report.max_warps
    );
    text
}

/// Appends one line with a bar per point; `marked` is the value to mark with an asterisk.
fn bars(text: &mut String, points: &[Point], width: usize, marked: Option<u32>) {
    for point in points {
        // eighths of a column
        let eighths = (point.occupancy * (BAR * 8) as f64).round() as usize;
        let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        let bar = "█".repeat(eighths / 8) + last;
        let mark = if marked == Some(point.value) {
            "*"
        } else {
            " "
        };
        let _ = writeln!(
            text,
            "{:>width$}{mark} {bar:<BAR$} {:>7} {:>7}  {}",
            point.value,
            percent(point.occupancy),
            point.active_blocks,
            resource_text(&point.limiters.join(", "))
        );
    }
}

fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// Converts the name of a resource from a JSON key to text.
fn resource_text(name: &str) -> String {
    name.replace('_', " ")
}
