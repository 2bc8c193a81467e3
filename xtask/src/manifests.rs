//! `cargo xtask manifests`: checks the manifests of the workspace: no unused dependency, and with
//! `--rust-version` that the packages compile with the oldest compiler that they declare.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::MetadataCommand;

use crate::paths;
use crate::setup::cargo_tool::SHEAR;

/// Arguments of `manifests`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Compile the published packages with the oldest compiler that they declare, which rustup
    /// installs if it is missing (minutes)
    #[arg(long)]
    rust_version: bool,
}

/// Runs the command.
///
/// # Errors
/// An unused dependency, a package without a version of the compiler or that does not compile with
/// it, or a failure of the check itself.
pub fn run(arguments: &Arguments) -> Result<()> {
    let shear = SHEAR.ensure()?;
    // Verify first that the check finds an unused dependency at all.
    let folder = tempfile::tempdir()?;
    write_package_with_unused_dependency(folder.path())?;
    ensure!(
        !shear_passes(&shear, folder.path(), false)?,
        "cargo-shear does not find an unused dependency in {}",
        folder.path().display()
    );
    if !shear_passes(&shear, &paths::root(), true)? {
        bail!("unused or misplaced dependencies, see above; remove or move them");
    }
    println!("every dependency is used");
    let version = declared_version()?;
    println!("the published packages declare Rust {version}");
    if arguments.rust_version {
        check_with(&version)?;
    }
    Ok(())
}

/// Runs cargo-shear in a directory. Returns `true` if it finds nothing.
fn shear_passes(shear: &Path, folder: &Path, show: bool) -> Result<bool> {
    let output = Command::new(shear)
        .args(["--offline", "--color", "never"])
        .arg(folder)
        .env("CARGO", paths::cargo_path())
        .output()
        .with_context(|| format!("cannot run {}", shear.display()))?;
    if show && !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    match output.status.code() {
        Some(0) => Ok(true),
        // as opposed to a failure of the program
        Some(1) => Ok(false),
        code => bail!("cargo-shear ended with status {code:?}"),
    }
}

/// Writes a package that does not use its only dependency.
fn write_package_with_unused_dependency(folder: &Path) -> Result<()> {
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{rest}")
    };
    for (name, rest) in [
        (
            "",
            "[dependencies]\nunused = { path = \"unused\" }\n[workspace]\n",
        ),
        ("unused", ""),
    ] {
        let package = folder.join(name);
        fs::create_dir_all(package.join("src"))?;
        fs::write(package.join("src/lib.rs"), "")?;
        let text = manifest(if name.is_empty() { "user" } else { name }, rest);
        fs::write(package.join("Cargo.toml"), text)?;
    }
    Ok(())
}

/// Returns the version of the compiler that all published packages declare.
fn declared_version() -> Result<String> {
    let metadata = MetadataCommand::new()
        .cargo_path(paths::cargo_path())
        .current_dir(paths::root())
        .no_deps()
        .exec()
        .context("cannot read the packages of the workspace")?;
    let mut declared = None;
    for package in metadata.workspace_packages() {
        if package.publish.as_ref().is_some_and(Vec::is_empty) {
            continue;
        }
        let Some(version) = &package.rust_version else {
            bail!("{} declares no rust-version", package.name);
        };
        let previous = declared.get_or_insert_with(|| version.clone());
        ensure!(
            previous == version,
            "{} declares Rust {version}, another package {previous}",
            package.name
        );
    }
    let version = declared.context("no package is published")?;
    Ok(format!("{}.{}", version.major, version.minor))
}

/// Checks the command, and with it all libraries that are published, with this compiler.
fn check_with(version: &str) -> Result<()> {
    let mut install = Command::new("rustup");
    install.args([
        "toolchain",
        "install",
        "--no-self-update",
        "--profile",
        "minimal",
        version,
    ]);
    execute(install)?;
    let mut check = Command::new("rustup");
    check
        .args(["run", version, "cargo", "check", "--quiet", "--locked"])
        .args([
            "--package",
            "ferrovox-cli",
            "--package",
            "ferrovox-cuda-builder",
        ])
        .current_dir(paths::root())
        // cargo names the compiler of the caller here
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env("CARGO_TARGET_DIR", paths::target().join("rust-version"));
    execute(check)?;
    println!("the published packages compile with Rust {version}");
    Ok(())
}

fn execute(mut command: Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    ensure!(status.success(), "{command:?} failed ({status})");
    Ok(())
}
