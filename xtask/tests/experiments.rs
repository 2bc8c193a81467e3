//! `cargo xtask new-kernel` and `inspect`: a crate that is made anew builds, runs, is right, is
//! measured and can be looked into; and the race that its comment tells of is found.

use std::path::Path;
use std::process::{Command, Output};

fn xtask(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(folder);
    sharing(&mut command).output().expect("xtask runs")
}

/// What the crate has in common with the repository's examples is compiled once: it lies where the
/// repository's profile is read, and has its target directory.
fn sharing(command: &mut Command) -> &mut Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    // `cargo xtask test` sets the variable for this program, and cargo would build everything anew
    command
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTC_BOOTSTRAP")
}

/// Cargo in the new crate, which asks no registry for anything.
fn cargo(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--offline").current_dir(folder);
    sharing(&mut command).output().expect("cargo runs")
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]];
    both.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .join("\n")
}

#[test]
fn a_new_kernel_runs_at_once() {
    if test_cases::is_left_out("a new crate with its kernel") {
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let made = xtask(&["new-kernel", "./not-yet/../smooth"], folder.path());
    assert!(!made.status.success(), "{}", said(&made));
    let made = xtask(&["new-kernel", "./smooth"], folder.path());
    assert!(made.status.success(), "{}", said(&made));
    let smooth = folder.path().join("smooth");

    let ran = cargo(&["run", "--quiet"], &smooth);
    assert!(ran.status.success(), "{}", said(&ran));
    assert!(
        said(&ran).contains("cpu: 100000 elements, no findings"),
        "{}",
        said(&ran)
    );
    let tested = cargo(&["test", "--quiet"], &smooth);
    assert!(tested.status.success(), "{}", said(&tested));

    // again is refused, and changes nothing
    let again = xtask(&["new-kernel", "smooth"], folder.path());
    assert!(
        !again.status.success() && said(&again).contains("is there already"),
        "{}",
        said(&again)
    );

    // the race
    let source = smooth.join("kernels/src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("its source");
    let barrier = "    thread::sync_threads();\n";
    assert!(text.contains(barrier));
    std::fs::write(&source, text.replace(barrier, "")).expect("a file");
    let raced = cargo(&["test", "--quiet"], &smooth);
    assert!(!raced.status.success());
    assert!(
        said(&raced).contains("race on") || said(&raced).contains("uninitialised read"),
        "{}",
        said(&raced)
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
    assert!(swept.status.success(), "{}", said(&swept));
    let table = std::fs::read_to_string(folder.path().join("out/sweep-t.csv")).expect("a file");
    assert_eq!(
        table
            .lines()
            // registers, dynamic shared memory, then what follows from registers
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

/// What can be seen of it, where the device compiler and the assembler are installed.
fn inspect(smooth: &Path) {
    let setup = xtask(&["setup", "--check"], smooth);
    if !setup.status.success() {
        eprintln!("inspect is not tested: {}", said(&setup));
        return;
    }
    let seen = xtask(
        &["inspect", "smooth", "--kernels", "kernels", "--block", "64"],
        smooth,
    );
    assert!(seen.status.success(), "{}", said(&seen));
    let text = said(&seen);
    for fact in [
        "static shared memory   4104 bytes",
        "barriers               1",
        "== occupancy on compute capability 9.0 (as H100)",
        "block       64 threads; the best are ",
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
        !unknown.status.success() && said(&unknown).contains("there are smooth"),
        "{}",
        said(&unknown)
    );
}

#[test]
fn a_name_that_rust_cannot_use_is_refused() {
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
            !refused.status.success() && said(&refused).contains(&format!("`{name}`")),
            "{}",
            said(&refused)
        );
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        0
    );
}
