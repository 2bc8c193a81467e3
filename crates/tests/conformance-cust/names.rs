//! Uses each name of the published `cust` that is available in ferrovox's, so that this compiles
//! only if all of them exist. No code in this module runs.
#![allow(dead_code, deprecated, unused_imports, unused_must_use, unused_mut)]

use std::ffi::{CStr, c_void};

use cust::context::legacy::{self, ContextStack, UnownedContext};
use cust::context::{
    CacheConfig, Context, ContextFlags, ContextHandle, CurrentContext, ResourceLimit,
    SharedMemoryConfig,
};
use cust::device::{Device, DeviceAttribute, Devices};
use cust::error::{CudaError, CudaResult, DropResult};
use cust::event::{Event, EventFlags, EventStatus};
use cust::function::{BlockSize, Function, FunctionAttribute, GridSize};
use cust::link::Linker;
use cust::memory::bytemuck::{Pod, PodCastError, Zeroable};
use cust::memory::{
    AsyncCopyDestination, CopyDestination, DeviceBox, DeviceBuffer, DeviceCopy, DeviceMemory,
    DevicePointer, DeviceSlice, DeviceSliceIndex, DeviceVariable, GpuBox, GpuBuffer, LockedBox,
    LockedBuffer, MemoryAdvise, UnifiedBox, UnifiedBuffer, UnifiedPointer, cuda_free,
    cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, mem_get_info, memcpy_htod,
};
use cust::module::{JitFallback, JitTarget, Module, ModuleJitOption, OptLevel, Symbol};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};
use cust::util::{DeviceCopyExt, SliceExt};
use cust::{CudaApiVersion, CudaFlags, init, launch, quick_init};

fn root() {
    let _ = (init, quick_init, CudaFlags::empty);
    let _ = (
        CudaApiVersion::get,
        CudaApiVersion::major,
        CudaApiVersion::minor,
    );
    let _: cust::sys::CUdeviceptr = 0;
}

fn contexts(context: &Context, own: &legacy::Context, device: Device) {
    let _ = (
        Context::new,
        Context::reset,
        Context::set_flags,
        Context::as_raw,
        Context::drop,
    );
    let _ = (
        Context::get_api_version,
        Context::clone(context).get_inner(),
    );
    let _ = (
        CurrentContext::get_cache_config,
        CurrentContext::set_cache_config,
    );
    let _ = (
        CurrentContext::get_resource_limit,
        CurrentContext::set_resource_limit,
    );
    let _ = (
        CurrentContext::get_shared_memory_config,
        CurrentContext::set_shared_memory_config,
    );
    let _ = (
        CurrentContext::get_device,
        CurrentContext::get_flags,
        CurrentContext::synchronize,
    );
    let range: legacy::StreamPriorityRange = CurrentContext::get_stream_priority_range().unwrap();
    let _ = (
        range.least,
        range.greatest,
        CurrentContext::set_current(context),
    );
    let _ = legacy::Context::create_and_push(legacy::ContextFlags::SCHED_AUTO, device);
    let _ = (legacy::Context::get_api_version, legacy::Context::drop);
    let unowned: UnownedContext = own.get_unowned().clone();
    let _ = (
        unowned.get_api_version(),
        ContextStack::push(&unowned),
        ContextStack::push(own),
    );
    let _: CudaResult<UnownedContext> = ContextStack::pop();
    let _ = (
        legacy::CurrentContext::get_current,
        legacy::CurrentContext::set_current(&unowned),
    );
    let _ = (
        CacheConfig::PreferL1,
        SharedMemoryConfig::FourByteBankSize,
        ResourceLimit::StackSize,
    );
    let _ = ContextFlags::MAP_HOST | ContextFlags::LMEM_RESIZE_TO_MAX;
}

fn devices(device: Device) -> CudaResult<()> {
    let _ = (
        Device::num_devices,
        Device::get_device,
        Device::name,
        Device::total_memory,
    );
    let _ = (Device::get_attribute, device.as_raw());
    let devices: Devices = Device::devices()?;
    for device in devices {
        let _ = device?.get_attribute(DeviceAttribute::WarpSize);
    }
    Ok(())
}

