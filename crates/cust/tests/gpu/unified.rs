//! Unified and pinned memory, pitched copies, and stream-ordered boxes.

use cust::device::DeviceAttribute;
use cust::memory::{
    AsyncCopyDestination, DeviceBox, GpuBuffer, LockedBox, MemoryAdvise, UnifiedBox, cuda_free,
    cuda_malloc_pitched, memcpy_2d_dtoh, memcpy_2d_htod,
};
use cust::prelude::*;

use crate::{gpu, kernels};

#[test]
fn kernel_and_host_alternate_on_unified_memory() {
    let Some(context) = gpu(0) else { return };
    let module = kernels();
    let stream = Stream::new_non_blocking(None).unwrap();
    let n = 100_000usize;
    let a = UnifiedBuffer::new(&1.5f32, n).unwrap();
    let mut sum = UnifiedBuffer::from_slice(&vec![2.0f32; n]).unwrap();
    for round in 0..3 {
        // SAFETY: vecadd(a, b, c, n), with one element per thread; the host waits for the stream
        // before it uses the buffers.
        unsafe {
            launch!(module.vecadd<<<(n as u32).div_ceil(256), 256, 0, stream>>>(
                a.as_device_ptr(), sum.as_unified_ptr(), sum.as_unified_ptr(), n
            ))
            .unwrap();
        }
        stream.synchronize().unwrap();
        assert!(
            sum.iter()
                .all(|value| *value == 3.5 + 1000.0 * round as f32),
            "round {round}"
        );
        for value in sum.iter_mut() {
            *value += 998.5;
        }
    }
    let shares = Device::devices().unwrap().all(|device| {
        device
            .unwrap()
            .get_attribute(DeviceAttribute::ConcurrentManagedAccess)
            == Ok(1)
    });
    if shares {
        a.advise_read_mostly(true).unwrap();
        a.prefetch_to_device(&stream, &context.device()).unwrap();
        sum.preferred_location(Some(context.device())).unwrap();
        sum.prefetch_to_host(&stream).unwrap();
        sum.unset_preferred_location().unwrap();
        stream.synchronize().unwrap();
    } else {
        eprintln!("a device has no concurrent managed access: hints were not tested");
    }
    let boxed = UnifiedBox::new(a[n - 1]).unwrap();
    assert_eq!(*boxed, 1.5);
    UnifiedBuffer::drop(a).unwrap();
    UnifiedBox::drop(boxed).unwrap();
    let leaked: &'static mut u64 = UnifiedBox::leak(UnifiedBox::new(5u64).unwrap());
    *leaked += 1;
    assert_eq!(*leaked, 6);
}

#[test]
fn boxes_and_pitched_copies_on_the_device() {
    let Some(_context) = gpu(0) else { return };
    let stream = Stream::new_non_blocking(None).unwrap();
    let mut pinned = LockedBox::new(&0u64).unwrap();
    // SAFETY: one stream, synchronized before the host reads.
    unsafe {
        let boxed = DeviceBox::new_async(&77u64, &stream).unwrap();
        boxed.async_copy_to(&mut pinned, &stream).unwrap();
        boxed.drop_async(&stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(*pinned, 77);
    let image: Vec<f32> = (0..600).map(|i| i as f32).collect();
    let mut back = vec![0.0f32; 600];
    // SAFETY: 20 rows of 30 values on both sides.
    unsafe {
        let (rows, pitch) = cuda_malloc_pitched::<f32>(30, 20).unwrap();
        assert!(pitch >= 120);
        memcpy_2d_htod(rows, pitch, image.as_ptr(), 120, 30, 20).unwrap();
        memcpy_2d_dtoh(back.as_mut_ptr(), 120, rows, pitch, 30, 20).unwrap();
        cuda_free(rows).unwrap();
    }
    assert_eq!(back, image);
    let words = DeviceBuffer::from_slice(&[0x0403_0201u32]).unwrap();
    assert_eq!(words.cast::<u8>().as_host_vec().unwrap(), [1, 2, 3, 4]);
}
