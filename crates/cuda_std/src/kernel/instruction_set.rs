//! Instruction sets for which kernel bodies are compiled on the CPU.
//!
//! A portable x86-64 program may use neither fused multiply-add, nor 256-bit vectors, nor unsigned
//! integer minima. Kernel bodies are therefore compiled twice, and a launch selects a version at
//! run time. Both versions give the same bits: the compiler neither fuses nor reorders
//! floating-point operations on its own.
//!
//! Compiling bodies dominates the build time of kernels. A library built with debug assertions
//! therefore contains the baseline only (except for coroutines and `#[kernel(fused)]`), unless
//! `FERROVOX_DEBUG_AVX2` is set at compile time. Kernels in a test's own crate have both versions.

use simt::Mode;
use std::sync::OnceLock;

/// Environment variable that, set to `off`, makes all launches use [`InstructionSet::Baseline`].
const VARIABLE: &str = "FERROVOX_AVX2";

/// Instruction set of a kernel body on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// Instruction set of the whole program.
    Baseline,
    /// On x86-64: AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// The baseline, instrumented for checked mode if the kernel has accesses that do not go
    /// through views.
    Instrumented,
}

impl InstructionSet {
    /// Returns the best instruction set that this processor supports, which fast mode uses.
    /// Environment variable `FERROVOX_AVX2=off`, read once, selects the baseline.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<InstructionSet> = OnceLock::new();
        *BEST.get_or_init(|| {
            let allowed = std::env::var_os(VARIABLE).is_none_or(|it| it != "off");
            if allowed && Self::Avx2.is_supported() {
                Self::Avx2
            } else {
                Self::Baseline
            }
        })
    }

    /// Returns the instruction set for launches in this mode. Checked mode uses the instrumented
    /// baseline, because its time is spent elsewhere.
    pub(super) fn for_mode(mode: Mode) -> Self {
        match mode {
            Mode::Fast => Self::best(),
            Mode::Checked { .. } => Self::Instrumented,
        }
    }

    /// Returns `true` if this processor supports the instruction set.
    #[must_use]
    pub fn is_supported(self) -> bool {
        match self {
            Self::Baseline | Self::Instrumented => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 => false,
        }
    }
}

#[cfg(test)]
#[path = "instruction_set_tests.rs"]
mod tests;