fn events_and_streams(stream: &Stream, event: Event) -> CudaResult<()> {
    let _ = (
        Event::new,
        Event::record,
        Event::query,
        Event::synchronize,
        Event::drop,
    );
    let _ = (
        Event::elapsed,
        Event::elapsed_time_f32,
        EventStatus::NotReady,
    );
    let _ = EventFlags::DEFAULT | EventFlags::BLOCKING_SYNC | EventFlags::DISABLE_TIMING;
    let _ = (
        Stream::new,
        Stream::get_flags,
        Stream::get_priority,
        Stream::synchronize,
    );
    let _ = (
        Stream::drop,
        Stream::as_inner,
        StreamFlags::NON_BLOCKING | StreamFlags::DEFAULT,
    );
    stream.add_callback(Box::new(|| ()))?;
    stream.wait_event(event, StreamWaitEventFlags::DEFAULT)
}

fn modules(module: &Module, function: &mut Function, name: &CStr) -> CudaResult<()> {
    let _ = (
        Module::from_ptx::<&str>,
        Module::from_ptx_cstr,
        Module::from_file::<&str>,
    );
    let _ = (
        Module::from_cubin::<&[u8]>,
        Module::from_fatbin::<&[u8]>,
        Module::drop,
    );
    let _ = (Module::from_str::<&str>, Module::load_from_string);
    let _ = ModuleJitOption::into_raw(&[
        ModuleJitOption::MaxRegisters(32),
        ModuleJitOption::OptLevel(OptLevel::O0),
        ModuleJitOption::DetermineTargetFromContext,
        ModuleJitOption::Target(JitTarget::Compute75),
        ModuleJitOption::Fallback(JitFallback::PreferPtx),
        ModuleJitOption::GenenerateDebugInfo(true),
        ModuleJitOption::GenerateLineInfo(true),
    ]);
    let mut symbol: Symbol<u32> = module.get_global(name)?;
    symbol.copy_from(&1)?;
    symbol.copy_to(&mut 2)?;
    let _ = module.get_function("kernel")?.to_raw();
    let _ = (
        Function::get_attribute,
        Function::suggested_launch_configuration,
    );
    let _ = Function::available_dynamic_shared_memory_per_block;
    let _ = Function::max_active_blocks_per_multiprocessor;
    function.set_cache_config(CacheConfig::PreferNone)?;
    function.set_shared_memory_config(SharedMemoryConfig::DefaultBankSize)?;
    let _ = (
        GridSize::x,
        GridSize::xy,
        GridSize::xyz,
        FunctionAttribute::NumRegisters,
    );
    let _ = (BlockSize::x, BlockSize::xy, BlockSize::xyz);
    let _ = (
        GridSize::from((1, 2, 3)),
        BlockSize::from((1, 2)),
        BlockSize::from(1),
    );
    let mut linker = Linker::new()?;
    linker.add_ptx("")?;
    linker.add_cubin([0u8])?;
    linker.add_fatbin([0u8])?;
    let _: Vec<u8> = linker.complete()?;
    Ok(())
}

fn device_memory(stream: &Stream) -> CudaResult<()> {
    type Buffer = DeviceBuffer<u32>;
    let _ = (
        Buffer::uninitialized,
        Buffer::uninitialized_async,
        Buffer::drop_async,
        Buffer::drop,
    );
    let _ = (
        Buffer::zeroed,
        Buffer::zeroed_async,
        Buffer::from_slice,
        Buffer::from_slice_async,
    );
    let _ = (
        Buffer::from_raw_parts,
        Buffer::as_slice,
        Buffer::cast::<u8>,
        Buffer::try_cast::<u8>,
    );
    type Slice = DeviceSlice<u32>;
    let _ = (
        Slice::len,
        Slice::is_empty,
        Slice::as_device_ptr,
        Slice::as_host_vec,
    );
    let _ = (Slice::from_raw_parts, Slice::from_raw_parts_mut);
    let _ = (Slice::set_8, Slice::set_16, Slice::set_32, Slice::set_zero);
    let _ = (
        Slice::set_8_async,
        Slice::set_16_async,
        Slice::set_32_async,
        Slice::set_zero_async,
    );
    let mut buffer = Buffer::from_slice(&[1, 2, 3])?;
    let parts = [
        buffer.index(0),
        buffer.index(0..1),
        buffer.index(..1),
        buffer.index(0..),
        buffer.index(0..=1),
        buffer.index(..=1),
        buffer.index(..),
    ];
    let _ = (
        parts[0].size_in_bytes(),
        parts[1].as_raw_ptr(),
        GpuBuffer::as_device_ptr(&buffer),
    );
    type One = DeviceBox<u32>;
    let _ = (
        One::new,
        One::new_async,
        One::drop_async,
        One::drop,
        One::as_host_value,
    );
    let _ = (
        One::zeroed,
        One::zeroed_async,
        One::uninitialized,
        One::uninitialized_async,
    );
    let _ = (
        One::from_raw,
        One::from_device,
        One::into_device,
        One::as_device_ptr,
    );
    let mut one: One = 1u32.as_dbox()?;
    let _ = (
        GpuBox::as_device_ptr(&one),
        one.size_in_bytes(),
        format!("{one:p}"),
    );
    type Variable = DeviceVariable<u32>;
    let _ = (
        Variable::new,
        Variable::copy_htod,
        Variable::copy_dtoh,
        Variable::as_device_ptr,
    );
    let mut other = [0u32; 3].as_dbuf()?;
    buffer.copy_from(&[1, 2, 3])?;
    buffer.copy_from(&*other)?;
    buffer.copy_from(&other)?;
    buffer.copy_to(&mut other)?;
    unsafe {
        buffer.async_copy_from(&[1, 2, 3], stream)?;
        buffer.async_copy_to(&mut other, stream)?;
        one.async_copy_from(&1, stream)?;
        one.async_copy_to(&mut 1, stream)?;
    }
    let _ = (mem_get_info, memcpy_htod);
    let _ = (
        cuda_malloc::<u32>,
        cuda_malloc_async::<u32>,
        cuda_free::<u32>,
        cuda_free_async::<u32>,
    );
    type Pointer = DevicePointer<u32>;
    let _ = (
        Pointer::as_ptr,
        Pointer::as_mut_ptr,
        Pointer::as_raw,
        Pointer::from_raw,
    );
    let _ = (
        Pointer::is_null,
        Pointer::null,
        Pointer::offset,
        Pointer::wrapping_offset,
    );
    let _ = (
        Pointer::add,
        Pointer::sub,
        Pointer::wrapping_add,
        Pointer::wrapping_sub,
    );
    let _ = Pointer::cast::<u8>;
    Ok(())
}

