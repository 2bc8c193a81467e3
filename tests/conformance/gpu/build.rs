//! Compiles the conformance kernels to PTX, once per architecture, with what the lint says of each
//! kernel beside it, for the tests.
//!
//! Without a device toolchain the build fails with what to install;
//! `FERROVOX_NO_DEVICE_TOOLCHAIN=1` says that there is meant to be none, and then the program is
//! built without PTX.

use cuda_builder::lint::{FindingKind, LintReport};
use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use std::{env, fs, path::Path};

/// The package that compiles the kernels against this project's `cuda_std`.
const KERNELS: &str = "../ferrovox";

fn main() {
    println!("cargo::rerun-if-env-changed=FERROVOX_NO_DEVICE_TOOLCHAIN");
    let may_be_missing =
        env::var_os("FERROVOX_NO_DEVICE_TOOLCHAIN").is_some_and(|value| value == "1");
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    for arch in [NvvmArch::Compute70, NvvmArch::Compute90] {
        let ptx = Path::new(&out).join(format!("{}.ptx", arch.sm()));
        // The floating-point cases ask for the CPU's bits: a product and a sum must not become one
        // operation.
        let builder = CudaBuilder::new(KERNELS)
            .arch(arch)
            .fma_contraction(false)
            .copy_to(&ptx);
        let lint = match builder.build_with_report() {
            Ok(built) => table(&built.lint),
            Err(CudaBuilderError::ToolchainNotFound(_)) if may_be_missing => {
                fs::write(&ptx, "").expect("OUT_DIR can be written to");
                String::new()
            }
            Err(error) => panic!("{error}"),
        };
        fs::write(ptx.with_extension("lint"), lint).expect("OUT_DIR can be written to");
    }
}

/// A line for each kernel: its name, how many barriers it has, and the opcodes of its accesses that
/// name no memory.
fn table(lint: &LintReport) -> String {
    let mut text = String::new();
    for kernel in &lint.kernels {
        let accesses = kernel.findings.iter().filter(|finding| {
            use FindingKind::{GenericAccess, GenericAccessInLoop};
            matches!(finding.kind, GenericAccess | GenericAccessInLoop)
        });
        let opcodes: Vec<&str> = accesses.map(|access| access.what.as_str()).collect();
        text += &format!(
            "{} {} {}\n",
            kernel.kernel,
            kernel.barriers,
            opcodes.join(" ")
        );
    }
    text
}
