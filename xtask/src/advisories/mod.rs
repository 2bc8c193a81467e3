//! `cargo xtask advisories`: compares the dependencies with the advisories of RustSec, and checks
//! their licences, sources and duplicates, with cargo-deny.
//!
//! The advisories are a copy in the repository, so that the check needs no network and the same
//! commit gives the same result on every machine ([design](../../../docs/design/testing.md)).

mod database;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::paths;
use crate::setup::cargo_tool::DENY;
use database::{Advisory, Database};

/// Arguments of `advisories`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Replace the copy of the advisories by those of a clone of RustSec's repository advisory-db
    #[arg(long, value_name = "DIR")]
    update: Option<PathBuf>,
}

/// Name that cargo-deny derives from the address of RustSec's repository.
const CLONE: &str = "advisory-db-3157b0e258782691";
/// Age of the copy, in days, from which the command asks for an update.
const OLD: u64 = 90;

/// Runs the command.
///
/// # Errors
/// An advisory on a dependency, or a failure of the check itself.
pub fn run(arguments: &Arguments) -> Result<()> {
    let path = paths::root().join("xtask/advisories.txt");
    if let Some(clone) = &arguments.update {
        let database = Database::from_clone(clone)?;
        fs::write(&path, database.to_text())?;
        println!(
            "{} advisories of {}",
            database.advisories.len(),
            database.date
        );
        return Ok(());
    }
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let database = Database::from_text(&text)?;
    let cargo_deny = DENY.ensure()?;
    let metadata = tempfile::NamedTempFile::new()?;
    write_metadata(metadata.path())?;
    // Verify first that the check finds an advisory at all.
    let mut invented = database.clone();
    invented
        .advisories
        .push(Advisory::for_all_versions("anyhow"));
    ensure!(
        !check(&cargo_deny, &invented, metadata.path(), false)?,
        "cargo-deny does not find an invented advisory on anyhow, so it would find no other; \
         its name for the clone of the database may have changed from {CLONE}"
    );
    if !check(&cargo_deny, &database, metadata.path(), true)? {
        bail!(
            "advisories on dependencies, see above; update them, or give the reason for an exception in deny.toml"
        );
    }
    let age = database.age_in_days();
    let advisories = database.advisories.len();
    println!(
        "no dependency is among {advisories} advisories of {} ({age} days old); licences, sources and duplicates are as in deny.toml",
        database.date
    );
    if age > OLD {
        println!(
            "the copy of the advisories is older than {OLD} days: clone https://github.com/rustsec/advisory-db, \
             and run `cargo xtask advisories --update DIR`"
        );
    }
    Ok(())
}

/// Writes cargo's description of all dependencies, for all platforms and features.
fn write_metadata(path: &Path) -> Result<()> {
    let mut command = paths::cargo(&paths::root());
    command.args([
        "metadata",
        "--format-version",
        "1",
        "--all-features",
        "--locked",
    ]);
    let output = command.output().context("cannot run cargo metadata")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(fs::write(path, output.stdout)?)
}

/// Runs cargo-deny with this database, which becomes the clone that it expects. Returns `true` if
/// there is no advisory on a dependency. A licence that `deny.toml` does not list, two versions of
/// a crate, or another source than the registry are errors.
fn check(cargo_deny: &Path, database: &Database, metadata: &Path, show: bool) -> Result<bool> {
    let clone = paths::root().join("target/advisory-dbs").join(CLONE);
    if clone.exists() {
        fs::remove_dir_all(&clone)?;
    }
    for advisory in &database.advisories {
        let folder = clone.join("crates").join(&advisory.package);
        fs::create_dir_all(&folder)?;
        fs::write(
            folder.join(format!("{}.md", advisory.id)),
            advisory.to_markdown(),
        )?;
    }
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=xtask",
            "-c",
            "user.email=xtask@localhost",
            "commit",
            "--quiet",
            "-m",
            "copy",
        ],
    ] {
        let status = Command::new("git")
            .arg("-C")
            .arg(&clone)
            .args(arguments)
            .status();
        let done = status.is_ok_and(|status| status.success());
        ensure!(done, "git {} failed in {}", arguments[0], clone.display());
    }
    let output = Command::new(cargo_deny)
        .args(["--offline", "--metadata-path"])
        .arg(metadata)
        .args(["check", "advisories", "bans", "licenses", "sources"])
        .current_dir(paths::root())
        .output()
        .with_context(|| format!("cannot run {}", cargo_deny.display()))?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    if show {
        eprint!("{text}");
    }
    match output.status.code() {
        Some(0) => Ok(true),
        // as opposed to a failure of the program
        Some(1) if text.contains("advisories FAILED") => Ok(false),
        code => bail!("cargo-deny ended with status {code:?}: {text}"),
    }
}
