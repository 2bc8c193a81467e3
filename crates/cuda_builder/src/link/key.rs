//! Hash of the inputs of a link, to skip it if they are unchanged.
//!
//! Many changes for which cargo recompiles a kernel crate do not affect device code: code for the
//! CPU, tests, or the timestamp of a file.

use std::env;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};

use super::{LINK_REVISION, LinkOptions};
use crate::device_build::LinkInputs;
use crate::error::IoContext;
use crate::{LlvmTools, Result};

/// Returns the SHA-256 hash (lower-case hex) of the inputs, the options, the tools and this
/// program.
///
/// # Errors
/// An input that cannot be read.
pub(super) fn link_key(
    llvm: &LlvmTools,
    inputs: &LinkInputs,
    options: &LinkOptions,
) -> Result<String> {
    let mut hash = Sha256::new();
    let mut field = |value: &[u8]| {
        // lengths separate adjacent fields
        hash.update(value.len().to_le_bytes());
        hash.update(value);
    };
    field(&LINK_REVISION.to_le_bytes());
    // the lowering is part of this program
    if let Ok(program) = env::current_exe() {
        field(&stamp(&program));
    }
    field(llvm.version.as_bytes());
    for tool in ["llvm-link", "opt", "llc"] {
        field(&stamp(&llvm.tool(tool)));
    }
    field(format!("{options:?}").as_bytes());
    for name in &inputs.exported {
        field(name.as_bytes());
    }
    for path in &inputs.objects {
        field(path.as_os_str().as_encoded_bytes());
        field(&fs::read(path).at("cannot read", path)?);
    }
    // libraries are large, and rewritten by cargo only when they are recompiled, not with the
    // kernels
    for path in &inputs.libraries {
        field(&stamp(path));
    }
    Ok(hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Returns path, size and timestamp of a file, for files that are large or rarely change.
fn stamp(path: &Path) -> Vec<u8> {
    let metadata = fs::metadata(path).ok().map(|metadata| {
        let time = metadata.modified().ok();
        let age = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), age)
    });
    format!("{path:?} {metadata:?}").into_bytes()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::NvvmArch;
    use crate::device_build::Profile;

    #[test]
    fn every_input_changes_the_key() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let llvm = LlvmTools {
            bin: directory.path().to_owned(),
            version: "22.1.8".to_owned(),
        };
        let options = LinkOptions {
            arch: NvvmArch::Compute70,
            profile: Profile::Release,
            optimise: true,
            ftz: false,
            fast_sqrt: false,
            fast_div: false,
            fma_contraction: false,
            only_kernel: None,
        };
        let inputs = LinkInputs {
            objects: vec![at("k.o", "1")],
            libraries: vec![at("libhelper-1.rlib", "1"), at("libcore-1.rlib", "1")],
            exported: vec!["run".to_owned()],
        };
        let first = link_key(&llvm, &inputs, &options).unwrap();
        assert_eq!(link_key(&llvm, &inputs, &options).unwrap(), first);
        let mut keys = BTreeSet::from([first]);
        let mut is_new = |llvm: &LlvmTools, inputs: &LinkInputs, options: &LinkOptions| {
            keys.insert(link_key(llvm, inputs, options).unwrap())
        };
        // for equal sizes, objects are distinguished by contents and libraries by timestamp
        for name in ["k.o", "libhelper-1.rlib"] {
            at(name, "2");
            assert!(is_new(&llvm, &inputs, &options), "{name}");
        }
        at("libcore-1.rlib", "of another size");
        assert!(is_new(&llvm, &inputs, &options));
        at("llc", "an executable");
        assert!(is_new(&llvm, &inputs, &options));
        let fused = LinkOptions {
            fma_contraction: true,
            ..options
        };
        assert!(is_new(&llvm, &inputs, &fused));
        let newer = LinkOptions {
            arch: NvvmArch::Compute90,
            ..options
        };
        assert!(is_new(&llvm, &inputs, &newer));
        let one = LinkOptions {
            only_kernel: Some("run"),
            ..options
        };
        assert!(is_new(&llvm, &inputs, &one));
        let fewer = LinkInputs {
            exported: Vec::new(),
            ..inputs.clone()
        };
        assert!(is_new(&llvm, &fewer, &options));
        let other = LlvmTools {
            version: "23.0.0".to_owned(),
            ..llvm.clone()
        };
        assert!(is_new(&other, &inputs, &options));
        fs::remove_file(directory.path().join("k.o")).unwrap();
        assert!(link_key(&llvm, &inputs, &options).is_err());
    }
}
