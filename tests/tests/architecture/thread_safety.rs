//! Types whose thread safety is a promise (`unsafe impl Send`, `unsafe impl Sync`), compared with
//! the table of these types in the documentation.

use std::collections::BTreeSet;
use std::path::Path;

use crate::source::rust_sources;
use crate::table::rows;

/// Page with the table, relative to the root of the repository.
pub const PAGE: &str = "docs/kernels/soundness.md";

/// Heading of the table.
const HEADING: &str = "Send and Sync";

/// An implementation of `Send` or `Sync`: file, type without generic arguments, trait.
pub type Promise = (String, String, String);

/// Returns the implementations in the sources of the repository.
pub fn promises(root: &Path) -> BTreeSet<Promise> {
    let mut promises = BTreeSet::new();
    for (file, text) in rust_sources(root) {
        for line in text.lines() {
            let Some((name, implemented)) = implementation(line.trim_start()) else {
                continue;
            };
            promises.insert((file.clone(), name.to_owned(), implemented.to_owned()));
        }
    }
    promises
}

/// Parses the first line of an implementation, and returns its type and trait.
fn implementation(line: &str) -> Option<(&str, &'static str)> {
    let rest = line.strip_prefix("unsafe impl")?;
    ["Send", "Sync"].into_iter().find_map(|name| {
        let (_, implementor) = rest.split_once(&format!(" {name} for "))?;
        Some((implementor.split(['<', ' ']).next()?, name))
    })
}

/// Returns the implementations that the table in `page` lists, or the reason why it is malformed.
/// Columns: the type, its file, the traits, and the argument.
pub fn documented_promises(page: &str) -> Result<BTreeSet<Promise>, String> {
    let mut promises = BTreeSet::new();
    for row in rows(page, HEADING, 4)? {
        let [name, file, traits, argument] = &row[..] else {
            return Err(format!("a row without four cells: {row:?}"));
        };
        if argument.len() < 20 {
            return Err(format!("no argument for {name}"));
        }
        let name = quoted(name).ok_or_else(|| format!("no type in {name}"))?;
        let file = quoted(file).ok_or_else(|| format!("no file in {file}"))?;
        for implemented in traits.split(", ") {
            promises.insert((file.to_owned(), name.to_owned(), implemented.to_owned()));
        }
    }
    Ok(promises)
}

/// Returns the first text between backquotes.
fn quoted(cell: &str) -> Option<&str> {
    cell.split('`').nth(1)
}

#[test]
fn implementations_are_parsed() {
    let parse = implementation;
    assert_eq!(
        parse("unsafe impl<T: Sync> Send for View<'_, T> {}"),
        Some(("View", "Send"))
    );
    assert_eq!(
        parse("unsafe impl Sync for $name {}"),
        Some(("$name", "Sync"))
    );
    assert_eq!(parse("unsafe impl Element for Send {}"), None);
    let page = "## Send and Sync\n\n| type | in | traits | argument |\n| --- | --- | --- | --- |\n| `A` | `a.rs` | Send, Sync | never used, as in most cases |\n";
    let documented = documented_promises(page).unwrap();
    let promise = |name: &str| ("a.rs".to_owned(), "A".to_owned(), name.to_owned());
    assert_eq!(documented, BTreeSet::from(["Send", "Sync"].map(promise)));
    assert!(documented_promises(&page.replace("never used, as in most cases", "")).is_err());
}
