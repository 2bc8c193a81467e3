//! `core` and `alloc` for the GPU, built once.
//!
//! No toolchain contains `core` for this target. cargo's `-Zbuild-std` can build it, but separately
//! for each target directory, and every build resolves the standard library's dependencies.
//! Therefore it is built once per compiler, for an empty crate, and its libraries form a sysroot
//! that all kernel crates, profiles and architectures share.

use std::fs::{self, File};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::cargo::{TARGET, command, run};
use super::{Profile, Settings};
use crate::Result;
use crate::error::IoContext;

/// Libraries to build. The global allocator required by `alloc` is defined by `cuda_std`.
const LIBRARIES: &str = "core,alloc";

/// Returns the directory of the sysroot, building it first if necessary.
///
/// # Errors
/// Errors of cargo if the libraries cannot be built. The first build requires the package registry,
/// because cargo resolves the whole standard library.
pub(crate) fn ensure_sysroot(settings: &Settings) -> Result<PathBuf> {
    // a single optimized version: debug builds of kernels do not need a slow `core`
    let settings = &Settings {
        profile: Profile::Release,
        debug_info: "line-directives-only",
        ..*settings
    };
    let identity = format!("{:?} {LIBRARIES}", settings.toolchain.version);
    let key: String = Sha256::digest(&identity)
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let directory = settings.directory.join("sysroot").join(key);
    let sysroot = directory.join("sysroot");
    let complete = directory.join("complete");

    fs::create_dir_all(&directory).at("cannot create", &directory)?;
    let lock_path = directory.join("lock");
    let lock = File::create(&lock_path).at("cannot create", &lock_path)?;
    lock.lock().at("cannot lock", &lock_path)?;
    if complete.is_file() {
        return Ok(sysroot);
    }

    let source = directory.join("empty");
    let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    for path in [&source.join("src"), &libraries] {
        fs::create_dir_all(path).at("cannot create", path)?;
    }
    for (name, text) in [
        (
            "Cargo.toml",
            "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n",
        ),
        ("src/lib.rs", "#![no_std]\n"),
    ] {
        let path = source.join(name);
        fs::write(&path, text).at("cannot write", &path)?;
    }
    eprintln!(
        "cuda_builder: building core and alloc for the GPU (once per compiler; needs the package registry)"
    );
    let mut command = command(settings, "build", &directory.join("build"), &[]);
    command
        .arg(format!("-Zbuild-std={LIBRARIES}"))
        .current_dir(&source);
    for artifact in run(&mut command, &source)? {
        // the library of the empty crate is not copied
        if artifact
            .file
            .extension()
            .is_some_and(|extension| extension == "rlib")
            && !artifact.manifest.starts_with(&source)
        {
            let to = libraries.join(artifact.file.file_name().unwrap_or_default());
            fs::copy(&artifact.file, &to).at("cannot write", &to)?;
        }
    }
    fs::write(&complete, identity).at("cannot write", &complete)?;
    // the intermediate files are as large as the libraries and no longer needed
    let _ = fs::remove_dir_all(directory.join("build"));
    Ok(sysroot)
}
