//! Buffers, copies and fills, and their sizes.

use cust::error::CudaError;
use cust::memory::{AsyncCopyDestination, LockedBuffer, MemoryPool, mem_get_info};
use cust::prelude::*;
use cust::stream::UnownedStream;

use crate::context;
use crate::fake::{self, Handle};

#[test]
fn copies_and_fills_of_slices_and_subslices() {
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
    // SAFETY: nothing else uses either side, and the stream is synchronized before they are used.
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
fn empty_and_overflowing_sizes() {
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
    let third: DeviceBuffer<u8> = DeviceBuffer::zeroed(25 << 20).unwrap();
    assert_eq!(mem_get_info(), Ok(((64 << 20) - (25 << 20), 64 << 20)));
    assert_eq!(
        DeviceBuffer::<u8>::zeroed(50 << 20).unwrap_err(),
        CudaError::OutOfMemory
    );
    drop(third);
    assert_eq!(fake.blocks(), 0);
}

#[test]
fn stream_ordered_memory_is_freed_in_its_stream_or_falls_back() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let before = (fake.count('a'), fake.count('f'));
    {
        let _context = context(0);
        let stream = Stream::new_non_blocking(None).unwrap();
        // SAFETY: nothing is read before it is written; a single stream.
        let (first, second) = unsafe {
            (
                DeviceBuffer::<u32>::zeroed_async(4, &stream).unwrap(),
                DeviceBuffer::from_slice_async(&[7u32], &stream).unwrap(),
            )
        };
        assert_eq!(first.as_host_vec().unwrap(), [0; 4]);
        first.drop_async(&stream).unwrap();
        // The buffer outlives the stream's owner, and keeps the stream alive.
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
    // A device without pools: the property is queried once per context, so this is a new context.
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
fn a_pool_lives_as_long_as_its_owner() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let before = (fake.pools(), fake.blocks());
    let pool = MemoryPool::new(Device::get_device(0).unwrap()).unwrap();
    pool.set_release_threshold(1 << 20).unwrap();
    let stream = Stream::new_non_blocking(None).unwrap();
    // SAFETY: nothing is read before it is written; a single stream.
    let mut buffer = unsafe {
        DeviceBuffer::<u32>::uninitialized_from_pool_async(4, Some(&pool), &stream).unwrap()
    };
    buffer.copy_from(&[1, 2, 3, 4]).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2, 3, 4]);
    assert_eq!((fake.pools(), fake.blocks()), (before.0 + 1, before.1 + 1));
    drop(buffer);
    pool.trim(0).unwrap();
    drop(pool);
    assert_eq!((fake.pools(), fake.blocks()), before);
    fake.set_pools(false);
    let unsupported = MemoryPool::new(Device::get_device(0).unwrap());
    assert_eq!(unsupported.unwrap_err(), CudaError::NotSupported);
}

#[test]
fn the_device_of_an_address_is_found() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(1);
    let buffer = DeviceBuffer::from_slice(&[1u32, 2]).unwrap();
    let address = buffer.as_device_ptr().as_raw();
    assert_eq!(cust::memory::device_ordinal_at(address + 4), Ok(1));
    let unknown = cust::memory::device_ordinal_at(address + 8);
    assert_eq!(unknown, Err(CudaError::InvalidValue));
}

#[test]
fn a_stream_of_another_library_is_ordered_with_events() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let theirs = Stream::new_non_blocking(None).unwrap();
    let streams = fake.live(Handle::Stream);
    let event = Event::new(EventFlags::DISABLE_TIMING).unwrap();
    let default_streams = [0usize, 1, 2].map(std::ptr::without_provenance_mut);
    for raw in [theirs.as_inner()].into_iter().chain(default_streams) {
        // SAFETY: a live stream of the current context, and the default streams.
        let unowned = unsafe { UnownedStream::from_raw(raw) }.unwrap();
        unowned.record(&event).unwrap();
        unowned.wait_event(&event).unwrap();
    }
    assert_eq!(fake.live(Handle::Stream), streams);
}

/// A slice has no lifetime: without tracking, one that outlives its buffer could access memory that
/// has been reused.
#[test]
fn a_slice_of_a_dropped_buffer_is_an_error() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3, 4]).unwrap();
    let mut slice = buffer.index(1..);
    let mut other = DeviceBuffer::from_slice(&[5u32, 6, 7]).unwrap();
    assert_eq!(slice.as_host_vec(), Ok(vec![2, 3, 4]));
    drop(buffer);
    let mut host = [0; 3];
    assert_eq!(slice.as_host_vec(), Err(CudaError::BufferDropped));
    assert_eq!(slice.copy_to(&mut host), Err(CudaError::BufferDropped));
    assert_eq!(slice.copy_from(&host), Err(CudaError::BufferDropped));
    assert_eq!(slice.copy_from(&other), Err(CudaError::BufferDropped));
    assert_eq!(other.copy_from(&slice), Err(CudaError::BufferDropped));
    assert_eq!(slice.set_32(9), Err(CudaError::BufferDropped));
    // the next buffer reuses the slot, and perhaps the memory
    let next = DeviceBuffer::from_slice(&[8u32; 4]).unwrap();
    assert_eq!(slice.set_zero(), Err(CudaError::BufferDropped));
    assert_eq!(next.as_host_vec(), Ok(vec![8; 4]));
    assert_eq!(other.as_host_vec(), Ok(vec![5, 6, 7]));
}

/// A buffer dereferences to its slice, which can be assigned to.
#[test]
fn a_buffer_frees_its_own_memory_after_its_slice_was_assigned() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let before = fake.blocks();
    let mut first = DeviceBuffer::from_slice(&[1u32, 2]).unwrap();
    let mut second = DeviceBuffer::from_slice(&[3u32, 4, 5]).unwrap();
    *first = *second;
    assert_eq!(first.as_host_vec(), Ok(vec![3, 4, 5]));
    drop(first);
    assert_eq!(second.as_host_vec(), Ok(vec![3, 4, 5]));
    assert_eq!(fake.blocks(), before + 1);
    let mut third = DeviceBuffer::from_slice(&[6u32]).unwrap();
    std::mem::swap(&mut *second, &mut *third);
    assert_eq!(second.as_host_vec(), Ok(vec![6]));
    drop(third);
    assert_eq!(second.as_host_vec(), Err(CudaError::BufferDropped));
    drop(second);
    assert_eq!(fake.blocks(), before);
}
