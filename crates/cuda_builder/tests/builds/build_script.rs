//! The builder in the `build.rs` of another package, under a host cargo with an adverse
//! environment.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{copy_fixtures, has_toolchain};

#[test]
fn a_build_script_builds_ptx() {
    if !has_toolchain() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    copy_fixtures(directory.path());
    let host = directory.path().join("host");
    let manifest = host.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)
        .unwrap()
        .replace("@BUILDER@", &env!("CARGO_MANIFEST_DIR").replace('\\', "/"));
    fs::write(&manifest, text).unwrap();
    // the dependency versions of an example, which is built with the same builder
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/01-your-first-kernel");
    fs::copy(example.join("Cargo.lock"), host.join("Cargo.lock")).unwrap();

    // The repository's target directory, so that the builder's dependencies are shared with the
    // examples and kept; `core` is shared with `cargo xtask ptx`.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cargo/config.toml");
    let run = || {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--config"])
            .arg(&profiles)
            .current_dir(&host)
            .env("CARGO_TARGET_DIR", &target)
            // set by `cargo xtask test` for this program
            .env_remove("RUSTC_BOOTSTRAP")
            // Each of these would break a device build that inherited it; `build.rs` sets more. Not
            // incremental, so that the builder is compiled once for this test and the examples, as
            // in `cargo xtask test`.
            .env("CARGO_BUILD_RUSTC_WRAPPER", "")
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run().trim(), ".target sm_90");

    let listed = watched_paths(&target);
    for path in ["raw/src", "raw/Cargo.toml", "helper/src"] {
        assert!(
            listed.contains(&format!(
                "{}\n",
                directory
                    .path()
                    .canonicalize()
                    .unwrap()
                    .join(path)
                    .display()
            )),
            "{path} not in\n{listed}"
        );
    }
    // a change in a path dependency affects the PTX
    let ptx = || fs::read_to_string(newest_ptx(&target)).unwrap();
    let before = ptx();
    let helper = directory.path().join("helper/src/lib.rs");
    fs::write(
        &helper,
        fs::read_to_string(&helper).unwrap().replace("% 7", "% 9"),
    )
    .unwrap();
    run();
    assert_ne!(ptx(), before);
}

/// Returns the paths that the build script asked cargo to watch.
fn watched_paths(target: &Path) -> String {
    let out = newest_ptx(target);
    let text = fs::read_to_string(out.parent().unwrap().with_file_name("output")).unwrap();
    let watched = text
        .lines()
        .filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="));
    watched.map(|path| format!("{path}\n")).collect()
}

fn newest_ptx(target: &Path) -> std::path::PathBuf {
    let scripts = target
        .join("debug/build")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path().join("out/kernels.ptx"));
    scripts
        .filter(|path| path.is_file())
        .max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap())
        .unwrap()
}
