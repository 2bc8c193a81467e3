//! Compiles the conformance kernels to PTX, once per architecture.
//!
//! Without a device toolchain the build fails with what to install; `FERROVOX_NO_DEVICE_TOOLCHAIN=1` says that there is meant to be
//! none, and then the program is built without PTX.

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
        // The floating-point cases ask for the CPU's bits: a product and a sum must not become one operation.
        let builder = CudaBuilder::new(KERNELS)
            .arch(arch)
            .fma_contraction(false)
            .copy_to(&ptx);
        match builder.build() {
            Ok(_) => {}
            Err(CudaBuilderError::ToolchainNotFound(_)) if may_be_missing => {
                fs::write(&ptx, "").expect("OUT_DIR can be written to");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
