//! Tables of text as RFC 4180 has them.

/// A row: cells that hold a comma, a quotation mark or a line's end are quoted.
pub fn row<S: AsRef<str>>(cells: impl IntoIterator<Item = S>) -> String {
    let quoted = |cell: S| {
        let cell = cell.as_ref();
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    let cells: Vec<String> = cells.into_iter().map(quoted).collect();
    cells.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(row(["a", "", "1.5"]), "a,,1.5\n");
        assert_eq!(
            row(["a,b", "say \"it\"", "2\n3"]),
            "\"a,b\",\"say \"\"it\"\"\",\"2\n3\"\n"
        );
    }
}
