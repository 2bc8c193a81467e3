//! Formatting of the results.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::graph::{Cycles, DependencyGraph, Edges, Location};

/// Maximum number of source locations printed per edge of a cycle.
const SHOWN_LOCATIONS: usize = 12;

/// Formats the counts of a crate as one line.
pub fn summary(name: &str, graph: &DependencyGraph) -> String {
    let cycles = graph.cycles();
    format!(
        "{name}: {} top-level modules with {} edges, {} modules, {} files with {} lines and {} edges; cycles of top-level modules: {}, of modules: {}, of files: {} \
         (including parents: {})",
        graph.top_level_modules.len(),
        graph.top_level_edges().len(),
        graph.modules,
        graph.files,
        graph.lines,
        graph.between_files.len(),
        cycles.top_level.len(),
        cycles.nested.len(),
        cycles.files.len(),
        graph.cycles_with_parents(),
    )
}

/// Formats each cycle with its edges.
pub fn cycles(graph: &DependencyGraph, cycles: &Cycles) -> String {
    let mut text = String::new();
    for cycle in &cycles.top_level {
        write_cycle(
            &mut text,
            "top-level modules",
            cycle,
            &graph.top_level_edges(),
        );
    }
    for cycle in &cycles.nested {
        for edges in graph.siblings.values() {
            write_cycle(&mut text, "modules", cycle, edges);
        }
    }
    for cycle in &cycles.files {
        let _ = writeln!(text, "cycle of {} files: {}", cycle.len(), cycle.join(", "));
    }
    text
}

/// Formats the dependencies of each top-level module, one line each.
pub fn top_level_modules(graph: &DependencyGraph) -> String {
    let edges = graph.top_level_edges();
    let mut text = String::new();
    for module in &graph.top_level_modules {
        let dependencies: Vec<&str> = edges
            .keys()
            .filter(|(from, _)| from == module)
            .map(|(_, to)| to.as_str())
            .collect();
        let dependencies = if dependencies.is_empty() {
            "nothing".to_owned()
        } else {
            dependencies.join(", ")
        };
        let _ = writeln!(text, "  {module} depends on {dependencies}");
    }
    text
}

fn write_cycle(text: &mut String, kind: &str, cycle: &[String], edges: &Edges) {
    let in_circle = |name: &String| cycle.contains(name);
    let mut edges: Vec<_> = edges
        .iter()
        .filter(|((from, to), _)| in_circle(from) && in_circle(to))
        .collect();
    if edges.is_empty() {
        return;
    }
    // weakest edges first, where the cycle is most easily broken
    edges.sort_by_key(|(_, locations)| locations.len());
    let _ = writeln!(
        text,
        "cycle of {} {kind}: {}",
        cycle.len(),
        cycle.join(", ")
    );
    for ((from, to), found) in edges {
        let _ = writeln!(
            text,
            "  {from} -> {to} ({} locations)\n{}",
            found.len(),
            locations(found, SHOWN_LOCATIONS)
        );
    }
}

/// Formats at most `max` source locations, one line each.
pub fn locations(locations: &BTreeSet<Location>, max: usize) -> String {
    let mut lines: Vec<String> = locations
        .iter()
        .take(max)
        .map(|location| {
            format!(
                "      {}:{}: {}",
                location.file.display(),
                location.line,
                location.path
            )
        })
        .collect();
    if locations.len() > max {
        lines.push(format!("      and {} more", locations.len() - max));
    }
    lines.join("\n")
}
