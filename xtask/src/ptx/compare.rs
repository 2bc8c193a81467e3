//! Comparison of two PTX files, with a short summary of the differences.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::text;

/// Prefixes of lines in the header of a PTX file.
const COMPILER: &str = "// compiler: ";
const SOURCES: &str = "// sources: ";

/// Maximum number of names in a line of the summary.
const NAMES: usize = 8;

/// Result of comparing a file in the repository with a newly built one.
#[derive(Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The files are identical.
    Equal,
    /// Built from the same sources by another compiler (named here), so the code is not comparable.
    OtherCompiler(String),
    /// The files differ; a short summary.
    Different(String),
}

/// Returns the compiler and the source hash in the header of a PTX file.
pub fn origin(path: &Path) -> Result<[Option<String>; 2]> {
    let text = text::read(path)?;
    Ok([COMPILER, SOURCES].map(|label| line(&text, label)))
}

/// Returns the text after a label.
fn line(text: &str, label: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix(label))
        .map(str::to_owned)
}

/// Compares the file `old` in the repository with the newly built file `new`.
pub fn compare(old: &Path, new: &Path) -> Result<Comparison> {
    let name = old
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let fresh = text::read(new)?;
    if !old.is_file() {
        return Ok(Comparison::Different(format!("{name}: missing")));
    }
    let recorded = text::read(old)?;
    if recorded == fresh {
        return Ok(Comparison::Equal);
    }
    let same_sources =
        line(&recorded, SOURCES).is_some() && line(&recorded, SOURCES) == line(&fresh, SOURCES);
    Ok(match line(&recorded, COMPILER) {
        Some(compiler) if same_sources && line(&fresh, COMPILER) != Some(compiler.clone()) => {
            Comparison::OtherCompiler(compiler)
        }
        _ => Comparison::Different(format!("{name}: {}", summary(&recorded, &fresh))),
    })
}

/// Summarizes the differences between two PTX texts.
fn summary(old: &str, new: &str) -> String {
    let (before, after) = (sections(old), sections(new));
    let mut parts = Vec::new();
    let mut list = |heading: &str, names: Vec<&str>| {
        if !names.is_empty() {
            let more = if names.len() > NAMES {
                format!(" and {} more", names.len() - NAMES)
            } else {
                String::new()
            };
            parts.push(format!(
                "{heading}: {}{more}",
                names[..names.len().min(NAMES)].join(", ")
            ));
        }
    };
    list(
        "new",
        after
            .keys()
            .filter(|name| !before.contains_key(*name))
            .copied()
            .collect(),
    );
    list(
        "removed",
        before
            .keys()
            .filter(|name| !after.contains_key(*name))
            .copied()
            .collect(),
    );
    list(
        "changed",
        after
            .iter()
            .filter(|(name, text)| before.get(*name).is_some_and(|old| old != *text))
            .map(|(name, _)| *name)
            .collect(),
    );
    let line = old
        .lines()
        .zip(new.lines())
        .position(|(old, new)| old != new);
    if let Some(line) = line {
        let at = |text: &str| {
            text.lines()
                .nth(line)
                .unwrap_or_default()
                .trim()
                .chars()
                .take(120)
                .collect::<String>()
        };
        parts.push(format!(
            "first at line {}:\n    - {}\n    + {}",
            line + 1,
            at(old),
            at(new)
        ));
    } else {
        parts.push(format!(
            "{} lines instead of {}",
            old.lines().count(),
            new.lines().count()
        ));
    }
    parts.join("; ")
}

/// Splits PTX text into kernels and functions by name; the text before the first one is the header.
fn sections(text: &str) -> BTreeMap<&str, String> {
    let mut sections = BTreeMap::new();
    let mut current = "the header";
    for line in text.lines() {
        let declared = [".entry ", ".func "]
            .iter()
            .find_map(|keyword| line.split_once(keyword))
            .map(|(_, rest)| rest);
        if let Some(rest) = declared.filter(|_| line.starts_with('.')) {
            let rest = if rest.trim_start().starts_with('(') {
                rest.split_once(')').map_or(rest, |(_, rest)| rest)
            } else {
                rest
            };
            current = rest.trim().split(['(', ' ', ';']).next().unwrap_or(rest);
        }
        let section: &mut String = sections.entry(current).or_default();
        section.push_str(line);
        section.push('\n');
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn summary_lists_new_removed_and_changed_kernels() {
        let old = "// x\n.visible .entry a(\n)\n{\n ret;\n}\n.visible .entry b(\n)\n{\n ret;\n}\n";
        let new = "// x\n.visible .entry a(\n)\n{\n bar.sync 0;\n ret;\n}\n.func  (.param .b32 r) c(\n)\n{\n ret;\n}\n";
        let text = summary(old, new);
        for part in [
            "new: c",
            "removed: b",
            "changed: a",
            "line 5",
            "- ret;",
            "+ bar.sync 0;",
        ] {
            assert!(text.contains(part), "{part} not in {text}");
        }
    }

    #[test]
    fn files_are_compared_by_bytes_unless_the_compiler_differs() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let recorded = file(
            "recorded",
            "// compiler: rustc 1\n// sources: sha256 a\nret;\n",
        );
        assert_eq!(compare(&recorded, &recorded).unwrap(), Comparison::Equal);
        let fresh = file(
            "fresh",
            "// compiler: rustc 2\n// sources: sha256 a\nexit;\n",
        );
        assert_eq!(
            compare(&recorded, &fresh).unwrap(),
            Comparison::OtherCompiler("rustc 1".to_owned())
        );
        for text in [
            "// compiler: rustc 2\n// sources: sha256 b\n",
            "// compiler: rustc 1\n// sources: sha256 a\nexit;\n",
        ] {
            assert!(
                matches!(
                    compare(&recorded, &file("fresh", text)).unwrap(),
                    Comparison::Different(_)
                ),
                "{text}"
            );
        }
        assert_eq!(
            compare(&directory.path().join("none"), &recorded).unwrap(),
            Comparison::Different("none: missing".to_owned())
        );
    }
}
