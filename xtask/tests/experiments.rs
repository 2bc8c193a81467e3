//! Tests of `cargo xtask new-kernel` and `inspect`: a new crate builds, runs, passes its tests, can
//! be benchmarked and inspected; and checked mode finds the race described in its comment.

use std::path::Path;
use std::process::{Command, Output};

fn xtask(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(folder);
    share_target(&mut command).output().expect("xtask runs")
}

/// Shares compiled dependencies with the repository: the crate is located where the repository's
/// profile applies, and uses its target directory.
fn share_target(command: &mut Command) -> &mut Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    // `cargo xtask test` sets the variable for this program, and cargo would rebuild everything
    command
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTC_BOOTSTRAP")
}

/// Runs cargo in the new crate; the registry is not accessed.
fn cargo(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--offline").current_dir(folder);
    share_target(&mut command).output().expect("cargo runs")
}

fn output_text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]];
    both.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .join("\n")
}

#[test]
fn a_new_kernel_builds_runs_and_can_be_measured() {
    if test_cases::skip_slow_test("a new crate with its kernel") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let output = xtask(&["new-kernel", "./not-yet/../smooth"], folder.path());
    assert!(!output.status.success(), "{}", output_text(&output));
    let output = xtask(&["new-kernel", "./smooth"], folder.path());
    assert!(output.status.success(), "{}", output_text(&output));
    let smooth = folder.path().join("smooth");

    let ran = cargo(&["run", "--quiet"], &smooth);
    assert!(ran.status.success(), "{}", output_text(&ran));
    assert!(
        output_text(&ran).contains("cpu: 100000 elements, no findings"),
        "{}",
        output_text(&ran)
    );
    let tested = cargo(&["test", "--quiet"], &smooth);
    assert!(tested.status.success(), "{}", output_text(&tested));

    // creating it a second time fails and changes nothing
    let again = xtask(&["new-kernel", "smooth"], folder.path());
    assert!(
        !again.status.success() && output_text(&again).contains("already exists"),
        "{}",
        output_text(&again)
    );

    // remove the barrier to create a race
    let source = smooth.join("kernels/src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("its source");
    let barrier = "    thread::sync_threads();\n";
    assert!(text.contains(barrier));
    std::fs::write(&source, text.replace(barrier, "")).expect("a file");
    let raced = cargo(&["test", "--quiet"], &smooth);
    assert!(!raced.status.success());
    assert!(
        output_text(&raced).contains("race on")
            || output_text(&raced).contains("uninitialised read"),
        "{}",
        output_text(&raced)
    );
    std::fs::write(&source, text).expect("a file");

    let swept = xtask(
        &[
            "bench",
            "--profile",
            "dev",
            "occupancy",
            "--kernels",
            "smooth",
            "--device",
            "cpu",
            "--runs",
            "1",
            "--step",
            "512",
            "--label",
            "t",
            "--out-dir",
            "out",
        ],
        folder.path(),
    );
    assert!(swept.status.success(), "{}", output_text(&swept));
    let table = std::fs::read_to_string(folder.path().join("out/sweep-t.csv")).expect("a file");
    assert_eq!(
        table
            .lines()
            // registers, dynamic shared memory, then values derived from the registers
            .filter(|line| {
                line.starts_with("smooth,cpu,")
                    && line.contains(",unknown,0,unknown,unknown,unknown,")
            })
            .count(),
        2,
        "{table}"
    );

    inspect(&smooth);
}

/// Inspects the kernel, if the device compiler and the assembler are installed.
fn inspect(smooth: &Path) {
    let setup = xtask(&["setup", "--check"], smooth);
    if !setup.status.success() {
        test_cases::report_skip(format_args!("inspect: {}", output_text(&setup)));
        return;
    }
    let output = xtask(
        &["inspect", "smooth", "--kernels", "kernels", "--block", "64"],
        smooth,
    );
    assert!(output.status.success(), "{}", output_text(&output));
    let text = output_text(&output);
    for fact in [
        "static shared memory   4104 bytes",
        "barriers               1",
        "== occupancy on compute capability 9.0 (as H100)",
        "block       64 threads; the best size is ",
        "limited by  ",
        "shared memory ",
        "bytes per block]",
        "// kernels/src/lib.rs:",
        "bar.sync",
        "st.shared",
        "== SASS",
    ] {
        assert!(text.contains(fact), "{fact} is not in: {text}");
    }
    let unknown = xtask(&["inspect", "smoth", "--kernels", "kernels"], smooth);
    assert!(
        !unknown.status.success() && output_text(&unknown).contains("available: smooth"),
        "{}",
        output_text(&unknown)
    );
}

#[test]
fn an_invalid_kernel_name_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [
        &["Blur"][..],
        &["fn"],
        &["experiments/2d"],
        &["a-b"],
        &["blur", "--name", "../blur"],
    ] {
        let refused = xtask(&[&["new-kernel"], arguments].concat(), folder.path());
        let name = arguments[arguments.len() - 1].trim_start_matches("experiments/");
        assert!(
            !refused.status.success() && output_text(&refused).contains(&format!("`{name}`")),
            "{}",
            output_text(&refused)
        );
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}
