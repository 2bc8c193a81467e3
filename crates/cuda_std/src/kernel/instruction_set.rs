//! Which of the CPU's instructions a kernel's body is compiled for.
//!
//! An x86-64 program is compiled for every x86-64 processor, and those need have neither a fused
//! multiply-add nor vectors of 256 bits nor minima of unsigned integers. So a kernel's body is
//! compiled twice, and a launch chooses. Both versions give the same bits: no compiler fuses or
//! reorders operations on floats that the source does not.
//!
//! Compiling is what a build of kernels takes most of its time for. So in a library that is built
//! with debug assertions, bodies are compiled for the baseline alone (but for those in steps, and
//! for `#[kernel(fused)]`), unless `FERROVOX_DEBUG_AVX2` is set when it is compiled. Kernels in a
//! test's own crate have both versions.

use simt::Mode;
use std::sync::OnceLock;

/// The variable that, set to `off`, has every launch take [`InstructionSet::Baseline`].
const VARIABLE: &str = "FERROVOX_AVX2";

/// What a launch on the CPU has its kernel compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// What the whole program is compiled for.
    Baseline,
    /// On x86-64: AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
    Avx2,
    /// The baseline, with the accesses that no view makes told to checked mode where the kernel has
    /// such.
    Instrumented,
}

impl InstructionSet {
    /// The best that this machine has: what launches in fast mode take. Environment variable
    /// `FERROVOX_AVX2=off`, read once, makes it the baseline.
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

    /// What a launch in this mode takes: checked mode, whose time goes elsewhere, the baseline,
    /// instrumented.
    pub(super) fn for_mode(mode: Mode) -> Self {
        match mode {
            Mode::Fast => Self::best(),
            Mode::Checked { .. } => Self::Instrumented,
        }
    }

    /// Whether this machine has them.
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
