//! Points as text: three numbers per line.

use super::{excerpt, push};
use crate::io::source::Source;
use crate::io::{FileProblem, PointsProblem};

/// Longest line that is accepted, in bytes.
const MAX_LINE: usize = 4096;

/// Reads one point per line.
pub(super) fn read(mut source: Source<'_>) -> Result<Vec<[f64; 3]>, FileProblem> {
    let mut points = Vec::new();
    let mut line_number = 0;
    while let Some(line) = source.line(MAX_LINE)? {
        line_number += 1;
        let is_cut = line.len() >= MAX_LINE;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            // Skip the rest of a long comment.
            let mut continues = is_cut && !line.is_empty();
            while continues {
                continues = source
                    .line(MAX_LINE)?
                    .is_some_and(|rest| rest.len() >= MAX_LINE);
            }
            continue;
        }
        let point = (!is_cut)
            .then(|| parse_point(line))
            .flatten()
            .ok_or_else(|| PointsProblem::InvalidLine {
                line: line_number,
                text: excerpt(line),
            })?;
        push(&mut points, point)?;
    }
    Ok(points)
}

/// Parses the first three numbers of a line.
fn parse_point(line: &[u8]) -> Option<[f64; 3]> {
    let text = std::str::from_utf8(line).ok()?;
    let mut words = text
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    let mut next = || words.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<[f64; 3]>, String> {
        read(Source::from_bytes(text.as_bytes())).map_err(|problem| problem.to_string())
    }

    #[test]
    fn comments_separators_and_empty_lines_are_accepted() {
        let text = "# x y z\r\n1 2 3\r\n\r\n\t-1.5,\t2e1 ,+3 0.5 normal\n  # end\n7,8,9";
        let points = [[1.0, 2.0, 3.0], [-1.5, 20.0, 3.0], [7.0, 8.0, 9.0]];
        assert_eq!(read_text(text).unwrap(), points);
        assert_eq!(read_text("").unwrap(), [[0.0; 3]; 0]);
    }

    #[test]
    fn long_comment_is_one_line() {
        for length in [
            MAX_LINE - 2,
            MAX_LINE - 1,
            MAX_LINE,
            MAX_LINE + 1,
            2 * MAX_LINE,
            3 * MAX_LINE + 5,
        ] {
            let comment = "#".repeat(length);
            let text = format!("1 2 3\n{comment} 7 7 7\n4 5 6\n{comment} 8 8 8\nx");
            let problem = read_text(&text).unwrap_err();
            assert!(
                problem.starts_with("line 5 reads \"x\""),
                "{length}: {problem}"
            );
            let points = read_text(text.trim_end_matches('x')).unwrap();
            assert_eq!(points, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "{length}");
        }
    }

    #[test]
    fn invalid_point_is_reported_with_its_line() {
        let problem = read_text("1 2 3\n4 5\n").unwrap_err();
        assert!(problem.starts_with("line 2 reads \"4 5\""), "{problem}");
        assert!(read_text("C 1 2 3").unwrap_err().contains("\"C 1 2 3\""));
        let problem = read_text("1 2 3\n0 nan -inf\n").unwrap_err();
        assert!(
            problem.starts_with("point 1 is at [0.0, NaN, -inf]"),
            "{problem}"
        );
        let long = "1 ".repeat(MAX_LINE);

        assert!(read_text(&long).is_err());
        let problem = read(Source::from_bytes(b"\xff\xfe1 2 3")).unwrap_err();
        assert!(problem.to_string().contains("ff fe 31"), "{problem}");
    }
}
