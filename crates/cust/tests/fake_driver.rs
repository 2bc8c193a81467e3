//! What this crate passes to the driver, and what it makes of the driver's answers, tested against a stand-in for libcuda that
//! checks every handle against the current context (`fake/libcuda.c`). Skipped, aloud, where there is no C compiler.
#![cfg(target_os = "linux")]

mod fake;

use cust::context::CurrentContext;
use cust::error::CudaError;
use cust::event::EventStatus;
use cust::function::{BlockSize, FunctionAttribute, GridSize};
use cust::memory::{AsyncCopyDestination, LockedBuffer, mem_get_info};
use cust::module::{ModuleJitOption, OptLevel};
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;
use fake::Handle;

fn context(ordinal: u32) -> Context {
    Context::new(Device::get_device(ordinal).unwrap()).unwrap()
}

#[test]
fn devices_say_what_they_are() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    assert_eq!(Device::num_devices(), Ok(2));
    let names: Vec<_> = Device::devices()
        .unwrap()
        .map(|device| device.unwrap().name().unwrap())
        .collect();
    assert_eq!(names, ["Fake GPU 0", "Fake GPU 1"]);
    let device = Device::get_device(1).unwrap();
    assert_eq!(device.compute_capability(), Ok((9, 0)));
    assert_eq!(device.total_memory(), Ok(1 << 30));
    assert_eq!(device.uuid().unwrap()[..3], [1, 2, 3]);
    assert_eq!(Device::get_device(2), Err(CudaError::InvalidDevice));
    assert_eq!(Device::get_device(u32::MAX), Err(CudaError::InvalidDevice));
}

#[test]
fn a_launch_passes_its_shape_and_arguments() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let a = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
    let b = [10.0f32, 20.0, 30.0].as_dbuf().unwrap();
    let c = DeviceBuffer::<f32>::zeroed(3).unwrap();
    // SAFETY: the arguments are those of the stand-in's vecadd.
    unsafe {
        launch!(module.vecadd<<<(2, 3, 4), (5, 6), 7, stream>>>(
            a.as_device_ptr(), b.as_device_ptr(), c.as_device_ptr(), a.len()
        ))
        .unwrap();
    }
    assert_eq!(fake.last_launch(), [2, 3, 4, 5, 6, 1, 7]);
    assert_eq!(c.as_host_vec().unwrap(), [11.0, 22.0, 33.0]);

    let vecadd = module.get_function_owned("vecadd").unwrap();
    // SAFETY: as above; the shape is refused.
    let refused = unsafe {
        launch!(vecadd<<<1, 2048, 0, stream>>>(a.as_device_ptr(), b.as_device_ptr(), c.as_device_ptr(), 3usize))
    };
    assert_eq!(refused, Err(CudaError::InvalidValue));
    // SAFETY: there is no such kernel to launch.
    let absent = unsafe { launch!(module.absent<<<1, 1, 0, stream>>>(3usize)) };
    assert_eq!(absent, Err(CudaError::NotFound));
}

#[test]
fn a_module_that_is_refused_brings_the_compilers_log() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let error = Module::from_ptx_logged("nonsense", &[]).unwrap_err();
    assert_eq!(error.error, CudaError::InvalidPtx);
    let text = error.to_string();
    assert!(
        text.contains("CUDA_ERROR_INVALID_PTX (218)") && text.contains("line 3; error : nonsense"),
        "{text}"
    );
    assert_eq!(
        Module::from_ptx("nonsense", &[]).unwrap_err(),
        CudaError::InvalidPtx
    );
    assert_eq!(
        Module::from_ptx("a\0b", &[]).unwrap_err(),
        CudaError::InteriorNul
    );
    assert_eq!(
        Module::from_cubin(b"no cubin", &[]).unwrap_err(),
        CudaError::InvalidImage
    );
    assert_eq!(
        Module::from_file("/nonexistent.ptx").unwrap_err(),
        CudaError::FileNotFound
    );
    // The stand-in refuses any other number of registers: the option's value arrives, also after one that takes none.
    let options = [
        ModuleJitOption::DetermineTargetFromContext,
        ModuleJitOption::MaxRegisters(24),
        ModuleJitOption::OptLevel(OptLevel::O3),
    ];
    Module::from_ptx("// fine", &options).unwrap();
    assert_eq!(
        Module::from_ptx("// fine", &[ModuleJitOption::MaxRegisters(25)]).unwrap_err(),
        CudaError::InvalidValue
    );
    assert_eq!(fake.live(Handle::Module), 0);
}

