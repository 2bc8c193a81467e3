//! A kernel's figures from what NVIDIA's assembler prints.

use super::{ComputeCapability, OccupancyError};
use ptxas_figures::Figures as RecordedResources;

/// The figures of one kernel in the output of `ptxas -v`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledKernel {
    /// Its entry point.
    pub name: String,
    /// The capability it was assembled for, where the text states it.
    pub capability: Option<ComputeCapability>,
    /// What it takes.
    pub resources: RecordedResources,
}

/// Reads the figures of every kernel in the text that `ptxas -v` (or `nvcc -Xptxas -v`) prints.
/// Other lines do not matter.
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
/// let kernels = occupancy::from_ptxas(text)?;
/// assert_eq!(kernels[0].name, "field");
/// assert_eq!(kernels[0].resources.registers, 42);
/// assert_eq!(kernels[0].resources.static_shared_bytes, 1548);
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
pub fn from_ptxas(text: &str) -> Result<Vec<AssembledKernel>, OccupancyError> {
    let kernels: Vec<AssembledKernel> = ptxas_figures::kernels(text)
        .into_iter()
        .map(|kernel| AssembledKernel {
            name: kernel.name,
            capability: kernel.arch.and_then(|arch| arch.parse().ok()),
            resources: kernel.figures,
        })
        .collect();
    if kernels.is_empty() {
        Err(OccupancyError::NoFigures)
    } else {
        Ok(kernels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read() {
        let text = "\
ptxas info    : Compiling entry function '_Z1av' for 'sm_13'
ptxas info    : Used 42 registers, 1532+16 bytes smem
ptxas info    : Compiling entry function 'b' for 'sm_120a'
ptxas info    : Used 255 registers";
        let kernels = from_ptxas(text).unwrap();
        let capabilities = kernels.iter().map(|kernel| kernel.capability.unwrap());
        let expected = [ComputeCapability::new(1, 3), ComputeCapability::new(12, 0)];
        assert!(capabilities.eq(expected));
        assert_eq!(kernels[0].resources.static_shared_bytes, 1548);
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
