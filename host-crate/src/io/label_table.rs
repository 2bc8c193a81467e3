//! Lookup tables of labels: their names and colours.

use super::{FileError, FileProblem};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Maximum size of a table, in bytes.
const MAX_BYTES: u64 = 1 << 24;

/// Maximum length of a line that an error quotes, in characters.
const MAX_QUOTED: usize = 40;

/// Name and colour of a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelStyle {
    /// Name of the structure.
    pub name: String,
    /// Red, green and blue in sRGB, if the table states them.
    pub color: Option<[u8; 3]>,
}

/// Names and colours of labels, from a lookup table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelTable {
    styles: BTreeMap<i64, LabelStyle>,
}

impl LabelTable {
    /// Parses a lookup table: one label per line, its number first; columns are separated by
    /// spaces, tabs or commas. Empty lines, lines that start with `#` or `//`, and a heading are
    /// skipped.
    ///
    /// | table | columns |
    /// | --- | --- |
    /// | FreeSurfer | number, name, red, green, blue, alpha |
    /// | ITK-SNAP | number, red, green, blue, alpha, two flags, name in quotation marks |
    /// | names only | number, name, anything |
    ///
    /// ```
    /// use ferrovox::io::LabelTable;
    ///
    /// let table = "# No. Name R G B A\n17 Left-Hippocampus 220 216 20 0\n";
    /// let table = LabelTable::parse(table).unwrap();
    /// let style = table.style(17).unwrap();
    /// assert_eq!((&*style.name, style.color), ("Left-Hippocampus", Some([220, 216, 20])));
    /// ```
    ///
    /// # Errors
    /// [`FileProblem::LabelLine`] for a line that is none of these.
    pub fn parse(text: &str) -> Result<Self, FileProblem> {
        let mut styles = BTreeMap::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '/']) {
                continue;
            }
            match parse_line(line) {
                Some((label, style)) => _ = styles.insert(label, style),
                // a heading
                None if styles.is_empty() && !line.starts_with(|c: char| c.is_ascii_digit()) => {}
                None => {
                    return Err(FileProblem::LabelLine {
                        line: index as u64 + 1,
                        text: line.chars().take(MAX_QUOTED).collect(),
                    });
                }
            }
        }
        Ok(Self { styles })
    }

    /// Returns the name and the colour of a label, or `None` if the table does not list it.
    pub fn style(&self, label: i64) -> Option<&LabelStyle> {
        self.styles.get(&label)
    }
}

/// Reads a lookup table of labels; see [`LabelTable::parse`].
///
/// # Errors
/// [`FileError`] for a line that is not an entry, a file of more than 16 MiB, and errors of the
/// operating system.
pub fn read_label_table(path: impl AsRef<Path>) -> Result<LabelTable, FileError> {
    let path = path.as_ref();
    let read = || {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| FileProblem::from_io("open", error))?;
        let mut limited = file.take(MAX_BYTES);
        let read = limited.read_to_end(&mut bytes);
        read.map_err(|error| FileProblem::from_io("read", error))?;
        if bytes.len() as u64 == MAX_BYTES {
            return Err(FileProblem::LabelTableSize { limit: MAX_BYTES });
        }
        LabelTable::parse(&String::from_utf8_lossy(&bytes))
    };
    read().map_err(|problem| FileError::new(path, problem))
}

/// Returns the label of a line and its style.
fn parse_line(line: &str) -> Option<(i64, LabelStyle)> {
    let (before, quoted) = match line.split_once('"') {
        Some((before, rest)) => (before, rest.split('"').next()),
        None => (line, None),
    };
    let is_separator = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let mut words = before.split(is_separator).filter(|word| !word.is_empty());
    let label = words.next()?.parse().ok()?;
    let mut rest: Vec<&str> = words.take(16).collect();
    let name = match quoted {
        Some(name) => name,
        None if rest.is_empty() => return None,
        None => rest.remove(0),
    };
    let component = |word: &&str| word.parse::<u8>().ok();
    let color = match rest.get(..3) {
        Some(words) => {
            let numbers: Vec<u8> = words.iter().filter_map(component).collect();
            numbers.try_into().ok()
        }
        None => None,
    };
    let name = name.trim().to_owned();
    Some((label, LabelStyle { name, color }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_tables_are_parsed() {
        let style = |text: &str, label| {
            let style = LabelTable::parse(text).unwrap().style(label).cloned();
            style.map(|it| (it.name, it.color))
        };
        let named = |name: &str, color| Some((name.to_owned(), color));
        let snap = "# ITK-SNAP\n    0     0    0    0        0  0  0    \"Clear Label\"\n    3   255  128  0  1  1  1    \"left lung\"\n";
        assert_eq!(style(snap, 3), named("left lung", Some([255, 128, 0])));
        assert_eq!(style(snap, 4), None);
        assert_eq!(
            style("1 Precentral_L 2001\n", 1),
            named("Precentral_L", None)
        );
        assert_eq!(
            style("id,name\n-2,core,1,2,3\n", -2),
            named("core", Some([1, 2, 3]))
        );
        assert_eq!(style("5\tbone\t300\t0\t0\r\n", 5), named("bone", None));
        let error = LabelTable::parse("1 one\n2\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2 reads \"2\""), "{error}");
    }
}