#[test]
fn a_module_lives_as_long_as_its_functions() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let function = module.get_function_owned("vecadd").unwrap();
    Module::drop(module).unwrap();
    drop(owner);
    assert_eq!((fake.live(Handle::Module), fake.owners(0)), (1, 1));
    assert_eq!(
        function.get_attribute(FunctionAttribute::NumRegisters),
        Ok(18)
    );
    drop(function);
    assert_eq!((fake.live(Handle::Module), fake.owners(0)), (0, 0));
}

#[test]
fn function_figures_and_occupancy() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let function = module.get_function("vecadd").unwrap();
    assert_eq!(
        module.get_function("a\0b").unwrap_err(),
        CudaError::InteriorNul
    );
    function.set_max_dynamic_shared_memory(100 << 10).unwrap();
    assert_eq!(
        function.get_attribute(FunctionAttribute::MaxDynamicSharedSizeBytes),
        Ok(100 << 10)
    );
    assert_eq!(
        function.set_max_dynamic_shared_memory(1 << 20),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.set_max_dynamic_shared_memory(usize::MAX),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::xy(16, 16), 0),
        Ok(8)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::x(256), 100_000),
        Ok(2)
    );
    assert_eq!(
        function.max_active_blocks_per_multiprocessor(BlockSize::xy(1 << 20, 1 << 20), 0),
        Err(CudaError::InvalidValue)
    );
    assert_eq!(
        function.suggested_launch_configuration(0, BlockSize::x(512)),
        Ok((264, 512))
    );
    // The stand-in is too old for this one.
    let error = function
        .available_dynamic_shared_memory_per_block(GridSize::x(2), BlockSize::x(256))
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, CudaError::DriverLacks(_)), "{error:?}");
    assert!(
        text.contains("cuOccupancyAvailableDynamicSMemPerBlock")
            && text.contains("11.0")
            && text.contains("10.2"),
        "{text}"
    );
}

#[test]
fn copies_fills_and_parts() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new_non_blocking(None).unwrap();
    assert_eq!(stream.get_flags(), Ok(StreamFlags::NON_BLOCKING));
    let mut buffer = DeviceBuffer::from_slice(&[1u32, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    buffer.index(2..4).copy_from(&[30, 40]).unwrap();
    buffer.index(4..6).set_32(9).unwrap();
    buffer.index(6..).set_zero().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2, 30, 40, 9, 9, 0, 0]);
    let mut copy = DeviceBuffer::<u32>::zeroed(8).unwrap();
    copy.copy_from(&buffer).unwrap();
    let mut pinned = LockedBuffer::new(&0u32, 8).unwrap();
    // SAFETY: nothing else touches either end, and the stream is synchronised before they are used.
    unsafe {
        copy.index(0..1).set_8_async(0xff, &stream).unwrap();
        copy.async_copy_to(&mut pinned, &stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(pinned[..], [u32::MAX, 2, 30, 40, 9, 9, 0, 0]);

    assert_eq!(
        buffer.copy_from(&[1u32, 2]),
        Err(CudaError::LengthMismatch {
            destination: 8,
            source: 2
        })
    );
    assert_eq!(
        buffer.copy_to(&mut vec![0u32; 9]),
        Err(CudaError::LengthMismatch {
            destination: 9,
            source: 8
        })
    );
    let mut odd = DeviceBuffer::from_slice(&[0u8; 7]).unwrap();
    assert!(matches!(
        odd.set_32(0),
        Err(CudaError::MisalignedFill {
            bytes: 7,
            unit: 4,
            ..
        })
    ));
    assert!(matches!(
        odd.index(1..5).set_16(0),
        Err(CudaError::MisalignedFill { unit: 2, .. })
    ));
}

#[test]
fn sizes_from_nothing_to_too_much() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let mut empty = DeviceBuffer::<f64>::from_slice(&[]).unwrap();
    assert!(empty.is_empty() && empty.as_device_ptr().is_null());
    empty.set_zero().unwrap();
    assert_eq!(empty.as_host_vec(), Ok(vec![]));
    // SAFETY: nothing is read.
    unsafe { DeviceBuffer::<f64>::uninitialized_async(0, &stream) }
        .unwrap()
        .drop_async(&stream)
        .unwrap();
    assert_eq!(
        DeviceBuffer::from_slice(&[(); 5])
            .unwrap()
            .as_host_vec()
            .unwrap()
            .len(),
        5
    );
    assert!(LockedBuffer::<u64>::from_slice(&[]).unwrap().is_empty());
    assert_eq!(fake.blocks(), 0);

    let overflowing = usize::MAX / 8 + 1;
    assert_eq!(
        DeviceBuffer::<f64>::zeroed(overflowing).unwrap_err(),
        CudaError::InvalidMemoryAllocation
    );
    assert_eq!(
        LockedBuffer::new(&0u64, overflowing).unwrap_err(),
        CudaError::InvalidMemoryAllocation
    );
    // SAFETY: nothing is read.
    let too_much = unsafe { DeviceBuffer::<f64>::uninitialized(1 << 40) };
    assert_eq!(too_much.unwrap_err(), CudaError::OutOfMemory);
    let third: DeviceBuffer<u8> = DeviceBuffer::zeroed(400 << 20).unwrap();
    assert_eq!(mem_get_info(), Ok(((1 << 30) - (400 << 20), 1 << 30)));
    assert_eq!(
        DeviceBuffer::<u8>::zeroed(800 << 20).unwrap_err(),
        CudaError::OutOfMemory
    );
    drop(third);
    assert_eq!(fake.blocks(), 0);
}

