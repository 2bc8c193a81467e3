//! How PTX is compiled when it is loaded.

use std::ffi::c_void;

use crate::sys::{CUjit_option, jit_option};

/// How hard the compiler works.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptLevel {
    /// Not at all.
    O0 = 0,
    /// A little.
    O1 = 1,
    /// More.
    O2 = 2,
    /// Nearly all.
    O3 = 3,
    /// All: what the driver does when not told.
    O4 = 4,
}

/// An architecture to compile for.
#[non_exhaustive]
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the compute capability it names")]
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
    /// An addition to the published names, as are those below.
    Compute87 = 87,
    Compute89 = 89,
    Compute90 = 90,
    Compute100 = 100,
    Compute120 = 120,
}

/// What to do where a module has no binary for the device.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JitFallback {
    /// Compile its PTX.
    PreferPtx = 0,
    /// Take a binary that fits the device's family.
    PreferCompatibleBinary = 1,
}

/// One option of the compilation that loading a module starts.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleJitOption {
    /// The most registers a thread may use.
    MaxRegisters(u32),
    /// How hard to work.
    OptLevel(OptLevel),
    /// Compile for the current context's device: what happens anyway.
    DetermineTargetFromContext,
    /// Compile for this architecture.
    Target(JitTarget),
    /// What to do where no binary fits.
    Fallback(JitFallback),
    /// Make debug information. (The published name is spelt so.)
    GenenerateDebugInfo(bool),
    /// Make line information.
    GenerateLineInfo(bool),
    /// Say more in the log: registers and memory of each kernel. (An addition to the published
    /// names.)
    LogVerbose(bool),
}

impl ModuleJitOption {
    /// The driver's keys and values for `opts`, equal in number.
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
            // Takes no value, but keys and values go in pairs.
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
    fn keys_and_values_go_in_pairs() {
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
