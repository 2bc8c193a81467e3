//! What differs between two PTX files, in a few lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// How many names a line of the summary lists.
const NAMES: usize = 8;

/// A summary of how `old` (in the repository) differs from `new`; `None` when they are equal.
pub fn difference(old: &Path, new: &Path) -> Result<Option<String>> {
    let name = old
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let fresh =
        fs::read_to_string(new).with_context(|| format!("cannot read {}", new.display()))?;
    if !old.is_file() {
        return Ok(Some(format!("{name}: is not there")));
    }
    let kept = fs::read_to_string(old).with_context(|| format!("cannot read {}", old.display()))?;
    Ok((kept != fresh).then(|| format!("{name}: {}", summary(&kept, &fresh))))
}

fn summary(old: &str, new: &str) -> String {
    let (before, after) = (sections(old), sections(new));
    let mut parts = Vec::new();
    let mut list = |what: &str, names: Vec<&str>| {
        if !names.is_empty() {
            let more = if names.len() > NAMES {
                format!(" and {} more", names.len() - NAMES)
            } else {
                String::new()
            };
            parts.push(format!(
                "{what}: {}{more}",
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
        "gone",
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
            "one has {} lines, the other {}",
            old.lines().count(),
            new.lines().count()
        ));
    }
    parts.join("; ")
}

/// Kernels and functions by name; what stands before the first one is the header.
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

    #[test]
    fn the_summary_names_kernels() {
        let old = "// x\n.visible .entry a(\n)\n{\n ret;\n}\n.visible .entry b(\n)\n{\n ret;\n}\n";
        let new = "// x\n.visible .entry a(\n)\n{\n bar.sync 0;\n ret;\n}\n.func  (.param .b32 r) c(\n)\n{\n ret;\n}\n";
        let text = summary(old, new);
        for part in [
            "new: c",
            "gone: b",
            "changed: a",
            "line 5",
            "- ret;",
            "+ bar.sync 0;",
        ] {
            assert!(text.contains(part), "{part} not in {text}");
        }
    }

    #[test]
    fn absent_and_equal_files() {
        let directory = tempfile::tempdir().unwrap();
        let new = directory.path().join("new");
        fs::write(&new, "x").unwrap();
        assert!(
            difference(&directory.path().join("old"), &new)
                .unwrap()
                .unwrap()
                .contains("is not there")
        );
        assert_eq!(difference(&new, &new).unwrap(), None);
    }
}
