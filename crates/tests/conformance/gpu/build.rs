//! Compiles the conformance kernels to PTX for each architecture, and stores the lint's findings
//! for the tests.
//!
//! Without a device toolchain the build fails with instructions to install it. With
//! `FERROVOX_NO_DEVICE_TOOLCHAIN=1` the program is built without PTX instead.

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
        // The floating-point cases expect the CPU's bits, so products and sums must not be
        // contracted.
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

/// Formats one line per kernel: its name, the number of barriers, and the opcodes of generic
/// accesses.
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
