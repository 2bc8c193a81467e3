//! A host program for the published `cust` that sums two vectors on the GPU in three ways.
//!
//! `published/` type-checks this file against the published crate; `ours/` builds and runs it with
//! ferrovox's. The file must not depend on which of the two is used.

mod names;

use std::error::Error;
use std::ffi::CStr;

use cust::context::{CurrentContext, ResourceLimit};
use cust::device::DeviceAttribute;
use cust::error::{CudaError, CudaResult, DropResult};
use cust::event::{Event, EventFlags, EventStatus};
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBox, DeviceBuffer, DeviceCopy, DeviceMemory,
    DevicePointer, GpuBuffer, LockedBox, LockedBuffer, MemoryAdvise, UnifiedBox, UnifiedPointer,
    mem_get_info,
};
use cust::module::{Module, ModuleJitOption, OptLevel};
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;
use cust::util::SliceExt;

/// c[i] = (a[i] + b[i]) * SCALE, for i < n.
const PTX: &str = "
.version 6.4
.target sm_70
.address_size 64
.visible .const .align 4 .f32 SCALE = 0f3F800000;
.visible .entry vecadd(.param .u64 a, .param .u64 n_a, .param .u64 b, .param .u64 n_b, .param .u64 c)
{
    .reg .pred %past;
    .reg .b32 %r<4>;
    .reg .b64 %rd<12>;
    .reg .f32 %f<6>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [n_a];
    ld.param.u64 %rd3, [b];
    ld.param.u64 %rd4, [c];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd5, %r1, %r2;
    cvt.u64.u32 %rd6, %r3;
    add.u64 %rd7, %rd5, %rd6;
    setp.ge.u64 %past, %rd7, %rd2;
    @%past bra DONE;
    shl.b64 %rd8, %rd7, 2;
    add.u64 %rd9, %rd1, %rd8;
    add.u64 %rd10, %rd3, %rd8;
    add.u64 %rd11, %rd4, %rd8;
    ld.f32 %f1, [%rd9];
    ld.f32 %f2, [%rd10];
    add.rn.f32 %f3, %f1, %f2;
    ld.const.f32 %f4, [SCALE];
    mul.rn.f32 %f5, %f3, %f4;
    st.f32 [%rd11], %f5;
DONE:
    ret;
}
";

/// A kernel parameter passed by value.
#[derive(Clone, Copy, Debug, Default, cust::DeviceCopy)]
#[repr(C)]
struct Spacing {
    values: [f32; 3],
}

/// A generic parameter with a manual implementation of `DeviceCopy`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Index<T> {
    values: [T; 3],
}
unsafe impl<T: DeviceCopy> DeviceCopy for Index<T> {}

fn main() -> Result<(), Box<dyn Error>> {
    let context = match cust::quick_init() {
        Ok(context) => context,
        Err(error) => {
            println!("no GPU available: {error}");
            return Ok(());
        }
    };
    describe_devices()?;
    let module = Module::from_ptx(
        PTX,
        &[
            ModuleJitOption::OptLevel(OptLevel::O4),
            ModuleJitOption::MaxRegisters(64),
        ],
    )?;
    let sums = [
        sum_with_synchronous_copies(&module)?,
        sum_with_asynchronous_copies(&module)?,
        sum_with_constant_memory(&module)?,
    ];
    for (sum, scale) in sums.iter().zip([1.0, 1.0, 2.0]) {
        for (i, value) in sum.iter().enumerate() {
            assert_eq!(*value, 3.0 * i as f32 * scale, "element {i}");
        }
    }
    test_boxes_and_pointers()?;
    test_unified_and_pinned_memory(&module)?;
    test_module_errors();
    drop_and_report(Module::drop(module));
    drop_and_report(Context::drop(context));
    println!("{} vectors summed and checked", sums.len());
    Ok(())
}

fn describe_devices() -> CudaResult<()> {
    for device in Device::devices()? {
        let device = device?;
        let multiprocessors = device.get_attribute(DeviceAttribute::MultiprocessorCount)?;
        println!(
            "{}: {} bytes, {multiprocessors} multiprocessors",
            device.name()?,
            device.total_memory()?
        );
    }
    let version = cust::CudaApiVersion::get()?;
    let (free, total) = mem_get_info()?;
    println!(
        "CUDA {}.{}, {free} of {total} bytes free",
        version.major(),
        version.minor()
    );
    let current = CurrentContext::get_device()?;
    println!(
        "current device {}, {} bytes of stack",
        current.name()?,
        CurrentContext::get_resource_limit(ResourceLimit::StackSize)?
    );
    Ok(())
}