fn host_memory(stream: &Stream, device: Device) -> CudaResult<()> {
    type Locked = LockedBuffer<u32>;
    let _ = (
        Locked::new,
        Locked::from_slice,
        Locked::uninitialized,
        Locked::from_raw_parts,
    );
    let _ = (Locked::as_slice, Locked::as_mut_slice, Locked::drop);
    type OneLocked = LockedBox<u32>;
    let _ = (
        OneLocked::new,
        OneLocked::uninitialized,
        OneLocked::into_raw,
    );
    let _ = (OneLocked::from_raw, OneLocked::as_raw, *OneLocked::new(&1)?);
    let _ = (cuda_malloc_locked::<u32>, cuda_free_locked::<u32>);
    type Unified = UnifiedBuffer<u32>;
    let _ = (
        Unified::new,
        Unified::from_slice,
        Unified::uninitialized,
        Unified::from_raw_parts,
    );
    let _ = (Unified::as_slice, Unified::as_mut_slice, Unified::drop);
    let mut unified: Unified = [1u32].as_unified_buf()?;
    let mut pointer: UnifiedPointer<u32> = unified.as_unified_ptr();
    let _ = (
        unified.prefetch_to_host(stream),
        unified.prefetch_to_device(stream, &device),
    );
    let _ = (
        unified.advise_read_mostly(true),
        unified.preferred_location(Some(device)),
    );
    let _ = (
        unified.unset_preferred_location(),
        MemoryAdvise::as_slice(&unified),
    );
    let _ = (GpuBuffer::as_device_ptr(&unified), GpuBuffer::len(&unified));
    type OneUnified = UnifiedBox<u32>;
    let _ = (
        OneUnified::new,
        OneUnified::uninitialized,
        OneUnified::from_raw,
        OneUnified::drop,
    );
    let _ = (
        OneUnified::from_unified,
        OneUnified::into_unified,
        OneUnified::as_unified_ptr,
    );
    let one = OneUnified::new(1)?;
    let _ = (
        GpuBox::as_device_ptr(&one),
        one == one,
        one < one,
        one.to_string(),
    );
    let _: &mut u32 = OneUnified::leak(one);
    let _ = (pointer.as_raw(), pointer.as_raw_mut(), pointer.is_null());
    type Pointer = UnifiedPointer<u32>;
    let _ = (
        Pointer::wrap,
        Pointer::null,
        Pointer::offset,
        Pointer::wrapping_offset,
    );
    let _ = (
        Pointer::add,
        Pointer::sub,
        Pointer::wrapping_add,
        Pointer::wrapping_sub,
    );
    let _ = (cuda_malloc_unified::<u32>, cuda_free_unified::<u32>);
    Ok(())
}

#[derive(Clone, Copy, cust::DeviceCopy)]
#[repr(C)]
struct Derived<T> {
    values: [T; 3],
}
