//! The steps of the test command.

use std::path::PathBuf;

use anyhow::Result;

use super::step::{Step, Work, cargo, outside, xtask};
use super::{Arguments, clippy, watched};
use crate::{paths, programs};

/// The steps that were asked for in place of the others, if any were.
pub fn in_place_of_all(arguments: &Arguments) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    if arguments.miri {
        steps.push(watched::miri()?);
    }
    if arguments.address_sanitizer {
        steps.push(watched::address_sanitizer()?);
    }
    if arguments.thread_sanitizer {
        steps.push(watched::thread_sanitizer()?);
    }
    if arguments.public_code {
        steps.push(Step {
            name: "public code",
            what: "public crates in kernels, as PTX and on the CPU, against vectors that others published",
            only_with_all: false,
            work: Work::Checks(vec![xtask(&["from-rust-cuda", "--public-code"])]),
        });
    }
    Ok(steps)
}

/// The steps, cheap ones first.
pub fn all() -> Result<Vec<Step>> {
    let public_code = paths::root().join("tests/public-code");
    let mut format = vec![
        cargo(&["fmt", "--all", "--check"]),
        outside(&public_code, &["fmt", "--all", "--check"]),
    ];
    let mut examples = Vec::new();
    let of_the_workspace = programs::examples()?;
    for example in folders("examples")? {
        // the others are formatted and held to Clippy with the workspace
        if !of_the_workspace.values().any(|folder| *folder == example) {
            format.push(outside(&example, &["fmt", "--check"]));
            examples.push(outside(
                &example,
                &["clippy", "--quiet", "--", "-D", "warnings"],
            ));
        }
        examples.push(outside(&example, &["run", "--quiet"]));
    }
    // the features of cuda_std and cust that no package here turns on
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
        outside(
            &paths::root().join("tests/conformance/ferrovox"),
            &["test", "--workspace"],
        ),
        outside(
            &paths::root().join("tests/conformance-cust/ours"),
            &["run", "--quiet"],
        ),
    ];
    // what others wrote, which does not change with our sources, and features for others' crates
    let published = vec![
        cargo(&with_vek),
        cargo(&foreign_types),
        outside(
            &paths::root().join("tests/conformance/published"),
            &["check", "--quiet"],
        ),
        outside(
            &paths::root().join("tests/conformance-cust/published"),
            &["check", "--quiet"],
        ),
        // those that compile quickly; `cargo xtask test --public-code` tries all
        outside(&public_code, &["test", "--package", "public-code-quick"]),
    ];
    let mut docs = cargo(&["doc", "--no-deps", "--quiet"]);
    docs.args(programs::workspace_without_examples()?);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    clippy::share(&mut docs);
    let clippy = clippy::command();
    let doctests = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
    const ALWAYS: bool = false;
    const ALL: bool = true;
    let steps = [
        (
            "setup",
            ALWAYS,
            "the device compiler and the assembler are there, or are installed",
            Work::Checks(vec![xtask(&["setup"])]),
        ),
        (
            "format",
            ALWAYS,
            "every source is formatted",
            Work::Checks(format),
        ),
        (
            "ptx",
            ALL,
            "the PTX in the repository is what the sources give, of one architecture by turns (`cargo xtask ptx --check` for both)",
            Work::Beside(vec![xtask(&["ptx", "--check", "--sample"])]),
        ),
        (
            "clippy",
            ALWAYS,
            "no warning in any target",
            Work::Checks(vec![clippy]),
        ),
        (
            "docs",
            ALL,
            "the documentation builds without a warning",
            Work::Checks(vec![docs]),
        ),
        (
            "tests",
            ALWAYS,
            "unit and integration tests on every device that is present, fuzz corpora, the scratch crate",
            Work::Programs,
        ),
        (
            "torture",
            ALWAYS,
            "damaged files, signals, full disks and rivals for 10 seconds (`cargo xtask torture` for longer)",
            Work::Torture,
        ),
        (
            "bundle",
            ALL,
            "the test programs, packed, fit into a bundle",
            Work::Bundle,
        ),
        (
            "doctests",
            ALWAYS,
            "the examples in the documentation",
            Work::Tests(vec![doctests]),
        ),
        (
            "conformance",
            ALWAYS,
            "kernels and host code of the published APIs compile unchanged and run",
            Work::Tests(conformance),
        ),
        (
            "published",
            ALL,
            "the same kernels and host code compile against the crates that are published, public crates run in kernels, and the features \
             for others' types hold",
            Work::Tests(published),
        ),
        (
            "examples",
            ALWAYS,
            "every example builds without a warning and runs",
            Work::Tests(examples),
        ),
    ];
    let step = |(name, only_with_all, what, work)| Step {
        name,
        what,
        only_with_all,
        work,
    };
    Ok(steps.into_iter().map(step).collect())
}

/// The packages in a folder of the repository, by name.
pub fn folders(name: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(paths::root().join(name))?;
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    folders.sort();
    Ok(folders)
}
