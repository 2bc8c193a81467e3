//! `cargo xtask bench mesh`, `bench scan`, `bench distance` and `bench occupancy`: builds a bench, and runs it with the options that follow.
//!
//! The programs do the measuring, so that a machine without Rust can do it too: a bundle has them as `benches/ferrovox-isosurface`,
//! `benches/ferrovox-scan` and so on, with the same options.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bundle::build::{Kind, build};
use crate::paths;

/// Arguments of `bench`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Cargo's profile to build in [default: bench]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// What to measure
    subject: Subject,
    /// Sizes and options of the bench: `cargo xtask bench mesh --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Subject {
    /// The isosurface
    Mesh,
    /// The scan
    Scan,
    /// The distance map
    Distance,
    /// Block sizes, registers and shared memory of kernels, beside what the occupancy calculator says
    Occupancy,
}

impl Subject {
    /// The bench's name for cargo.
    fn target(self) -> &'static str {
        match self {
            Subject::Mesh => "isosurface",
            Subject::Scan => "scan",
            Subject::Distance => "distance",
            Subject::Occupancy => "occupancy",
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let target = arguments.subject.target();
    let mut build_arguments = vec![
        "bench",
        "--package",
        "ferrovox",
        "--bench",
        target,
        "--no-run",
    ];
    if let Some(profile) = &arguments.profile {
        build_arguments.extend(["--profile", profile]);
    }
    let programs = build(&paths::root(), &build_arguments)?;
    let Some(program) = programs
        .into_iter()
        .find(|program| program.kind == Kind::Bench)
    else {
        bail!("cargo built no program for the bench {target}");
    };
    let mut command = Command::new(&program.path);
    command.args(with_defaults(&arguments.options));
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", program.path.display()))?;
    if !status.success() {
        bail!("the bench failed ({status})");
    }
    Ok(())
}

/// The options, with the places that a program outside of the repository has no default for.
fn with_defaults(options: &[OsString]) -> Vec<OsString> {
    let mut all = options.to_vec();
    for (name, place) in [
        ("--out-dir", paths::target().join("bench")),
        ("--peers-dir", paths::root().join("benches/peers")),
    ] {
        let given = |option: &OsString| {
            let option = option.to_string_lossy();
            option == name || option.starts_with(&format!("{name}="))
        };
        if !options.iter().any(given) {
            all.extend([name.into(), place.into()]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_once() {
        let names = |options: &[&str]| {
            let options: Vec<OsString> = options.iter().map(OsString::from).collect();
            let all = with_defaults(&options);
            let count = |name: &str| {
                let is = |option: &&OsString| option.to_string_lossy().starts_with(name);
                all.iter().filter(is).count()
            };
            (all.len(), count("--out-dir"), count("--peers-dir"))
        };
        assert_eq!(names(&["128", "--peers"]), (6, 1, 1));
        assert_eq!(names(&["--out-dir", "here", "128"]), (5, 1, 1));
        assert_eq!(names(&["--out-dir=here", "--peers-dir=there"]), (2, 1, 1));
    }
}
