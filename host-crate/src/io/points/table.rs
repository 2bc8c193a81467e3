//! Points in tables: CSV and TSV, with a line of column names or without.
//!
//! The first line decides what separates fields: tabs if it has one, otherwise semicolons,
//! otherwise commas. Numbers may have a decimal comma where that is not the separator.

use super::{excerpt, push};
use crate::io::source::Source;
use crate::io::{FileProblem, PointsProblem};

/// Longest line that is accepted, in bytes.
const MAX_LINE: usize = 1 << 16;
/// Names of the columns.
const NAMES: [&str; 3] = ["x", "y", "z"];

/// Reads one point per line, from the columns x, y and z, or the first three if there are no names.
pub(super) fn read(mut source: Source<'_>) -> Result<Vec<[f64; 3]>, FileProblem> {
    let mut points = Vec::new();
    let mut columns = None;
    let mut known_separator = None;
    let mut line_number = 0;
    while let Some(line) = source.line(MAX_LINE)? {
        line_number += 1;
        let invalid = || PointsProblem::InvalidLine {
            line: line_number,
            text: excerpt(&line),
        };
        if line.len() >= MAX_LINE {
            return Err(invalid().into());
        }
        let text = std::str::from_utf8(&line).map_err(|_| invalid())?;
        // Some programs write a mark of the byte order.
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let separator = *known_separator.get_or_insert_with(|| find_separator(text));
        let fields = split_fields(text, separator);
        let columns = match columns {
            Some(columns) => columns,
            None => {
                let is_header = parse_point(&fields, [0, 1, 2], separator).is_none();
                let found = if is_header {
                    find_columns(&fields)
                } else {
                    Some([0, 1, 2])
                };
                let found = found.ok_or_else(|| PointsProblem::NoColumns {
                    names: fields
                        .iter()
                        .take(20)
                        .copied()
                        .collect::<Vec<_>>()
                        .join(", "),
                })?;
                columns = Some(found);
                if is_header {
                    continue;
                }
                found
            }
        };
        let point = parse_point(&fields, columns, separator);
        push(&mut points, point.ok_or_else(invalid)?)?;
    }
    Ok(points)
}

/// Returns the character that separates the fields of a line.
fn find_separator(line: &str) -> char {
    let found = ['\t', ';'].into_iter().find(|it| line.contains(*it));
    found.unwrap_or(',')
}

/// Splits a line at the separators outside of quotes, and removes white space and quotes.
fn split_fields(line: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let fields = line.split(|symbol: char| {
        is_quoted ^= symbol == '"';
        symbol == separator && !is_quoted
    });
    fields
        .map(|field| field.trim().trim_matches('"').trim())
        .collect()
}

/// Returns the columns with the names x, y and z, in capitals or not, possibly with a unit:
/// `x (mm)`, `X_mm`, `x[mm]`.
fn find_columns(fields: &[&str]) -> Option<[usize; 3]> {
    let find = |name: &str| {
        fields.iter().position(|field| {
            let word = field.split([' ', '(', '[', '_']).next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(name))
        })
    };
    let [x, y, z] = NAMES.map(find);
    Some([x?, y?, z?])
}

fn parse_point(fields: &[&str], columns: [usize; 3], separator: char) -> Option<[f64; 3]> {
    let number = |column: usize| {
        let field = fields.get(column)?;
        match field.split_once(',') {
            Some((whole, decimals)) if separator != ',' => {
                format!("{whole}.{decimals}").parse().ok()
            }
            _ => field.parse::<f64>().ok(),
        }
    };
    let [x, y, z] = columns.map(number);
    Some([x?, y?, z?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<[f64; 3]>, String> {
        read(Source::from_bytes(text.as_bytes())).map_err(|problem| problem.to_string())
    }

    #[test]
    fn columns_are_found_by_name() {
        let points = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        for text in [
            "1,2,3\n4,5,6\n",
            "# c\nx,y,z\n1,2,3\n\n4,5,6",
            "name\tZ (mm)\tX (mm)\tY (mm)\r\nA1\t3\t1\t2\r\nA2\t6\t4\t5\r\n",
            "\u{feff}\"label\";\"x_mm\";\"y_mm\";\"z_mm\"\n\"a\";\"1\";2;3\n\"b\";4;5;6.0",
        ] {
            assert_eq!(read_text(text).unwrap(), points, "{text}");
        }
        for text in [
            "name,x,y,z\n\"left, upper\",1,2,3\n\"a \"\"b\"\", 1,2\",4,5,6\n",
            "name;x;y;z\n\"1,5\";1,0;2,0;3\n2,5;4;5;6,0\n",
            "x\ty\tz\n1,0\t2\t3;\n4\t5\t6\n".replace(';', "").as_str(),
        ] {
            assert_eq!(read_text(text).unwrap(), points, "{text}");
        }
        assert_eq!(read_text("1,5;2,5;3\n").unwrap(), [[1.5, 2.5, 3.0]]);
        assert!(read_text("x,y,z\n").unwrap().is_empty());
        // one and a half, or fifteen
        assert!(read_text("x,y,z\n\"1,5\",2,3\n").is_err());
        let error = read_text("name,left,right\na,1,2\n").unwrap_err();
        assert!(error.contains("name, left, right"), "{error}");
        let error = read_text("x,y,z\n1,2\n").unwrap_err();
        assert!(error.starts_with("line 2 reads \"1,2\""), "{error}");
        let error = read_text("1,2,3\nx,y,z\n").unwrap_err();
        assert!(error.starts_with("line 2"), "{error}");
    }
}
