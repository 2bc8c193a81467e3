//! `cargo xtask package`: creates the packages for a registry and builds each from its package
//! alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use crate::paths::{self, cargo_path};

/// Arguments of `package`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Package uncommitted changes too
    #[arg(long)]
    allow_dirty: bool,
    /// Create the packages without building them
    #[arg(long)]
    no_verify: bool,
}

/// Maximum size of a package in the registry, compressed, in bytes.
const MAX_BYTES: u64 = 10_000_000;

/// Files that every package must contain besides its sources.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let packages = create_packages(arguments.allow_dirty, arguments.no_verify)?;
    let mut too_large = Vec::new();
    for Created { name, path, .. } in &packages {
        let bytes = fs::metadata(path)?.len();
        println!("{name:<28} {bytes:>9} bytes");
        if bytes > MAX_BYTES {
            too_large.push(format!(
                "{name} has {bytes} bytes compressed; the registry accepts at most {MAX_BYTES}"
            ));
        }
    }
    if !too_large.is_empty() {
        bail!("{}", too_large.join("\n"));
    }
    let metadata = metadata()?;
    println!(
        "No published version exists yet to compare with; later, run `cargo semver-checks --package NAME`."
    );
    if published(&metadata).all(|package| package.repository.is_none()) {
        println!(
            "No package has a repository URL yet; add it to [workspace.package] (see docs/publishing.md)."
        );
    }
    Ok(())
}

/// A package created by cargo.
pub struct Created {
    pub name: String,
    pub version: String,
    /// Path of the compressed package.
    pub path: PathBuf,
}

/// Creates all packages without building them.
///
/// # Errors
/// A package with incomplete metadata, or a failure of cargo.
pub fn create(allow_dirty: bool) -> Result<Vec<Created>> {
    create_packages(allow_dirty, true)
}

fn create_packages(allow_dirty: bool, no_verify: bool) -> Result<Vec<Created>> {
    let metadata = metadata()?;
    let wrong = find_problems(&metadata)?;
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let mut command = paths::cargo(&paths::root());
    command.args(["package", "--locked"]);
    // nothing is run, and without optimization the large ones build in a third of the time
    for name in ["ferrovox", "ferrovox-kernels"] {
        command.args([
            "--config",
            &format!("profile.dev.package.{name}.opt-level=0"),
        ]);
    }
    // all in one call, so that each is built with the others' packages, which are not in a registry
    // yet
    for package in published(&metadata) {
        command.args(["--package", package.name.as_str()]);
    }
    for (is_enabled, option) in [(allow_dirty, "--allow-dirty"), (no_verify, "--no-verify")] {
        if is_enabled {
            command.arg(option);
        }
    }
    let status = command.status().context("cannot run cargo")?;
    if !status.success() {
        bail!("cargo package failed ({status})");
    }
    created(&metadata)
}

/// Returns the packages that cargo has created.
fn created(metadata: &Metadata) -> Result<Vec<Created>> {
    let folder = metadata.target_directory.join("package");
    let mut packages = Vec::new();
    for package in published(metadata) {
        let name = format!("{}-{}.crate", package.name, package.version);
        // directories in which cargo creates packages that depend on each other
        let candidates = [folder.join(&name), folder.join("tmp-crate").join(&name)];
        let Some(path) = candidates.iter().find(|path| path.is_file()) else {
            bail!("cargo did not create {}", candidates[0]);
        };
        packages.push(Created {
            name: package.name.to_string(),
            version: package.version.to_string(),
            path: path.clone().into(),
        });
    }
    Ok(packages)
}

fn metadata() -> Result<Metadata> {
    MetadataCommand::new()
        .cargo_path(cargo_path())
        .current_dir(paths::root())
        .no_deps()
        .exec()
        .context("cannot read the packages of the workspace")
}

/// Returns the packages that may be published, according to their manifests.
fn published(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let all = metadata.workspace_packages().into_iter();
    all.filter(|package| package.publish.as_ref().is_none_or(|to| !to.is_empty()))
}

/// Returns the problems of all packages, one line each.
fn find_problems(metadata: &Metadata) -> Result<Vec<String>> {
    let mut wrong = manifest_problems(metadata);
    for package in published(metadata) {
        wrong.extend(file_problems(package)?);
    }
    Ok(wrong)
}

fn manifest_problems(metadata: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    let repository = published(metadata).find_map(|package| package.repository.as_ref());
    for package in published(metadata) {
        let mut report = |problem: &str| wrong.push(format!("{} {problem}", package.name));
        if package.description.as_ref().is_none_or(String::is_empty) {
            report("has no description");
        }
        if package.license.is_none() {
            report("has no license");
        }
        if !(1..=5).contains(&package.keywords.len()) {
            report("needs one to five keywords");
        }
        if package.keywords.iter().any(|word| word.len() > 20) {
            report("has a keyword of more than 20 letters");
        }
        if !(1..=5).contains(&package.categories.len()) {
            report("needs one to five categories");
        }
        if package.readme.is_none() {
            report("has no readme");
        }
        if package.repository.as_ref() != repository {
            report("needs the repository field of the other packages: repository.workspace = true");
        }
        for dependency in &package.dependencies {
            let is_local = dependency.path.is_some() && dependency.req.comparators.is_empty();
            if is_local && dependency.kind != DependencyKind::Development {
                report(&format!("depends on {} without a version", dependency.name));
            }
        }
    }
    wrong
}

fn file_problems(package: &Package) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut report = |problem: String| wrong.push(format!("{} {problem}", package.name));
    let manifest = package.manifest_path.as_std_path();
    let folder = manifest.parent().unwrap_or(manifest);
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let ours = fs::read(paths::root().join(name)).with_context(|| name.to_owned())?;
        if fs::read(folder.join(name)).ok() != Some(ours) {
            report(format!("needs the same {name} as the repository"));
        }
    }
    let packaged_files = packaged_files(package.name.as_str())?;
    for name in FILES {
        if !packaged_files.iter().any(|file| file == name) {
            report(format!("is packaged without {name}"));
        }
    }
    for line in untested_readme_lines(folder) {
        report(format!(
            "has code in its README.md that is not in its crate documentation: {line}"
        ));
    }
    Ok(wrong)
}

/// Returns the files of a package, as packed by cargo.
fn packaged_files(name: &str) -> Result<Vec<String>> {
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

/// Returns lines of Rust code in a package's README that do not occur in its crate documentation,
/// which is tested.
fn untested_readme_lines(folder: &Path) -> Vec<String> {
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
    fn all_packages_can_be_published() {
        let metadata = metadata().unwrap();
        let names: Vec<&str> = published(&metadata)
            .map(|package| package.name.as_str())
            .collect();
        assert!(names.contains(&"ferrovox") && names.contains(&"ferrovox-cli"));
        assert!(!names.contains(&"xtask") && !names.contains(&"ferrovox-tests"));
        let wrong = find_problems(&metadata).unwrap();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn manifest_problems_are_reported() {
        let mut metadata = metadata().unwrap();
        for package in &mut metadata.packages {
            if package.name.as_str() == "ferrovox-cust" {
                package.keywords = vec!["a-keyword-that-is-too-long".to_owned()];
                package.categories.clear();
                package.readme = None;
            }
        }
        let wrong = manifest_problems(&metadata);
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
    fn untested_readme_code_is_found() {
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
        assert_eq!(untested_readme_lines(folder.path()), ["let b = 2;"]);
    }
}
