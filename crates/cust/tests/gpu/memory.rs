//! Fills, copies and sizes.

use cust::error::CudaError;
use cust::memory::AsyncCopyDestination;
use cust::prelude::*;

use crate::gpu;

#[test]
fn subslices_can_be_filled_and_copied() {
    let Some(_context) = gpu(0) else { return };
    let mut buffer = DeviceBuffer::<u32>::zeroed(16).unwrap();
    buffer.index(4..8).set_32(0xdead_beef).unwrap();
    buffer.index(8..9).set_16(0x1234).unwrap();
    buffer.index(9..10).set_8(0xab).unwrap();
    buffer.index(10..12).copy_from(&[1, 2]).unwrap();
    let tail = buffer.index(4..8);
    buffer.index(12..).copy_from(&tail).unwrap();
    let mut expected = [0u32; 16];
    expected[4..8].fill(0xdead_beef);
    expected[8..12].copy_from_slice(&[0x1234_1234, 0xabab_abab, 1, 2]);
    expected[12..].fill(0xdead_beef);
    assert_eq!(buffer.as_host_vec().unwrap(), expected);
    assert_eq!(
        buffer.copy_from(&[0u32; 15]),
        Err(CudaError::LengthMismatch {
            destination: 16,
            source: 15
        })
    );
    let stream = Stream::new_non_blocking(None).unwrap();
    let mut other = DeviceBuffer::<u32>::zeroed(16).unwrap();
    // SAFETY: one stream, synchronized before the result is read.
    unsafe {
        other.async_copy_from(&buffer, &stream).unwrap();
        other.index(0..2).set_32_async(5, &stream).unwrap();
        other.index(2..4).set_zero_async(&stream).unwrap();
    }
    stream.synchronize().unwrap();
    expected[..4].copy_from_slice(&[5, 5, 0, 0]);
    assert_eq!(other.as_host_vec().unwrap(), expected);
}

#[test]
fn a_failed_allocation_leaves_the_context_usable() {
    let Some(context) = gpu(0) else { return };
    let (free, total) = context.memory_info().unwrap();
    let stream = Stream::new_non_blocking(None).unwrap();
    // SAFETY: nothing is read.
    let refused = unsafe { DeviceBuffer::<u8>::uninitialized(total + 1) };
    assert_eq!(refused.unwrap_err(), CudaError::OutOfMemory);
    // SAFETY: nothing is read.
    let refused = unsafe { DeviceBuffer::<u8>::uninitialized_async(2 * total, &stream) };
    assert_eq!(refused.unwrap_err(), CudaError::OutOfMemory);
    assert_eq!(
        DeviceBuffer::from_slice(&[free as u64])
            .unwrap()
            .as_host_vec()
            .unwrap(),
        [free as u64]
    );
    stream.synchronize().unwrap();
}

#[test]
fn a_buffer_above_4_gib_is_fully_addressable() {
    let Some(context) = gpu(0) else { return };
    let bytes = (4usize << 30) + 4096;
    if context.memory_info().unwrap().0 < bytes + (1 << 30) {
        test_cases::report_skip(format_args!("less than 4 GiB of free memory"));
        return;
    }
    let large = DeviceBuffer::<u32>::zeroed(bytes / 4).unwrap();
    let last = large.len() - 1;
    large.index(last..).copy_from(&[77]).unwrap();
    assert_eq!(large.index(last - 1..).as_host_vec().unwrap(), [0, 77]);
    assert_eq!(large.index(0).as_host_vec().unwrap(), [0]);
}
