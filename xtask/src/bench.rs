//! `cargo xtask bench mesh`, `bench scan`, `bench distance` and others: builds a bench, and runs it
//! with the options that follow.
//!
//! The programs do the measuring, so that a machine without Rust can do it too: a bundle has them
//! as `benches/ferrovox-mesh`, `benches/ferrovox-scan` and so on, with the same options.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use crate::paths;
use crate::programs::{Kind, build};

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
    /// The force field of curve skeletons
    Field,
    /// Table 2 of Zhao et al. (2016), beside its figures
    Paper,
    /// Curve skeletons of generated objects, beside what is right and other systems; with peers,
    /// these are installed
    Skeleton,
    /// Block sizes, registers and shared memory of kernels, beside what the occupancy calculator
    /// says
    Occupancy,
}

impl Subject {
    /// The bench's name for cargo.
    fn target(self) -> &'static str {
        match self {
            Subject::Mesh => "mesh",
            Subject::Scan => "scan",
            Subject::Distance => "distance",
            Subject::Field => "field",
            Subject::Paper => "paper",
            Subject::Skeleton => "skeleton",
            Subject::Occupancy => "occupancy",
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let target = arguments.subject.target();
    // of the whole workspace, though one package has them: so its dependencies have the features
    // that they have for the tests, and what is built for one is there for the other
    let mut build_arguments = vec!["bench", "--workspace", "--bench", target, "--no-run"];
    if let Some(profile) = &arguments.profile {
        build_arguments.extend(["--profile", profile]);
    }
    let programs = build(&paths::root(), &build_arguments, &[])?;
    let Some(program) = programs
        .into_iter()
        .find(|program| program.kind == Kind::Bench)
    else {
        bail!("cargo built no program for the bench {target}");
    };
    let mut command = Command::new(&program.path);
    let (kernels, mut options) = without_kernels(&arguments.options)?;
    // what an outside crate measures itself
    let measured = kernels
        .map(|crate_path| sweep(&crate_path, arguments.profile.as_deref(), &options))
        .transpose()?;
    if let Some(file) = &measured {
        options.extend(["--measured".into(), file.path().into()]);
    }
    if matches!(arguments.subject, Subject::Skeleton) {
        options.extend(python_with_peers(&options)?);
    }
    command.args(with_defaults(&options));
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", program.path.display()))?;
    if !status.success() {
        bail!("the bench failed ({status})");
    }
    Ok(())
}

/// The path of `--kernels PATH`, and the other options.
fn without_kernels(options: &[OsString]) -> Result<(Option<PathBuf>, Vec<OsString>)> {
    let Some(at) = options.iter().position(|option| option == "--kernels") else {
        return Ok((None, options.to_vec()));
    };
    let mut others = options.to_vec();
    others.remove(at);
    if at == others.len() {
        bail!("--kernels needs the folder of a crate, such as `cargo xtask new-kernel` makes");
    }
    Ok((Some(others.remove(at).into()), others))
}

/// Runs the bench `sweep` of a crate outside of the workspace; the file with what it printed.
fn sweep(crate_path: &Path, profile: Option<&str>, options: &[OsString]) -> Result<NamedTempFile> {
    if !crate_path.join("benches/sweep.rs").is_file() {
        bail!(
            "{} has no benches/sweep.rs; `cargo xtask new-kernel` makes a crate that has one",
            crate_path.display()
        );
    }
    // of what follows the bench knows these
    let value = |name: &str| {
        let at = options.iter().position(|option| option == name)?;
        options.get(at + 1).cloned()
    };
    let mut command = paths::cargo(crate_path);
    command.args(["bench", "--quiet", "--bench", "sweep"]);
    if let Some(profile) = profile {
        command.args(["--profile", profile]);
    }
    command.arg("--");
    for name in ["--device", "--runs", "--step"] {
        if let Some(value) = value(name) {
            command.arg(name).arg(value);
        }
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run cargo in {}", crate_path.display()))?;
    if !output.status.success() {
        bail!(
            "the sweep of {} failed ({})",
            crate_path.display(),
            output.status
        );
    }
    let file = NamedTempFile::new().context("cannot create a temporary file")?;
    std::fs::write(file.path(), &output.stdout).context("cannot write a temporary file")?;
    Ok(file)
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

/// The Python that has the peers of skeletons, in a folder of its own below `target`, if peers are
/// wanted and no Python is named.
fn python_with_peers(options: &[OsString]) -> Result<Vec<OsString>> {
    let has = |name: &str| {
        let is = |option: &OsString| {
            let option = option.to_string_lossy();
            option == name || option.starts_with(&format!("{name}="))
        };
        options.iter().any(is)
    };
    if !has("--peers") || has("--python") {
        return Ok(Vec::new());
    }
    let folder = paths::target().join("peers");
    let python = folder.join("bin/python3");
    let installed = folder.join("installed");
    if !installed.is_file() {
        perform(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let mut install = Command::new(&python);
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "kimimaro",
            "scikit-image",
        ]);
        perform(&mut install)?;
        std::fs::write(&installed, "").context("cannot note what is installed")?;
    }
    Ok(vec!["--python".into(), python.into()])
}

/// Runs a program that must succeed.
fn perform(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    eprintln!("{command:?}");
    let status = command.status();
    let status = status.with_context(|| format!("cannot run {name}"))?;
    if !status.success() {
        bail!("{name} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outside_crate_is_named_by_its_folder() {
        let options = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let (path, others) =
            without_kernels(&options(&["--step", "8", "--kernels", "blur", "--json"])).unwrap();
        assert_eq!(path, Some("blur".into()));
        assert_eq!(others, options(&["--step", "8", "--json"]));
        assert_eq!(without_kernels(&options(&["--json"])).unwrap().0, None);
        assert!(without_kernels(&options(&["--kernels"])).is_err());
        assert!(sweep(Path::new("/no/such/crate"), None, &[]).is_err());
    }

    #[test]
    fn peers_are_installed_only_where_they_are_wanted() {
        for options in [
            &["--peers-dir", "there"][..],
            &["--peers=skimage", "--python", "python3"],
            &["--peers", "--python=python3"],
        ] {
            let options: Vec<OsString> = options.iter().map(OsString::from).collect();
            assert!(python_with_peers(&options).unwrap().is_empty());
        }
    }

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
