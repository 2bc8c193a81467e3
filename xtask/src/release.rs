//! `cargo xtask release --dry-run`: rehearses a release. It creates all packages, builds them and
//! their documentation from these alone in a fresh folder, packs the command, and prints the sizes
//! and the notes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bundle::pack::{self, Effort};
use crate::package;
use crate::paths;

/// Shells for which the archive contains completions, each with the name of the file.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "ferrovox.bash"),
    ("zsh", "_ferrovox"),
    ("fish", "ferrovox.fish"),
];

/// Arguments of `release`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Publish nothing, which is all that the command can do yet
    #[arg(long, required = true)]
    dry_run: bool,
    /// Package uncommitted changes too
    #[arg(long)]
    allow_dirty: bool,
}

/// Runs the command.
///
/// # Errors
/// A package that cannot be created or built, or is too large; a failure of another program.
pub fn run(arguments: &Arguments) -> Result<()> {
    ensure!(arguments.dry_run, "nothing is published yet: add --dry-run");
    pack::check_tools()?;
    let folder = paths::target().join("release");
    let rehearsal = folder.join("rehearsal");
    if rehearsal.exists() {
        fs::remove_dir_all(&rehearsal)?;
    }
    fs::create_dir_all(&rehearsal)?;
    let packages = package::create(arguments.allow_dirty)?;
    unpack(&packages, &rehearsal)?;
    build(&rehearsal)?;
    let archive = pack_command(&rehearsal)?;
    println!("\n{:<44} {:>12}", "file", "bytes");
    for path in packages.iter().map(|it| &it.path).chain([&archive]) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:<44} {:>12}", fs::metadata(path)?.len());
    }
    let changelog = fs::read_to_string(paths::root().join("CHANGELOG.md"))?;
    println!(
        "\nnotes\n{}",
        notes(&changelog).context("CHANGELOG.md has no section")?
    );
    Ok(())
}

/// Unpacks all packages into one workspace, in which they depend on each other.
fn unpack(packages: &[package::Created], rehearsal: &Path) -> Result<()> {
    let mut members = Vec::new();
    let mut patches = String::new();
    for package in packages {
        execute(
            Command::new("tar")
                .arg("-xzf")
                .arg(&package.path)
                .current_dir(rehearsal),
        )?;
        let folder = format!("{}-{}", package.name, package.version);
        patches += &format!("{} = {{ path = {folder:?} }}\n", package.name);
        // a lock file of a package is ignored within a workspace
        members.push(folder);
    }
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}\n\
         [profile.release]\npanic = \"unwind\"\n"
    );
    fs::write(rehearsal.join("Cargo.toml"), manifest)?;
    // the versions of the workspace
    fs::copy(
        paths::root().join("Cargo.lock"),
        rehearsal.join("Cargo.lock"),
    )?;
    Ok(())
}

/// Builds the unpacked packages and their documentation, and the command in release mode.
fn build(rehearsal: &Path) -> Result<()> {
    for arguments in [
        &["check", "--workspace"][..],
        &["doc", "--workspace", "--no-deps"],
        &["build", "--release", "--package", "ferrovox-cli"],
    ] {
        let mut cargo = paths::cargo(rehearsal);
        cargo
            .args(arguments)
            .arg("--quiet")
            .env("CARGO_TARGET_DIR", rehearsal.join("target"))
            .env("CARGO_INCREMENTAL", "0")
            .env("RUSTDOCFLAGS", "-D warnings");
        execute(&mut cargo)?;
    }
    Ok(())
}

/// Packs the command without symbols, its manual pages, completions and licences. Returns the path
/// of the archive.
fn pack_command(rehearsal: &Path) -> Result<PathBuf> {
    let built = rehearsal.join("target/release/ferrovox");
    let staging = rehearsal.join("ferrovox");
    fs::create_dir_all(staging.join("completions"))?;
    execute(
        Command::new("strip")
            .arg("--strip-all")
            .arg("-o")
            .arg(staging.join("ferrovox"))
            .arg(&built),
    )?;
    execute(
        Command::new(&built)
            .arg("man-pages")
            .arg(staging.join("man/man1")),
    )?;
    for (shell, name) in SHELLS {
        let output = Command::new(&built).args(["completions", shell]).output()?;
        ensure!(
            output.status.success(),
            "ferrovox completions {shell} failed"
        );
        fs::write(staging.join("completions").join(name), output.stdout)?;
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        fs::copy(paths::root().join(name), staging.join(name))?;
    }
    let archive = rehearsal.join(format!(
        "ferrovox-{}-{}.tar.xz",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    ));
    pack::archive(&staging, &archive, Effort::Low)?;
    Ok(archive)
}

/// Returns the newest section of the changelog, without its heading.
fn notes(changelog: &str) -> Option<&str> {
    let (_, rest) = changelog.split_once("\n## ")?;
    let (_, section) = rest.split_once('\n')?;
    Some(section.split("\n## ").next().unwrap_or(section).trim())
}

fn execute(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    ensure!(status.success(), "{command:?} failed ({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_the_newest_section() {
        let text = "# Changelog\n\nAll.\n\n## 0.2.0\n\n### Added\n\n- b\n\n## 0.1.0\n\n- a\n";
        assert_eq!(notes(text), Some("### Added\n\n- b"));
        assert_eq!(notes("# Changelog\n"), None);
    }
}
