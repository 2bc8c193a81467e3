//! `cargo xtask from-rust-cuda`: writes the tables of `docs/kernels/from-rust-cuda.md` from the
//! list of tested features and the tests that cover them.

mod list;
mod public_code;
mod tables;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::paths;
use list::List;
use public_code::Outcome;

/// Arguments of `from-rust-cuda`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Change nothing; fail if the document differs from the list
    #[arg(long)]
    check: bool,
    /// First compile and run all public crates in kernels (minutes of processor time), and record
    /// versions and results
    #[arg(long, conflicts_with = "check")]
    public_code: bool,
}

/// Returns the path of the document.
fn document() -> PathBuf {
    paths::root().join("docs/kernels/from-rust-cuda.md")
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.public_code {
        public_code::run()?;
    }
    let path = document();
    let (old, new) = documents()?;
    if old == new {
        println!("{}: up to date", paths::display_relative(&path));
    } else if arguments.check {
        bail!(
            "{} differs from the list; run `cargo xtask from-rust-cuda`",
            paths::display_relative(&path)
        );
    } else {
        fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote the tables of {}", paths::display_relative(&path));
    }
    Ok(())
}

/// Returns the present and the expected text of the document, after checking the list.
fn documents() -> Result<(String, String)> {
    let list = List::load()?;
    list.check()?;
    let outcome = Outcome::load()?;
    let path = document();
    let old =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = tables::write(&old, &list, &outcome)?;
    Ok((old, new))
}

#[cfg(test)]
mod tests {
    /// The document matches the list and the last run of the public crates, and every test named
    /// there exists.
    #[test]
    fn tables_match_the_list() {
        let (old, new) = super::documents().unwrap_or_else(|error| panic!("{error:#}"));
        for (old, new) in old.lines().zip(new.lines()) {
            assert_eq!(
                old, new,
                "run `cargo xtask from-rust-cuda` to update the tables"
            );
        }
        assert_eq!(old.len(), new.len());
    }
}
