//! What is printed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::graph::{Circles, Edges, Knowledge, Place};

/// Places that are listed of an edge in a circle; the rest are counted.
const SHOWN_PLACES: usize = 12;

/// One line of counts.
pub fn summary(name: &str, knowledge: &Knowledge) -> String {
    let circles = knowledge.circles();
    format!(
        "{name}: {} rooms with {} edges, {} modules, {} files with {} lines and {} edges; circles of rooms: {}, of modules: {}, of files: {} \
         (with what parents define: {})",
        knowledge.rooms.len(),
        knowledge.between_rooms().len(),
        knowledge.modules,
        knowledge.files,
        knowledge.lines,
        knowledge.between_files.len(),
        circles.of_rooms.len(),
        circles.of_modules.len(),
        circles.of_files.len(),
        knowledge.circles_with_parents(),
    )
}

/// Each circle with the edges that make it.
pub fn circles(knowledge: &Knowledge, circles: &Circles) -> String {
    let mut text = String::new();
    for circle in &circles.of_rooms {
        one(&mut text, "rooms", circle, &knowledge.between_rooms());
    }
    for circle in &circles.of_modules {
        for edges in knowledge.siblings.values() {
            one(&mut text, "modules", circle, edges);
        }
    }
    for circle in &circles.of_files {
        let _ = writeln!(
            text,
            "circle of {} files: {}",
            circle.len(),
            circle.join(", ")
        );
    }
    text
}

/// What each room knows, a line each.
pub fn rooms(knowledge: &Knowledge) -> String {
    let edges = knowledge.between_rooms();
    let mut text = String::new();
    for room in &knowledge.rooms {
        let known: Vec<&str> = edges
            .keys()
            .filter(|(from, _)| from == room)
            .map(|(_, to)| to.as_str())
            .collect();
        let known = if known.is_empty() {
            "nothing".to_owned()
        } else {
            known.join(", ")
        };
        let _ = writeln!(text, "  {room} knows {known}");
    }
    text
}

fn one(text: &mut String, of: &str, circle: &[String], edges: &Edges) {
    let in_circle = |name: &String| circle.contains(name);
    let mut edges: Vec<_> = edges
        .iter()
        .filter(|((from, to), _)| in_circle(from) && in_circle(to))
        .collect();
    if edges.is_empty() {
        return;
    }
    // the weakest edges first: the circle is most easily broken there
    edges.sort_by_key(|(_, places)| places.len());
    let _ = writeln!(
        text,
        "circle of {} {of}: {}",
        circle.len(),
        circle.join(", ")
    );
    for ((from, to), seen) in edges {
        let _ = writeln!(
            text,
            "  {from} -> {to} ({} places)\n{}",
            seen.len(),
            places(seen, SHOWN_PLACES)
        );
    }
}

/// Places, a line each, `most` of them.
pub fn places(places: &BTreeSet<Place>, most: usize) -> String {
    let mut lines: Vec<String> = places
        .iter()
        .take(most)
        .map(|place| {
            format!(
                "      {}:{}: {}",
                place.file.display(),
                place.line,
                place.path
            )
        })
        .collect();
    if places.len() > most {
        lines.push(format!("      and {} more", places.len() - most));
    }
    lines.join("\n")
}
