//! A program outside the workspace that depends on the library by path builds and runs on any
//! machine.

use crate::support::{Run, binary};
use std::{env, fs, path::Path, process::Command};

#[test]
fn program_outside_the_workspace_builds_and_runs() {
    if test_cases::skip_slow_test("a program that builds the library anew") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = root.join("tests/scratch");
    if env::var_os("FERROVOX_BIN").is_some() || !scratch.is_dir() {
        test_cases::report_skip(format_args!(
            "the sources are not here ({} is under test)",
            binary().display()
        ));
        return;
    }
    let root = root.canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    assert!(
        !folder.path().starts_with(&root),
        "the copy must lie outside the repository"
    );
    let manifest = fs::read_to_string(scratch.join("Cargo.toml")).unwrap();
    let path = format!("{:?}", root.join("host-crate"));
    assert!(manifest.contains("\"../../host-crate\""));
    fs::write(
        folder.path().join("Cargo.toml"),
        manifest.replace("\"../../host-crate\"", &path),
    )
    .unwrap();
    // The versions of the workspace, so that nothing else is fetched.
    fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::copy(
        scratch.join("src/main.rs"),
        folder.path().join("src/main.rs"),
    )
    .unwrap();

    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // The examples' profile and the repository's target directory, so that the library is compiled
    // once for this program and the examples.
    cargo
        .args(["run", "--quiet", "--config"])
        .arg(root.join(".cargo/config.toml"))
        .arg("--config")
        .arg(root.join("examples/.cargo/config.toml"))
        .current_dir(folder.path())
        .env_clear();
    for name in [
        "PATH",
        "HOME",
        "CARGO_HOME",
        "CARGO_INCREMENTAL",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "LD_LIBRARY_PATH",
    ] {
        if let Some(value) = env::var_os(name) {
            cargo.env(name, value);
        }
    }
    cargo.env(
        "CARGO_TARGET_DIR",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."),
    );
    let run = Run::finish(&mut cargo).ok();
    assert!(run.stdout.contains("triangles, closed"), "{}", run.stdout);
}
