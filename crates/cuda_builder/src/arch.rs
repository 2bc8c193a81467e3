//! GPU architectures supported as compilation targets.

use std::fmt;
use std::str::FromStr;

use crate::CudaBuilderError;

/// Target architecture, given to `CudaBuilder::arch`.
///
/// The names are those of Rust-CUDA. PTX for one compute capability also runs on all newer ones,
/// translated by the driver, except for names that end in `a`, whose PTX runs only on this
/// architecture. The oldest is 7.0 (Volta): older ones lack independent thread scheduling, which
/// lane masks require.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NvvmArch {
    /// Volta: V100.
    #[default]
    Compute70,
    /// Xavier.
    Compute72,
    /// Turing: T4, RTX 20.
    Compute75,
    /// Ampere: A100.
    Compute80,
    /// Ampere: RTX 30, A40.
    Compute86,
    /// Orin.
    Compute87,
    /// Ada: RTX 40, L4, L40.
    Compute89,
    /// Hopper: H100, H200.
    Compute90,
    /// Hopper with architecture-specific instructions.
    Compute90a,
    /// Blackwell: B100, B200.
    Compute100,
    /// Blackwell B200 with architecture-specific instructions.
    Compute100a,
    /// Blackwell Ultra: B300.
    Compute103,
    /// Thor.
    Compute110,
    /// Blackwell: RTX 50.
    Compute120,
    /// Blackwell: DGX Spark.
    Compute121,
}

/// Architecture, number as in `sm_NN`, suffix, and first PTX version (times ten) that supports it.
const TABLE: [(NvvmArch, u32, &str, u32); 15] = [
    (NvvmArch::Compute70, 70, "", 60),
    (NvvmArch::Compute72, 72, "", 61),
    (NvvmArch::Compute75, 75, "", 63),
    (NvvmArch::Compute80, 80, "", 70),
    (NvvmArch::Compute86, 86, "", 71),
    (NvvmArch::Compute87, 87, "", 74),
    (NvvmArch::Compute89, 89, "", 78),
    (NvvmArch::Compute90, 90, "", 78),
    (NvvmArch::Compute90a, 90, "a", 80),
    (NvvmArch::Compute100, 100, "", 86),
    (NvvmArch::Compute100a, 100, "a", 86),
    (NvvmArch::Compute103, 103, "", 88),
    (NvvmArch::Compute110, 110, "", 90),
    (NvvmArch::Compute120, 120, "", 87),
    (NvvmArch::Compute121, 121, "", 88),
];

/// Compute capabilities with a `compute_NN` feature, oldest first.
const COMPUTE_FEATURES: [u32; 22] = [
    35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121,
];

/// Minimum PTX version, times ten: 7.0 (CUDA 11.0) supports all instructions that kernels for
/// `sm_70` use (`activemask` requires 6.2, `nanosleep` 6.3), and is the oldest version that rustc
/// continues to support.
const MIN_PTX_VERSION: u32 = 70;

impl NvvmArch {
    /// Returns all architectures, oldest first.
    pub fn all() -> impl Iterator<Item = NvvmArch> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (NvvmArch, u32, &'static str, u32) {
        // the table lists the variants in declaration order, which a test checks
        &TABLE[self as usize]
    }

    /// Returns the name of the real architecture, as used by LLVM and `ptxas`.
    ///
    /// ```
    /// assert_eq!(cuda_builder::NvvmArch::Compute90.sm(), "sm_90");
    /// ```
    pub fn sm(self) -> String {
        let (_, number, suffix, _) = self.row();
        format!("sm_{number}{suffix}")
    }

    /// Returns the value of `CUDA_ARCH` for the build of the kernel crate: 100 times the compute
    /// capability, such as `"700"` for 7.0.
    pub fn cuda_arch(self) -> String {
        format!("{}0", self.row().1)
    }

