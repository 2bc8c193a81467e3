//! The memory that `alloc` has on the device.
//!
//! Every allocation of a launch comes from one piece of memory that the host gives to it, in order
//! and aligned to 16 bytes or more. It is a single atomic addition for each. **Freeing does
//! nothing**: what was taken is there again with the next launch, when the host sets the heap anew.
//! A vector that grows leaves its former memory behind, so it takes up to twice its size; make it
//! with `Vec::with_capacity` where the size is known.
//!
//! By default there is no heap, and the first allocation is an error, as one is for which the heap
//! is too small: the kernel stops, and the host sees a failed launch. The builder's lint names the
//! kernels that allocate (`FindingKind::Allocation`).
//!
//! To give kernels a heap, write a [`Heap`] into the module's global [`SYMBOL`] before each launch,
//! in the launch's stream. The global is there only if a kernel of the module allocates.
//!
//! On the CPU there is nothing to set: a kernel's allocations are the program's.

/// The name of the module's global that holds the [`Heap`].
pub const SYMBOL: &str = "__ferrovox_heap";

/// What the host writes before a launch: three numbers of 64 bits.
///
/// ```
/// let heap = cuda_std::heap::Heap::new(0x7f00_0000_0000, 1 << 20);
/// assert_eq!(heap, cuda_std::heap::Heap { start: 0x7f00_0000_0000, bytes: 1 << 20, used: 0 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Heap {
    /// The device address that it begins at, aligned to 16 bytes, as the driver's are.
    pub start: u64,
    /// How many bytes there are.
    pub bytes: u64,
    /// How many are taken, those of allocations that failed included: after a launch, what it would
    /// have needed.
    pub used: u64,
}

impl Heap {
    /// A heap of which nothing is taken.
    #[must_use]
    pub const fn new(start: u64, bytes: u64) -> Self {
        Self {
            start,
            bytes,
            used: 0,
        }
    }
}

/// The address of an allocation of `size` bytes in a heap, when `used` bytes were taken before it;
/// `None` if it does not fit. The allocation takes [`taken`] bytes.
#[cfg(any(target_arch = "nvptx64", test))]
#[inline(always)]
const fn place(start: u64, bytes: u64, used: u64, size: u64, align: u64) -> Option<u64> {
    // No device has half of the address space, but `used` also counts what did not fit.
    let Some(least) = start.checked_add(used) else {
        return None;
    };
    // `start` and `used` are multiples of 16; what is aligned more was given room to move.
    let address = least.wrapping_add(align - 1) & !(align - 1);
    if address >= least && address - start <= bytes && size <= bytes - (address - start) {
        Some(address)
    } else {
        None
    }
}

/// How much of the heap an allocation takes: its size and what aligning it may cost, a multiple of 16.
#[cfg(any(target_arch = "nvptx64", test))]
#[inline(always)]
const fn taken(size: u64, align: u64) -> u64 {
    let slack = align.saturating_sub(16);
    // A layout is less than half of the address space.
    (size + slack).next_multiple_of(16)
}

#[cfg(all(target_arch = "nvptx64", feature = "allocator"))]
mod device {
    use core::alloc::{GlobalAlloc, Layout};
    use core::ptr::null_mut;
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::Heap;

    unsafe extern "C" {
        // The linker defines it where it is used.
        #[link_name = "__ferrovox_heap"]
        static mut HEAP: Heap;
    }

    struct Bump;

    // SAFETY: two allocations have no byte in common, since `used` only grows, and what is given
    // out lies in the heap.
    unsafe impl GlobalAlloc for Bump {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let (size, align) = (layout.size() as u64, layout.align() as u64);
            let heap = &raw mut HEAP;
            // SAFETY: the linker's symbol; only `used` changes during a launch, by atomic
            // additions.
            unsafe {
                let used = AtomicU64::from_ptr(&raw mut (*heap).used)
                    .fetch_add(super::taken(size, align), Ordering::Relaxed);
                match super::place((*heap).start, (*heap).bytes, used, size, align) {
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
    use super::{place, taken};

    #[test]
    fn allocations_lie_apart_and_inside() {
        let sizes = [(1, 1), (16, 4), (17, 64), (3, 256), (0, 1), (40, 16)];
        let start = 4096 + 16;
        let (mut used, mut end) = (0, start);
        for (size, align) in sizes {
            let address = place(start, 4096, used, size, align).unwrap();
            assert!(address >= end && address.is_multiple_of(align));
            end = address + size;
            used += taken(size, align);
            assert!(end <= start + used && used % 16 == 0);
        }
        assert_eq!(place(start, 4096, used, 4096, 1), None);
        assert_eq!(place(start, 4096, 0, 4096, 1), Some(start));
        assert_eq!(place(0, 0, 0, 1, 1), None);
        assert_eq!(place(16, 64, u64::MAX - 31, 64, 256), None);
        assert_eq!(place(16, 64, u64::MAX - 15, 64, 1), None);
    }
}
