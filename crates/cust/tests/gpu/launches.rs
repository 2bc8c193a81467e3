//! Loading of modules and launches.

use std::time::Duration;

use cust::device::DeviceAttribute;
use cust::error::CudaError;
use cust::event::EventStatus;
use cust::function::{BlockSize, FunctionAttribute};
use cust::memory::{AsyncCopyDestination, LockedBuffer};
use cust::module::ModuleJitOption;
use cust::prelude::*;

use crate::{KERNELS, gpu, kernels};

#[test]
fn vecadd_with_asynchronous_copies_and_events() {
    let Some(_context) = gpu(0) else { return };
    let n = 1_000_003usize;
    let module = kernels();
    let stream = Stream::new_non_blocking(None).unwrap();
    let vecadd = module.get_function("vecadd").unwrap();
    let a: LockedBuffer<f32> =
        LockedBuffer::from_slice(&(0..n).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    let b = LockedBuffer::new(&0.5f32, n).unwrap();
    let mut c = LockedBuffer::new(&f32::NAN, n).unwrap();
    let (start, end) = (
        Event::new(EventFlags::DEFAULT).unwrap(),
        Event::new(EventFlags::DEFAULT).unwrap(),
    );
    let (_, block) = vecadd
        .suggested_launch_configuration(0, BlockSize::x(256))
        .unwrap();
    let grid = u32::try_from(n).unwrap().div_ceil(block);
    // SAFETY: vecadd(a, b, c, n), all of length n; everything is queued in one stream, which is
    // synchronized before `c` is read and before anything is dropped.
    unsafe {
        start.record(&stream).unwrap();
        let a = DeviceBuffer::from_slice_async(&a, &stream).unwrap();
        let b = DeviceBuffer::from_slice_async(&b, &stream).unwrap();
        let sum = DeviceBuffer::<f32>::uninitialized_async(n, &stream).unwrap();
        launch!(vecadd<<<grid, block, 0, stream>>>(a.as_device_ptr(), b.as_device_ptr(), sum.as_device_ptr(), n)).unwrap();
        sum.async_copy_to(&mut c, &stream).unwrap();
        end.record(&stream).unwrap();
        sum.drop_async(&stream).unwrap();
        // `a` and `b` are freed in the stream here.
    }
    end.synchronize().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(
        (end.query(), stream.query()),
        (Ok(EventStatus::Ready), Ok(true))
    );
    let elapsed = end.elapsed(&start).unwrap();
    assert!(
        elapsed > Duration::ZERO && elapsed < Duration::from_secs(5),
        "{elapsed:?}"
    );
    for (i, sum) in c.iter().enumerate() {
        assert_eq!(*sum, i as f32 + 0.5, "at {i}");
    }
}

#[test]
fn invalid_ptx_is_reported_with_line_and_reason() {
    let Some(_context) = gpu(0) else { return };
    let broken_ptx = KERNELS.replace(
        "add.rn.f32 %f3, %f1, %f2;",
        "add.rn.f32 %f3, %f1, %undeclared;",
    );
    let error = Module::from_ptx_logged(&broken_ptx, &[]).unwrap_err();
    let text = error.to_string();
    eprintln!("{text}");
    assert_eq!(error.error, CudaError::InvalidPtx, "{text}");
    assert!(
        text.contains("undeclared") && text.contains("line"),
        "{text}"
    );
    let from_the_future = KERNELS.replace(".version 7.0", ".version 99.0");
    let error = Module::from_ptx(&from_the_future, &[]).unwrap_err();
    assert!(
        matches!(
            error,
            CudaError::UnsupportedPtxVersion | CudaError::InvalidPtx
        ),
        "{error}"
    );
    assert_eq!(
        kernels().get_function("absent").unwrap_err(),
        CudaError::NotFound
    );
    assert_eq!(
        kernels().get_global::<u32>(c"ABSENT").unwrap_err(),
        CudaError::NotFound
    );
    let (_, log) = Module::from_ptx_logged(
        KERNELS,
        &[
            ModuleJitOption::LogVerbose(true),
            ModuleJitOption::MaxRegisters(32),
        ],
    )
    .unwrap();
    eprintln!("{}", log.info);
}

#[test]
fn constants_and_globals_can_be_written_and_read() {
    let Some(_context) = gpu(0) else { return };
    let module = kernels();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let mut coefficients = module.get_global::<[u32; 4]>(c"COEFFICIENTS").unwrap();
    coefficients.copy_from(&[11, 22, 33, 44]).unwrap();
    let mut counter = module.get_global::<u32>(c"COUNTER").unwrap();
    counter.copy_from(&100).unwrap();
    let out = DeviceBuffer::<u32>::zeroed(4).unwrap();
    // SAFETY: read_coefficients(out) writes one element for each of its four threads.
    unsafe { launch!(module.read_coefficients<<<1, 4, 0, stream>>>(out.as_device_ptr())) }.unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.as_host_vec().unwrap(), [11, 22, 33, 44]);
    let (mut count, mut back) = (0, [0; 4]);
    counter.copy_to(&mut count).unwrap();
    coefficients.copy_to(&mut back).unwrap();
    assert_eq!((count, back), (104, [11, 22, 33, 44]));
    assert_eq!(
        module.get_global::<u64>(c"COUNTER").unwrap_err(),
        CudaError::SymbolSize {
            symbol: 4,
            requested: 8
        }
    );
}

