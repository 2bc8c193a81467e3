//! Devices, and use of all objects on any thread with any current context.

use cust::context::CurrentContext;
use cust::error::CudaError;
use cust::memory::AsyncCopyDestination;
use cust::prelude::*;

use crate::context;
use crate::fake::{self, Handle};

#[test]
fn device_attributes_are_passed_through() {
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
    assert_eq!(device.total_memory(), Ok(64 << 20));
    assert_eq!(device.uuid().unwrap()[..3], [1, 2, 3]);
    assert_eq!(Device::get_device(2), Err(CudaError::InvalidDevice));
    assert_eq!(Device::get_device(u32::MAX), Err(CudaError::InvalidDevice));
}

#[test]
fn objects_work_on_any_thread_with_any_current_context() {
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
            fake.allocation_device(address),
            fake.allocation_device(on_second.as_device_ptr().as_raw())
        ),
        (0, 1)
    );

    // Device 1 is current; these objects belong to device 0.
    let function = module.get_function_owned("vecadd").unwrap();
    let (p, n) = (on_first.as_device_ptr(), on_first.len());
    // SAFETY: the stand-in's vecadd, in place.
    unsafe { launch!(function<<<1, 2, 0, stream>>>(p, p, p, n)) }.unwrap();
    event.record(&stream).unwrap();
    assert_eq!(on_first.as_host_vec().unwrap(), [10.0, 12.0]);
    // copies between devices, synchronously and in a stream
    let peers = fake.count('p');
    on_first.copy_from(&on_second).unwrap();
    // SAFETY: both sides live until the stream is synchronized.
    unsafe { on_first.async_copy_from(&on_second, &stream) }.unwrap();
    assert_eq!(fake.count('p') - peers, 2);
    assert_eq!(on_first.as_host_vec().unwrap(), [1.0, 2.0]);
    first.enable_peer_access(&second).unwrap();
    first.enable_peer_access(&second).unwrap();
    assert_eq!(first.device().can_access_peer(second.device()), Ok(true));
    assert_eq!(first.memory_info().unwrap().1, 64 << 20);

    // on a thread without a current context, including the drops
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
    assert_eq!((fake.retain_count(0), fake.retain_count(1)), (1, 1));
    drop((first, second));
    assert_eq!((fake.retain_count(0), fake.retain_count(1)), (0, 0));
}

#[test]
fn a_slice_of_a_destroyed_context_is_an_error() {
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
