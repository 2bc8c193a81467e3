//! Boxes, pitched copies, splits and casts of device memory.

use cust::error::CudaError;
use cust::memory::bytemuck::PodCastError;
use cust::memory::{
    AsyncCopyDestination, DeviceBox, DeviceMemory, GpuBox, LockedBox, cuda_free,
    cuda_malloc_pitched, memcpy_2d_dtoh, memcpy_2d_htod,
};
use cust::prelude::*;

use crate::context;
use crate::fake;

#[test]
fn stream_ordered_boxes() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let before = (fake.count('a'), fake.count('f'));
    let mut pinned = LockedBox::new(&0u64).unwrap();
    // SAFETY: one stream, which runs everything immediately; nothing is read before it is written.
    unsafe {
        let mut first = DeviceBox::new_async(&5u64, &stream).unwrap();
        let zero = DeviceBox::<u64>::zeroed_async(&stream).unwrap();
        let mut third = DeviceBox::<u64>::uninitialized_async(&stream).unwrap();
        first.async_copy_to(&mut pinned, &stream).unwrap();
        assert_eq!(*pinned, 5);
        *pinned = 6;
        first.async_copy_from(&pinned, &stream).unwrap();
        third.async_copy_from(&first, &stream).unwrap();
        assert_eq!(third.as_host_value(), Ok(6));
        assert_eq!(zero.as_host_value(), Ok(0));
        first.drop_async(&stream).unwrap();
    }
    assert_eq!(
        (fake.count('a') - before.0, fake.count('f') - before.1),
        (3, 3)
    );
    assert_eq!(
        DeviceBox::<[u8; 3]>::zeroed().unwrap().as_host_value(),
        Ok([0; 3])
    );
    assert_eq!(fake.blocks(), 0);
}

#[test]
fn a_box_survives_into_device_and_from_device() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let boxed = DeviceBox::new(&[1u16, 2]).unwrap();
    assert_eq!(
        (boxed.size_in_bytes(), boxed.as_raw_ptr()),
        (4, boxed.as_device_ptr().as_raw())
    );
    let pointer = DeviceBox::into_device(boxed);
    assert_eq!(fake.blocks(), 1);
    // SAFETY: returned by `into_device` just now.
    let again = unsafe { DeviceBox::from_raw(pointer.as_raw()) };
    assert_eq!(again.as_host_value(), Ok([1, 2]));
    assert_eq!(GpuBox::as_device_ptr(&again), pointer);
    drop(again);
    assert_eq!(fake.blocks(), 0);
    let nothing = DeviceBox::new(&()).unwrap();
    assert!(DeviceBox::into_device(nothing).is_null());
}

#[test]
fn pitched_copies() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let image: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let mut back = [-1.0f32; 10];
    // SAFETY: three rows of four values on both sides; the first three values of two rows are
    // copied back, with a pitch of five.
    unsafe {
        let (rows, pitch) = cuda_malloc_pitched::<f32>(4, 3).unwrap();
        assert!(pitch >= 16 && pitch % 256 == 0);
        memcpy_2d_htod(rows, pitch, image.as_ptr(), 16, 4, 3).unwrap();
        memcpy_2d_dtoh(back.as_mut_ptr(), 20, rows, pitch, 3, 2).unwrap();
        // pitch below the width
        assert_eq!(
            memcpy_2d_htod(rows, pitch, image.as_ptr(), 12, 4, 3),
            Err(CudaError::InvalidValue)
        );
        assert_eq!(
            memcpy_2d_htod(rows, pitch, image.as_ptr(), 16, usize::MAX, 3),
            Err(CudaError::InvalidMemoryAllocation)
        );
        assert_eq!(memcpy_2d_dtoh(back.as_mut_ptr(), 0, rows, 0, 0, 2), Ok(()));
        assert_eq!(memcpy_2d_dtoh(back.as_mut_ptr(), 0, rows, 0, 2, 0), Ok(()));
        cuda_free(rows).unwrap();
        assert_eq!(
            cuda_malloc_pitched::<f32>(4, 0).unwrap_err(),
            CudaError::InvalidMemoryAllocation
        );
        // the driver accepts element sizes of 4, 8 and 16 bytes only
        for _ in 0..2 {
            cuda_free(cuda_malloc_pitched::<[u8; 3]>(5, 2).unwrap().0).unwrap();
            cuda_free(cuda_malloc_pitched::<[f64; 5]>(5, 2).unwrap().0).unwrap();
        }
    }
    assert_eq!(back, [0.0, 1.0, 2.0, -1.0, -1.0, 4.0, 5.0, 6.0, -1.0, -1.0]);
    assert_eq!(fake.blocks(), 0);
}

#[test]
fn splits_and_subslices() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let mut buffer = DeviceBuffer::from_slice(&[0u64; 6]).unwrap();
    let (mut low, mut high) = buffer.split_at_mut(2);
    low.copy_from(&[1, 2]).unwrap();
    high.copy_from(&[3, 4, 5, 6]).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    let (all, none) = buffer.split_at(6);
    assert_eq!((all.len(), none.as_host_vec()), (6, Ok(vec![])));
    assert_eq!(all.size_in_bytes(), 48);
    for part in [
        buffer.index(2..=3),
        buffer.index(..4).index(2..),
        buffer.index(..).index(2..4),
    ] {
        assert_eq!(part.as_host_vec().unwrap(), [3, 4]);
    }
    drop(buffer);
    assert_eq!(high.as_host_vec(), Err(CudaError::BufferDropped));
}

#[test]
fn buffers_can_be_cast() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let words = DeviceBuffer::from_slice(&[0x0201_u16, 0x0403, 0x0605]).unwrap();
    let part = words.index(1..);
    let bytes = words.cast::<u8>();
    assert_eq!(bytes.as_host_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(part.as_host_vec().unwrap(), [0x0403, 0x0605]);
    assert_eq!(
        bytes.try_cast::<u32>().unwrap_err(),
        PodCastError::OutputSliceWouldHaveSlop
    );
    // a failed cast drops the buffer, as in Rust-CUDA
    assert_eq!(
        (part.as_host_vec(), fake.blocks()),
        (Err(CudaError::BufferDropped), 0)
    );
    let empty = DeviceBuffer::<u8>::from_slice(&[]).unwrap();
    assert!(empty.try_cast::<u64>().unwrap().is_empty());
    let nothing = DeviceBuffer::from_slice(&[(); 3]).unwrap();
    assert_eq!(
        nothing.try_cast::<u8>().unwrap_err(),
        PodCastError::SizeMismatch
    );
}
