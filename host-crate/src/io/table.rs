//! Tables of measurements, as comma-separated values (RFC 4180) or JSON.

use crate::io::file_extension::extension;
use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, FileProblem};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// An integer.
    Integer(i64),
    /// A number; not a finite one is written as an empty cell, in JSON as `null`.
    Number(f64),
    /// A text.
    Text(String),
    /// An undefined value: an empty cell, in JSON `null`.
    Empty,
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or(Self::Empty, Self::Integer)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::Empty, Self::Integer)
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// A table of measurements: named columns, and rows with one cell each.
///
/// ```
/// use ferrovox::io::{Table, write_table};
///
/// let mut table = Table::new(["label", "volume"]);
/// table.add([7_i64.into(), 2.5.into()]);
/// let folder = tempfile::tempdir()?;
/// write_table(folder.path().join("volumes.csv"), &table)?;
/// let text = std::fs::read_to_string(folder.path().join("volumes.csv"))?;
/// assert_eq!(text, "label,volume\n7,2.5\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Extensions of tables, for messages.
    pub const WRITTEN_AS: &'static str = "tables are written as .csv and .json";

    /// Creates a table without rows.
    pub fn new(columns: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, with a cell for each column.
    pub fn add(&mut self, row: impl IntoIterator<Item = Cell>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Writes a line with the names of the columns, and one for each row.
    pub(crate) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.columns.join(","))?;
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                if column > 0 {
                    out.write_all(b",")?;
                }
                match cell {
                    Cell::Integer(number) => write!(out, "{number}")?,
                    Cell::Number(number) if number.is_finite() => write!(out, "{number}")?,
                    Cell::Text(text) if text.contains([',', '"', '\n', '\r']) => {
                        write!(out, "\"{}\"", text.replace('"', "\"\""))?;
                    }
                    Cell::Text(text) => write!(out, "{text}")?,
                    Cell::Number(_) | Cell::Empty => {}
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes a list of objects whose keys are the names of the columns.
    pub(crate) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        for (number, row) in self.rows.iter().enumerate() {
            write!(out, "{}\n  {{", if number > 0 { "," } else { "" })?;
            for (column, (name, cell)) in self.columns.iter().zip(row).enumerate() {
                let comma = if column > 0 { ", " } else { "" };
                write!(out, "{comma}\"{name}\": ")?;
                match cell {
                    Cell::Integer(number) => write!(out, "{number}")?,
                    Cell::Number(number) if number.is_finite() => {
                        serde_json::to_writer(&mut *out, number)?;
                    }
                    Cell::Text(text) => serde_json::to_writer(&mut *out, text)?,
                    Cell::Number(_) | Cell::Empty => write!(out, "null")?,
                }
            }
            write!(out, "}}")?;
        }
        writeln!(out, "\n]")
    }
}

/// Writes a table: `.csv` or `.json`.
///
/// # Errors
/// [`FileError`] for another extension, and errors of the operating system.
pub fn write_table(path: impl AsRef<Path>, table: &Table) -> Result<(), FileError> {
    write_alone(|group| group.write_table(path, table))
}

impl FileGroup {
    /// Writes a table as one of the group; see [`write_table`](fn@write_table).
    ///
    /// # Errors
    /// The errors of [`write_table`](fn@write_table).
    pub fn write_table(&mut self, path: impl AsRef<Path>, table: &Table) -> Result<(), FileError> {
        let path = path.as_ref();
        let is_json = match extension(path).as_str() {
            "json" => true,
            "csv" | "" => false,
            other => {
                return Err(FileError::new(
                    path,
                    FileProblem::UnknownExtension {
                        extension: other.to_owned(),
                        known: Table::WRITTEN_AS,
                    },
                ));
            }
        };
        self.write(path, |file| {
            let mut out = BufWriter::new(file);
            if is_json {
                table.write_json(&mut out)?;
            } else {
                table.write_csv(&mut out)?;
            }
            out.flush()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_empty() {
        let mut table = Table::new(["a", "b", "c"]);
        table.add([Cell::from("x, \"y\""), f64::NAN.into(), Cell::Empty]);
        table.add([(-3_i64).into(), 0.5.into(), "z".into()]);
        let (mut csv, mut json) = (Vec::new(), Vec::new());
        table.write_csv(&mut csv).unwrap();
        table.write_json(&mut json).unwrap();
        assert_eq!(
            String::from_utf8(csv).unwrap(),
            "a,b,c\n\"x, \"\"y\"\"\",,\n-3,0.5,z\n"
        );
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json[0]["a"], "x, \"y\"");
        assert!(json[0]["b"].is_null());
        assert_eq!(json[1]["b"], 0.5);
    }
}
