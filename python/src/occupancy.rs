//! Occupancy of launches.

use crate::call::run;
use ferrovox::{
    device::Device,
    occupancy::{BlockConfig, Gpu, HardwareModel, KernelResources, OccupancyModel},
};
use pyo3::{exceptions::PyValueError, prelude::*};

/// Returns the number of active blocks and warps per multiprocessor, the occupancy, and the names
/// of the limiting resources. Without a name, the GPU is the first CUDA device.
#[pyfunction]
pub(crate) fn occupancy(
    py: Python<'_>,
    registers: u32,
    threads: u32,
    gpu: Option<&str>,
    static_shared: u32,
    dynamic_shared: u32,
) -> PyResult<(u32, u32, f64, Vec<&'static str>)> {
    let invalid = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let limits = match gpu {
        Some(name) => Gpu::named(name).map_err(|error| invalid(&error))?.limits(),
        None => run(py, None, |_| Ok(*Device::cuda(0)?.limits()))?,
    };
    let kernel = KernelResources::new(registers).with_static_shared(static_shared);
    let block = BlockConfig::new(threads).with_dynamic_shared(dynamic_shared);
    let occupancy = HardwareModel::new(limits).occupancy(&kernel, &block);
    let occupancy = occupancy.map_err(|error| invalid(&error))?;
    Ok((
        occupancy.active_blocks,
        occupancy.active_warps,
        occupancy.fraction(),
        occupancy.limiters().map(|limiter| limiter.name()).collect(),
    ))
}
