//! Bit functions of all integers, and signs of floats.

use cuda_std::prelude::*;

/// Bit functions of an integer.
pub trait Bits: Copy {
    /// Returns the numbers of set bits, leading zeros and trailing zeros; and the reversed bits and
    /// bytes.
    fn all(self) -> ([u32; 3], [Self; 2]);
}

macro_rules! bits {
    ($($integer:ty),*) => {
        $(impl Bits for $integer {
            fn all(self) -> ([u32; 3], [Self; 2]) {
                ([self.count_ones(), self.leading_zeros(), self.trailing_zeros()], [self.reverse_bits(), self.swap_bytes()])
            }
        })*
    };
}
bits!(u8, u16, u32, u64, i8, i16, i32, i64);

#[kernel(T = [u8, u16, u32, u64, i8, i16, i32, i64])]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn bit_counts<T: Bits>(x: &[T], counts: *mut [u32; 3], reversed: *mut [T; 2]) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        (*counts.add(i), *reversed.add(i)) = x[i].all();
    }
}

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn signs(x: &[f32], out: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        *out.add(i) = x[i].signum();
    }
}
