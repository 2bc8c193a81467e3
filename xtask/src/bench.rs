//! `cargo xtask bench SUBJECT`: builds a benchmark and runs it with the given options.
//!
//! The benchmarks are programs of their own, so that they also run on machines without Rust: a
//! bundle contains them as `benches/ferrovox-mesh`, `benches/ferrovox-scan` and so on, with the
//! same options.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use crate::paths;
use crate::programs;
use crate::wheel;

/// Arguments of `bench`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Cargo profile [default: bench]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Subject to measure
    subject: Subject,
    /// Sizes and options of the benchmark; see `cargo xtask bench mesh --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

/// Subject of a benchmark.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Subject {
    /// Isosurface extraction
    Mesh,
    /// Prefix sums (scan)
    Scan,
    /// Distance transform
    Distance,
    /// Force field of curve skeletons
    Field,
    /// Table 2 of Zhao et al. (2016), compared with the published values
    Paper,
    /// Curve skeletons of generated objects, compared with ground truth and other systems; --peers
    /// installs these
    Skeleton,
    /// Kernels by block size, register limit and shared memory, compared with the occupancy
    /// calculator
    Occupancy,
    /// The jobs of the first table of docs/performance.md, with the installed peers; takes the
    /// options that all benchmarks have, such as --device and --runs
    All,
    /// Functions of the Python package, compared with those that they replace; see `cargo xtask
    /// bench python --help`
    Python,
}

impl Subject {
    /// Returns the name of cargo's benchmark target; `None` for the Python package, and for all.
    fn target(self) -> Option<&'static str> {
        match self {
            Subject::Mesh => Some("mesh"),
            Subject::Scan => Some("scan"),
            Subject::Distance => Some("distance"),
            Subject::Field => Some("field"),
            Subject::Paper => Some("paper"),
            Subject::Skeleton => Some("skeleton"),
            Subject::Occupancy => Some("occupancy"),
            Subject::All | Subject::Python => None,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    if matches!(arguments.subject, Subject::All) {
        return run_all(arguments);
    }
    let Some(target) = arguments.subject.target() else {
        return wheel::bench(&arguments.options);
    };
    let path = programs::build_bench(target, arguments.profile.as_deref())?;
    let mut command = Command::new(&path);
    let (kernels, mut options) = without_kernels(&arguments.options)?;
    // sweep measured by an external crate
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
        .with_context(|| format!("cannot run {}", path.display()))?;
    if !status.success() {
        bail!("the bench failed ({status})");
    }
    Ok(())
}

/// Jobs of the first table of docs/performance.md, as options of the benchmarks, with the fastest
/// peer of each.
const JOBS: [(Subject, &str); 5] = [
    (
        Subject::Scan,
        "2^21 10*128^3 2^26 2^28 --types u32,u64,f64 --operators sum,max --no-table --peers=cub",
    ),
    (
        Subject::Mesh,
        "512 1024 --no-stages --no-download --peers=warp",
    ),
    (
        Subject::Mesh,
        "256 --periods 4 --device cpu --no-stages --peers=vtk",
    ),
    (
        Subject::Distance,
        "512 592x625x625 1024 --fields shell --no-pack --peers=cupy",
    ),
    (
        Subject::Distance,
        "256 --fields shell --device cpu --no-pack --peers=edt",
    ),
];

/// Returns the jobs of `bench all`: the name of the benchmark program and its options.
pub fn jobs() -> impl Iterator<Item = (&'static str, &'static str)> {
    JOBS.iter()
        .filter_map(|(subject, options)| Some((subject.target()?, *options)))
}

/// Runs the benchmarks of [`JOBS`] one after another, with the options given by the caller, except
/// for the device of jobs that have their own.
fn run_all(arguments: &Arguments) -> Result<()> {
    for (subject, job) in JOBS {
        let fixed: Vec<&str> = job.split(' ').collect();
        let own_device = fixed.contains(&"--device");
        let mut given = arguments.options.iter();
        let mut options = Vec::new();
        while let Some(option) = given.next() {
            if own_device && option == "--device" {
                given.next();
            } else {
                options.push(option.clone());
            }
        }
        options.extend(fixed.into_iter().map(OsString::from));
        println!("\n{job}");
        run(&Arguments {
            profile: arguments.profile.clone(),
            subject,
            options,
        })?;
    }
    Ok(())
}

/// Splits off the path given by `--kernels PATH` from the options.
fn without_kernels(options: &[OsString]) -> Result<(Option<PathBuf>, Vec<OsString>)> {
    let Some(at) = options.iter().position(|option| option == "--kernels") else {
        return Ok((None, options.to_vec()));
    };
    let mut remaining = options.to_vec();
    remaining.remove(at);
    if at == remaining.len() {
        bail!(
            "--kernels needs the directory of a crate, such as one created by `cargo xtask new-kernel`"
        );
    }
    Ok((Some(remaining.remove(at).into()), remaining))
}

/// Runs the benchmark `sweep` of a crate outside the workspace and returns a file with its output.
fn sweep(crate_path: &Path, profile: Option<&str>, options: &[OsString]) -> Result<NamedTempFile> {
    if !crate_path.join("benches/sweep.rs").is_file() {
        bail!(
            "{} has no benches/sweep.rs; create a crate with one by `cargo xtask new-kernel`",
            crate_path.display()
        );
    }
    // the sweep accepts these options only
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

/// Adds options for the default directories, because a benchmark cannot locate the repository.
fn with_defaults(options: &[OsString]) -> Vec<OsString> {
    let mut all = options.to_vec();
    for (name, directory) in [
        ("--out-dir", paths::target().join("bench")),
        ("--peers-dir", paths::root().join("benches/peers")),
    ] {
        let is_given = |option: &OsString| {
            let option = option.to_string_lossy();
            option == name || option.starts_with(&format!("{name}="))
        };
        if !options.iter().any(is_given) {
            all.extend([name.into(), directory.into()]);
        }
    }
    all
}

/// Returns the option for the Python with the peers of the skeleton benchmark, installed below
/// `target`, if peers are requested and no Python is given.
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
        run_command(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let mut install = Command::new(&python);
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "kimimaro",
            "scikit-image",
        ]);
        run_command(&mut install)?;
        std::fs::write(&installed, "").context("cannot record the installation")?;
    }
    Ok(vec!["--python".into(), python.into()])
}

/// Runs a program that must succeed.
fn run_command(command: &mut Command) -> Result<()> {
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
    fn external_crate_is_split_off_the_options() {
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
    fn peers_are_installed_only_on_request() {
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
    fn default_directories_are_added_once() {
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
