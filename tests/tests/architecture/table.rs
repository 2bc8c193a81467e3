//! Parser for the tables of ARCHITECTURE.md.

use std::collections::BTreeSet;

/// Dependencies permitted by a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedDependencies {
    /// `everything below`: the names of all lower rows.
    AllBelow,
    /// The names in backticks; other words are explanations.
    Only(BTreeSet<String>),
}

/// Row of a table, for the names in its first cell.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub names: Vec<String>,
    pub allowed: AllowedDependencies,
}

/// Table under "Layers", with rows of package directories.
pub struct Layers {
    /// Rows from top to bottom. Row names are directories without trailing slash; permitted
    /// dependencies are library names.
    pub rows: Vec<Row>,
}

/// Table under "Modules of the library".
pub struct ModuleTable {
    /// Rows from top to bottom. Names are modules.
    pub rows: Vec<Row>,
}

impl Layers {
    /// Parses the table `| folder | package | library | depends on |`.
    pub fn parse(document: &str) -> Result<Self, String> {
        let rows = rows(document, "Layers", 4)?;
        let rows = rows
            .into_iter()
            .map(|cells| Row {
                names: names(&cells[0])
                    .into_iter()
                    .map(|folder| folder.trim_end_matches('/').to_owned())
                    .collect(),
                allowed: allowed(&cells[3]),
            })
            .collect();
        Ok(Self { rows })
    }

    /// Returns the index of a directory's row, from the top.
    pub fn row_index(&self, folder: &str) -> Option<usize> {
        row_index(&self.rows, folder)
    }
}

impl ModuleTable {
    /// Parses the table `| module | contents | depends on |`. Returns an error if a module occurs
    /// twice, or a row lists a module that is not in a lower row.
    pub fn parse(document: &str) -> Result<Self, String> {
        let cells = rows(document, "Modules of the library", 3)?;
        let rows: Vec<Row> = cells
            .iter()
            .map(|cells| Row {
                names: names(&cells[0]),
                allowed: allowed(&cells[2]),
            })
            .collect();
        let mut seen = BTreeSet::new();
        for row in &rows {
            for name in &row.names {
                if !seen.insert(name) {
                    return Err(format!("`{name}` occurs twice in the table of modules"));
                }
            }
        }
        for (at, row) in rows.iter().enumerate() {
            let AllowedDependencies::Only(known) = &row.allowed else {
                continue;
            };
            for name in known {
                match row_index(&rows, name) {
                    None => {
                        return Err(format!(
                            "{} depends on `{name}`, which has no row",
                            display(&row.names)
                        ));
                    }
                    Some(other) if other <= at => {
                        return Err(format!(
                            "{} depends on `{name}`, which is not in a lower row",
                            display(&row.names)
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(Self { rows })
    }

    /// Returns the index of a module's row, from the top.
    pub fn row_index(&self, module: &str) -> Option<usize> {
        row_index(&self.rows, module)
    }

    /// Returns `true` if a module may depend on another. Both must have rows.
    pub fn allow(&self, from: &str, to: &str) -> bool {
        let (Some(row), Some(other)) = (self.row_index(from), self.row_index(to)) else {
            return false;
        };
        match &self.rows[row].allowed {
            AllowedDependencies::AllBelow => other > row,
            AllowedDependencies::Only(known) => known.contains(to),
        }
    }
}

fn row_index(rows: &[Row], name: &str) -> Option<usize> {
    rows.iter()
        .position(|row| row.names.iter().any(|other| other == name))
}

fn display(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn allowed(cell: &str) -> AllowedDependencies {
    if cell.contains("everything below") {
        AllowedDependencies::AllBelow
    } else {
        AllowedDependencies::Only(names(cell).into_iter().collect())
    }
}

/// Returns the words in backticks.
fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Returns the cells of the first table under a heading, which must have this number of columns.
pub fn rows(document: &str, heading: &str, columns: usize) -> Result<Vec<Vec<String>>, String> {
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
    if head.len() != columns {
        return Err(format!(
            "the table under \"{heading}\" has {} columns instead of {columns}: {head:?}",
            head.len()
        ));
    }
    let mut found = Vec::new();
    for row in table.skip(1) {
        if row.len() != columns {
            return Err(format!(
                "a row under \"{heading}\" has {} cells instead of {columns}: {row:?}",
                row.len()
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
