//! Generation of the tables and their insertion into the documents.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::list::{List, Row, split_reference};
use super::public_code::Outcome;

/// Markers before and after a table.
const BEGIN: &str = "<!-- `cargo xtask from-rust-cuda` writes this table: ";
const END: &str = "<!-- end of the table -->";

/// Returns the documents with their tables replaced. Each table has markers in one of them.
///
/// # Errors
/// A table without markers, markers without a table, or a crate whose recorded test run is
/// outdated.
pub fn write(documents: &[String], list: &List, outcome: &Outcome) -> Result<Vec<String>> {
    let mut tables = vec![
        ("tests", kinds_table(list)),
        ("public", public_table(list, outcome)?),
    ];
    let test_list = |row: &Row| test_list(&row.tested_by);
    let alternative = |row: &Row| Ok(row.alternative.clone());
    let change = |row: &Row| Ok(row.change.clone());
    let names = |row: &Row| Ok(row.names.clone());
    type Column<'a> = (&'a str, &'a dyn Fn(&Row) -> Result<String>);
    let tests: Column = ("tests", &test_list);
    let rows: [(&str, &[Row], &[Column]); 9] = [
        ("kernels", &list.kernels, &[tests]),
        (
            "kernels_changed",
            &list.kernels_changed,
            &[("change", &change), tests],
        ),
        (
            "kernels_unsupported",
            &list.kernels_unsupported,
            &[("alternative", &alternative), tests],
        ),
        ("compile_tests", &list.compile_tests, &[tests]),
        ("host", &list.host, &[("names", &names), tests]),
        (
            "host_unreleased",
            &list.host_unreleased,
            &[("names", &names), tests],
        ),
        (
            "host_changed",
            &list.host_changed,
            &[("change", &change), tests],
        ),
        (
            "host_unsupported",
            &list.host_unsupported,
            &[("alternative", &alternative)],
        ),
        (
            "public_changed",
            &list.public_changed,
            &[("change", &change), tests],
        ),
    ];
    for (name, rows, columns) in rows {
        let head: Vec<&str> = std::iter::once("feature")
            .chain(columns.iter().map(|(head, _)| *head))
            .collect();
        let mut table = table_header(&head);
        for row in rows {
            let mut cells = vec![row.description.clone()];
            for (_, cell) in columns {
                cells.push(cell(row)?);
            }
            push(&mut table, &cells);
        }
        tables.push((name, table));
    }
    let written: Vec<String> = documents
        .iter()
        .map(|document| replace_tables(document, &mut tables))
        .collect::<Result<_>>()?;
    let unplaced: Vec<_> = tables.iter().map(|(name, _)| *name).collect();
    ensure!(
        unplaced.is_empty(),
        "the documents have no markers for the tables {unplaced:?}"
    );
    Ok(written)
}

/// Replaces the tables that have markers in `document`, and removes them from `tables`.
fn replace_tables(document: &str, tables: &mut Vec<(&str, String)>) -> Result<String> {
    let mut parts = document.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once(" -->")
            .context("the marker of a table is incomplete")?;
        let (_, after) = rest
            .split_once(END)
            .with_context(|| format!("the end marker of the table `{name}` is missing"))?;
        let index = tables.iter().position(|(known, _)| *known == name);
        let (_, table) = tables.remove(index.with_context(|| format!("unknown table `{name}`"))?);
        let _ = write!(text, "{BEGIN}{name} -->\n{table}{END}{after}");
    }
    Ok(text)
}

fn table_header(cells: &[&str]) -> String {
    let mut table = format!("| {} |\n|", cells.join(" | "));
    for _ in cells {
        table.push_str(" --- |");
    }
    table.push('\n');
    table
}

fn push(table: &mut String, cells: &[String]) {
    for cell in cells {
        let _ = match cell.as_str() {
            "" => write!(table, "| "),
            cell => write!(table, "| {cell} "),
        };
    }
    table.push_str("|\n");
}

/// Returns the table of test kinds.
fn kinds_table(list: &List) -> String {
    let mut table = table_header(&["kind", "path", "command"]);
    for (kind, tests) in &list.tests {
        let cells = [
            kind.clone(),
            format!("`{}`", tests.path),
            tests.command.clone(),
        ];
        push(&mut table, &cells);
    }
    table
}

/// Formats a list of tests, grouped by kind: `cpu `one`, `two`, ptx `three``.
fn test_list(tests: &[String]) -> Result<String> {
    let mut text = String::new();
    let mut last = "";
    for test in tests {
        let (kind, name) = split_reference(test)?;
        if !text.is_empty() {
            text.push_str(", ");
        }
        if kind != last {
            let _ = write!(text, "{kind} ");
        }
        let _ = write!(text, "`{name}`");
        last = kind;
    }
    Ok(text)
}

/// Returns the table of public crates, each with the tested version.
fn public_table(list: &List, outcome: &Outcome) -> Result<String> {
    let mut table = table_header(&[
        "crate",
        "version",
        "in kernels",
        "compared with",
        "options",
        "tests",
    ]);
    for row in &list.public {
        let version = outcome.version(&row.name, &row.tested_by)?;
        let cells = [
            format!("`{}`", row.name),
            version.to_owned(),
            row.description.clone(),
            row.reference.clone(),
            row.change.clone(),
            test_list(&row.tested_by)?,
        ];
        push(&mut table, &cells);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #[test]
    fn test_lists_are_grouped_by_kind() {
        let tests = ["cpu one", "cpu two", "ptx three"].map(str::to_owned);
        assert_eq!(
            super::test_list(&tests).unwrap(),
            "cpu `one`, `two`, ptx `three`"
        );
        assert!(super::test_list(&["one".to_owned()]).is_err());
    }
}