#[test]
fn dynamic_shared_memory_above_48_kib_requires_opt_in() {
    let Some(context) = gpu(0) else { return };
    let max = context
        .device()
        .get_attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin)
        .unwrap();
    let bytes = u32::try_from(max).unwrap().min(160 << 10);
    if bytes <= 48 << 10 {
        test_cases::report_skip(format_args!(
            "the device has at most 48 KiB of shared memory per block"
        ));
        return;
    }
    let words = bytes / 4;
    let module = kernels();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let reverse = module.get_function("reverse_through_shared").unwrap();
    let out = DeviceBuffer::<u32>::zeroed(words as usize).unwrap();
    // SAFETY: reverse_through_shared(out, words) with a block that has `words` words of shared
    // memory.
    let launch =
        || unsafe { launch!(reverse<<<1, 256, bytes, stream>>>(out.as_device_ptr(), words)) };
    assert_eq!(launch(), Err(CudaError::InvalidValue));
    assert_eq!(
        reverse.set_max_dynamic_shared_memory(1 << 30),
        Err(CudaError::InvalidValue)
    );
    reverse
        .set_max_dynamic_shared_memory(bytes as usize)
        .unwrap();
    assert_eq!(
        reverse.get_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes),
        Ok(bytes as i32)
    );
    launch().unwrap();
    stream.synchronize().unwrap();
    for (i, value) in out.as_host_vec().unwrap().into_iter().enumerate() {
        assert_eq!(value, (words - 1 - i as u32) * 3, "at {i}");
    }
    reverse
        .set_attribute(FunctionAttribute::PreferredSharedMemoryCarveout, 100)
        .unwrap();
}

#[test]
fn a_cooperative_grid_must_fit_on_the_device() {
    let Some(context) = gpu(0) else { return };
    if context
        .device()
        .get_attribute(DeviceAttribute::CooperativeLaunch)
        != Ok(1)
    {
        test_cases::report_skip(format_args!(
            "the device does not support cooperative launches"
        ));
        return;
    }
    let module = kernels();
    let vecadd = module.get_function("vecadd").unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let values = DeviceBuffer::from_slice(&[1.0f32; 500]).unwrap();
    let (p, n) = (values.as_device_ptr(), values.len());
    let addresses = [&p, &p, &p].map(|p| (&raw const *p).cast_mut().cast::<std::ffi::c_void>());
    let arguments = [
        addresses[0],
        addresses[1],
        addresses[2],
        (&raw const n).cast_mut().cast(),
    ];
    // SAFETY: vecadd(a, b, c, n) in place, with one element per thread.
    let launch =
        |blocks: u32| unsafe { stream.launch_cooperative(&vecadd, blocks, 256, 0, &arguments) };
    assert_eq!(
        launch(10_000_000),
        Err(CudaError::CooperativeLaunchTooLarge)
    );
    launch(2).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(values.as_host_vec().unwrap(), vec![2.0; 500]);
}
