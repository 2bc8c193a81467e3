//! Recorded resources of the kernels of this library.

use super::{RecordedResources, recorded_resources};
use crate::occupancy::{ComputeCapability, OccupancyError};

/// A kernel of this library and its resources according to the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedKernel {
    /// Entry point of the kernel.
    pub name: String,
    /// Compute capability of the PTX that the resources refer to.
    pub capability: ComputeCapability,
    /// Resources of the kernel.
    pub resources: RecordedResources,
}

/// Returns the recorded resources of a kernel for devices of a compute capability: those of the
/// newest PTX that such devices run, or of the oldest PTX for older devices. Needs no GPU.
///
/// # Errors
/// [`OccupancyError::UnknownKernel`], with similar names.
///
/// ```
/// use ferrovox::{device::recorded_kernel, occupancy::ComputeCapability};
///
/// let kernel = recorded_kernel("fill_sphere", ComputeCapability::new(9, 0))?;
/// assert!(kernel.resources.registers > 0);
/// let error = recorded_kernel("fill_spere", ComputeCapability::new(9, 0)).unwrap_err();
/// assert!(error.to_string().contains("did you mean fill_sphere"));
/// # Ok::<(), ferrovox::occupancy::OccupancyError>(())
/// ```
pub fn recorded_kernel(
    name: &str,
    capability: ComputeCapability,
) -> Result<RecordedKernel, OccupancyError> {
    let arches = recorded_resources();
    let mut by_capability: Vec<_> = arches
        .iter()
        .filter_map(|(arch, kernels)| Some((arch.parse::<ComputeCapability>().ok()?, kernels)))
        .collect();
    by_capability.sort_by_key(|(capability, _)| *capability);
    let newest = by_capability
        .iter()
        .rev()
        .find(|(recorded, _)| *recorded <= capability);
    let Some((recorded, kernels)) = newest.or(by_capability.first()) else {
        return Err(OccupancyError::unknown_kernel(name, std::iter::empty()));
    };
    match kernels.get(name) {
        Some(resources) => Ok(RecordedKernel {
            name: name.to_owned(),
            capability: *recorded,
            resources: *resources,
        }),
        None => Err(OccupancyError::unknown_kernel(
            name,
            kernels.keys().map(String::as_str),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_ptx_that_a_device_runs_is_used() {
        let recorded = |major, minor| {
            recorded_kernel("fill_sphere", ComputeCapability::new(major, minor))
                .unwrap()
                .capability
        };
        let volta = ComputeCapability::new(7, 0);
        assert_eq!(recorded(12, 0), ComputeCapability::new(9, 0));
        assert_eq!(recorded(8, 6), volta);
        assert_eq!(recorded(1, 3), volta, "older than all PTX");
    }
}
