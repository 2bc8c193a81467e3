//! The file of golden hashes: one line per output.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

const HEADER: &str = "\
# Hashes of the outputs of commands and library calls: case, output, SHA-256.
# `cargo xtask golden` compares them, `cargo xtask golden --record` updates them. The outputs of a case with @ are
# compared only on devices of that type; all others are identical on every device.
";

/// Output, identified by its case and its name.
pub type Entry = (String, String);

/// Hash of each output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes(BTreeMap<Entry, String>);

/// Differences from the recorded hashes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Number of outputs with the recorded hash.
    pub unchanged: usize,
    /// Outputs with a different hash.
    pub changed: Vec<Entry>,
    /// Recorded outputs that the cases did not produce.
    pub missing: Vec<Entry>,
    /// Outputs without a recorded hash.
    pub unknown: Vec<Entry>,
}

impl Hashes {
    /// Parses the format of [`text`](Self::text).
    ///
    /// # Errors
    /// A description of the first line that does not have three words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut hashes = Self::default();
        let lines = text.lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [case, output, hash] = words[..] else {
                return Err(format!(
                    "line {} has {} words; expected a case, an output and a hash",
                    number + 1,
                    words.len()
                ));
            };
            hashes.insert(case, output, hash.to_owned());
        }
        Ok(hashes)
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for ((case, output), hash) in &self.0 {
            // writing to a String cannot fail
            let _ = writeln!(text, "{case} {output} {hash}");
        }
        text
    }

    /// Inserts or replaces the hash of an output.
    pub fn insert(&mut self, case: &str, output: &str, hash: String) {
        self.0.insert((case.to_owned(), output.to_owned()), hash);
    }

    /// Returns the hash of an output.
    pub fn get(&self, case: &str, output: &str) -> Option<&str> {
        let entry = (case.to_owned(), output.to_owned());
        self.0.get(&entry).map(String::as_str)
    }

    /// Returns the number of outputs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no outputs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares the outputs of the given cases with the recorded ones.
    pub fn compare(&self, current: &Hashes, cases: &BTreeSet<String>) -> Comparison {
        let mut comparison = Comparison::default();
        for (entry, hash) in &current.0 {
            match self.0.get(entry) {
                Some(recorded) if recorded == hash => comparison.unchanged += 1,
                Some(_) => comparison.changed.push(entry.clone()),
                None => comparison.unknown.push(entry.clone()),
            }
        }
        let missing = self.0.keys().filter(|entry| cases.contains(&entry.0));
        comparison.missing = missing
            .filter(|entry| !current.0.contains_key(*entry))
            .cloned()
            .collect();
        comparison
    }

    /// Replaces the recorded outputs of the given cases by the current ones, and removes the cases
    /// for which `is_known` returns `false`.
    pub fn update(
        &mut self,
        current: Hashes,
        cases: &BTreeSet<String>,
        is_known: impl Fn(&str) -> bool,
    ) {
        self.0
            .retain(|(case, _), _| !cases.contains(case) && is_known(case));
        self.0.extend(current.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(lines: &str) -> Hashes {
        Hashes::parse(lines).unwrap()
    }

    #[test]
    fn text_round_trips() {
        let some = hashes("a out.ply 12\nb@cpu x 34\n");
        assert_eq!(some.len(), 2);
        assert_eq!(hashes(&some.text()), some);
        assert!(Hashes::parse("# a\na b\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn comparison_names_the_differences() {
        let recorded = hashes("a 1 x\na 2 x\nb 1 x\nc 1 x\n");
        let current = hashes("a 1 x\na 3 x\nb 1 y\n");
        let cases = ["a", "b"].map(str::to_owned).into();
        let entry = |case: &str, output: &str| (case.to_owned(), output.to_owned());
        assert_eq!(
            recorded.compare(&current, &cases),
            Comparison {
                unchanged: 1,
                changed: vec![entry("b", "1")],
                missing: vec![entry("a", "2")],
                unknown: vec![entry("a", "3")],
            }
        );
    }

    #[test]
    fn update_replaces_only_cases_that_ran() {
        let mut recorded = hashes("a 1 x\na 2 x\nb 1 x\ngone 1 x\n");
        let cases = ["a".to_owned()].into();
        recorded.update(hashes("a 1 z\n"), &cases, |case| case != "gone");
        assert_eq!(recorded, hashes("a 1 z\nb 1 x\n"));
    }
}
