//! The tables of ARCHITECTURE.md.

use std::collections::BTreeSet;

/// What a row may know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MayKnow {
    /// `everything below`: all rows below.
    EverythingBelow,
    /// The names in backticks. Other words explain.
    Only(BTreeSet<String>),
}

/// A row of a table, for the names that its first cell has.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub names: Vec<String>,
    pub may_know: MayKnow,
}

/// The table under "Layers": rows of packages' folders.
pub struct Layers {
    /// From top to bottom. Names are folders without a slash at the end; what may be known are
    /// names of libraries.
    pub rows: Vec<Row>,
}

/// The table under "Rooms of the library".
pub struct Rooms {
    /// From top to bottom. Names are modules.
    pub rows: Vec<Row>,
}

impl Layers {
    /// Reads the table `| folder | package | library | knows |`.
    pub fn parse(document: &str) -> Result<Self, String> {
        let rows = rows(
            document,
            "Layers",
            &["folder", "package", "library", "knows"],
        )?;
        let rows = rows
            .into_iter()
            .map(|cells| Row {
                names: names(&cells[0])
                    .into_iter()
                    .map(|folder| folder.trim_end_matches('/').to_owned())
                    .collect(),
                may_know: may_know(&cells[3]),
            })
            .collect();
        Ok(Self { rows })
    }

    /// The number of a folder's row, from the top.
    pub fn row_of(&self, folder: &str) -> Option<usize> {
        row_of(&self.rows, folder)
    }
}

impl Rooms {
    /// Reads the table `| room | holds | may know |`. Fails if a room is there twice, or a row
    /// lists a room that is not in a lower row.
    pub fn parse(document: &str) -> Result<Self, String> {
        let cells = rows(
            document,
            "Rooms of the library",
            &["room", "holds", "may know"],
        )?;
        let rows: Vec<Row> = cells
            .iter()
            .map(|cells| Row {
                names: names(&cells[0]),
                may_know: may_know(&cells[2]),
            })
            .collect();
        let mut seen = BTreeSet::new();
        for row in &rows {
            for name in &row.names {
                if !seen.insert(name) {
                    return Err(format!("`{name}` is in the table of rooms twice"));
                }
            }
        }
        for (at, row) in rows.iter().enumerate() {
            let MayKnow::Only(known) = &row.may_know else {
                continue;
            };
            for name in known {
                match row_of(&rows, name) {
                    None => {
                        return Err(format!(
                            "{} may know `{name}`, which has no row",
                            shown(&row.names)
                        ));
                    }
                    Some(other) if other <= at => {
                        return Err(format!(
                            "{} may know `{name}`, which is not in a lower row",
                            shown(&row.names)
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(Self { rows })
    }

    /// The number of a room's row, from the top.
    pub fn row_of(&self, room: &str) -> Option<usize> {
        row_of(&self.rows, room)
    }

    /// Whether a room may know another. Both have rows.
    pub fn allow(&self, from: &str, to: &str) -> bool {
        let (Some(row), Some(other)) = (self.row_of(from), self.row_of(to)) else {
            return false;
        };
        match &self.rows[row].may_know {
            MayKnow::EverythingBelow => other > row,
            MayKnow::Only(known) => known.contains(to),
        }
    }
}

fn row_of(rows: &[Row], name: &str) -> Option<usize> {
    rows.iter()
        .position(|row| row.names.iter().any(|other| other == name))
}

fn shown(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn may_know(cell: &str) -> MayKnow {
    if cell.contains("everything below") {
        MayKnow::EverythingBelow
    } else {
        MayKnow::Only(names(cell).into_iter().collect())
    }
}

/// What is in backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The cells of the first table under a heading, which has these columns.
fn rows(document: &str, heading: &str, columns: &[&str]) -> Result<Vec<Vec<String>>, String> {
    let mut lines = document.lines().skip_while(|line| {
        line.trim_start_matches('#').trim() != heading || !line.starts_with('#')
    });
    lines
        .next()
        .ok_or_else(|| format!("no heading \"{heading}\""))?;
    let mut table = lines
        .take_while(|line| !line.starts_with('#'))
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .map(cells);
    let head = table
        .next()
        .ok_or_else(|| format!("no table under \"{heading}\""))?;
    if head != columns {
        return Err(format!(
            "the table under \"{heading}\" has the columns {head:?}, not {columns:?}"
        ));
    }
    let mut found = Vec::new();
    for row in table.skip(1) {
        if row.len() != columns.len() {
            return Err(format!(
                "a row under \"{heading}\" has {} cells, not {}: {row:?}",
                row.len(),
                columns.len()
            ));
        }
        found.push(row);
    }
    Ok(found)
}

fn cells(line: &str) -> Vec<String> {
    line.trim()
        .trim_start_matches('|')
        .trim_end_matches('|')
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}
