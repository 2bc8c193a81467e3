//! Copy of RustSec's advisories: one line per advisory, with the fields that decide whether a
//! version is affected.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Advisories of one day.
#[derive(Clone, Debug, PartialEq)]
pub struct Database {
    /// Day of the newest commit, as `YYYY-MM-DD`.
    pub date: String,
    /// Commit of RustSec's repository.
    pub commit: String,
    /// Sorted by identifier.
    pub advisories: Vec<Advisory>,
}

/// Advisory on some versions of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct Advisory {
    pub id: String,
    pub package: String,
    pub date: String,
    /// `unmaintained`, `unsound` or `notice`; empty for a vulnerability.
    pub informational: String,
    /// Requirements on versions without the problem.
    pub patched: Vec<String>,
    /// Requirements on versions that never had the problem.
    pub unaffected: Vec<String>,
    pub title: String,
}

/// Block at the start of an advisory's file.
#[derive(Deserialize)]
struct FrontMatter {
    advisory: Fields,
    #[serde(default)]
    versions: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Fields {
    id: String,
    package: String,
    date: String,
    informational: Option<String>,
    withdrawn: Option<String>,
}

/// Separator of the requirements on versions, which may contain commas.
const SEPARATOR: &str = " | ";

impl Database {
    /// Reads the files of a clone of RustSec's repository.
    pub fn from_clone(clone: &Path) -> Result<Self> {
        let git = |arguments: &[&str]| -> Result<String> {
            let output = Command::new("git")
                .arg("-C")
                .arg(clone)
                .args(arguments)
                .output()?;
            ensure!(
                output.status.success(),
                "{} is not a clone of advisory-db",
                clone.display()
            );
            Ok(String::from_utf8(output.stdout)?.trim().to_owned())
        };
        let mut advisories = Vec::new();
        for package in fs::read_dir(clone.join("crates"))? {
            for file in fs::read_dir(package?.path())? {
                let path = file?.path();
                let text = fs::read_to_string(&path)?;
                let advisory = Advisory::from_markdown(&text);
                advisories.extend(advisory.with_context(|| path.display().to_string())?);
            }
        }
        advisories.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Self {
            date: git(&["show", "--no-patch", "--format=%cs", "HEAD"])?,
            commit: git(&["rev-parse", "HEAD"])?,
            advisories,
        })
    }

    /// Parses the copy.
    pub fn from_text(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let mut comment = |name: &str| {
            let line = lines.next().unwrap_or_default();
            let value = line.strip_prefix(&format!("# {name}: ")).map(str::to_owned);
            value.with_context(|| format!("the line {line:?} is not \"# {name}: …\""))
        };
        let (date, commit) = (comment("date")?, comment("commit")?);
        let advisories = lines
            .filter(|line| !line.starts_with('#'))
            .map(Advisory::from_line)
            .collect::<Result<_>>()?;
        Ok(Self {
            date,
            commit,
            advisories,
        })
    }

    /// Returns the text that [`from_text`](Self::from_text) parses.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "# date: {}\n# commit: {}\n\
             # Advisories of https://github.com/rustsec/advisory-db, written by `cargo xtask advisories --update`. Columns, separated by\n\
             # tabs: identifier, package, date, kind, requirements on patched and on unaffected versions, title.\n",
            self.date, self.commit
        );
        for it in &self.advisories {
            let (patched, unaffected) = (it.patched.join(SEPARATOR), it.unaffected.join(SEPARATOR));
            let Advisory {
                id,
                package,
                date,
                informational,
                title,
                ..
            } = it;
            let _ = writeln!(
                text,
                "{id}\t{package}\t{date}\t{informational}\t{patched}\t{unaffected}\t{title}"
            );
        }
        text
    }

    /// Returns the number of days since the newest commit.
    pub fn age_in_days(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let today = now.map_or(0, |time| time.as_secs() / 86400);
        today.saturating_sub(days_since_1970(&self.date).unwrap_or(0))
    }
}

impl Advisory {
    /// Returns an advisory on all versions of a package.
    pub fn for_all_versions(package: &str) -> Self {
        Self {
            id: "RUSTSEC-1970-9999".to_owned(),
            package: package.to_owned(),
            date: "1970-01-01".to_owned(),
            informational: "unmaintained".to_owned(),
            patched: Vec::new(),
            unaffected: Vec::new(),
            title: "An invented advisory".to_owned(),
        }
    }

