//! Attributes of devices and kernels.

use cust::context::CurrentContext;
use cust::device::DeviceAttribute;
use cust::error::CudaError;
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::memory::mem_get_info;
use cust::prelude::*;

use crate::{gpu, kernels};

#[test]
fn device_attributes_are_plausible() {
    let Some(context) = gpu(0) else { return };
    let device = context.device();
    let (major, minor) = device.compute_capability().unwrap();
    let (free, total) = mem_get_info().unwrap();
    eprintln!(
        "{} (sm_{major}{minor}, {} multiprocessors, {free} of {total} bytes free), CUDA {:?}",
        device.name().unwrap(),
        device
            .get_attribute(DeviceAttribute::MultiprocessorCount)
            .unwrap(),
        cust::CudaApiVersion::get().unwrap(),
    );
    assert!(!device.name().unwrap().is_empty() && device.uuid().unwrap() != [0; 16]);
    assert!(major >= 7);
    assert_eq!(device.get_attribute(DeviceAttribute::WarpSize), Ok(32));
    assert!(free <= total && total <= device.total_memory().unwrap());
    assert_eq!(CurrentContext::get_device(), Ok(device));
    assert_eq!(
        Device::get_device(1000).unwrap_err(),
        CudaError::InvalidDevice
    );
    assert!(context.get_api_version().is_ok());
}

#[test]
fn kernel_attributes_and_occupancy_are_consistent_with_the_device() {
    let Some(context) = gpu(0) else { return };
    let module = kernels();
    let vecadd = module.get_function("vecadd").unwrap();
    let figure = |attribute| vecadd.get_attribute(attribute).unwrap();
    let (major, minor) = context.device().compute_capability().unwrap();
    assert!((1..=255).contains(&figure(FunctionAttribute::NumRegisters)));
    assert_eq!(figure(FunctionAttribute::LocalSizeBytes), 0);
    assert_eq!(figure(FunctionAttribute::PtxVersion), 70);
    assert_eq!(figure(FunctionAttribute::BinaryVersion), major * 10 + minor);
    let threads = u32::try_from(
        context
            .device()
            .get_attribute(DeviceAttribute::MaxThreadsPerMultiprocessor)
            .unwrap(),
    )
    .unwrap();
    let blocks = vecadd
        .max_active_blocks_per_multiprocessor(BlockSize::x(256), 0)
        .unwrap();
    assert!(blocks >= 1 && blocks * 256 <= threads, "{blocks} blocks");
    let fewer = vecadd
        .max_active_blocks_per_multiprocessor(BlockSize::x(256), 40 << 10)
        .unwrap();
    assert!(
        fewer >= 1 && fewer < blocks,
        "{fewer} blocks with 40 KiB each, {blocks} without"
    );
    let (grid, block) = vecadd
        .suggested_launch_configuration(0, BlockSize::x(0))
        .unwrap();
    assert!(
        grid >= 1 && (32..=1024).contains(&block),
        "{grid} × {block}"
    );
    let available = vecadd
        .available_dynamic_shared_memory_per_block(GridSize::x(2), BlockSize::x(256))
        .unwrap();
    assert!(available >= 16 << 10, "{available} bytes");
    assert!(
        vecadd
            .max_active_blocks_per_multiprocessor(BlockSize::xyz(1 << 12, 1 << 12, 1 << 12), 0)
            .is_err()
    );
}
