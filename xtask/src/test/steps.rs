//! List of the steps of the test command.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::step::{Schedule, Step, Work, cargo, cargo_in, xtask};
use super::{Arguments, clippy, sanitizers};
use crate::{paths, programs};

/// Returns the steps requested instead of the regular ones, if any.
pub fn replacement_steps(arguments: &Arguments) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    if arguments.miri {
        steps.push(sanitizers::miri()?);
    }
    if arguments.address_sanitizer {
        steps.push(sanitizers::address_sanitizer()?);
    }
    if arguments.thread_sanitizer {
        steps.push(sanitizers::thread_sanitizer()?);
    }
    if arguments.public_code {
        steps.push(Step {
            name: "public code",
            description: "public crates work in kernels, as PTX and on the CPU, compared with published test vectors",
            schedule: Schedule::EveryRun,
            work: Work::Checks(vec![xtask(&["from-rust-cuda", "--public-code"])]),
        });
    }
    Ok(steps)
}

/// Returns the regular steps in the order in which they run. To add a step, add a row to the table
/// at the end; `.ci/run` names the steps that only run with `--all` and take less
/// than minutes.
pub fn regular_steps() -> Result<Vec<Step>> {
    let public_code = paths::root().join("crates/tests/public-code");
    let mut format = vec![
        cargo(&["fmt", "--all", "--check"]),
        cargo_in(&public_code, &["fmt", "--all", "--check"]),
    ];
    let members = programs::examples()?;
    let mut examples = vec![build_examples(members.keys())];
    for example in example_directories()? {
        let member = members.iter().find(|(_, folder)| **folder == example);
        if let Some((name, _)) = member {
            // members of the workspace are formatted and linted with it
            let mut program = Command::new(paths::target().join("debug").join(name));
            program.current_dir(&example);
            examples.push(program);
        } else {
            format.push(cargo_in(&example, &["fmt", "--check"]));
            examples.push(cargo_in(
                &example,
                &["clippy", "--quiet", "--", "-D", "warnings"],
            ));
            examples.push(cargo_in(&example, &["run", "--quiet"]));
        }
    }
    // features of cuda_std and cust that no package of the workspace enables
    let with_vek = [
        "test",
        "-p",
        "ferrovox-cuda-std",
        "--features",
        "vek",
        "--test",
        "with_vek",
    ];
    let foreign_types = [
        "test",
        "-p",
        "ferrovox-cust",
        "--all-features",
        "--test",
        "foreign_types",
    ];
    let conformance = vec![
        cargo_in(
            &paths::root().join("crates/tests/conformance/ferrovox"),
            &["test", "--workspace"],
        ),
        cargo_in(
            &paths::root().join("crates/tests/conformance-cust/ours"),
            &["run", "--quiet"],
        ),
    ];
    // external code, which does not change with this repository, and features for external crates
    let published = vec![
        cargo(&with_vek),
        cargo(&foreign_types),
        cargo_in(
            &paths::root().join("crates/tests/conformance/published"),
            &["check", "--quiet"],
        ),
        cargo_in(
            &paths::root().join("crates/tests/conformance-cust/published"),
            &["check", "--quiet"],
        ),
        // the crates that compile quickly; `cargo xtask test --public-code` tests all
        cargo_in(&public_code, &["test", "--package", "public-code-quick"]),
    ];
    let mut docs = cargo(&["doc", "--no-deps", "--quiet"]);
    docs.args(programs::workspace_without_examples()?);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    clippy::share(&mut docs);
    let clippy = clippy::command();
    let doctests = cargo(&[
        "test",
        "--workspace",
        "--exclude",
        programs::PYTHON_MODULE,
        "--doc",
        "--no-fail-fast",
    ]);
    let mut wide = cargo(&["test", "-p", "ferrovox-tests", "--test", "pipelines"]);
    wide.env("FERROVOX_DEBUG_AVX2", "1");
    let steps = [
        (
            "setup",
            Schedule::EveryRun,
            "the device compiler and the assembler are installed",
            Work::Checks(vec![xtask(&["setup"])]),
        ),
        (
            "format",
            Schedule::EveryRun,
            "all sources are formatted",
            Work::Checks(format),
        ),
        (
            "advisories",
            Schedule::EveryRun,
            "no dependency has an advisory of RustSec in the repository's copy; licences, sources and duplicates are as in deny.toml",
            Work::Checks(vec![xtask(&["advisories"])]),
        ),
        (
            "manifests",
            Schedule::EveryRun,
            "every dependency is used",
            Work::Checks(vec![xtask(&["manifests"])]),
        ),
        (
            "features",
            Schedule::OnlyWithAll,
            "the library compiles with every combination of its features",
            Work::Checks(vec![xtask(&["features"])]),
        ),
        (
            "ptx",
            Schedule::OnlyWithAll,
            "the PTX in the repository matches the sources, for one architecture (`cargo xtask ptx --check` for both)",
            Work::Background(vec![xtask(&["ptx", "--check", "--sample"])]),
        ),
        (
            "clippy",
            Schedule::EveryRun,
            "Clippy reports no warnings",
            Work::Checks(vec![clippy]),
        ),
        (
            "docs",
            Schedule::OnlyWithAll,
            "the documentation builds without warnings",
            Work::Checks(vec![docs]),
        ),
        (
            "tests",
            Schedule::EveryRun,
            "unit and integration tests pass on all available devices, including fuzz corpora and the scratch crate",
            Work::Programs,
        ),
        (
            "python",
            Schedule::OnlyWithAll,
            "the Python package passes its tests and those of SciPy, scikit-image and edt",
            Work::Checks(vec![xtask(&["wheel", "--dev", "--test"])]),
        ),
        (
            "torture",
            Schedule::EveryRun,
            "the command survives damaged files, signals, full disks and concurrent instances for 10 seconds (longer: `cargo xtask torture`)",
            Work::Torture,
        ),
        (
            "bundle",
            Schedule::OnlyWithAll,
            "the packed test programs fit into a bundle",
            Work::Bundle,
        ),
        (
            "doctests",
            Schedule::EveryRun,
            "examples in the documentation run",
            Work::Tests(vec![doctests]),
        ),
        (
            "conformance",
            Schedule::EveryRun,
            "kernels and host code written for Rust-CUDA compile unchanged and run",
            Work::Tests(conformance),
        ),
        (
            "published",
            Schedule::OnlyWithAll,
            "the same kernels and host code compile against the published crates, public crates run in kernels, and the features \
             for others' types hold",
            Work::Tests(published),
        ),
        (
            "examples",
            Schedule::EveryRun,
            "all examples build without warnings and run",
            Work::Tests(examples),
        ),
        (
            "avx2",
            Schedule::OnlyWithAll,
            "pipelines pass with kernels that are also compiled for AVX2, as in the release profile",
            Work::Tests(vec![wide]),
        ),
        (
            "build-size",
            Schedule::OnlyWithAll,
            "a program that only uses a GPU builds in a third of the time",
            Work::Checks(vec![xtask(&["features", "--measure"])]),
        ),
        (
            "msrv",
            Schedule::OnlyWithAll,
            "the published packages compile with the declared version of the compiler",
            Work::Checks(vec![xtask(&["manifests", "--rust-version"])]),
        ),
    ];
    let step = |(name, schedule, description, work)| Step {
        name,
        description,
        schedule,
        work,
    };
    Ok(steps.into_iter().map(step).collect())
}

