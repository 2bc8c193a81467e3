//! `cargo xtask from-rust-cuda`: the tables of `docs/kernels/from-rust-cuda.md`, from the list of what was
//! tried and the tests that show it.

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
    /// Change nothing; fail if the document is not what the list gives
    #[arg(long)]
    check: bool,
    /// First compile and run all public crates in kernels (minutes of processor time), and record
    /// versions and outcome
    #[arg(long, conflicts_with = "check")]
    public_code: bool,
}

/// The document whose tables are written.
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
        println!("{} is what the list gives", paths::shown(&path));
    } else if arguments.check {
        bail!(
            "{} is not what the list gives: `cargo xtask from-rust-cuda` writes it",
            paths::shown(&path)
        );
    } else {
        fs::write(&path, new).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote the tables of {}", paths::shown(&path));
    }
    Ok(())
}

/// The document as it is, and as it should be. Everything that the list names is looked for.
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
    /// The document is what the list and the last run of the public crates give, and each test that
    /// they name exists.
    #[test]
    fn the_tables_are_what_the_list_gives() {
        let (old, new) = super::documents().unwrap_or_else(|error| panic!("{error:#}"));
        for (old, new) in old.lines().zip(new.lines()) {
            assert_eq!(
                old, new,
                "`cargo xtask from-rust-cuda` writes the tables anew"
            );
        }
        assert_eq!(old.len(), new.len());
    }
}
