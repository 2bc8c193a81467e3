//! `cargo xtask bundle`: a directory with the command, its shell completions and manual pages, the
//! test programs, the benchmarks and their data, to copy to a GPU host without Rust.

mod contents;
pub mod pack;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::programs::{Program, ProgramKind};
use crate::{bench, paths, setup};
pub use contents::is_bundled;
use pack::Effort;

/// Maximum size of a bundle in bytes, because uploads to rented hosts are slow.
pub const MAX_BYTES: u64 = 60 << 20;

/// Archive with all test programs and benchmarks; `run-tests.sh` unpacks it.
const ARCHIVE: &str = "programs.tar.xz";

/// Script that runs everything on the GPU host.
const RUN_TESTS: &str = include_str!("run-tests.sh");

/// Script that runs the jobs of `bench all` on the GPU host; `@JOBS@` stands for the calls of its
/// function `job`.
const BENCH_ALL: &str = include_str!("bench-all.sh");

/// Arguments of `bundle`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Output directory, whose contents are replaced [default: bundle]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| paths::root().join("bundle"));
    // check before building for minutes
    pack::check_tools()?;
    setup::ensure()?;
    prepare_output(&output)?;
    let programs = contents::build_all()?;
    let (commands, packed): (Vec<_>, Vec<_>) = programs
        .iter()
        .partition(|program| program.kind == ProgramKind::Command);
    for program in commands {
        pack::install(program, &output)?;
        write_completions_and_man_pages(program, &output)?;
    }
    eprintln!("packing {} programs", packed.len());
    pack::pack(packed, &output.join(ARCHIVE), Effort::High)?;
    copy_tree(&paths::root().join("cli/data"), &output.join("data"))?;
    copy_tree(
        &paths::root().join("fuzz/corpus"),
        &output.join("fuzz/corpus"),
    )?;
    // the benchmarks search for them next to themselves
    copy_tree(
        &paths::root().join("benches/peers"),
        &output.join("benches/peers"),
    )?;
    for (name, text) in [
        ("run-tests.sh", RUN_TESTS.to_owned()),
        ("bench-all.sh", bench_all_script()),
    ] {
        let script = output.join(name);
        fs::write(&script, text).with_context(|| format!("cannot write {}", script.display()))?;
        make_executable(&script)?;
    }

    let size = directory_bytes(&output)?;
    println!(
        "{}: {} programs, {:.1} MB; copy it to a GPU host and run {}/run-tests.sh there",
        output.display(),
        programs.len(),
        size as f64 / 1e6,
        output.file_name().unwrap_or_default().to_string_lossy()
    );
    if size > MAX_BYTES {
        bail!(
            "the bundle has {size} bytes, more than the limit of {MAX_BYTES}; remove a program in xtask/src/bundle/contents.rs"
        );
    }
    Ok(())
}

/// Returns [`BENCH_ALL`] with its jobs.
fn bench_all_script() -> String {
    let calls: Vec<String> = bench::jobs()
        .map(|(program, options)| format!("job {program} '{options}'"))
        .collect();
    BENCH_ALL.replace("@JOBS@", &calls.join("\n"))
}

/// Writes the command's shell completions and manual pages.
fn write_completions_and_man_pages(command: &Program, output: &Path) -> Result<()> {
    let (completions, pages) = (output.join("completions"), output.join("man/man1"));
    fs::create_dir_all(&completions)
        .with_context(|| format!("cannot create {}", completions.display()))?;
    let run = |arguments: &[&OsStr]| -> Result<Vec<u8>> {
        let output = Command::new(&command.path).args(arguments).output();
        let output = output.with_context(|| format!("cannot run {}", command.path.display()))?;
        if !output.status.success() {
            bail!("{} {arguments:?} failed", command.path.display());
        }
        Ok(output.stdout)
    };
    for (shell, file) in [
        ("bash", "ferrovox.bash"),
        ("elvish", "ferrovox.elv"),
        ("fish", "ferrovox.fish"),
        ("powershell", "_ferrovox.ps1"),
        ("zsh", "_ferrovox"),
    ] {
        let script = run(&["completions".as_ref(), shell.as_ref()])?;
        fs::write(completions.join(file), script)
            .with_context(|| format!("cannot write {file} in {}", completions.display()))?;
    }
    run(&["man-pages".as_ref(), pages.as_os_str()])?;
    Ok(())
}

/// Empties the output directory. Refuses a directory that is not a bundle.
fn prepare_output(output: &Path) -> Result<()> {
    let is_ours = output.join("run-tests.sh").is_file();
    if output.exists() && !is_ours && fs::read_dir(output)?.next().is_some() {
        bail!(
            "{} is not empty and not a bundle; choose another directory",
            output.display()
        );
    }
    if is_ours {
        fs::remove_dir_all(output).with_context(|| format!("cannot empty {}", output.display()))?;
    }
    fs::create_dir_all(output).with_context(|| format!("cannot create {}", output.display()))
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Returns the total size of the files in a directory, in bytes.
fn directory_bytes(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        size += if entry.file_type()?.is_dir() {
            directory_bytes(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(size)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn script_runs_every_job_with_the_options_of_the_caller() {
        let folder = tempfile::tempdir().unwrap();
        let benches = folder.path().join("benches");
        fs::create_dir(&benches).unwrap();
        for (program, _) in bench::jobs() {
            let path = benches.join(format!("ferrovox-{program}"));
            fs::write(&path, "#!/bin/sh\necho \"ran $*\"\n").unwrap();
            make_executable(&path).unwrap();
        }
        let script = folder.path().join("bench-all.sh");
        fs::write(&script, bench_all_script()).unwrap();
        let output = Command::new("bash")
            .arg(&script)
            .args(["--device", "cuda", "--runs", "3"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let ran: Vec<&str> = printed
            .lines()
            .filter_map(|line| line.strip_prefix("ran "))
            .collect();
        let expected: Vec<String> = bench::jobs()
            .map(|(_, job)| {
                if job.contains("--device cpu") {
                    format!("--runs 3 {job}")
                } else {
                    format!("--device cuda --runs 3 {job}")
                }
            })
            .collect();
        assert_eq!(ran, expected);
    }
}
