//! Environment of the device compiler, for all commands that run it.
//!
//! In a `build.rs` the environment is that of the host's cargo: its rustc, flags, target directory,
//! jobserver, and with rustup a pinned toolchain and library path. None of these may affect another
//! cargo with another rustc.

use std::env;
use std::process::Command;

/// Prefixes of environment variables that configure the host's build and are therefore removed.
const REMOVED_PREFIXES: [&str; 5] = ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "RUSTDOC", "DEP_"];
/// Names of removed variables that have none of these prefixes: the host's cargo sets them for
/// build scripts or passes them on.
const REMOVED: [&str; 14] = [
    "RUSTFLAGS",
    "RUST_RECURSION_COUNT",
    "RUST_TARGET_PATH",
    "MAKEFLAGS",
    "MFLAGS",
    "NUM_JOBS",
    "OUT_DIR",
    "TARGET",
    "HOST",
    "PROFILE",
    "OPT_LEVEL",
    "DEBUG",
    "CUDA_ARCH",
    "__CARGO_DEFAULT_LIB_METADATA",
];
/// Prefixes of variables that are kept although a removed prefix matches: the user's settings of
/// cargo's directories, network and terminal.
const KEPT_PREFIXES: [&str; 5] = [
    "CARGO_HOME",
    "CARGO_NET_",
    "CARGO_HTTP_",
    "CARGO_REGISTR",
    "CARGO_TERM_",
];

/// Removes all variables that affect cargo or rustc from the command's environment.
pub(crate) fn scrub_environment(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_removed) {
            command.env_remove(&name);
        }
    }
    // the host's cargo prepends the library directories of its toolchain and target directory
    for name in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"] {
        let Some(value) = env::var_os(name) else {
            continue;
        };
        let retained: Vec<_> = env::split_paths(&value)
            .filter(|path| !belongs_to_host_build(&path.to_string_lossy()))
            .collect();
        match env::join_paths(&retained) {
            Ok(value) if !retained.is_empty() => command.env(name, value),
            _ => command.env_remove(name),
        };
    }
}

fn is_removed(name: &str) -> bool {
    let is_kept = KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    !is_kept
        && (REMOVED.contains(&name)
            || REMOVED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix)))
}

fn belongs_to_host_build(path: &str) -> bool {
    let path = path.replace('\\', "/");
    path.contains("/rustlib/")
        || path.contains("/toolchains/")
        || path.ends_with("/deps")
        || path.contains("/build/")
        || path.ends_with("/debug")
        || path.ends_with("/release")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_affect_a_build_are_removed() {
        for name in [
            "RUSTC",
            "RUSTC_WRAPPER",
            "RUSTC_BOOTSTRAP",
            "CARGO",
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTUP_TOOLCHAIN",
            "CARGO_TARGET_DIR",
            "CARGO_MAKEFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_FEATURE_X",
            "CARGO_MANIFEST_DIR",
            "DEP_Z_INCLUDE",
            "OUT_DIR",
        ] {
            assert!(is_removed(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "CARGO_HOME",
            "CARGO_NET_OFFLINE",
            "CARGO_HTTP_PROXY",
            "HTTPS_PROXY",
            "RUSTUP_HOME",
            "RUST_LOG",
        ] {
            assert!(!is_removed(name), "{name}");
        }
    }

    #[test]
    fn only_library_paths_of_the_host_build_are_removed() {
        assert!(belongs_to_host_build(
            "/home/u/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/lib"
        ));
        assert!(belongs_to_host_build("/home/u/p/target/debug/deps"));
        assert!(!belongs_to_host_build("/usr/local/cuda/lib64"));
    }
}