/// Returns the command that builds the examples of the workspace. With all packages and a test
/// among the targets, cargo selects the features of the tests, whose build of the library the
/// examples share.
fn build_examples<'a>(names: impl Iterator<Item = &'a String>) -> Command {
    let mut command = cargo(&["build", "--quiet", "--workspace", "--test", "architecture"]);
    for name in names {
        command.args(["--bin", name]);
    }
    command
}

/// Returns the example packages of the library and of the kernel toolkit, each sorted by name.
pub fn example_directories() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for name in programs::EXAMPLES {
        let entries = std::fs::read_dir(paths::root().join(name))?;
        let mut packages: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.join("Cargo.toml").is_file())
            .collect();
        packages.sort();
        folders.append(&mut packages);
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use crate::paths;

    /// A commit that passes today passes tomorrow: neither the date nor a random seed selects
    /// cases.
    #[test]
    fn every_run_has_the_same_cases() {
        let Ok(script) = std::fs::read_to_string(paths::root().join(".ci/run")) else {
            test_cases::report_skip(format_args!("the sources are not available"));
            return;
        };
        for word in ["$(date", "RANDOM", "SHARD"] {
            assert!(!script.contains(word), ".ci/run contains {word}");
        }
        assert!(std::env::var_os("PROPTEST_RNG_SEED").is_some());
    }
}
