//! `cargo xtask wheel`: builds the Python package, and tests it in an environment of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::paths;
use crate::programs;

/// Maximum size of a wheel in bytes.
const MAX_BYTES: u64 = 15_000_000;

/// Policy of PyPI for the C library that published wheels are linked for.
const MANYLINUX: &str = "manylinux_2_28";

/// Arguments of `wheel`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build with the dev profile, which shares its builds with the tests of the workspace; the
    /// size is not checked
    #[arg(long)]
    dev: bool,
    /// Link for the C library of manylinux_2_28 with zig, and check the wheel with auditwheel, for
    /// publishing
    #[arg(long)]
    manylinux: bool,
    /// Install the wheel in target/python and run the tests of the package, its type checks, and
    /// the test suites of SciPy, scikit-image and edt
    #[arg(long)]
    test: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let environment = Environment::create(paths::target().join("python"))?;
    let mut options = Vec::new();
    if arguments.dev {
        options.extend(["--profile", "dev"]);
    }
    if arguments.manylinux {
        environment.install(&["ziglang", "auditwheel"])?;
        options.extend(["--zig", "--compatibility", MANYLINUX]);
    }
    let wheel = build(&environment, &options)?;
    let bytes = wheel.metadata()?.len();
    println!(
        "{}: {:.1} MB",
        paths::display_relative(&wheel),
        bytes as f64 / 1e6
    );
    if arguments.manylinux {
        check_manylinux(&environment, &wheel)?;
    }
    if !arguments.dev && bytes > MAX_BYTES {
        bail!("the wheel has {bytes} bytes, more than {MAX_BYTES}");
    }
    if arguments.test {
        test(&environment, &wheel)?;
    }
    Ok(())
}

/// Checks that the wheel needs no newer C library than [`MANYLINUX`], and prints what auditwheel
/// finds.
fn check_manylinux(environment: &Environment, wheel: &Path) -> Result<()> {
    let mut audit = environment.module("auditwheel");
    let output = audit
        .arg("show")
        .arg(wheel)
        .stderr(Stdio::inherit())
        .output()?;
    let findings = String::from_utf8_lossy(&output.stdout);
    print!("{findings}");
    ensure!(
        output.status.success() && is_consistent(&findings),
        "auditwheel does not find the wheel consistent with {MANYLINUX}"
    );
    Ok(())
}

/// Returns `true` if auditwheel finds a wheel consistent with [`MANYLINUX`] or an older policy. The
/// first quoted name is the policy; others are those that changes would achieve.
fn is_consistent(findings: &str) -> bool {
    let glibc = |policy: &str| {
        let (major, rest) = policy.strip_prefix("manylinux_")?.split_once('_')?;
        let minor = rest.split('_').next()?;
        Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
    };
    let policy = findings.split('"').nth(1).and_then(glibc);
    policy.is_some() && policy <= glibc(MANYLINUX)
}

/// Builds a wheel with options of maturin.
fn build(environment: &Environment, options: &[&str]) -> Result<PathBuf> {
    let folder = environment.folder.join("wheels");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let mut build = environment.module("maturin");
    build.args(["build", "--compression-level", "9", "--out"]);
    build.arg(&folder);
    build.arg("--manifest-path");
    build.arg(paths::root().join("python/Cargo.toml"));
    build.args(options);
    execute(build)?;
    find_wheel(&folder)
}

/// Builds the package with the release profile, installs it in the environment, and compares its
/// functions with those that they replace. `options` are those of `python/benches/peers.py`, or
/// after `--overhead` those of `python/benches/overhead.py`, after `--rust` those of
/// `python/benches/rust.py`.
pub fn bench(options: &[OsString]) -> Result<()> {
    let environment = Environment::create(paths::target().join("python"))?;
    let wheel = build(&environment, &["--profile", "release"])?;
    install(&environment, &wheel)?;
    let first = options.first().and_then(|option| option.to_str());
    let (program, options) = match first {
        Some("--overhead") => ("overhead.py", &options[1..]),
        Some("--rust") => ("rust.py", &options[1..]),
        _ => ("peers.py", options),
    };
    let mut benchmark = Command::new(environment.python());
    benchmark.arg(paths::root().join("python/benches").join(program));
    if program == "rust.py" {
        for name in ["mesh", "distance", "scan"] {
            let path = programs::build_bench(name, None)?;
            benchmark.arg(format!("--{name}")).arg(path);
        }
    }
    benchmark.args(options);
    execute(benchmark)
}

