//! Constant memory: tables that the host writes and kernels read.
//!
//! ```
//! use cuda_std::address_space;
//! use cuda_std::prelude::*;
//!
//! /// Number of set bits of each byte.
//! #[address_space(constant)]
//! pub static BITS: [u8; 256] = [0; 256];
//!
//! #[kernel]
//! pub unsafe fn count_bits(input: View<u8>, output: ViewMut<u8>) {
//!     let i = thread::index_1d() as usize;
//!     if i < input.len() {
//!         output.write(i, BITS[usize::from(input.read(i))]);
//!     }
//! }
//!
//! // On the host: a CUDA device copies to the symbol; CPU launches read the value set here.
//! use cuda_std::constant::ConstantSymbol;
//! let table = core::array::from_fn(|byte: usize| byte.count_ones() as u8);
//! assert_eq!(BITS.symbol(), "BITS");
//! // SAFETY: no launch is running.
//! unsafe { BITS.set_on_cpu(&table) };
//! assert_eq!(BITS[7], 3);
//! ```

use core::cell::UnsafeCell;
use core::ops::Deref;

/// Type of an `#[address_space(constant)]` static. It dereferences to its value.
///
/// The value has interior mutability on the device too, since the host writes it after the compiler
/// has seen the initialiser.
#[repr(C)]
pub struct ConstantStatic<T> {
    value: UnsafeCell<T>,
    #[cfg(not(target_arch = "nvptx64"))]
    symbol: &'static str,
}

// SAFETY: kernels only read the value, and `set_on_cpu` requires that no kernel reads it meanwhile.
unsafe impl<T: Sync> Sync for ConstantStatic<T> {}

impl<T> ConstantStatic<T> {
    /// Creates a static with this symbol name and initial value.
    #[doc(hidden)]
    pub const fn new(symbol: &'static str, value: T) -> Self {
        #[cfg(target_arch = "nvptx64")]
        let _ = symbol;
        Self {
            value: UnsafeCell::new(value),
            #[cfg(not(target_arch = "nvptx64"))]
            symbol,
        }
    }
}

impl<T> Deref for ConstantStatic<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: nothing writes the value while a kernel runs.
        unsafe { &*self.value.get() }
    }
}

/// A constant as the host sees it: its symbol on a CUDA device, and the value for CPU launches.
#[cfg(not(target_arch = "nvptx64"))]
pub trait ConstantSymbol {
    /// Type of the value; its bytes are copied to the device.
    type Value: Copy + 'static;

    /// Returns the symbol's name in the PTX.
    fn symbol(&self) -> &'static str;

    /// Returns the value for CPU launches.
    fn value_on_cpu(&self) -> Self::Value;

    /// Sets the value for subsequent CPU launches.
    ///
    /// # Safety
    ///
    /// No other thread may read or set the constant meanwhile; in particular, no CPU launch whose
    /// kernel reads it may be running.
    unsafe fn set_on_cpu(&self, value: &Self::Value);
}

#[cfg(not(target_arch = "nvptx64"))]
impl<T: Copy + 'static> ConstantSymbol for ConstantStatic<T> {
    type Value = T;

    fn symbol(&self) -> &'static str {
        self.symbol
    }

    fn value_on_cpu(&self) -> T {
        **self
    }

    unsafe fn set_on_cpu(&self, value: &T) {
        // SAFETY: the caller guarantees exclusive access.
        unsafe { *self.value.get() = *value }
    }
}
