//! What can be wrong with a question to the calculator.

use super::ComputeCapability;

/// A question that has no answer: what was asked, what there is, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OccupancyError {
    /// Text that is no compute capability.
    #[error("`{text}` is no compute capability; write it as 9.0 or sm_90")]
    NoCapability {
        /// The text.
        text: String,
    },
    /// A capability that the calculator has no limits for.
    #[error("there are no limits for compute capability {capability}; the nearest known are {}", nearest(*.capability))]
    UnknownCapability {
        /// The capability.
        capability: ComputeCapability,
    },
    /// A GPU that the calculator does not know by name.
    #[error("no GPU known here is called `{name}`: give its compute capability{}", suggested(.suggestions))]
    UnknownDevice {
        /// The name.
        name: String,
        /// Names like it.
        suggestions: Vec<String>,
    },
    /// A kernel of which nothing is recorded.
    #[error("no kernel recorded is called `{name}`{}", suggested(.suggestions))]
    UnknownKernel {
        /// The name.
        name: String,
        /// Names like it.
        suggestions: Vec<String>,
    },
    /// A block without threads, or with more than the device allows.
    #[error(
        "a block of {threads} threads cannot be launched: it can have 1 to {most} threads here"
    )]
    BlockSize {
        /// Threads asked for.
        threads: u32,
        /// The device's limit.
        most: u32,
    },
    /// More threads than the kernel was compiled for.
    #[error(
        "a block of {threads} threads cannot be launched: the kernel was compiled for {most} at most"
    )]
    KernelBlockSize {
        /// Threads asked for.
        threads: u32,
        /// The kernel's launch bound.
        most: u32,
    },
    /// More registers than a thread can have.
    #[error(
        "{registers} registers per thread are more than the {most} that a thread can have here; the compiler would spill the rest"
    )]
    Registers {
        /// Registers asked for.
        registers: u32,
        /// The device's limit.
        most: u32,
    },
    /// More shared memory than a block can have.
    #[error("a block cannot have {bytes} bytes of shared memory ({static_bytes} static, {dynamic_bytes} dynamic): {most} is the most{}", opting(*.most, *.most_opt_in))]
    SharedMemory {
        /// All of the block's shared memory.
        bytes: u64,
        /// What of it the kernel declares.
        static_bytes: u32,
        /// What of it the launch adds.
        dynamic_bytes: u32,
        /// The limit that was asked about.
        most: u32,
        /// The limit for kernels that opt in.
        most_opt_in: u32,
    },
    /// More barriers than a block can have.
    #[error("a kernel cannot use {barriers} barriers: a block has {most}")]
    Barriers {
        /// Barriers asked for.
        barriers: u32,
        /// How many a block has.
        most: u32,
    },
    /// A carveout that means nothing.
    #[error("a carveout of {given} makes no sense: give 0 to 100 percent, or up to {most} bytes")]
    Carveout {
        /// What was given, with its unit.
        given: String,
        /// All shared memory of a multiprocessor, in bytes.
        most: u32,
    },
    /// Text without a kernel's figures in it.
    #[error(
        "there are no kernel's figures in this text; it should be what `ptxas -v` prints (nvcc: -Xptxas -v)"
    )]
    NoFigures,
}

impl OccupancyError {
    /// There is no kernel of that name among those known.
    pub fn unknown_kernel<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self::UnknownKernel {
            name: name.to_owned(),
            suggestions: alike(name, known),
        }
    }
}

fn nearest(capability: ComputeCapability) -> String {
    let names: Vec<String> = capability
        .neighbours()
        .iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    names.join(" and ")
}

fn suggested(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [some @ .., last] => format!("; did you mean {} or {last}?", some.join(", ")),
    }
}

fn opting(most: u32, most_opt_in: u32) -> String {
    if most < most_opt_in {
        format!(", or {most_opt_in} for a kernel that opts in")
    } else {
        String::new()
    }
}

/// The names most like `name`: those that begin with it, then those that differ least from it.
pub(super) fn alike<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MOST: usize = 5;
    let wanted = name.to_lowercase();
    let mut ranked: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = if !wanted.is_empty() && lower.contains(&wanted) {
                0
            } else {
                difference(&wanted, &lower)
            };
            // more than half of the letters wrong is another name
            (distance * 2 <= wanted.chars().count()).then_some((distance, candidate))
        })
        .collect();
    ranked.sort();
    ranked.truncate(MOST);
    ranked
        .into_iter()
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// How many letters must be put in, taken out or replaced (Levenshtein's distance), in time of the
/// product of the lengths.
fn difference(a: &str, b: &str) -> usize {
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
    fn differences_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "ab", 2),
            ("kernel", "kernle", 2),
            ("a", "b", 1),
        ] {
            assert_eq!(difference(a, b), expected, "{a} {b}");
            assert_eq!(difference(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn names_like_it_come_first() {
        let known = ["scan_u32", "scan_f32", "classify_u8", "pack"];
        assert_eq!(alike("scan_u23", known.into_iter())[0], "scan_u32");
        assert_eq!(alike("classify", known.into_iter()), ["classify_u8"]);
        assert!(alike("quite something else", known.into_iter()).is_empty());
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