/// Installs a wheel in the environment.
fn install(environment: &Environment, wheel: &Path) -> Result<()> {
    let mut install = environment.module("pip");
    install.args(["install", "--quiet", "--force-reinstall", "--no-deps"]);
    execute(with(install, &[wheel]))
}

/// Virtual environment of Python with the packages for building and testing.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Creates the environment unless it exists, and installs its packages.
    fn create(folder: PathBuf) -> Result<Self> {
        let environment = Self { folder };
        if !environment.python().is_file() {
            // Debian has `venv` in a package of its own
            let created = ["venv", "virtualenv"].into_iter().any(|module| {
                let mut command = Command::new("python3");
                command.args(["-m", module]).arg(&environment.folder);
                command.status().is_ok_and(|status| status.success())
            });
            if !created {
                bail!("python3 creates no environment; install python3-venv or virtualenv");
            }
        }
        let mut install = environment.module("pip");
        install.args(["install", "--quiet", "--requirement"]);
        install.arg(paths::root().join("python/tests/requirements.txt"));
        execute(install)?;
        Ok(environment)
    }

    /// Installs packages that only some commands need.
    fn install(&self, packages: &[&str]) -> Result<()> {
        let mut install = self.module("pip");
        install.args(["install", "--quiet"]).args(packages);
        execute(install)
    }

    fn python(&self) -> PathBuf {
        self.folder.join("bin/python")
    }

    /// Returns a command that runs a module of Python.
    fn module(&self, name: &str) -> Command {
        let mut command = Command::new(self.python());
        command.args(["-m", name]).current_dir(&self.folder);
        // maturin is a program beside Python, and finds zig with the Python of the search path
        command.env("VIRTUAL_ENV", &self.folder);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path);
        let folders = [self.folder.join("bin")].into_iter().chain(folders);
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }
}

/// Tests the wheel after installing it.
fn test(environment: &Environment, wheel: &Path) -> Result<()> {
    let package = paths::root().join("python");
    let tests = package.join("tests");
    install(environment, wheel)?;
    let pytest = || {
        let mut command = environment.module("pytest");
        command.args(["-q", "-p", "no:cacheprovider"]);
        command
    };
    execute(with(pytest(), &[&tests]))?;
    let mut doctests = pytest();
    doctests.args(["--doctest-modules", "--pyargs", "ferrovox"]);
    execute(doctests)?;
    let configuration = package.join("pyproject.toml");
    let mut types = environment.module("mypy");
    types.arg("--config-file").arg(&configuration);
    execute(with(types, &[&package.join("ferrovox")]))?;
    let mut stubs = environment.module("mypy.stubtest");
    stubs.arg("--mypy-config-file").arg(&configuration);
    stubs.arg("--allowlist").arg(tests.join("stubtest.txt"));
    execute(with(stubs, &[Path::new("ferrovox")]))?;
    let mut peers = Command::new(environment.python());
    peers.current_dir(&environment.folder);
    let downloads = environment.folder.join("peers");
    execute(with(peers, &[&tests.join("peers/run.py"), &downloads]))
}

/// Returns the command with more arguments.
fn with(mut command: Command, arguments: &[&Path]) -> Command {
    command.args(arguments);
    command
}

fn find_wheel(folder: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).context("maturin wrote no wheel")?;
    let mut wheels = entries.flatten().map(|entry| entry.path());
    wheels
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .with_context(|| format!("{} contains no wheel", folder.display()))
}

fn execute(mut command: Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy()).collect();
        bail!("python {} failed ({status})", arguments.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_for_older_libraries_are_consistent() {
        let findings = |policy: &str| {
            format!(
                "a.whl is consistent with the\nfollowing platform tag: \"{policy}\".\n\
                 In order to achieve the tag \"manylinux_2_17_x86_64\", eliminate libz.so.1\n"
            )
        };
        assert!(is_consistent(&findings("manylinux_2_28_x86_64")));
        assert!(is_consistent(&findings("manylinux_2_17_x86_64")));
        assert!(!is_consistent(&findings("manylinux_2_31_x86_64")));
        assert!(!is_consistent(&findings("linux_x86_64")));
        assert!(!is_consistent(""));
    }
}
