//! Unified memory and pinned memory.

use cust::error::CudaError;
use cust::memory::{
    GpuBox, GpuBuffer, LockedBox, LockedBuffer, MemoryAdvise, UnifiedBox, UnifiedPointer,
    cuda_free_unified, cuda_malloc_unified,
};
use cust::prelude::*;

use crate::context;
use crate::fake;

#[test]
fn kernel_and_host_alternate_on_one_buffer() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    // Device 1 has no concurrent managed access: pinned memory is used instead, with the same
    // semantics.
    for concurrent in [true, false] {
        fake.set_concurrent(concurrent);
        {
            let _context = context(0);
            let module = Module::from_ptx("// vecadd", &[]).unwrap();
            let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
            let a = UnifiedBuffer::from_slice(&[1.0f32, 2.0, 3.0]).unwrap();
            let b = [10.0f32, 20.0, 30.0].as_unified_buf().unwrap();
            let mut c = UnifiedBuffer::new(&0.5f32, 3).unwrap();
            assert_eq!(fake.is_managed(a.as_device_ptr().as_raw()), concurrent);
            assert_eq!(fake.blocks() + fake.pinned(), 3);
            // SAFETY: the arguments match the stand-in's vecadd, which is complete when the stream
            // is synchronized.
            unsafe {
                launch!(module.vecadd<<<1, 3, 0, stream>>>(
                    a.as_unified_ptr(), b.as_device_ptr(), c.as_unified_ptr(), a.len()
                ))
                .unwrap();
            }
            stream.synchronize().unwrap();
            assert_eq!(c[..], [11.0, 22.0, 33.0]);
            c[1] = 7.0;
            // usable as host memory of a copy, too
            let mut device_buffer = DeviceBuffer::from_slice(&a).unwrap();
            device_buffer.copy_from(&c).unwrap();
            assert_eq!(device_buffer.as_host_vec().unwrap(), [11.0, 7.0, 33.0]);
        }
        assert_eq!((fake.blocks(), fake.pinned()), (0, 0));
    }
}

#[test]
fn a_buffer_outlives_the_owner_of_its_context() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(1);
    let mut buffer = UnifiedBuffer::new(&3u8, 1000).unwrap();
    let boxed = UnifiedBox::new(5u16).unwrap();
    let pinned = LockedBox::new(&7u32).unwrap();
    drop(owner);
    std::thread::spawn(move || {
        // no context is current here
        buffer[999] += *boxed as u8 + *pinned as u8;
        assert_eq!((buffer[0], buffer[999]), (3, 15));
        UnifiedBuffer::drop(buffer).unwrap();
        UnifiedBox::drop(boxed).unwrap();
        LockedBox::drop(pinned).unwrap();
    })
    .join()
    .unwrap();
    assert_eq!(
        (fake.blocks(), fake.pinned(), fake.retain_count(1)),
        (0, 0, 0)
    );
}

#[test]
fn empty_and_overflowing_sizes() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    // empty buffers need no context
    let empty = UnifiedBuffer::<f64>::from_slice(&[]).unwrap();
    assert!(empty.is_empty() && empty.as_device_ptr().is_null());
    empty.advise_read_mostly(true).unwrap();
    let nothing = UnifiedBox::new(()).unwrap();
    assert!(GpuBox::as_device_ptr(&nothing).is_null());
    // SAFETY: returned by `into_raw`, and has no bytes.
    let _nothing = unsafe { UnifiedBox::from_unified(UnifiedBox::into_unified(nothing)) };
    assert_eq!(UnifiedBuffer::new(&(), 5).unwrap().len(), 5);
    assert_eq!(UnifiedBox::new(1u8).unwrap_err(), CudaError::InvalidContext);
    let _context = context(0);
    assert_eq!(
        UnifiedBuffer::new(&0u64, usize::MAX / 8 + 1).unwrap_err(),
        CudaError::InvalidMemoryAllocation
    );
    // SAFETY: nothing is read.
    let too_much = unsafe { UnifiedBuffer::<u8>::uninitialized(65 << 20) };
    assert_eq!(too_much.unwrap_err(), CudaError::OutOfMemory);
    // SAFETY: nothing is allocated.
    let none = unsafe { cuda_malloc_unified::<u32>(0) };
    assert_eq!(none.unwrap_err(), CudaError::InvalidMemoryAllocation);
    // SAFETY: null is rejected.
    let null = unsafe { cuda_free_unified(UnifiedPointer::<u32>::null()) };
    assert_eq!(null.unwrap_err(), CudaError::InvalidMemoryAllocation);
    assert_eq!(fake.blocks(), 0);
}

