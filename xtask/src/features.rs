//! `cargo xtask features`: compiles the library with every combination of features, and with
//! `--measure` compares the build of a program that only uses a GPU with that of one with all
//! features, and measures the build of the command.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::paths;

/// Features that select modules, of which every combination is compiled.
const MODULES: [&str; 3] = ["io", "render", "skeleton"];

/// Features that select one crate or the kernels on the CPU; each is compiled with the feature that
/// it needs.
const SINGLE: [&str; 3] = ["cpu", "bzip2", "jpeg2000"];

/// Upper bounds on the build of a program that only uses a GPU, as parts of a build with all
/// features: processor time and number of crates.
const LIMITS: [f64; 2] = [1.0 / 3.0, 0.72];

/// Arguments of `features`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build a program without default features, one with them, and the command, in release mode,
    /// and compare their processor time and crates (a quarter of an hour)
    #[arg(long)]
    measure: bool,
}

/// Runs the command.
///
/// # Errors
/// A combination that does not compile, or a program that takes longer to build than its limit.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.measure {
        return measure();
    }
    let combinations = combinations();
    for features in &combinations {
        let mut check = paths::cargo(&paths::root());
        check.args(["check", "--quiet", "--package", "ferrovox"]);
        check.args(["--no-default-features", "--features", features]);
        let status = check.status().context("cannot run cargo")?;
        ensure!(
            status.success(),
            "the library does not compile with the features \"{features}\""
        );
    }
    println!(
        "the library compiles with {} sets of features",
        combinations.len()
    );
    Ok(())
}

/// Returns the sets of features to compile, separated by commas.
fn combinations() -> Vec<String> {
    let subsets = (0..1 << MODULES.len()).map(|bits: u32| {
        let chosen = (0..).zip(MODULES).filter(|(k, _)| bits >> k & 1 == 1);
        chosen.map(|(_, name)| name).collect::<Vec<_>>().join(",")
    });
    subsets.chain(SINGLE.map(str::to_owned)).collect()
}

/// Processor time and crates of a build.
struct Build {
    time: Duration,
    crates: usize,
}

/// Compares the builds of two programs, and measures that of the command.
fn measure() -> Result<()> {
    let gpu_only = build_program("default-features = false")?;
    let full = build_program("")?;
    let command = build_command()?;
    let ratios = [
        gpu_only.time.as_secs_f64() / full.time.as_secs_f64(),
        gpu_only.crates as f64 / full.crates as f64,
    ];
    println!(
        "{:<44} {:>8} {:>8}",
        "release build without anything built before", "CPU time", "crates"
    );
    for (name, build) in [
        ("program with all features", &full),
        ("program for a GPU, default-features = false", &gpu_only),
        ("the command, as by `cargo run --release`", &command),
    ] {
        println!(
            "{name:<44} {:>7.0}s {:>8}",
            build.time.as_secs_f64(),
            build.crates
        );
    }
    for (ratio, (limit, quantity)) in ratios.iter().zip(LIMITS.iter().zip(["time", "crates"])) {
        println!(
            "a program for a GPU, {quantity}: {:.0} % of all features, limit {:.0} %",
            100.0 * ratio,
            100.0 * limit
        );
        ensure!(
            ratio <= limit,
            "a program for a GPU needs too much {quantity} to build"
        );
    }
    Ok(())
}

/// Builds a program in a temporary folder, with this addition to its dependency on the library.
fn build_program(addition: &str) -> Result<Build> {
    let folder = tempfile::tempdir_in(paths::target())?;
    let library = paths::root().join("host-crate");
    let comma = if addition.is_empty() { "" } else { ", " };
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\nferrovox = {{ path = {library:?}{comma}{addition} }}\n[workspace]\n"
    );
    fs::create_dir(folder.path().join("src"))?;
    fs::write(folder.path().join("Cargo.toml"), manifest)?;
    fs::write(folder.path().join("src/main.rs"), PROGRAM)?;
    // the versions of the workspace
    fs::copy(
        paths::root().join("Cargo.lock"),
        folder.path().join("Cargo.lock"),
    )?;
    build(folder.path(), &folder.path().join("target"), "program")
}

/// Builds the command of the workspace.
fn build_command() -> Result<Build> {
    let target = tempfile::tempdir_in(paths::target())?;
    build(&paths::root(), target.path(), "ferrovox-cli")
}

/// Builds a package of the workspace in `folder` in release mode, into an empty target directory.
fn build(folder: &Path, target: &Path, package: &str) -> Result<Build> {
    let cargo = |arguments: &[&str]| {
        let mut cargo = paths::cargo(folder);
        cargo
            .args(arguments)
            .args(["--offline", "--package", package])
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_INCREMENTAL", "0");
        cargo
    };
    let before = children_time()?;
    let status = cargo(&["build", "--quiet", "--release"]).status()?;
    ensure!(status.success(), "{package} does not compile");
    let time = children_time()?.saturating_sub(before);
    let mut tree = cargo(&["tree", "--prefix", "none", "--edges", "normal,build"]);
    let output = tree.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let crates: BTreeSet<&str> = text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .collect();
    Ok(Build {
        time,
        crates: crates.len(),
    })
}

/// Returns the processor time of all child processes that have ended.
fn children_time() -> Result<Duration> {
    let seconds = crate::test::children_cpu().context("the system reports no processor time")?;
    Ok(Duration::from_secs_f64(seconds.max(0.0)))
}

/// Program that extracts the mesh of a ball on a GPU.
const PROGRAM: &str =
    "use ferrovox::{device::Device, isosurface::{self, IsosurfaceParams}, synthetic};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = Device::cuda(0)?.stream()?;
    let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
    let surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
    println!(\"{} triangles\", surface.download(&stream)?.triangles.len());
    Ok(())
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_subsets_and_single_features() {
        let all = combinations();
        assert_eq!((all.len(), all[0].as_str()), (11, ""));
        assert!(all.contains(&"io,render,skeleton".to_owned()));
    }
}