#[test]
fn stream_ordered_memory_goes_back_in_order_or_falls_back() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let before = (fake.count('a'), fake.count('f'));
    {
        let _context = context(0);
        let stream = Stream::new_non_blocking(None).unwrap();
        // SAFETY: nothing is read before it is written; one stream only.
        let (first, second) = unsafe {
            (
                DeviceBuffer::<u32>::zeroed_async(4, &stream).unwrap(),
                DeviceBuffer::from_slice_async(&[7u32], &stream).unwrap(),
            )
        };
        assert_eq!(first.as_host_vec().unwrap(), [0; 4]);
        first.drop_async(&stream).unwrap();
        // The buffer outlives its stream's owner, and so keeps the stream.
        Stream::drop(stream).unwrap();
        assert_eq!(fake.live(Handle::Stream), 1);
        assert_eq!(second.as_host_vec().unwrap(), [7]);
        drop(second);
        assert_eq!((fake.live(Handle::Stream), fake.blocks()), (0, 0));
    }
    assert_eq!(
        (fake.count('a') - before.0, fake.count('f') - before.1),
        (2, 2)
    );
    // A device without pools: whether it has them is asked once per context, so this is a new one.
    fake.set_pools(false);
    let _context = context(0);
    let stream = Stream::new_non_blocking(None).unwrap();
    // SAFETY: as above.
    let plain = unsafe { DeviceBuffer::<u32>::zeroed_async(4, &stream) }.unwrap();
    plain.drop_async(&stream).unwrap();
    // SAFETY: as above.
    drop(unsafe { DeviceBuffer::<u32>::zeroed_async(4, &stream) }.unwrap());
    assert_eq!((fake.count('a') - before.0, fake.blocks()), (2, 0));
    assert_eq!(
        cust::memory::set_release_threshold(Device::get_device(0).unwrap(), 1),
        Err(CudaError::NotSupported)
    );
    fake.set_pools(true);
    cust::memory::set_release_threshold(Device::get_device(0).unwrap(), u64::MAX).unwrap();
    assert_eq!(
        cust::memory::release_threshold(Device::get_device(0).unwrap()),
        Ok(u64::MAX)
    );
}

