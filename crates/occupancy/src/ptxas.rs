//! Kernel resources from the verbose output of NVIDIA's assembler.

use super::{ComputeCapability, OccupancyError};
use ptxas_figures::ResourceUsage;

/// Resource usage of one kernel, from the output of `ptxas -v`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembledKernel {
    /// Name of the kernel's entry point.
    pub name: String,
    /// Compute capability the kernel was assembled for, if the output states it.
    pub capability: Option<ComputeCapability>,
    /// Resources that the kernel uses.
    pub resources: ResourceUsage,
}

/// Parses the resource usage of every kernel in the output of `ptxas -v` (or `nvcc -Xptxas -v`).
/// Other lines are ignored.
///
/// # Errors
/// [`OccupancyError::NoPtxasOutput`] if the text contains no kernel.
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
    let kernels: Vec<AssembledKernel> = ptxas_figures::parse(text)
        .into_iter()
        .map(|kernel| AssembledKernel {
            name: kernel.name,
            capability: kernel.arch.and_then(|arch| arch.parse().ok()),
            resources: kernel.usage,
        })
        .collect();
    if kernels.is_empty() {
        Err(OccupancyError::NoPtxasOutput)
    } else {
        Ok(kernels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_parsed() {
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
    fn text_without_kernels_is_an_error() {
        for text in [
            "",
            "ptxas info    : 0 bytes gmem",
            "Compiling entry function 'a",
            "Used 3 registers",
        ] {
            assert_eq!(
                from_ptxas(text),
                Err(OccupancyError::NoPtxasOutput),
                "{text}"
            );
        }
    }
}
