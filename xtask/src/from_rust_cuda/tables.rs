//! The tables, and their places in the document.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};

use super::list::{List, Row, split};
use super::public_code::Outcome;

/// What stands before and after a table.
const BEGIN: &str = "<!-- `cargo xtask from-rust-cuda` writes this table: ";
const END: &str = "<!-- end of the table -->";

/// The document with its tables written anew.
///
/// # Errors
/// A table without a place, a place without a table, a crate whose tests were not run as it is now.
pub fn write(document: &str, list: &List, outcome: &Outcome) -> Result<String> {
    let mut tables = vec![("tests", kinds(list)), ("public", public(list, outcome)?)];
    let shown = |row: &Row| shown(&row.shown_by);
    let instead = |row: &Row| Ok(row.instead.clone());
    let line = |row: &Row| Ok(row.line.clone());
    let names = |row: &Row| Ok(row.names.clone());
    type Column<'a> = (&'a str, &'a dyn Fn(&Row) -> Result<String>);
    let by: Column = ("shown by", &shown);
    let rows: [(&str, &[Row], &[Column]); 9] = [
        ("kernels", &list.kernels, &[by]),
        (
            "kernels_line",
            &list.kernels_line,
            &[("the line", &line), by],
        ),
        (
            "kernels_not",
            &list.kernels_not,
            &[("instead", &instead), by],
        ),
        ("compile_tests", &list.compile_tests, &[by]),
        ("host", &list.host, &[("names", &names), by]),
        ("host_beyond", &list.host_beyond, &[("names", &names), by]),
        ("host_line", &list.host_line, &[("the line", &line), by]),
        ("host_not", &list.host_not, &[("instead", &instead)]),
        ("public_line", &list.public_line, &[("the line", &line), by]),
    ];
    for (name, rows, columns) in rows {
        let head: Vec<&str> = std::iter::once("what")
            .chain(columns.iter().map(|(head, _)| *head))
            .collect();
        let mut table = heading(&head);
        for row in rows {
            let mut cells = vec![row.what.clone()];
            for (_, cell) in columns {
                cells.push(cell(row)?);
            }
            push(&mut table, &cells);
        }
        tables.push((name, table));
    }
    let mut parts = document.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once(" -->")
            .context("a place's name has no end")?;
        let (_, after) = rest
            .split_once(END)
            .with_context(|| format!("the place of the table `{name}` has no end"))?;
        let place = tables.iter().position(|(known, _)| *known == name);
        let (_, table) =
            tables.remove(place.with_context(|| format!("there is no table `{name}`"))?);
        let _ = write!(text, "{BEGIN}{name} -->\n{table}{END}{after}");
    }
    let left: Vec<_> = tables.iter().map(|(name, _)| *name).collect();
    ensure!(
        left.is_empty(),
        "the document has no place for the tables {left:?}"
    );
    Ok(text)
}

fn heading(cells: &[&str]) -> String {
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

/// The kinds of tests.
fn kinds(list: &List) -> String {
    let mut table = heading(&["short", "where", "command"]);
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

/// Tests by kind: `cpu `one`, `two`, ptx `three``.
fn shown(tests: &[String]) -> Result<String> {
    let mut text = String::new();
    let mut last = "";
    for test in tests {
        let (kind, name) = split(test)?;
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

/// The public crates, each in the version that its tests were run with.
fn public(list: &List, outcome: &Outcome) -> Result<String> {
    let mut table = heading(&[
        "crate",
        "version",
        "in kernels",
        "held to",
        "lines",
        "shown by",
    ]);
    for row in &list.public {
        let version = outcome.version(&row.name, &row.shown_by)?;
        let cells = [
            format!("`{}`", row.name),
            version.to_owned(),
            row.what.clone(),
            row.held_to.clone(),
            row.line.clone(),
            shown(&row.shown_by)?,
        ];
        push(&mut table, &cells);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_are_named_by_kind() {
        let tests = ["cpu one", "cpu two", "ptx three"].map(str::to_owned);
        assert_eq!(
            super::shown(&tests).unwrap(),
            "cpu `one`, `two`, ptx `three`"
        );
        assert!(super::shown(&["one".to_owned()]).is_err());
    }
}
