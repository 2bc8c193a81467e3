//! A machine without a driver: every function returns an error, and nothing panics.

use std::sync::LazyLock;

use cust::CudaApiVersion;
use cust::context::CurrentContext;
use cust::context::legacy::{self, ContextStack, UnownedContext};
use cust::error::CudaError;
use cust::graph::{Graph, GraphCreationFlags, GraphExec, GraphNode, KernelInvocation};
use cust::link::Linker;
use cust::memory::{DeviceBox, LockedBox, LockedBuffer, UnifiedBox, UnifiedPointer, mem_get_info};
use cust::module::ModuleHeap;
use cust::prelude::*;

const NOWHERE: &str = "/nonexistent/libcuda.so.1";

static WITHOUT: LazyLock<()> = LazyLock::new(|| {
    // SAFETY: set once, before anything in this process opens a driver; only the standard library,
    // which locks, reads the environment here.
    unsafe { std::env::set_var("FERROVOX_LIBCUDA", NOWHERE) };
});

#[test]
fn every_entry_point_reports_the_missing_driver() {
    LazyLock::force(&WITHOUT);
    let errors = [
        cust::init(CudaFlags::empty()).unwrap_err(),
        cust::quick_init().unwrap_err(),
        CudaApiVersion::get().unwrap_err(),
        Device::num_devices().unwrap_err(),
        Device::get_device(0).unwrap_err(),
        Device::devices().unwrap_err(),
        CurrentContext::get_device().unwrap_err(),
        CurrentContext::synchronize().unwrap_err(),
        Stream::new(StreamFlags::DEFAULT, None).unwrap_err(),
        Event::new(EventFlags::DEFAULT).unwrap_err(),
        Module::from_ptx("", &[]).unwrap_err(),
        DeviceBuffer::from_slice(&[1, 2, 3]).unwrap_err(),
        DeviceBuffer::<u8>::zeroed(10).unwrap_err(),
        LockedBuffer::new(&1u8, 10).unwrap_err(),
        DeviceBox::new(&1u8).unwrap_err(),
        mem_get_info().unwrap_err(),
        UnifiedBuffer::new(&1u8, 10).unwrap_err(),
        UnifiedBox::new(1u8).unwrap_err(),
        LockedBox::new(&1u8).unwrap_err(),
        Linker::new().unwrap_err(),
        Graph::new(GraphCreationFlags::NONE).unwrap_err(),
        ContextStack::pop().unwrap_err(),
        CurrentContext::get_current().unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error, CudaError::NoDriver);
        assert!(error.means_no_gpu());
    }
    let text = CudaError::NoDriver.to_string();
    assert!(
        text.contains("no NVIDIA driver")
            && text.contains(NOWHERE)
            && text.contains("FERROVOX_LIBCUDA"),
        "{text}"
    );
}

#[test]
fn operations_without_device_work_without_a_driver() {
    LazyLock::force(&WITHOUT);
    assert!(UnifiedBuffer::<u32>::from_slice(&[]).unwrap().is_empty());
    cust::nvtx::mark("discarded without the library");
    let mut empty = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    empty.set_32(7).unwrap();
    assert_eq!(empty.as_host_vec(), Ok(vec![]));
    assert_eq!(
        DeviceBuffer::<u64>::zeroed(usize::MAX).unwrap_err(),
        CudaError::InvalidMemoryAllocation
    );
    assert_eq!(
        Module::from_cubin(b"short", &[]).unwrap_err(),
        CudaError::InvalidImage
    );
    // A buffer around a foreign address returns errors, and its drop does not panic. SAFETY: the
    // address is never dereferenced, and there is no driver to free it.
    let foreign =
        unsafe { DeviceBuffer::<u32>::from_raw_parts(DevicePointer::from_raw(0x1000), 4) };
    assert_eq!(foreign.as_host_vec(), Err(CudaError::NoDriver));
    let (error, foreign) = DeviceBuffer::drop(foreign).unwrap_err();
    assert_eq!(error, CudaError::NoDriver);
    drop(foreign);
    assert!(!CudaError::OutOfMemory.to_string().is_empty());
}

#[test]
fn handles_are_send_and_sync() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Context>();
    is_send_and_sync::<Stream>();
    is_send_and_sync::<Event>();
    is_send_and_sync::<Module>();
    is_send_and_sync::<Function<'static>>();
    is_send_and_sync::<DeviceBuffer<f32>>();
    is_send_and_sync::<DeviceSlice<f32>>();
    is_send_and_sync::<DevicePointer<f32>>();
    is_send_and_sync::<LockedBuffer<f32>>();
    is_send_and_sync::<LockedBox<f32>>();
    is_send_and_sync::<UnifiedBuffer<f32>>();
    is_send_and_sync::<UnifiedBox<f32>>();
    is_send_and_sync::<UnifiedPointer<f32>>();
    is_send_and_sync::<legacy::Context>();
    is_send_and_sync::<UnownedContext>();
    is_send_and_sync::<Linker>();
    is_send_and_sync::<Graph>();
    is_send_and_sync::<GraphExec>();
    is_send_and_sync::<GraphNode>();
    is_send_and_sync::<KernelInvocation>();
    is_send_and_sync::<ModuleHeap>();
    is_send_and_sync::<CudaError>();
}
