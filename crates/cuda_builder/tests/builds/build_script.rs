//! The builder in another package's `build.rs`, under a host cargo whose environment is set against
//! it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{copy_fixtures, has_toolchain};

#[test]
fn a_build_script_makes_ptx() {
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
    // the same versions as an example's, which is built with the same builder
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/03-your-first-kernel");
    fs::copy(example.join("Cargo.lock"), host.join("Cargo.lock")).unwrap();

    // The repository's: what the builder depends on is built as examples have it, and kept there;
    // `core` is that of `cargo xtask ptx`.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cargo/config.toml");
    let run = || {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--config"])
            .arg(&profiles)
            .current_dir(&host)
            .env("CARGO_TARGET_DIR", &target)
            // `cargo xtask test` sets it for this program.
            .env_remove("RUSTC_BOOTSTRAP")
            // Each of these would break a device build that it reached; `build.rs` has more. Not
            // incremental, so that the builder is compiled once for this and for the examples, as
            // `cargo xtask test` has it.
            .env("CARGO_BUILD_RUSTC_WRAPPER", "")
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run().trim(), ".target sm_75");

    let listed = announced(&target);
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
    // A change in a path dependency reaches the PTX.
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

/// What the build script told cargo to watch.
fn announced(target: &Path) -> String {
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
