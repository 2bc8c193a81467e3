//! Arrays, pointers, references and bit functions.

use crate::{shape, MODES};
use cuda_std::glam::Vec2;
use cuda_std::{launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;
use kernels::Bits;

#[test]
fn arrays_of_all_integers() {
    for mode in MODES {
        let (mut of_8, mut of_16, mut of_32, mut of_64) = ([0; 7], [0; 4], [0; 4], [0; 5]);
        let arguments = (
            -3,
            &raw mut of_8,
            &raw mut of_16,
            &raw mut of_32,
            &raw mut of_64,
        );
        // SAFETY: one thread.
        unsafe { launch_on_cpu::<kernels::arrays>(shape(1, 1), mode, arguments) }.unwrap();
        assert_eq!((of_8, of_16, of_32), ([-3; 7], [-3; 4], [-3; 4]));
        assert_eq!(of_64, [0, 0, 0, -3, 0]);
    }
}

#[test]
fn late_initialisation() {
    for mode in MODES {
        let mut out = [9; 6];
        // SAFETY: one thread.
        unsafe { launch_on_cpu::<kernels::written_later>(shape(1, 1), mode, (&raw mut out,)) }
            .unwrap();
        assert_eq!(out, [0, 1, 4, 9, 16, 25]);
    }
}

#[test]
fn constant_pointers_and_references() {
    let numbers = [10, 20];
    for mode in MODES {
        let (mut of_pointers, mut of_references, mut turned) = ([9; 3], [9; 4], Vec2::ZERO);
        // SAFETY: one thread.
        unsafe {
            let arguments = (numbers.as_ptr(), &raw mut of_pointers);
            launch_on_cpu::<kernels::constant_pointers>(shape(1, 1), mode, arguments).unwrap();
            let arguments = (
                View::from(&numbers[..]),
                &raw mut of_references,
                &raw mut turned,
            );
            launch_on_cpu::<kernels::references>(shape(1, 1), mode, arguments).unwrap();
        }
        assert_eq!((of_pointers, of_references), ([1, 0, 0], [123, 30, 5, 20]));
        assert_eq!(turned, Vec2::new(-4.0, 3.0));
    }
}

/// Derives the bit counts from the number's binary representation, and compares.
fn bit_counts<T: Bits + core::fmt::Binary + core::fmt::Debug + PartialEq + cuda_std::KernelType>(
    x: &[T],
    width: usize,
) where
    kernels::bit_counts<T>:
        for<'a> cuda_std::Kernel<Args<'a> = (View<'a, T>, *mut [u32; 3], *mut [T; 2])>,
{
    for mode in MODES {
        let (mut counts, mut reversed) = (vec![[99; 3]; x.len()], vec![[x[0]; 2]; x.len()]);
        let arguments = (View::from(x), counts.as_mut_ptr(), reversed.as_mut_ptr());
        // SAFETY: each thread writes its own row.
        unsafe { launch_on_cpu::<kernels::bit_counts<T>>(shape(1, 8), mode, arguments) }.unwrap();
        for ((x, counts), [bits, bytes]) in x.iter().zip(counts).zip(reversed) {
            let text = format!("{x:0width$b}");
            let places = |one: Option<usize>| one.unwrap_or(width) as u32;
            let expected = [
                text.matches('1').count() as u32,
                places(text.find('1')),
                places(text.chars().rev().position(|digit| digit == '1')),
            ];
            assert_eq!(counts, expected, "{x:?}");
            assert_eq!(
                format!("{bits:0width$b}"),
                text.chars().rev().collect::<String>(),
                "{x:?}"
            );
            let chunks: Vec<&str> = (0..width / 8)
                .rev()
                .map(|byte| &text[8 * byte..8 * byte + 8])
                .collect();
            assert_eq!(format!("{bytes:0width$b}"), chunks.concat(), "{x:?}");
        }
    }
}

#[test]
fn bits_of_all_integers() {
    bit_counts(&[0_u8, 1, 0b0110_1000, 255], 8);
    bit_counts(&[0_i8, 1, 104, -2], 8);
    bit_counts(&[0_u16, 1, 0x1234, 0xfff0], 16);
    bit_counts(&[0_i16, 1, 0x1234, -16], 16);
    bit_counts(&[0_u32, 1, 0x1234_5678, !7], 32);
    bit_counts(&[0_i32, 1, 0x1234_5678, -8], 32);
    bit_counts(&[0_u64, 1, 0x0123_4567_89ab_cdef, !7], 64);
    bit_counts(&[0_i64, 1, 0x0123_4567_89ab_cdef, i64::MIN], 64);
}

#[test]
fn signs_of_floats() {
    let x = [-2.5, -0.0, 0.0, 1e-40, f32::INFINITY, f32::NAN];
    for mode in MODES {
        let mut out = [9.0; 6];
        // SAFETY: each thread writes its own sign.
        unsafe {
            launch_on_cpu::<kernels::signs>(
                shape(1, 8),
                mode,
                (View::from(&x[..]), out.as_mut_ptr()),
            )
        }
        .unwrap();
        assert_eq!(out[..5], [-1.0, -1.0, 1.0, 1.0, 1.0]);
        assert!(out[5].is_nan());
    }
}
