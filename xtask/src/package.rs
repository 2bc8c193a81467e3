//! `cargo xtask package`: the packages as a registry would have them, each built from its package
//! alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use crate::paths::{self, cargo_path};

/// Arguments of `package`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Package what is not committed, too
    #[arg(long)]
    allow_dirty: bool,
    /// Make the packages without building them
    #[arg(long)]
    no_verify: bool,
}

/// What a registry takes of a package at most, compressed.
const LARGEST: u64 = 10_000_000;

/// What every package has beside its sources.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let metadata = metadata()?;
    let wrong = faults(&metadata)?;
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let mut command = paths::cargo(&paths::root());
    command.args(["package", "--locked"]);
    // nothing is run, and without optimisation the large ones are built in a third of the time
    for name in ["ferrovox", "ferrovox-kernels"] {
        command.args([
            "--config",
            &format!("profile.dev.package.{name}.opt-level=0"),
        ]);
    }
    // named together, so that each is built with the others' packages, which no registry has yet
    for package in published(&metadata) {
        command.args(["--package", package.name.as_str()]);
    }
    for (wanted, option) in [
        (arguments.allow_dirty, "--allow-dirty"),
        (arguments.no_verify, "--no-verify"),
    ] {
        if wanted {
            command.arg(option);
        }
    }
    let status = command.status().context("cannot run cargo")?;
    if !status.success() {
        bail!("cargo package failed ({status})");
    }
    sizes(&metadata)?;
    println!(
        "Not compared with a published version, of which there is none yet: with one, `cargo semver-checks --package NAME` compares."
    );
    if published(&metadata).all(|package| package.repository.is_none()) {
        println!(
            "No package names a repository, which has no public address yet: it is one line in [workspace.package], see docs/publishing.md."
        );
    }
    Ok(())
}

/// Prints how large each package is, compressed.
fn sizes(metadata: &Metadata) -> Result<()> {
    let folder = metadata.target_directory.join("package");
    let mut too_large = Vec::new();
    for package in published(metadata) {
        let name = format!("{}-{}.crate", package.name, package.version);
        // where cargo keeps packages that depend on each other
        let places = [folder.join(&name), folder.join("tmp-crate").join(&name)];
        let Some(made) = places.iter().find_map(|place| fs::metadata(place).ok()) else {
            bail!("cargo made no {}", places[0]);
        };
        let bytes = made.len();
        println!("{:<28} {:>9} bytes", package.name.as_str(), bytes);
        if bytes > LARGEST {
            too_large.push(format!(
                "{} has {bytes} bytes compressed, of {LARGEST} that a registry takes",
                package.name
            ));
        }
    }
    if too_large.is_empty() {
        return Ok(());
    }
    bail!("{}", too_large.join("\n"))
}

fn metadata() -> Result<Metadata> {
    MetadataCommand::new()
        .cargo_path(cargo_path())
        .current_dir(paths::root())
        .no_deps()
        .exec()
        .context("cannot read the packages of the workspace")
}

/// The packages that are for a registry, as their manifests say.
fn published(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let all = metadata.workspace_packages().into_iter();
    all.filter(|package| package.publish.as_ref().is_none_or(|to| !to.is_empty()))
}

/// What packages lack, a line for each fault.
fn faults(metadata: &Metadata) -> Result<Vec<String>> {
    let mut wrong = faults_of_fields(metadata);
    for package in published(metadata) {
        wrong.extend(faults_of_files(package)?);
    }
    Ok(wrong)
}

