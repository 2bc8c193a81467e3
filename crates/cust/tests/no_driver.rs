//! A machine without a driver: everything is an error that says so, and nothing panics.

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
fn every_entrance_says_that_there_is_no_driver() {
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
fn what_needs_no_device_works_without_one() {
    LazyLock::force(&WITHOUT);
    assert!(UnifiedBuffer::<u32>::from_slice(&[]).unwrap().is_empty());
    cust::nvtx::mark("nobody listens, and nothing happens");
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
    // A buffer around somebody's address, where nothing can be done with it: errors, and a drop
    // that does not panic. SAFETY: the address is never followed, and there is no driver to free it
    // with.
    let foreign =
        unsafe { DeviceBuffer::<u32>::from_raw_parts(DevicePointer::from_raw(0x1000), 4) };
    assert_eq!(foreign.as_host_vec(), Err(CudaError::NoDriver));
    let (error, foreign) = DeviceBuffer::drop(foreign).unwrap_err();
    assert_eq!(error, CudaError::NoDriver);
    drop(foreign);
    assert!(!CudaError::OutOfMemory.to_string().is_empty());
}

#[test]
fn handles_move_between_threads() {
    fn moves<T: Send + Sync>() {}
    moves::<Context>();
    moves::<Stream>();
    moves::<Event>();
    moves::<Module>();
    moves::<Function<'static>>();
    moves::<DeviceBuffer<f32>>();
    moves::<DeviceSlice<f32>>();
    moves::<DevicePointer<f32>>();
    moves::<LockedBuffer<f32>>();
    moves::<LockedBox<f32>>();
    moves::<UnifiedBuffer<f32>>();
    moves::<UnifiedBox<f32>>();
    moves::<UnifiedPointer<f32>>();
    moves::<legacy::Context>();
    moves::<UnownedContext>();
    moves::<Linker>();
    moves::<Graph>();
    moves::<GraphExec>();
    moves::<GraphNode>();
    moves::<KernelInvocation>();
    moves::<ModuleHeap>();
    moves::<CudaError>();
}
