//! HTML page with the plot, the calculator's explanation and the kernel's resource usage of each
//! sweep.

use crate::{
    plot, ptx,
    support::Outcome,
    sweep::Sweep,
    table::{UNKNOWN, or_unknown},
};
use ferrovox::occupancy::{ComputeCapability, OccupancyModel};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// Writes `sweep-LABEL.html` with all sweeps, and one `sweep-LABEL-KERNEL-OVER-DEVICE.svg` per
/// plot.
pub fn write(folder: &Path, label: &str, sweeps: &[Sweep]) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut paths = Vec::new();
    let mut body = String::new();
    for sweep in sweeps {
        let picture = plot::svg(sweep)?;
        section(&mut body, sweep, picture.as_deref())?;
        if let Some(picture) = picture {
            let device = sweep.device.replace(':', "");
            let name = format!(
                "sweep-{label}-{}-{}-{device}.svg",
                sweep.kernel,
                sweep.over.name()
            );
            let path = folder.join(name);
            fs::write(&path, picture)?;
            paths.push(path);
        }
    }
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Occupancy and speed</title>\n<style>{STYLE}</style></head>\n\
         <body>\n<h1>Occupancy and speed</h1>\n\
         <p>The circle is what the calculator chose. Occupancy is how many warps there are to hide the time that others wait, by how many there could be; \
         it is not speed.</p>\n{body}</body></html>\n"
    );
    let path = folder.join(format!("sweep-{label}.html"));
    fs::write(&path, page)?;
    paths.push(path);
    Ok(paths)
}

const STYLE: &str = "body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\
    table{border-collapse:collapse;margin:.6em 0}td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd}\
    td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}h2{margin-top:2.2em}details{margin:.6em 0}";

fn section(page: &mut String, sweep: &Sweep, picture: Option<&str>) -> Outcome<()> {
    writeln!(
        page,
        "<h2>{} over {} on {}</h2>",
        escaped(&sweep.kernel),
        sweep.over.name(),
        escaped(&sweep.device_name)
    )?;
    writeln!(
        page,
        "<p>{}. {}</p>",
        escaped(&sweep.workload),
        escaped(&sweep.conclusion())
    )?;
    if let Some(picture) = picture {
        writeln!(page, "{picture}")?;
    }
    if sweep.input.registers().is_none() {
        writeln!(
            page,
            "<p>The register count is unknown on this device; run on a GPU, or see <code>cargo xtask inspect</code>.</p>"
        )?;
    } else {
        explanation(page, sweep)?;
    }
    kernel(page, sweep)?;
    points(page, sweep)
}

/// Writes the calculator's explanation and the slack of each resource.
fn explanation(page: &mut String, sweep: &Sweep) -> Outcome<()> {
    let Some((threads, dynamic)) = sweep.explained else {
        return Ok(());
    };
    let input = &sweep.input;
    writeln!(
        page,
        "<h3>Occupancy of blocks of {threads} threads on {}</h3>\n<ul>",
        escaped(&input.device)
    )?;
    for line in input.explain(threads, dynamic) {
        writeln!(page, "<li>{}</li>", escaped(&line))?;
    }
    writeln!(
        page,
        "</ul>\n<table><tr><th>resource</th><th>to spare</th><th>reduction</th><th>blocks after reduction</th></tr>"
    )?;
    for (limiter, slack) in input.slacks(threads, dynamic) {
        let (by, blocks) = slack
            .reduction
            .map_or((String::new(), String::new()), |reduction| {
                (
                    format!("{} (to {})", reduction.by, reduction.to),
                    reduction.active_blocks.to_string(),
                )
            });
        writeln!(
            page,
            "<tr><td>{}, {}</td><td>{}</td><td>{by}</td><td>{blocks}</td></tr>",
            limiter.name(),
            limiter.unit(),
            slack.spare
        )?;
    }
    writeln!(page, "</table>")?;
    Ok(())
}

fn kernel(page: &mut String, sweep: &Sweep) -> Outcome<()> {
    let input = &sweep.input;
    writeln!(page, "<h3>The kernel</h3>\n<table>")?;
    let mut row =
        |name: &str, value: String| writeln!(page, "<tr><td>{name}</td><td>{value}</td></tr>");
    row("registers per thread", or_unknown(input.registers()))?;
    row(
        "static shared memory, bytes",
        input.kernel.static_shared_bytes.to_string(),
    )?;
    if let Some(recorded) = input.recorded {
        row("spills, bytes", recorded.spill_bytes().to_string())?;
        row("stack, bytes", recorded.stack_bytes.to_string())?;
    }
    let capability = input.model.device().capability;
    let capability = capability.unwrap_or(ComputeCapability::new(9, 0));
    for (name, count) in ptx::instruction_counts(&sweep.kernel, capability) {
        row(&format!("PTX: {name}"), count.to_string())?;
    }
    writeln!(page, "</table>")?;
    Ok(())
}

fn points(page: &mut String, sweep: &Sweep) -> Outcome<()> {
    writeln!(
        page,
        "<details><summary>All {} configurations</summary><table>\n<tr><th>{}</th><th>threads</th><th>registers</th><th>active blocks</th><th>occupancy</th><th>limited by</th><th>ms</th></tr>",
        sweep.points.len(),
        sweep.over.axis()
    )?;
    for point in &sweep.points {
        let time = match &point.time {
            Ok(spread) => format!("{:.4}", spread.median_ms),
            Err(why) => escaped(why),
        };
        writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{time}</td></tr>",
            point.value,
            point.threads,
            or_unknown(point.registers),
            or_unknown(point.active_blocks),
            or_unknown(point.occupancy.map(|it| format!("{:.1} %", 100.0 * it))),
            match point.occupancy {
                Some(_) => point.limiters.join(", "),
                None => UNKNOWN.to_owned(),
            }
        )?;
    }
    writeln!(page, "</table></details>")?;
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
