//! Limits on the language of the sources, checked on every Rust file of the repository.
//!
//! The counted patterns are doc comments that open with a bare clause ("What is read."), doc
//! comments that only make sense next to their neighbour ("Those of the mask."), functions named
//! `of`, over-long comment lines, and `match` on a `bool`. The limits are a floor: they do not make
//! a text good.

use std::path::Path;

use crate::source::rust_sources;

/// First words of a doc comment that is a bare clause instead of a sentence or a noun phrase.
const CLAUSES: [&str; 7] = ["What", "Where", "How", "Which", "Who", "When", "Whether"];

/// Openings of doc comments that refer to their neighbour.
const ELLIPSES: [&str; 7] = [
    "The same", "As there", "As above", "Those of", "That of", "Of ", "None.",
];

/// Longest comment line, in characters.
const COLUMNS: usize = 100;

/// Occurrences of each pattern.
#[derive(Debug, Default)]
pub struct Counts {
    /// Blocks of adjacent doc comment lines.
    pub blocks: usize,
    /// Blocks that open with a bare clause.
    pub clauses: Vec<String>,
    /// Blocks that refer to their neighbour.
    pub ellipses: Vec<String>,
    /// Functions named `of`, `of_…` or `…_of`.
    pub of_functions: Vec<String>,
    /// Comment lines of more than [`COLUMNS`] characters.
    pub long_lines: Vec<String>,
    /// Arms of a `match` on a `bool`.
    pub bool_arms: Vec<String>,
}

impl Counts {
    /// Counts the patterns in all Rust files below `root`, except in build output.
    pub fn scan_sources(root: &Path) -> Self {
        let mut counts = Self::default();
        for (name, text) in rust_sources(root) {
            counts.add(&name, &text);
        }
        counts
    }

    /// Adds the occurrences in the file `name` with the contents `text`.
    fn add(&mut self, name: &str, text: &str) {
        let mut is_inside_block = false;
        for (line, count) in text.lines().zip(1..) {
            let trimmed = line.trim_start();
            let found = || format!("{name}:{count}: {trimmed}");
            let doc = doc_text(trimmed);
            if let Some(doc) = doc.filter(|_| !is_inside_block) {
                self.blocks += 1;
                if is_clause(doc) {
                    self.clauses.push(found());
                }
                if is_ellipsis(doc) {
                    self.ellipses.push(found());
                }
            }
            is_inside_block = doc.is_some();
            if trimmed.starts_with("//") && line.chars().count() > COLUMNS {
                self.long_lines.push(found());
            }
            if !trimmed.starts_with("//") && function_name(trimmed).is_some_and(is_of_name) {
                self.of_functions.push(found());
            }
            let is_arm = |word: &str| {
                trimmed.starts_with(&format!("{word} =>"))
                    || trimmed.starts_with(&format!("{word} if "))
                    || trimmed.contains(&format!("{{ {word} =>"))
            };
            if is_arm("true") || is_arm("false") {
                self.bool_arms.push(found());
            }
        }
    }

    /// Returns all counts in one line.
    pub fn summary(&self) -> String {
        format!(
            "doc comments: {}, bare clauses: {}, ellipses: {}, functions named of: {}, \
             long comment lines: {}, arms of a match on a bool: {}",
            self.blocks,
            self.clauses.len(),
            self.ellipses.len(),
            self.of_functions.len(),
            self.long_lines.len(),
            self.bool_arms.len()
        )
    }

    /// Returns the limits that are exceeded, each with examples.
    pub fn violations(&self) -> Vec<String> {
        let limits = [
            (
                "doc comments that open with a bare clause",
                &self.clauses,
                self.blocks / 100,
            ),
            (
                "doc comments that refer to their neighbour",
                &self.ellipses,
                self.blocks / 500,
            ),
            ("functions named `of`", &self.of_functions, 20),
            ("comment lines over 100 characters", &self.long_lines, 0),
            ("arms of a match on a bool", &self.bool_arms, 0),
        ];
        let exceeded = limits
            .into_iter()
            .filter(|(_, found, limit)| found.len() > *limit);
        exceeded
            .map(|(title, found, limit)| {
                let examples = &found[..found.len().min(10)];
                format!(
                    "{} {title}, at most {limit} allowed:\n  {}",
                    found.len(),
                    examples.join("\n  ")
                )
            })
            .collect()
    }
}

/// Returns the text of a doc comment line, or `None` for other lines.
fn doc_text(line: &str) -> Option<&str> {
    let text = line
        .strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"))?;
    (!text.starts_with('/')).then(|| text.strip_prefix(' ').unwrap_or(text))
}

/// Returns `true` if `doc` opens with a question word and is not a question.
fn is_clause(doc: &str) -> bool {
    let first = doc.split(|c: char| !c.is_alphabetic()).next();
    first.is_some_and(|first| CLAUSES.contains(&first)) && !doc.ends_with('?')
}

/// Returns `true` if `doc` opens by referring to its neighbour, or is "No" and one word.
fn is_ellipsis(doc: &str) -> bool {
    let is_missing_thing = doc
        .strip_prefix("No ")
        .and_then(|rest| rest.strip_suffix('.'))
        .is_some_and(|word| word.chars().all(char::is_alphanumeric));
    is_missing_thing || ELLIPSES.iter().any(|opening| doc.starts_with(opening))
}

/// Returns the name of the function that `line` declares.
fn function_name(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
}

/// Returns `true` for `of`, `of_x` and `x_of`.
fn is_of_name(name: &str) -> bool {
    name == "of" || name.starts_with("of_") || name.ends_with("_of")
}

#[test]
fn each_pattern_is_found() {
    let mut counts = Counts::default();
    let long = format!("// {}", "x".repeat(COLUMNS));
    let lines = [
        "/// What is read.",
        "fn of_mask() {}",
        "/// Those of the mask.",
        "fn mask() {}",
        "/// No bricks.",
        "fn bricks() {}",
        "/// Returns the sum. What",
        "/// Of it.",
        "fn sum() {}",
        &long,
        "    true => 1,",
        "    false => 0,",
    ];
    counts.add("example.rs", &lines.join("\n"));
    assert_eq!(counts.blocks, 4);
    assert_eq!(counts.clauses, ["example.rs:1: /// What is read."]);
    assert_eq!(counts.ellipses.len(), 2, "{:?}", counts.ellipses);
    assert_eq!(counts.of_functions, ["example.rs:2: fn of_mask() {}"]);
    assert_eq!(counts.long_lines.len(), 1, "{:?}", counts.long_lines);
    assert_eq!(counts.bool_arms.len(), 2, "{:?}", counts.bool_arms);
    // a single function named `of` is below its limit
    assert_eq!(counts.violations().len(), 4);
}
