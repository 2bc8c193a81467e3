//! Checks of the actual dependencies against the tables. Each function returns the violations.

use std::collections::BTreeSet;

use crate::graph::DependencyGraph;
use crate::packages::Workspace;
use crate::report;
use crate::table::{AllowedDependencies, Layers, ModuleTable};

/// Returns packages without a row, rows without a package, and dependencies that are not listed in
/// their row or lead to a higher row.
pub fn packages(layers: &Layers, workspace: &Workspace) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in &workspace.packages {
        if layers.row_index(&package.folder).is_none() {
            wrong.push(format!(
                "{} (directory `{}/`) has no row in the table of layers",
                package.name, package.folder
            ));
        }
    }
    for folder in layers.rows.iter().flat_map(|row| &row.names) {
        if !workspace
            .packages
            .iter()
            .any(|package| package.folder == *folder)
        {
            wrong.push(format!(
                "the table of layers has a row for `{folder}/`, which contains no package of the workspace"
            ));
        }
    }
    for dependency in &workspace.dependencies {
        let find = |name: &str| {
            workspace
                .packages
                .iter()
                .find(|package| package.name == name)
        };
        let (Some(from), Some(to)) = (find(&dependency.from), find(&dependency.to)) else {
            continue;
        };
        let (Some(row), Some(other)) =
            (layers.row_index(&from.folder), layers.row_index(&to.folder))
        else {
            continue;
        };
        if other < row {
            wrong.push(format!(
                "{} depends on {}, which is in a higher row",
                from.name, to.name
            ));
        } else if other > row {
            let is_named = match &layers.rows[row].allowed {
                AllowedDependencies::AllBelow => true,
                AllowedDependencies::Only(dependencies) => dependencies.contains(&to.library),
            };
            if !is_named {
                wrong.push(format!(
                    "{} depends on {}, but its row does not list `{}`",
                    from.name, to.name, to.library
                ));
            }
        }
    }
    wrong
}

/// Returns modules without a row, rows without a module, and dependencies that are not listed in
/// their row.
pub fn top_level_modules(table: &ModuleTable, graph: &DependencyGraph) -> Vec<String> {
    let mut wrong = Vec::new();
    for module in &graph.top_level_modules {
        if table.row_index(module).is_none() {
            wrong.push(format!("`{module}` has no row in the table of modules"));
        }
    }
    let named: BTreeSet<&String> = table.rows.iter().flat_map(|row| &row.names).collect();
    for module in named {
        if !graph.top_level_modules.contains(module) {
            wrong.push(format!(
                "the table of modules has a row for `{module}`, which is not a top-level module of the library"
            ));
        }
    }
    for ((from, to), locations) in graph.top_level_edges() {
        if table.row_index(&from).is_some()
            && table.row_index(&to).is_some()
            && !table.allow(&from, &to)
        {
            wrong.push(format!(
                "`{from}` must not depend on `{to}`:\n{}",
                report::locations(&locations, usize::MAX)
            ));
        }
    }
    wrong
}