fn faults_of_fields(metadata: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    let repository = published(metadata).find_map(|package| package.repository.as_ref());
    for package in published(metadata) {
        let mut fault = |what: &str| wrong.push(format!("{} {what}", package.name));
        if package.description.as_ref().is_none_or(String::is_empty) {
            fault("has no description");
        }
        if package.license.is_none() {
            fault("has no license");
        }
        if !(1..=5).contains(&package.keywords.len()) {
            fault("needs one to five keywords");
        }
        if package.keywords.iter().any(|word| word.len() > 20) {
            fault("has a keyword of more than 20 letters");
        }
        if !(1..=5).contains(&package.categories.len()) {
            fault("needs one to five categories");
        }
        if package.readme.is_none() {
            fault("has no readme");
        }
        if package.repository.as_ref() != repository {
            fault("lacks the repository that others name: repository.workspace = true");
        }
        for dependency in &package.dependencies {
            let is_local = dependency.path.is_some() && dependency.req.comparators.is_empty();
            if is_local && dependency.kind != DependencyKind::Development {
                fault(&format!("depends on {} without a version", dependency.name));
            }
        }
    }
    wrong
}

fn faults_of_files(package: &Package) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut fault = |what: String| wrong.push(format!("{} {what}", package.name));
    let manifest = package.manifest_path.as_std_path();
    let folder = manifest.parent().unwrap_or(manifest);
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let ours = fs::read(paths::root().join(name)).with_context(|| name.to_owned())?;
        if fs::read(folder.join(name)).ok() != Some(ours) {
            fault(format!("has another {name} than the repository, or none"));
        }
    }
    let listed = listed(package.name.as_str())?;
    for name in FILES {
        if !listed.iter().any(|file| file == name) {
            fault(format!("is packaged without {name}"));
        }
    }
    for line in lines_of_their_own(folder) {
        fault(format!(
            "has in its README.md, but not on its front page: {line}"
        ));
    }
    Ok(wrong)
}

/// The files of a package, as cargo would pack them.
fn listed(name: &str) -> Result<Vec<String>> {
    let mut command: Command = paths::cargo(&paths::root());
    command.args(["package", "--list", "--allow-dirty", "--no-metadata"]);
    command.args(["--offline", "--package", name]);
    let output = command.output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!(
            "cargo package --list --package {name}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(str::to_owned).collect())
}

/// Lines of the Rust code in a package's README that the documentation of its library, which is
/// tested, does not have.
fn lines_of_their_own(folder: &Path) -> Vec<String> {
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let page: Vec<String> = read("src/lib.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.trim().to_owned())
        .collect();
    let readme = read("README.md");
    let blocks = readme.split("```rust\n").skip(1);
    let code = blocks.filter_map(|rest| rest.split("```").next());
    code.flat_map(str::lines)
        .map(|line| line.trim().to_owned())
        .filter(|line| !page.contains(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_fit_to_publish() {
        let metadata = metadata().unwrap();
        let names: Vec<&str> = published(&metadata)
            .map(|package| package.name.as_str())
            .collect();
        assert!(names.contains(&"ferrovox") && names.contains(&"ferrovox-cli"));
        assert!(!names.contains(&"xtask") && !names.contains(&"ferrovox-tests"));
        let wrong = faults(&metadata).unwrap();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn what_a_package_lacks_is_said() {
        let mut metadata = metadata().unwrap();
        for package in &mut metadata.packages {
            if package.name.as_str() == "ferrovox-cust" {
                package.keywords = vec!["a-keyword-that-is-too-long".to_owned()];
                package.categories.clear();
                package.readme = None;
            }
        }
        let wrong = faults_of_fields(&metadata);
        assert_eq!(
            wrong,
            [
                "ferrovox-cust has a keyword of more than 20 letters",
                "ferrovox-cust needs one to five categories",
                "ferrovox-cust has no readme",
            ]
        );
    }

    #[test]
    fn code_that_only_a_readme_has_is_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(
            folder.path().join("src/lib.rs"),
            "//! ```\n//! let a = 1;\n//! ```\n",
        )
        .unwrap();
        fs::write(
            folder.path().join("README.md"),
            "```sh\nls\n```\n```rust\nlet a = 1;\nlet b = 2;\n```\n",
        )
        .unwrap();
        assert_eq!(lines_of_their_own(folder.path()), ["let b = 2;"]);
    }
}
