//! A kernel's figures from what NVIDIA's assembler prints.

use super::{ComputeCapability, OccupancyError};
use crate::device::RecordedResources;

/// What `ptxas -v` says of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledKernel {
    /// Its entry point.
    pub name: String,
    /// The capability it was assembled for, where the text says.
    pub capability: Option<ComputeCapability>,
    /// What it takes.
    pub resources: RecordedResources,
}

/// Reads the figures of every kernel in the text that `ptxas -v` (or `nvcc -Xptxas -v`) prints. Other lines do not matter.
///
/// # Errors
/// [`OccupancyError::NoFigures`] where there is no kernel in it.
///
/// ```
/// let text = "\
/// ptxas info    : Compiling entry function 'field' for 'sm_90'
/// ptxas info    : Function properties for field
///     16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
/// ptxas info    : Used 42 registers, used 1 barriers, 1548 bytes smem, 400 bytes cmem[0]";
/// let kernels = ferrovox::occupancy::from_ptxas(text)?;
/// assert_eq!(kernels[0].name, "field");
/// assert_eq!(kernels[0].resources.registers, 42);
/// assert_eq!(kernels[0].resources.static_shared_bytes, 1548);
/// # Ok::<(), ferrovox::occupancy::OccupancyError>(())
/// ```
pub fn from_ptxas(text: &str) -> Result<Vec<AssembledKernel>, OccupancyError> {
    let mut kernels: Vec<AssembledKernel> = Vec::new();
    // whether the last kernel still waits for its line with registers
    let mut open = false;
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            if open {
                kernels.pop();
            }
            let mut parts = rest.split('\'');
            let name = parts.next().unwrap_or_default().to_owned();
            let capability = parts.nth(1).and_then(|arch| arch.parse().ok());
            kernels.push(AssembledKernel {
                name,
                capability,
                resources: RecordedResources::default(),
            });
            open = true;
        } else if let (true, Some(kernel)) = (open, kernels.last_mut()) {
            let resources = &mut kernel.resources;
            if line.contains("bytes stack frame") {
                for part in line.split(',') {
                    let number = first_number(part);
                    if part.contains("stack frame") {
                        resources.stack_bytes = number;
                    } else if part.contains("spill stores") {
                        resources.spill_store_bytes = number;
                    } else if part.contains("spill loads") {
                        resources.spill_load_bytes = number;
                    }
                }
            } else if let Some((_, used)) = line.split_once(": Used ") {
                for part in used.split(',') {
                    let number = first_number(part);
                    if part.contains("registers") {
                        resources.registers = number;
                    } else if part.contains("barriers") {
                        resources.barriers = number;
                    } else if part.contains("smem") {
                        resources.static_shared_bytes = number;
                    }
                }
                open = false;
            }
        }
    }
    if open {
        kernels.pop();
    }
    if kernels.is_empty() {
        return Err(OccupancyError::NoFigures);
    }
    Ok(kernels)
}

/// The first number in a part of a line; `16+16`, as old assemblers write what the system adds, is their sum.
fn first_number(part: &str) -> u32 {
    let digits = part
        .split(|c: char| !c.is_ascii_digit() && c != '+')
        .find(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    let terms = digits.unwrap_or_default().split('+');
    terms
        .filter_map(|term| term.parse::<u32>().ok())
        .fold(0, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_kernels_and_old_texts_are_read() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1av' for 'sm_13'
ptxas info    : Used 42 registers, 1532+16 bytes smem, 8 bytes cmem[1]
ptxas info    : Compiling entry function 'b' for 'sm_120a'
ptxas info    : Function properties for b
    80 bytes stack frame, 76 bytes spill stores, 72 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 80 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compile time = 3.2 ms
ptxas info    : Compiling entry function 'unfinished' for 'sm_90'";
        let kernels = from_ptxas(text).unwrap();
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["_Z1av", "b"]);
        assert_eq!(kernels[0].capability, Some(ComputeCapability::new(1, 3)));
        let a = kernels[0].resources;
        assert_eq!(
            (a.registers, a.static_shared_bytes, a.barriers),
            (42, 1548, 0)
        );
        assert_eq!(kernels[1].capability, Some(ComputeCapability::new(12, 0)));
        let b = kernels[1].resources;
        assert_eq!(
            (b.registers, b.barriers, b.static_shared_bytes),
            (255, 2, 0)
        );
        assert_eq!(
            (b.stack_bytes, b.spill_store_bytes, b.spill_load_bytes),
            (80, 76, 72)
        );
    }

    #[test]
    fn text_without_kernels_is_refused() {
        for text in [
            "",
            "ptxas info    : 0 bytes gmem",
            "Compiling entry function 'a",
            "Used 3 registers",
        ] {
            assert_eq!(from_ptxas(text), Err(OccupancyError::NoFigures), "{text}");
        }
    }
}
