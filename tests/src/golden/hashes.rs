//! The file of hashes: one line for each output.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

const HEADER: &str = "\
# What commands and library calls gave when this was recorded: case, output, SHA-256.
# `cargo xtask golden` compares, `cargo xtask golden --keep` renews. A case with @ is of that kind of device only;
# all others give the same bits on every device.
";

/// An output, by its case and its name.
pub type Entry = (String, String);

/// The hash of each output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hashes(BTreeMap<Entry, String>);

/// What is different from what was recorded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Outputs as recorded.
    pub same: usize,
    /// Outputs with another hash.
    pub changed: Vec<Entry>,
    /// Outputs that were recorded of the cases that ran, but not made.
    pub missing: Vec<Entry>,
    /// Outputs that were not recorded.
    pub unknown: Vec<Entry>,
}

impl Hashes {
    /// Reads what [`text`](Self::text) gives.
    ///
    /// # Errors
    /// The first line that is not of three words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut hashes = Self::default();
        let lines = text.lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [case, output, hash] = words[..] else {
                return Err(format!(
                    "line {} has {} words: a case, an output and a hash are expected",
                    number + 1,
                    words.len()
                ));
            };
            hashes.insert(case, output, hash.to_owned());
        }
        Ok(hashes)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for ((case, output), hash) in &self.0 {
            // a String takes everything
            let _ = writeln!(text, "{case} {output} {hash}");
        }
        text
    }

    /// Adds an output, or replaces it.
    pub fn insert(&mut self, case: &str, output: &str, hash: String) {
        self.0.insert((case.to_owned(), output.to_owned()), hash);
    }

    /// The hash of an output.
    pub fn get(&self, case: &str, output: &str) -> Option<&str> {
        let entry = (case.to_owned(), output.to_owned());
        self.0.get(&entry).map(String::as_str)
    }

    /// How many outputs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares outputs of the cases `ran` with those recorded.
    pub fn compare(&self, found: &Hashes, ran: &BTreeSet<String>) -> Comparison {
        let mut comparison = Comparison::default();
        for (entry, hash) in &found.0 {
            match self.0.get(entry) {
                Some(recorded) if recorded == hash => comparison.same += 1,
                Some(_) => comparison.changed.push(entry.clone()),
                None => comparison.unknown.push(entry.clone()),
            }
        }
        let missing = self.0.keys().filter(|entry| ran.contains(&entry.0));
        comparison.missing = missing
            .filter(|entry| !found.0.contains_key(*entry))
            .cloned()
            .collect();
        comparison
    }

    /// Replaces what is recorded of the cases `ran` by what was found, and drops cases that
    /// `is_known` says no to.
    pub fn renew(
        &mut self,
        found: Hashes,
        ran: &BTreeSet<String>,
        is_known: impl Fn(&str) -> bool,
    ) {
        self.0
            .retain(|(case, _), _| !ran.contains(case) && is_known(case));
        self.0.extend(found.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(lines: &str) -> Hashes {
        Hashes::parse(lines).unwrap()
    }

    #[test]
    fn text_is_read_back() {
        let some = hashes("a out.ply 12\nb@cpu x 34\n");
        assert_eq!(some.len(), 2);
        assert_eq!(hashes(&some.text()), some);
        assert!(Hashes::parse("# a\na b\n").unwrap_err().contains("line 2"));
    }

    #[test]
    fn differences_are_told_by_name() {
        let recorded = hashes("a 1 x\na 2 x\nb 1 x\nc 1 x\n");
        let found = hashes("a 1 x\na 3 x\nb 1 y\n");
        let ran = ["a", "b"].map(str::to_owned).into();
        let entry = |case: &str, output: &str| (case.to_owned(), output.to_owned());
        assert_eq!(
            recorded.compare(&found, &ran),
            Comparison {
                same: 1,
                changed: vec![entry("b", "1")],
                missing: vec![entry("a", "2")],
                unknown: vec![entry("a", "3")],
            }
        );
    }

    #[test]
    fn only_what_ran_is_renewed() {
        let mut recorded = hashes("a 1 x\na 2 x\nb 1 x\ngone 1 x\n");
        let ran = ["a".to_owned()].into();
        recorded.renew(hashes("a 1 z\n"), &ran, |case| case != "gone");
        assert_eq!(recorded, hashes("a 1 z\nb 1 x\n"));
    }
}
