//! Address spaces of pointers.
//!
//! Rust's pointers are generic: the hardware determines the address space of each access. The CPU
//! has a single address space, so conversions do nothing there; only shared memory is distinguished
//! from the rest.

/// Address space into which a pointer may point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// Global memory, accessible to every thread.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Constant memory, read-only in kernels.
    Constant,
    /// Local memory of the thread.
    Local,
}

/// Selects one instruction per address space, whose name is part of the PTX instruction.
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

/// Returns `true` if the generic pointer `ptr` points into `address_space`.
///
/// On the CPU dynamic shared memory counts as shared and everything else as global.
///
/// # Safety
///
/// `ptr` must be a generic pointer, like all Rust pointers.
#[inline(always)]
#[must_use]
pub unsafe fn is_in_address_space<T>(ptr: *const T, address_space: AddressSpace) -> bool {
    #[cfg(target_arch = "nvptx64")]
    {
        let inside: u32;
        // SAFETY: the instruction only inspects the address.
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

/// Converts the generic pointer `ptr` to an address within `address_space`.
///
/// # Safety
///
/// `ptr` must point into `address_space`. The result is meant for `asm!`: Rust's loads and stores
/// take generic pointers.
#[inline(always)]
#[must_use]
pub unsafe fn convert_generic_to_specific_address_space<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        let address: *const T;
        // SAFETY: only computes an address; the caller guarantees that it is meaningful.
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

/// Converts an address within `address_space` to a generic pointer.
///
/// # Safety
///
/// `ptr` must be an address within `address_space`, for example from
/// [`convert_generic_to_specific_address_space`].
#[inline(always)]
#[must_use]
pub unsafe fn convert_specific_address_space_to_generic<T>(
    ptr: *const T,
    address_space: AddressSpace,
) -> *const T {
    #[cfg(target_arch = "nvptx64")]
    {
        let address: *const T;
        // SAFETY: only computes an address; the caller guarantees that it is meaningful.
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
