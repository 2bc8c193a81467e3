//! Errors of the occupancy calculator.

use super::ComputeCapability;

/// A request that the calculator cannot answer. Messages name the offending value, the limit and
/// the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OccupancyError {
    /// Text that is not a compute capability.
    #[error("`{text}` is not a compute capability; write it as 9.0 or sm_90")]
    InvalidCapability {
        /// The invalid text.
        text: String,
    },
    /// A compute capability without known limits.
    #[error("compute capability {capability} is not supported; the nearest supported are {}", nearest_names(*.capability))]
    UnknownCapability {
        /// The requested capability.
        capability: ComputeCapability,
    },
    /// A GPU name that is not in the table.
    #[error("unknown GPU `{name}`; give its compute capability instead{}", suggestion(.suggestions))]
    UnknownDevice {
        /// The requested name.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// A kernel without recorded resources.
    #[error("no resources are recorded for a kernel named `{name}`{}", suggestion(.suggestions))]
    UnknownKernel {
        /// The requested name.
        name: String,
        /// Similar names.
        suggestions: Vec<String>,
    },
    /// A block size of 0, or above the device's limit.
    #[error("a block cannot have {threads} threads; use 1 to {max} on this device")]
    BlockSize {
        /// Requested threads per block.
        threads: u32,
        /// Maximum of the device.
        max: u32,
    },
    /// A block size above the kernel's launch bound.
    #[error("a block cannot have {threads} threads; the kernel was compiled for at most {max}")]
    KernelBlockSize {
        /// Requested threads per block.
        threads: u32,
        /// Launch bound of the kernel.
        max: u32,
    },
    /// More registers than a thread can have.
    #[error(
        "a thread cannot have {registers} registers; the device allows at most {max}, and the compiler spills the others"
    )]
    Registers {
        /// Requested registers per thread.
        registers: u32,
        /// Maximum of the device.
        max: u32,
    },
    /// More shared memory than a block can have.
    #[error("a block cannot have {bytes} bytes of shared memory ({static_bytes} static, {dynamic_bytes} dynamic); the maximum is {max}{}", opt_in_hint(*.max, *.max_opt_in))]
    SharedMemory {
        /// Total shared memory of the block, in bytes.
        bytes: u64,
        /// Part declared by the kernel, in bytes.
        static_bytes: u32,
        /// Part added by the launch, in bytes.
        dynamic_bytes: u32,
        /// Maximum for this launch, in bytes.
        max: u32,
        /// Maximum for kernels that opt in, in bytes.
        max_opt_in: u32,
    },
    /// More barriers than a block can have.
    #[error("a kernel cannot use {barriers} barriers; a block has {max}")]
    Barriers {
        /// Requested barriers.
        barriers: u32,
        /// Number of barriers of a block.
        max: u32,
    },
    /// A carveout out of range.
    #[error("a carveout of {given} is out of range; give 0 to 100 percent, or at most {max} bytes")]
    Carveout {
        /// The requested carveout, with its unit.
        given: String,
        /// Total shared memory of a multiprocessor, in bytes.
        max: u32,
    },
    /// Text without the resource usage of any kernel.
    #[error("the text contains no kernel; pass the output of `ptxas -v` (or `nvcc -Xptxas -v`)")]
    NoPtxasOutput,
}

impl OccupancyError {
    /// Creates an [`UnknownKernel`](Self::UnknownKernel) error that suggests similar names among
    /// `known`.
    pub fn unknown_kernel<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self::UnknownKernel {
            name: name.to_owned(),
            suggestions: similar_names(name, known),
        }
    }
}

fn nearest_names(capability: ComputeCapability) -> String {
    let names: Vec<String> = capability
        .neighbours()
        .iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    names.join(" and ")
}

fn suggestion(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [some @ .., last] => format!("; did you mean {} or {last}?", some.join(", ")),
    }
}

fn opt_in_hint(max: u32, max_opt_in: u32) -> String {
    if max < max_opt_in {
        format!(", or {max_opt_in} for a kernel that opts in")
    } else {
        String::new()
    }
}

/// Returns the names most similar to `name`: those that contain it first, then by edit distance.
pub(super) fn similar_names<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MAX_SUGGESTIONS: usize = 5;
    let lower_name = name.to_lowercase();
    let mut ranked: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = if !lower_name.is_empty() && lower.contains(&lower_name) {
                0
            } else {
                edit_distance(&lower_name, &lower)
            };
            // names that differ in more than half of their letters are not suggested
            (distance * 2 <= lower_name.chars().count()).then_some((distance, candidate))
        })
        .collect();
    ranked.sort();
    ranked.truncate(MAX_SUGGESTIONS);
    ranked
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// Computes the Levenshtein distance of two strings, in time proportional to the product of their
/// lengths.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("kernel", "kernle", 2),
            ("a", "b", 1),
        ] {
            assert_eq!(edit_distance(a, b), expected, "{a} {b}");
            assert_eq!(edit_distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn similar_names_come_first() {
        let known = ["scan_u32", "scan_f32", "classify_u8", "pack"];
        assert_eq!(similar_names("scan_u23", known.into_iter())[0], "scan_u32");
        assert_eq!(
            similar_names("classify", known.into_iter()),
            ["classify_u8"]
        );
        assert!(similar_names("quite something else", known.into_iter()).is_empty());
    }

    #[test]
    fn the_nearest_capabilities_are_named() {
        let capability = ComputeCapability::new(9, 9);
        let text = OccupancyError::UnknownCapability { capability }.to_string();
        assert!(
            text.contains("9.9") && text.contains("9.0 and 10.0"),
            "{text}"
        );
        let capability = ComputeCapability::new(99, 0);
        let text = OccupancyError::UnknownCapability { capability }.to_string();
        assert!(text.ends_with("are 12.1"), "{text}");
    }
}
