//! `cargo xtask from-rust-cuda`: writes the tables of `docs/kernels/from-rust-cuda*.md` from the
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

/// Returns the paths of the documents: kernels with public crates, and the host.
fn documents() -> [PathBuf; 2] {
    ["from-rust-cuda.md", "from-rust-cuda-host.md"]
        .map(|name| paths::root().join("docs/kernels").join(name))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.public_code {
        public_code::run()?;
    }
    for Document { path, old, new } in load_documents()? {
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
    }
    Ok(())
}

/// The present and the expected text of a document.
struct Document {
    path: PathBuf,
    old: String,
    new: String,
}

/// Loads the documents, after checking the list.
fn load_documents() -> Result<Vec<Document>> {
    let list = List::load()?;
    list.check()?;
    let outcome = Outcome::load()?;
    let paths = documents();
    let read = |path: &PathBuf| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let old: Vec<String> = paths.iter().map(read).collect::<Result<_>>()?;
    let new = tables::write(&old, &list, &outcome)?;
    let texts = old.into_iter().zip(new);
    let documents = paths.into_iter().zip(texts);
    Ok(documents
        .map(|(path, (old, new))| Document { path, old, new })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{Document, load_documents};

    /// The documents match the list and the last run of the public crates, and every test named
    /// there exists.
    #[test]
    fn tables_match_the_list() {
        let documents = load_documents().unwrap_or_else(|error| panic!("{error:#}"));
        for Document { path, old, new } in documents {
            for (old, new) in old.lines().zip(new.lines()) {
                assert_eq!(
                    old,
                    new,
                    "run `cargo xtask from-rust-cuda` to update the tables of {}",
                    path.display()
                );
            }
            assert_eq!(old.len(), new.len(), "{}", path.display());
        }
    }
}