fn inputs(n: usize) -> (Vec<f32>, Vec<f32>) {
    (
        (0..n).map(|i| i as f32).collect(),
        (0..n).map(|i| 2.0 * i as f32).collect(),
    )
}

fn sum_with_synchronous_copies(module: &Module) -> Result<Vec<f32>, Box<dyn Error>> {
    let (a, b) = inputs(1000);
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let a_gpu = a.as_slice().as_dbuf()?;
    let b_gpu = DeviceBuffer::from_slice(&b)?;
    let c_gpu = DeviceBuffer::<f32>::zeroed(a.len())?;
    let vecadd = module.get_function("vecadd")?;
    let (_, block) = vecadd.suggested_launch_configuration(0, BlockSize::xyz(256, 1, 1))?;
    let grid = (a.len() as u32 + block - 1) / block;
    unsafe {
        launch!(
            vecadd<<<grid, block, 0, stream>>>(
                a_gpu.as_device_ptr(),
                a_gpu.len(),
                b_gpu.as_device_ptr(),
                b_gpu.len(),
                c_gpu.as_device_ptr(),
            )
        )?;
    }
    stream.synchronize()?;
    let mut c = vec![0.0f32; a.len()];
    c_gpu.copy_to(&mut c)?;
    assert_eq!(c, c_gpu.as_host_vec()?);
    Ok(c)
}

fn sum_with_asynchronous_copies(module: &Module) -> Result<Vec<f32>, Box<dyn Error>> {
    let (a, b) = inputs(5000);
    let stream = Stream::new(StreamFlags::DEFAULT, Some(0))?;
    let (start, end) = (
        Event::new(EventFlags::DEFAULT)?,
        Event::new(EventFlags::DEFAULT | EventFlags::BLOCKING_SYNC)?,
    );
    let a_host = LockedBuffer::from_slice(&a)?;
    let mut c_host = LockedBuffer::new(&0.0f32, a.len())?;
    start.record(&stream)?;
    unsafe {
        let mut a_gpu = DeviceBuffer::<f32>::uninitialized_async(a.len(), &stream)?;
        let b_gpu = DeviceBuffer::from_slice_async(&b, &stream)?;
        let mut c_gpu = DeviceBuffer::<f32>::zeroed_async(a.len(), &stream)?;
        a_gpu.async_copy_from(&a_host, &stream)?;
        c_gpu.set_8_async(0xff, &stream)?;
        launch!(module.vecadd<<<(20, 1, 1), (256, 1), 0, stream>>>(
            a_gpu.as_device_ptr(), a_gpu.len(), b_gpu.as_device_ptr(), b_gpu.len(), GpuBuffer::as_device_ptr(&c_gpu)
        ))?;
        c_gpu.async_copy_to(&mut c_host, &stream)?;
        a_gpu.drop_async(&stream)?;
        b_gpu.drop_async(&stream)?;
        c_gpu.drop_async(&stream)?;
    }
    end.record(&stream)?;
    end.synchronize()?;
    assert!(matches!(end.query()?, EventStatus::Ready));
    println!("{:?} of work in the stream", end.elapsed(&start)?);
    let other = Stream::new(StreamFlags::DEFAULT, None)?;
    other.wait_event(end, StreamWaitEventFlags::DEFAULT)?;
    other.add_callback(Box::new(|| println!("the stream has completed")))?;
    other.synchronize()?;
    drop_and_report(Stream::drop(other));
    Ok(c_host.to_vec())
}

