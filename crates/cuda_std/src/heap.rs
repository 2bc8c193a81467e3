//! Memory for `alloc` on the device.
//!
//! All allocations of a launch come in order from one buffer that the host provides, aligned to at
//! least 16 bytes; each costs a single atomic addition. **Freeing does nothing**: the memory
//! becomes available again at the next launch, when the host resets the heap. A growing vector
//! leaves its old memory behind and takes up to twice its size, so use `Vec::with_capacity` if the
//! size is known.
//!
//! By default there is no heap, and the first allocation fails, as does any allocation for which
//! the heap is too small: the kernel traps, and the host sees a failed launch. The builder's lint
//! lists the kernels that allocate (`FindingKind::Allocation`).
//!
//! To provide a heap, write a [`Heap`] to the module's global [`SYMBOL`] before each launch, in the
//! launch's stream. The global exists only if a kernel of the module allocates.
//!
//! On the CPU nothing needs to be set up: kernels use the program's allocator.

/// Name of the module's global that holds the [`Heap`].
pub const SYMBOL: &str = "__ferrovox_heap";

/// Heap descriptor that the host writes before a launch: three 64-bit numbers.
///
/// ```
/// let heap = cuda_std::heap::Heap::new(0x7f00_0000_0000, 1 << 20);
/// assert_eq!(heap, cuda_std::heap::Heap { start: 0x7f00_0000_0000, bytes: 1 << 20, used: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Heap {
    /// Device address of the buffer, aligned to 16 bytes, as the driver's allocations are.
    pub start: u64,
    /// Size of the buffer in bytes.
    pub bytes: u64,
    /// Number of bytes allocated, including failed allocations; after a launch, the size that it
    /// would have needed.
    pub used: u64,
}

impl Heap {
    /// Creates an empty heap.
    #[must_use]
    pub const fn new(start: u64, bytes: u64) -> Self {
        Self {
            start,
            bytes,
            used: 0,
        }
    }
}

/// Returns the address of an allocation of `size` bytes when `used` bytes are allocated already, or
/// `None` if it does not fit. The allocation occupies [`reserved_bytes`] bytes.
#[cfg(any(target_arch = "nvptx64", test))]
#[inline(always)]
const fn allocation_address(
    start: u64,
    bytes: u64,
    used: u64,
    size: u64,
    align: u64,
) -> Option<u64> {
    // No device has half of the address space, but `used` also counts failed allocations.
    let Some(first_free) = start.checked_add(used) else {
        return None;
    };
    // `start` and `used` are multiples of 16; stricter alignments have reserved space for padding.
    let address = first_free.wrapping_add(align - 1) & !(align - 1);
    if address >= first_free && address - start <= bytes && size <= bytes - (address - start) {
        Some(address)
    } else {
        None
    }
}

/// Returns the number of bytes that an allocation occupies: its size and the padding for its
/// alignment, a multiple of 16.
#[cfg(any(target_arch = "nvptx64", test))]
#[inline(always)]
const fn reserved_bytes(size: u64, align: u64) -> u64 {
    let slack = align.saturating_sub(16);
    // A layout is smaller than half of the address space.
    (size + slack).next_multiple_of(16)
}

#[cfg(all(target_arch = "nvptx64", feature = "allocator"))]
mod device {
    use core::alloc::{GlobalAlloc, Layout};
    use core::ptr::null_mut;
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::Heap;

    unsafe extern "C" {
        // Defined by the linker where it is used.
        #[link_name = "__ferrovox_heap"]
        static mut HEAP: Heap;
    }

    struct Bump;

    // SAFETY: allocations are disjoint, since `used` only grows, and lie in the heap.
    unsafe impl GlobalAlloc for Bump {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let (size, align) = (layout.size() as u64, layout.align() as u64);
            let heap = &raw mut HEAP;
            // SAFETY: the linker's symbol; only `used` changes during a launch, by atomic
            // additions.
            unsafe {
                let used = AtomicU64::from_ptr(&raw mut (*heap).used)
                    .fetch_add(super::reserved_bytes(size, align), Ordering::Relaxed);
                match super::allocation_address((*heap).start, (*heap).bytes, used, size, align) {
                    Some(address) => address as *mut u8,
                    None => null_mut(),
                }
            }
        }

        #[inline(always)]
        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static ALLOCATOR: Bump = Bump;
}

#[cfg(test)]
mod tests {
    use super::{allocation_address, reserved_bytes};

    #[test]
    fn allocations_are_disjoint_and_in_bounds() {
        let sizes = [(1, 1), (16, 4), (17, 64), (3, 256), (0, 1), (40, 16)];
        let start = 4096 + 16;
        let (mut used, mut end) = (0, start);
        for (size, align) in sizes {
            let address = allocation_address(start, 4096, used, size, align).unwrap();
            assert!(address >= end && address.is_multiple_of(align));
            end = address + size;
            used += reserved_bytes(size, align);
            assert!(end <= start + used && used % 16 == 0);
        }
        assert_eq!(allocation_address(start, 4096, used, 4096, 1), None);
        assert_eq!(allocation_address(start, 4096, 0, 4096, 1), Some(start));
        assert_eq!(allocation_address(0, 0, 0, 1, 1), None);
        assert_eq!(allocation_address(16, 64, u64::MAX - 31, 64, 256), None);
        assert_eq!(allocation_address(16, 64, u64::MAX - 15, 64, 1), None);
    }
}
