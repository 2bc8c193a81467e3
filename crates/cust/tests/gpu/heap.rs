//! A kernel that allocates like `cuda_std`, from a heap set by the host.

use cust::error::CudaError;
use cust::prelude::*;

use crate::{gpu, kernels};

/// Each thread allocates 64 bytes, writes its index there, and stores the address; 0 if the heap is
/// exhausted.
const KERNEL: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 8 .b8 __ferrovox_heap[24];
.visible .entry allocate(.param .u64 out)
{
    .reg .pred %full;
    .reg .b32 %r<5>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 8;
    add.u64 %rd4, %rd2, %rd3;
    mov.u64 %rd5, __ferrovox_heap;
    atom.global.add.u64 %rd6, [%rd5+16], 64;
    ld.global.u64 %rd7, [%rd5];
    ld.global.u64 %rd8, [%rd5+8];
    add.u64 %rd9, %rd6, 64;
    mov.u64 %rd10, 0;
    setp.gt.u64 %full, %rd9, %rd8;
    @%full bra DONE;
    add.u64 %rd10, %rd7, %rd6;
    cvta.to.global.u64 %rd11, %rd10;
    st.global.u32 [%rd11], %r4;
DONE:
    st.global.u64 [%rd4], %rd10;
    ret;
}
";

#[test]
fn kernels_allocate_from_the_heap_of_their_module() {
    let Some(_context) = gpu(0) else { return };
    let module = Module::from_ptx_logged(KERNEL, &[])
        .unwrap_or_else(|error| panic!("{error}"))
        .0;
    let stream = Stream::new_non_blocking(None).unwrap();
    let threads = 1000usize;
    let out = DeviceBuffer::<u64>::zeroed(threads).unwrap();
    // SAFETY: allocate(out) writes one address per thread; the heap outlives the launch.
    let launch =
        || unsafe { launch!(module.allocate<<<10, 100, 0, stream>>>(out.as_device_ptr())) };
    let heap = module.set_heap(threads * 64).unwrap();
    let mut addresses = Vec::new();
    for _ in 0..3 {
        heap.reset(&stream).unwrap();
        launch().unwrap();
        stream.synchronize().unwrap();
        addresses = out.as_host_vec().unwrap();
        assert_eq!(heap.used(), Ok(threads as u64 * 64));
        for (thread, address) in addresses.iter().enumerate() {
            let mut number = [0u8; 4];
            // SAFETY: four bytes of the heap, which no work uses now.
            unsafe {
                cust::memory::memcpy_dtoh(number.as_mut_ptr().cast(), *address, 4).unwrap();
            }
            assert_eq!(u32::from_le_bytes(number) as usize, thread);
        }
    }
    addresses.sort_unstable();
    assert!(addresses.windows(2).all(|pair| pair[1] - pair[0] == 64));
    // without a reset the heap is exhausted
    launch().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.as_host_vec().unwrap(), vec![0; threads]);
    assert_eq!(heap.used(), Ok(threads as u64 * 128));
    // without a heap every allocation fails
    drop(heap);
    launch().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.as_host_vec().unwrap(), vec![0; threads]);
    assert_eq!(
        kernels().set_heap(1 << 20).unwrap_err(),
        CudaError::NotFound
    );
}