#[test]
fn memory_survives_into_raw_and_from_raw() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    for concurrent in [true, false] {
        fake.set_concurrent(concurrent);
        let raw = UnifiedBox::into_unified(UnifiedBox::new([1u32, 2]).unwrap());
        assert_eq!(fake.blocks() + fake.pinned(), 1);
        // SAFETY: returned by `into_unified` just now.
        let mut again = unsafe { UnifiedBox::from_raw(raw.as_raw_mut()) };
        again[1] = 9;
        assert_eq!(*again, [1, 9]);
        // SAFETY: four values of one allocation, all initialized before they are used as a slice;
        // then owned by the buffer.
        let buffer = unsafe {
            let start = cuda_malloc_unified::<u16>(4).unwrap();
            for i in 0..4 {
                start.add(i).as_raw_mut().write(i as u16);
            }
            UnifiedBuffer::from_raw_parts(start, 4)
        };
        assert_eq!(buffer[..], [0, 1, 2, 3]);
    }
    let pinned = LockedBox::new(&5u64).unwrap();
    let raw = pinned.as_raw();
    assert_eq!(pinned.into_raw(), raw);
    // SAFETY: returned by `into_raw` just now.
    let mut pinned = unsafe { LockedBox::from_raw(raw) };
    *pinned += 1;
    assert_eq!(*pinned, 6);
    let (error, _kept) = LockedBuffer::drop(
        // SAFETY: never read, and rejected by the stand-in.
        unsafe { LockedBuffer::from_raw_parts(std::ptr::without_provenance_mut::<u8>(64), 1) },
    )
    .unwrap_err();
    assert_eq!(error, CudaError::InvalidValue);
    drop(pinned);
    assert_eq!((fake.blocks(), fake.pinned()), (0, 0));
    // a nonempty value would keep the context alive, which other tests count
    let leaked: &mut () = UnifiedBox::leak(UnifiedBox::new(()).unwrap());
    *leaked = ();
}

#[test]
fn a_box_compares_and_formats_like_its_value() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let (one, two) = (
        UnifiedBox::new(1u32).unwrap(),
        UnifiedBox::new(2u32).unwrap(),
    );
    assert!(one < two && one != two && one.max(two).to_string() == "2");
}

#[test]
fn hints_reach_the_driver() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let device = Device::get_device(1).unwrap();
    let buffer = UnifiedBuffer::new(&0u8, 100).unwrap();
    let boxed = UnifiedBox::new(0u8).unwrap();
    let before = fake.count('m');
    buffer.prefetch_to_device(&stream, &device).unwrap();
    buffer.prefetch_to_host(&stream).unwrap();
    buffer.advise_read_mostly(true).unwrap();
    buffer.advise_read_mostly(false).unwrap();
    boxed.preferred_location(Some(device)).unwrap();
    boxed.preferred_location(None).unwrap();
    boxed.unset_preferred_location().unwrap();
    assert_eq!(fake.count('m') - before, 7);
    fake.set_concurrent(false);
    let pinned = UnifiedBuffer::new(&0u8, 100).unwrap();
    assert_eq!(
        pinned.prefetch_to_host(&stream),
        Err(CudaError::InvalidValue)
    );
}
