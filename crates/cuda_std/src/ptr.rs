//! Pointers and the memories they point into.
//!
//! Pointers in Rust are generic: the hardware finds out which memory they mean. On the CPU there is
//! one memory, so conversions change nothing; only block-shared and other memory are told apart.

/// A memory that a pointer may point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Device memory, for every thread.
    Global,
    /// The block's memory.
    Shared,
    /// Memory that kernels only read.
    Constant,
    /// The thread's own memory.
    Local,
}

/// One instruction per space, which PTX names in the instruction.
#[cfg(target_arch = "nvptx64")]
macro_rules! by_space {
    ($space:expr, $before:literal, $after:literal, $($operand:tt)*) => {
        match $space {
            AddressSpace::Global => core::arch::asm!(concat!($before, "global", $after), $($operand)*),
            AddressSpace::Shared => core::arch::asm!(concat!($before, "shared", $after), $($operand)*),
            AddressSpace::Constant => core::arch::asm!(concat!($before, "const", $after), $($operand)*),
            AddressSpace::Local => core::arch::asm!(concat!($before, "local", $after), $($operand)*),
        }
    };
}

/// Whether the generic pointer `ptr` points into `address_space`.
///
/// On the CPU dynamic shared memory counts as shared and everything else as global.
///
/// # Safety
///
/// `ptr` must be a generic pointer, as Rust's are.
#[inline(always)]
#[must_use]
pub unsafe fn is_in_address_space<T>(ptr: *const T, address_space: AddressSpace) -> bool {
    #[cfg(target_arch = "nvptx64")]
    {
        let inside: u32;
        // SAFETY: the instruction looks at the address only.
        unsafe {
            by_space!(
                address_space,
                "{{ .reg .pred inside; isspacep.",
                " inside, {1}; selp.u32 {0}, 1, 0, inside; }}",
                out(reg32) inside,
                in(reg64) ptr,
                options(pure, nomem, nostack)
            );
        }
        inside != 0
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let (start, bytes) = simt::memory::dynamic_shared();
        let shared = (start.addr()..start.addr() + bytes).contains(&ptr.addr());
        match address_space {
            AddressSpace::Shared => shared,
            AddressSpace::Global => !shared,
            AddressSpace::Constant | AddressSpace::Local => false,
        }
    }
}

/// The address within `address_space`'s own window of the generic pointer `ptr`.
///
/// # Safety
///
/// `ptr` must point into `address_space`. Rust's loads and stores take generic pointers: the result
/// is for `asm!`.
#[inline(always)]
#[must_use]
pub unsafe fn convert_generic_to_specific_address_space<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        let address: *const T;
        // SAFETY: the instruction computes an address; the caller promises that it means something.
        unsafe {
            by_space!(
                address_space,
                "cvta.to.",
                ".u64 {}, {};",
                out(reg64) address,
                in(reg64) ptr,
                options(pure, nomem, nostack)
            );
        }
        address
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = address_space;
        ptr
    }
}

/// The generic pointer of an address in `address_space`'s own window.
///
/// # Safety
///
/// `ptr` must be an address of `address_space`, such as
/// [`convert_generic_to_specific_address_space`] gave.
#[inline(always)]
#[must_use]
pub unsafe fn convert_specific_address_space_to_generic<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        let address: *const T;
        // SAFETY: the instruction computes an address; the caller promises that it means something.
        unsafe {
            by_space!(
                address_space,
                "cvta.",
                ".u64 {}, {};",
                out(reg64) address,
                in(reg64) ptr,
                options(pure, nomem, nostack)
            );
        }
        address
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let _ = address_space;
        ptr
    }
}
