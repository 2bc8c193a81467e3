//! What the tables demand of what is there. Each function lists what is against them.

use std::collections::BTreeSet;

use crate::graph::Knowledge;
use crate::packages::Workspace;
use crate::report;
use crate::table::{Layers, MayKnow, Rooms};

/// Packages without a row, rows without a package, and dependencies that their row does not name or
/// that do not go down.
pub fn packages(layers: &Layers, workspace: &Workspace) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in &workspace.packages {
        if layers.row_of(&package.folder).is_none() {
            wrong.push(format!(
                "{} (folder `{}/`) has no row in the table of layers",
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
                "the table of layers has `{folder}/`, where no package of the workspace is"
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
        let (Some(row), Some(other)) = (layers.row_of(&from.folder), layers.row_of(&to.folder))
        else {
            continue;
        };
        if other < row {
            wrong.push(format!(
                "{} depends on {}, which stands in a row above it",
                from.name, to.name
            ));
        } else if other > row {
            let is_named = match &layers.rows[row].may_know {
                MayKnow::EverythingBelow => true,
                MayKnow::Only(known) => known.contains(&to.library),
            };
            if !is_named {
                wrong.push(format!(
                    "{} depends on {}, but its row does not name `{}`",
                    from.name, to.name, to.library
                ));
            }
        }
    }
    wrong
}

/// Rooms without a row, rows without a room, and edges that their row does not list.
pub fn rooms(table: &Rooms, knowledge: &Knowledge) -> Vec<String> {
    let mut wrong = Vec::new();
    for room in &knowledge.rooms {
        if table.row_of(room).is_none() {
            wrong.push(format!("`{room}` has no row in the table of rooms"));
        }
    }
    let named: BTreeSet<&String> = table.rows.iter().flat_map(|row| &row.names).collect();
    for room in named {
        if !knowledge.rooms.contains(room) {
            wrong.push(format!(
                "the table of rooms has `{room}`, which is no module at the top of the library"
            ));
        }
    }
    for ((from, to), places) in knowledge.between_rooms() {
        if table.row_of(&from).is_some() && table.row_of(&to).is_some() && !table.allow(&from, &to)
        {
            wrong.push(format!(
                "`{from}` may not know `{to}`:\n{}",
                report::places(&places, usize::MAX)
            ));
        }
    }
    wrong
}
