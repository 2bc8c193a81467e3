//! Arrays, late initialisation, pointers and references as in Rust-CUDA's compile tests.

use core::mem::MaybeUninit;
use core::ptr::{null, NonNull};
use cuda_std::glam::{Mat2, Vec2};
use cuda_std::prelude::*;

/// Creates arrays of one value, of all integer widths.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn arrays(
    value: i8,
    of_8: *mut [i8; 7],
    of_16: *mut [i16; 4],
    of_32: *mut [i32; 4],
    of_64: *mut [i64; 5],
) {
    *of_8 = [value; 7];
    *of_16 = [i16::from(value); 4];
    *of_32 = [i32::from(value); 4];
    let mut last = [0; 5];
    last[thread::index_1d() as usize + 3] = i64::from(value);
    *of_64 = last;
}

/// Computes squares in an initially uninitialised array.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn written_later(out: *mut [u32; 6]) {
    let mut squares = MaybeUninit::<[u32; 6]>::uninit();
    let first = squares.as_mut_ptr().cast::<u32>();
    for i in 0..6 {
        first.add(i).write((i * i) as u32);
    }
    *out = squares.assume_init();
}

const NOTHING: *const u32 = null();
const EMPTY: (NonNull<u64>, usize) = (NonNull::dangling(), 0);

/// Uses pointers created at compile time.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn constant_pointers(given: *const u32, out: *mut [u32; 3]) {
    let empty = core::slice::from_raw_parts(EMPTY.0.as_ptr(), EMPTY.1);
    *out = [
        u32::from(NOTHING.is_null()),
        u32::from(given.is_null()),
        empty.len() as u32,
    ];
}

struct Nothing;

struct Pair {
    x: Nothing,
    y: u32,
}

#[inline(never)]
fn through(x: &u32) -> u32 {
    *x
}

#[inline(never)]
fn through_two(both: (&u32, &u32)) -> u32 {
    *both.0 + *both.1
}

#[inline(never)]
fn through_nothing(_: &Nothing) -> u32 {
    5
}

const QUARTER: Mat2 = Mat2::from_cols_array_2d(&[[0.0, 1.0], [-1.0, 0.0]]);

/// Uses references to constants, to fields and to zero-sized values, and vector constants.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn references(numbers: &[u32], out: *mut [u32; 4], turned: *mut Vec2) {
    let pair = Pair {
        x: Nothing,
        y: numbers[1],
    };
    *out = [
        through(&123),
        through_two((&numbers[0], &pair.y)),
        through_nothing(&pair.x),
        through(&pair.y),
    ];
    *turned = QUARTER * Vec2::new(3.0, 4.0);
}