fn sum_with_constant_memory(module: &Module) -> Result<Vec<f32>, Box<dyn Error>> {
    let (a, b) = inputs(300);
    let name = CStr::from_bytes_with_nul(b"SCALE\0")?;
    let mut scale = module.get_global::<f32>(name)?;
    scale.copy_from(&2.0)?;
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    let vecadd = module.get_function("vecadd")?;
    let registers = vecadd.get_attribute(FunctionAttribute::NumRegisters)?;
    let blocks = vecadd.max_active_blocks_per_multiprocessor(BlockSize::x(128), 0)?;
    println!("{registers} registers, {blocks} blocks of 128 threads on a multiprocessor");
    let a_gpu = DeviceBuffer::from_slice(&a)?;
    let b_gpu = DeviceBuffer::from_slice(&b)?;
    let mut c_gpu = unsafe { DeviceBuffer::<f32>::uninitialized(a.len())? };
    c_gpu.set_zero()?;
    let arguments = (
        a_gpu.as_device_ptr(),
        a.len(),
        b_gpu.as_device_ptr(),
        b.len(),
        c_gpu.as_device_ptr(),
    );
    unsafe {
        stream.launch(
            &vecadd,
            GridSize::x(3),
            BlockSize::x(128),
            0,
            &[
                &arguments.0 as *const _ as *mut std::ffi::c_void,
                &arguments.1 as *const _ as *mut std::ffi::c_void,
                &arguments.2 as *const _ as *mut std::ffi::c_void,
                &arguments.3 as *const _ as *mut std::ffi::c_void,
                &arguments.4 as *const _ as *mut std::ffi::c_void,
            ],
        )?;
    }
    stream.synchronize()?;
    let (head, tail) = (c_gpu.index(..100), c_gpu.index(100..));
    let mut c = head.as_host_vec()?;
    c.extend(tail.as_host_vec()?);
    Ok(c)
}

fn test_boxes_and_pointers() -> CudaResult<()> {
    let mut spacing = DeviceBox::new(&Spacing {
        values: [1.0, 2.0, 3.0],
    })?;
    spacing.copy_from(&Spacing {
        values: [4.0, 5.0, 6.0],
    })?;
    assert_eq!(spacing.as_host_value()?.values, [4.0, 5.0, 6.0]);
    let pointer: DevicePointer<Spacing> = spacing.as_device_ptr();
    let address: u64 = pointer.as_raw();
    assert!(!pointer.is_null() && address == pointer.cast::<f32>().as_raw());
    let mut count = DeviceVariable::new(5u32)?;
    *count += 1;
    count.copy_htod()?;
    count.copy_dtoh()?;
    assert_eq!(*count, 6);
    drop_and_report(DeviceBox::drop(spacing));
    Ok(())
}

fn test_unified_and_pinned_memory(module: &Module) -> CudaResult<()> {
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    let mut values = UnifiedBuffer::new(&1.0f32, 100)?;
    let mut others = [2.0f32; 100].as_unified_buf()?;
    (values[99], others[99]) = (5.0, 3.0);
    unsafe {
        launch!(module.vecadd<<<1, 128, 0, stream>>>(
            values.as_unified_ptr(), values.len(), others.as_unified_ptr(), others.len(), values.as_unified_ptr()
        ))?;
    }
    stream.synchronize()?;
    assert!(values[0] > 2.0 && values[99] > values[0]);
    let device = CurrentContext::get_device()?;
    if device.get_attribute(DeviceAttribute::ConcurrentManagedAccess)? != 0 {
        values.advise_read_mostly(true)?;
        others.prefetch_to_device(&stream, &device)?;
        stream.synchronize()?;
    }
    drop_and_report(UnifiedBuffer::drop(values));
    let mut boxed = UnifiedBox::new(5u64)?;
    *boxed += 1;
    let pointer: UnifiedPointer<u64> = UnifiedBox::into_unified(boxed);
    let boxed = unsafe { UnifiedBox::from_unified(pointer) };
    assert_eq!(*boxed, 6);
    drop_and_report(UnifiedBox::drop(boxed));

    let mut index = LockedBox::new(&Index { values: [0u32; 3] })?;
    unsafe {
        let mut on_device = DeviceBox::new_async(
            &Index {
                values: [1u32, 2, 3],
            },
            &stream,
        )?;
        on_device.async_copy_to(&mut *index, &stream)?;
        on_device.async_copy_from(&*index, &stream)?;
        on_device.drop_async(&stream)?;
    }
    stream.synchronize()?;
    assert_eq!(index.values, [1, 2, 3]);
    let words = DeviceBuffer::from_slice(&[0u32; 4])?;
    let bytes: DeviceBuffer<u8> = words.cast();
    assert_eq!((bytes.index(..=3).len(), bytes.size_in_bytes()), (4, 16));
    Ok(())
}

fn test_module_errors() {
    let result: CudaResult<Module> = Module::from_ptx("invalid PTX", &[]);
    match result {
        Err(CudaError::InvalidPtx) | Err(CudaError::InvalidImage) => {}
        Err(other) => println!("rejected with {other}"),
        Ok(_) => panic!("the driver accepts invalid PTX"),
    }
}

fn drop_and_report<T>(result: DropResult<T>) {
    if let Err((error, _resource)) = result {
        println!("cannot release a resource: {error}");
    }
}