#[test]
fn everything_works_from_any_thread_and_with_any_device_current() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let first = context(0);
    let second = context(1);
    assert_eq!(
        CurrentContext::get_device().unwrap().name().unwrap(),
        "Fake GPU 1"
    );
    let on_second = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
    let (stream, module, mut on_first, event) = {
        let _current = first.enter().unwrap();
        (
            Stream::new_non_blocking(None).unwrap(),
            Module::from_ptx("// vecadd", &[]).unwrap(),
            DeviceBuffer::from_slice(&[5.0f32, 6.0]).unwrap(),
            Event::new(EventFlags::DEFAULT).unwrap(),
        )
    };
    assert_eq!(CurrentContext::get_device().unwrap(), second.device());
    let address = on_first.as_device_ptr().as_raw();
    assert_eq!(
        (
            fake.device_of(address),
            fake.device_of(on_second.as_device_ptr().as_raw())
        ),
        (0, 1)
    );

    // Device 1 is current; all of this is on device 0.
    let function = module.get_function_owned("vecadd").unwrap();
    let (p, n) = (on_first.as_device_ptr(), on_first.len());
    // SAFETY: the stand-in's vecadd, in place.
    unsafe { launch!(function<<<1, 2, 0, stream>>>(p, p, p, n)) }.unwrap();
    event.record(&stream).unwrap();
    assert_eq!(on_first.as_host_vec().unwrap(), [10.0, 12.0]);
    // Between devices, at once and in a stream.
    let peers = fake.count('p');
    on_first.copy_from(&on_second).unwrap();
    // SAFETY: both ends live until the stream is synchronised.
    unsafe { on_first.async_copy_from(&on_second, &stream) }.unwrap();
    assert_eq!(fake.count('p') - peers, 2);
    assert_eq!(on_first.as_host_vec().unwrap(), [1.0, 2.0]);
    first.enable_peer_access(&second).unwrap();
    first.enable_peer_access(&second).unwrap();
    assert_eq!(first.device().can_access_peer(second.device()), Ok(true));
    assert_eq!(first.memory_info().unwrap().1, 1 << 30);

    // On a thread where nothing is current, down to the drops.
    std::thread::spawn(move || {
        let on_first = on_first;
        on_first.index(0..1).copy_from(&[9.0]).unwrap();
        assert_eq!(on_first.as_host_vec().unwrap(), [9.0, 2.0]);
        stream.synchronize().unwrap();
        event.synchronize().unwrap();
        drop((on_first, on_second, stream, event, module, function));
        assert_eq!(CurrentContext::get_device(), Err(CudaError::InvalidContext));
        assert_eq!(
            DeviceBuffer::from_slice(&[1u8]).unwrap_err(),
            CudaError::InvalidContext
        );
        assert_eq!(
            Stream::new(StreamFlags::DEFAULT, None).unwrap_err(),
            CudaError::InvalidContext
        );
    })
    .join()
    .unwrap();
    assert_eq!(
        fake.blocks()
            + fake.live(Handle::Stream)
            + fake.live(Handle::Event)
            + fake.live(Handle::Module),
        0
    );
    Context::drop(first.clone()).unwrap();
    assert_eq!((fake.owners(0), fake.owners(1)), (1, 1));
    drop((first, second));
    assert_eq!((fake.owners(0), fake.owners(1)), (0, 0));
}

#[test]
fn a_slice_of_a_context_that_is_gone_is_an_error() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let slice = {
        let _context = context(0);
        *DeviceBuffer::from_slice(&[1u8, 2]).unwrap().as_slice()
    };
    let _other = context(1);
    assert_eq!(slice.as_host_vec(), Err(CudaError::ContextIsDestroyed));
}

#[test]
fn events_and_callbacks() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let other = Stream::new(StreamFlags::DEFAULT, Some(-1)).unwrap();
    let (start, end) = (
        Event::new(EventFlags::DEFAULT).unwrap(),
        Event::new(EventFlags::BLOCKING_SYNC).unwrap(),
    );
    assert_eq!(end.elapsed(&start), Err(CudaError::InvalidHandle));
    start.record(&stream).unwrap();
    end.record(&stream).unwrap();
    assert_eq!(end.elapsed(&start).unwrap().as_micros(), 1500);
    fake.set_pending(true);
    assert_eq!(
        (end.query(), stream.query()),
        (Ok(EventStatus::NotReady), Ok(false))
    );
    fake.set_pending(false);
    assert_eq!(
        (end.query(), stream.query()),
        (Ok(EventStatus::Ready), Ok(true))
    );
    other
        .wait_event(&end, StreamWaitEventFlags::DEFAULT)
        .unwrap();
    other
        .wait_event(start, StreamWaitEventFlags::DEFAULT)
        .unwrap();

    let (sender, receiver) = std::sync::mpsc::channel();
    stream
        .add_callback(Box::new(move || sender.send(42).unwrap()))
        .unwrap();
    assert_eq!(receiver.recv(), Ok(42));
    stream
        .add_callback(Box::new(|| panic!("caught before it reaches the driver")))
        .unwrap();
}

#[test]
fn symbols_are_checked_for_their_size() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let mut table = module.get_global::<[i32; 4]>(c"TABLE").unwrap();
    table.copy_from(&[1, 2, 3, 4]).unwrap();
    let mut back = [0; 4];
    table.copy_to(&mut back).unwrap();
    assert_eq!(back, [1, 2, 3, 4]);
    // SAFETY: used while the module is loaded.
    assert_eq!(
        unsafe { module.get_global_slice::<i32>(c"TABLE") }
            .unwrap()
            .as_host_vec()
            .unwrap(),
        [1, 2, 3, 4]
    );
    assert_eq!(
        module.get_global::<f32>(c"TABLE").unwrap_err(),
        CudaError::SymbolSize {
            symbol: 16,
            requested: 4
        }
    );
    assert_eq!(
        module.get_global::<f32>(c"ABSENT").unwrap_err(),
        CudaError::NotFound
    );
}