    /// Parses an advisory's file. Returns `None` for one that was withdrawn.
    fn from_markdown(text: &str) -> Result<Option<Self>> {
        let (_, rest) = text.split_once("```toml\n").context("no block of TOML")?;
        let (block, rest) = rest
            .split_once("\n```")
            .context("no end of the block of TOML")?;
        let mut block: FrontMatter = toml::from_str(block)?;
        let title = rest
            .lines()
            .find_map(|line| line.strip_prefix("# "))
            .unwrap_or_default();
        let fields = block.advisory;
        let mut versions = |name: &str| block.versions.remove(name).unwrap_or_default();
        Ok(fields.withdrawn.is_none().then(|| Self {
            id: fields.id,
            package: fields.package,
            date: fields.date,
            informational: fields.informational.unwrap_or_default(),
            patched: versions("patched"),
            unaffected: versions("unaffected"),
            title: title.replace('\t', " ").trim().to_owned(),
        }))
    }

    /// Returns a file like those of RustSec's repository.
    pub fn to_markdown(&self) -> String {
        let quoted = |versions: &[String]| -> String {
            let all: Vec<String> = versions.iter().map(|it| format!("{it:?}")).collect();
            all.join(", ")
        };
        let informational = match self.informational.as_str() {
            "" => String::new(),
            kind => format!("informational = {kind:?}\n"),
        };
        format!(
            "```toml\n[advisory]\nid = {:?}\npackage = {:?}\ndate = {:?}\n{informational}\n\
             [versions]\npatched = [{}]\nunaffected = [{}]\n```\n\n# {}\n",
            self.id,
            self.package,
            self.date,
            quoted(&self.patched),
            quoted(&self.unaffected),
            self.title
        )
    }

    fn from_line(line: &str) -> Result<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[id, package, date, informational, patched, unaffected, title] = &columns[..] else {
            anyhow::bail!(
                "the line {line:?} has {} columns instead of 7",
                columns.len()
            );
        };
        let versions = |text: &str| -> Vec<String> {
            let all = text.split(SEPARATOR).filter(|it| !it.is_empty());
            all.map(str::to_owned).collect()
        };
        Ok(Self {
            id: id.to_owned(),
            package: package.to_owned(),
            date: date.to_owned(),
            informational: informational.to_owned(),
            patched: versions(patched),
            unaffected: versions(unaffected),
            title: title.to_owned(),
        })
    }
}

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar, `YYYY-MM-DD`,
/// by the algorithm of Howard Hinnant (chrono-compatible low-level date algorithms, 2013).
fn days_since_1970(date: &str) -> Option<u64> {
    let mut numbers = date.split('-').map(|number| number.parse::<u64>().ok());
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let year = if month <= 2 {
        year.checked_sub(1)?
    } else {
        year
    };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day.checked_sub(1)?;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "```toml\n[advisory]\nid = \"RUSTSEC-2020-0001\"\npackage = \"some\"\ndate = \"2020-02-03\"\n\
                        informational = \"unsound\"\nkeywords = [\"a\"]\n[affected]\nos = [\"linux\"]\n[versions]\n\
                        patched = [\">= 1.2, < 2\", \">= 2.1\"]\n```\n\n# A \"title\"\n\nText.\n";

    #[test]
    fn advisories_survive_the_copy() {
        let advisory = Advisory::from_markdown(FILE).unwrap().unwrap();
        assert_eq!(advisory.patched, [">= 1.2, < 2", ">= 2.1"]);
        assert!(advisory.unaffected.is_empty());
        let database = Database {
            date: "2026-08-21".to_owned(),
            commit: "abc".to_owned(),
            advisories: vec![advisory.clone(), Advisory::for_all_versions("other")],
        };
        assert_eq!(Database::from_text(&database.to_text()).unwrap(), database);
        let again = Advisory::from_markdown(&advisory.to_markdown()).unwrap();
        assert_eq!(again.unwrap(), advisory);
        let withdrawn = FILE.replace("keywords", "withdrawn = \"2021-01-01\"\nkeywords");
        assert_eq!(Advisory::from_markdown(&withdrawn).unwrap(), None);
    }

    #[test]
    fn the_copy_in_the_repository_is_valid() {
        let database = Database::from_text(include_str!("../../advisories.txt")).unwrap();
        assert!(database.advisories.len() > 1000);
        assert!(database.advisories.is_sorted_by(|a, b| a.id < b.id));
        for advisory in &database.advisories {
            let again = Advisory::from_markdown(&advisory.to_markdown()).unwrap();
            assert_eq!(again.as_ref(), Some(advisory));
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days_since_1970("1970-01-01"), Some(0));
        assert_eq!(days_since_1970("2000-03-01"), Some(11_017));
        assert_eq!(days_since_1970("2026-08-21"), Some(20_686));
        assert_eq!(days_since_1970("yesterday"), None);
    }
}
