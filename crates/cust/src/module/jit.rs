//! Options for the compilation of PTX when it is loaded.

use std::ffi::c_void;

use crate::sys::{CUjit_option, jit_option};

/// Optimization level.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptLevel {
    /// Optimization disabled.
    O0 = 0,
    /// Level 1.
    O1 = 1,
    /// Level 2.
    O2 = 2,
    /// Level 3.
    O3 = 3,
    /// Level 4, the default.
    O4 = 4,
}

/// Architecture to compile for.
#[non_exhaustive]
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name contains the compute capability")]
pub enum JitTarget {
    Compute20 = 20,
    Compute21 = 21,
    Compute30 = 30,
    Compute32 = 32,
    Compute35 = 35,
    Compute37 = 37,
    Compute50 = 50,
    Compute52 = 52,
    Compute53 = 53,
    Compute60 = 60,
    Compute61 = 61,
    Compute62 = 62,
    Compute70 = 70,
    Compute72 = 72,
    Compute75 = 75,
    Compute80 = 80,
    Compute86 = 86,
    /// This and the following are not part of Rust-CUDA.
    Compute87 = 87,
    Compute89 = 89,
    Compute90 = 90,
    Compute100 = 100,
    Compute120 = 120,
}

/// Fallback if a module has no binary for the device.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitFallback {
    /// Compile the PTX.
    PreferPtx = 0,
    /// Use a binary that is compatible with the device.
    PreferCompatibleBinary = 1,
}

/// Option of the just-in-time compiler.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleJitOption {
    /// Maximum number of registers per thread.
    MaxRegisters(u32),
    /// Optimization level.
    OptLevel(OptLevel),
    /// Compile for the current context's device (the default).
    DetermineTargetFromContext,
    /// Compile for this architecture.
    Target(JitTarget),
    /// Fallback if no binary matches the device.
    Fallback(JitFallback),
    /// Generate debug information. (The spelling is that of Rust-CUDA.)
    GenenerateDebugInfo(bool),
    /// Generate line information.
    GenerateLineInfo(bool),
    /// Log the registers and the memory of each kernel. (Not part of Rust-CUDA.)
    LogVerbose(bool),
}

impl ModuleJitOption {
    /// Converts options to the driver's keys and values, of equal number.
    pub fn into_raw(opts: &[Self]) -> (Vec<CUjit_option>, Vec<*mut c_void>) {
        opts.iter()
            .map(|option| option.pair())
            .map(|(key, value)| (key, std::ptr::without_provenance_mut(value)))
            .unzip()
    }

    pub(crate) fn pair(self) -> (CUjit_option, usize) {
        match self {
            ModuleJitOption::MaxRegisters(registers) => {
                (jit_option::MAX_REGISTERS, registers as usize)
            }
            ModuleJitOption::OptLevel(level) => (jit_option::OPTIMIZATION_LEVEL, level as usize),
            // the driver ignores the value, but expects one for every key
            ModuleJitOption::DetermineTargetFromContext => (jit_option::TARGET_FROM_CUCONTEXT, 0),
            ModuleJitOption::Target(target) => (jit_option::TARGET, target as usize),
            ModuleJitOption::Fallback(fallback) => {
                (jit_option::FALLBACK_STRATEGY, fallback as usize)
            }
            ModuleJitOption::GenenerateDebugInfo(make) => {
                (jit_option::GENERATE_DEBUG_INFO, usize::from(make))
            }
            ModuleJitOption::GenerateLineInfo(make) => {
                (jit_option::GENERATE_LINE_INFO, usize::from(make))
            }
            ModuleJitOption::LogVerbose(verbose) => (jit_option::LOG_VERBOSE, usize::from(verbose)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_value_per_key() {
        let options = [
            ModuleJitOption::DetermineTargetFromContext,
            ModuleJitOption::MaxRegisters(32),
            ModuleJitOption::OptLevel(OptLevel::O2),
        ];
        let (keys, values) = ModuleJitOption::into_raw(&options);
        assert_eq!(keys, [8, 0, 7]);
        assert_eq!(
            values.iter().map(|value| value.addr()).collect::<Vec<_>>(),
            [0, 32, 2]
        );
    }
}