    /// Returns rustc's flags for `cfg(target_feature = "compute_NN")`, compatible with Rust-CUDA:
    /// the features of this architecture and of all older ones, except that features with a letter
    /// suffix are set for their own architecture only.
    pub(crate) fn target_features(self) -> Vec<String> {
        let (_, number, suffix, _) = self.row();
        let mut known: Vec<String> = COMPUTE_FEATURES
            .iter()
            .map(|number| format!("compute_{number}"))
            .collect();
        let mut features: Vec<String> = COMPUTE_FEATURES
            .iter()
            .filter(|&feature| feature <= number)
            .map(|feature| format!("compute_{feature}"))
            .collect();
        for letter in ["a", "f"] {
            let with_letter = COMPUTE_FEATURES.iter().filter(|&&feature| feature >= 90);
            known.extend(with_letter.map(|feature| format!("compute_{feature}{letter}")));
        }
        if !suffix.is_empty() {
            features.push(format!("compute_{number}{suffix}"));
        }
        let values: Vec<String> = known.iter().map(|name| format!("{name:?}")).collect();
        features
            .iter()
            .map(|name| format!("--cfg=target_feature={name:?}"))
            // rustc takes known names from LLVM, which has no such features
            .chain(["-Aexplicit_builtin_cfgs_in_flags".to_owned()])
            .chain([format!(
                "--check-cfg=cfg(target_feature, values({}))",
                values.join(",")
            )])
            .collect()
    }

    /// Returns the maximum static shared memory of a kernel, in bytes. Dynamic shared memory can
    /// exceed it from 7.0 on.
    pub fn max_static_shared_bytes(self) -> u64 {
        48 * 1024
    }

    /// Returns the PTX version, times ten, of files for this architecture: the oldest that supports
    /// everything kernels need.
    pub fn ptx_version(self) -> u32 {
        self.row().3.max(MIN_PTX_VERSION)
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, number, suffix, _) = self.row();
        write!(f, "compute_{number}{suffix}")
    }
}

impl FromStr for NvvmArch {
    type Err = CudaBuilderError;

    /// Parses `sm_90`, `compute_90`, `90` or `9.0`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bare = text
            .trim_start_matches("sm_")
            .trim_start_matches("compute_")
            .replace('.', "");
        TABLE
            .iter()
            .find(|(_, number, suffix, _)| bare == format!("{number}{suffix}"))
            .map(|row| row.0)
            .ok_or_else(|| CudaBuilderError::UnknownArch {
                given: text.to_owned(),
                known: NvvmArch::all()
                    .map(NvvmArch::sm)
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_declaration_order() {
        for (position, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, position, "{:?}", row.0);
        }
    }

    #[test]
    fn every_spelling_of_a_name_is_parsed() {
        for text in ["sm_90", "compute_90", "90", "9.0"] {
            assert_eq!(
                text.parse::<NvvmArch>().unwrap(),
                NvvmArch::Compute90,
                "{text}"
            );
        }
        assert_eq!("sm_90a".parse::<NvvmArch>().unwrap(), NvvmArch::Compute90a);
        let error = "sm_61".parse::<NvvmArch>().unwrap_err().to_string();
        assert!(
            error.contains("sm_61") && error.contains("sm_70"),
            "{error}"
        );
    }

    #[test]
    fn features_include_all_older_architectures() {
        let flags = NvvmArch::Compute90a.target_features();
        let holds = |name: &str| flags.contains(&format!("--cfg=target_feature={name:?}"));
        assert!(holds("compute_35") && holds("compute_90") && holds("compute_90a"));
        assert!(!holds("compute_100") && !holds("compute_100a"));
        assert!(
            !NvvmArch::Compute90
                .target_features()
                .join(" ")
                .contains("--cfg=target_feature=\"compute_90a\"")
        );
        assert!(NvvmArch::all().all(|arch| COMPUTE_FEATURES.contains(&arch.row().1)));
    }

    #[test]
    fn ptx_version_supports_the_architecture() {
        assert_eq!(NvvmArch::Compute70.ptx_version(), 70);
        assert_eq!(NvvmArch::Compute90.ptx_version(), 78);
        assert_eq!(NvvmArch::Compute70.cuda_arch(), "700");
        assert_eq!(NvvmArch::Compute100a.cuda_arch(), "1000");
    }
}
