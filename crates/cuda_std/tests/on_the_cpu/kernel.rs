//! `#[kernel]` on the CPU: all kinds of parameters, generics, packing, and tracking in checked
//! mode.

use crate::support::{MODES, shape_for};
use cuda_std::kernel::{Kernel, KernelType};
use cuda_std::prelude::*;
use cuda_std::{PackedArgs, launch_on_cpu};

/// `out = a + b`.
#[kernel]
pub unsafe fn add(a: View<f32>, b: &[f32], out: ViewMut<f32>) {
    let i = thread::index_1d() as usize;
    if i < out.len() {
        out.write(i, a.read(i) + b[i]);
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Line {
    pub slope: f32,
    pub offset: i16,
}

#[kernel]
pub unsafe fn apply(line: Line, raw: *mut f32, mut n: usize, inout: &mut [f32]) {
    n = n.min(inout.len());
    let i = thread::index_1d() as usize;
    if i < n {
        // SAFETY: the tests pass `n` elements, and each thread has its own.
        unsafe { *raw.add(i) = inout[i] };
        inout[i] = line.slope * inout[i] + f32::from(line.offset);
    }
}

pub trait Sample: KernelType {
    fn to_f64(self) -> f64;
}
impl Sample for u8 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
impl Sample for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

#[kernel(T = [u8, f32], I = [u32, u64])]
pub unsafe fn widen<T: Sample, I>(input: View<'_, T>, base: I, out: ViewMut<f64>)
where
    I: KernelType + Into<u64>,
{
    let i = thread::index_1d() as usize;
    if i < out.len() {
        out.write(i, input.read(i).to_f64() + base.into() as f64);
    }
}

/// Writes each of `N` values in a row, from the front or from the back.
#[kernel(N = [3, 5], BACK = [false, true])]
pub unsafe fn rows<const N: usize, const BACK: bool>(values: [u32; N], out: ViewMut<u32>) {
    let i = thread::index_1d() as usize;
    if i < out.len() {
        let at = if BACK { N - 1 - i % N } else { i % N };
        out.write(i, values[at]);
    }
}

#[kernel]
unsafe fn nothing() {}

#[test]
fn values_choose_the_entry_point() {
    assert_eq!(rows::<3, false>::entry(), "rows_3_false");
    assert_eq!(rows::<5, true>::entry(), "rows_5_true");
    assert_eq!(rows::<5, true>::NAME, "rows");
    let _ = rows::<3, true>::new();
    for mode in MODES {
        let mut out = [0; 7];
        let args = ([10, 20, 30], ViewMut::from(&mut out[..]));
        // SAFETY: one thread per element.
        unsafe { launch_on_cpu::<rows<3, true>>(shape_for(7, 4), mode, args) }.unwrap();
        assert_eq!(out, [30, 20, 10, 30, 20, 10, 30]);
    }
}

#[test]
fn views_and_slices() {
    let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..1000).map(|i| 0.5 * i as f32).collect();
    for mode in MODES {
        for block in [1, 7, 32, 256] {
            let mut out = vec![0.0; 1000];
            let args = (
                View::from(&a[..]),
                View::from(&b[..]),
                ViewMut::from(&mut out[..]),
            );
            // SAFETY: one thread per element.
            unsafe { launch_on_cpu::<add>(shape_for(1000, block), mode, args) }.unwrap();
            assert!(out.iter().enumerate().all(|(i, &x)| x == 1.5 * i as f32));
        }
    }
}

#[test]
fn values_pointers_and_mutable_slices() {
    for mode in MODES {
        let mut inout = [1.0_f32, 2.0, 3.0, 4.0];
        let mut before = [0.0_f32; 4];
        let line = Line {
            slope: 2.0,
            offset: -1,
        };
        let args = (line, before.as_mut_ptr(), 3, ViewMut::from(&mut inout[..]));
        // SAFETY: `before` holds more than three elements.
        unsafe { launch_on_cpu::<apply>(shape_for(4, 1), mode, args) }.unwrap();
        assert_eq!(inout, [1.0, 3.0, 5.0, 4.0]);
        assert_eq!(before, [1.0, 2.0, 3.0, 0.0]);
    }
}

#[test]
fn generic_kernels() {
    assert_eq!(widen::<u8, u32>::entry(), "widen_u8_u32");
    assert_eq!(widen::<f32, u64>::entry(), "widen_f32_u64");
    assert_eq!(widen::<f32, u64>::NAME, "widen");
    let _ = widen::<u8, u32>::new();
    let input = [1_u8, 2, 3];
    let mut out = [0.0; 3];
    let args = (View::from(&input[..]), 10_u32, ViewMut::from(&mut out[..]));
    // SAFETY: one thread per element.
    unsafe { launch_on_cpu::<widen<u8, u32>>(shape_for(3, 32), MODES[1], args) }.unwrap();
    assert_eq!(out, [11.0, 12.0, 13.0]);
}

#[test]
fn packing_splits_views() {
    let data = [1.0_f32; 5];
    let mut out = [0.0_f32; 4];
    let out_ptr = out.as_mut_ptr();
    let args = (
        View::from(&data[..]),
        View::from(&data[1..3]),
        ViewMut::from(&mut out[..]),
    );
    let mut packed = PackedArgs::default();
    add::pack(&args, &mut packed);
    let pointers = packed.pointers();
    assert_eq!(pointers.len(), 6);
    // SAFETY: pushed as pointers and lengths, in this order.
    unsafe {
        assert_eq!(*pointers[0].cast::<*const f32>(), data.as_ptr());
        assert_eq!(*pointers[1].cast::<usize>(), 5);
        assert_eq!(*pointers[2].cast::<*const f32>(), data[1..].as_ptr());
        assert_eq!(*pointers[3].cast::<usize>(), 2);
        assert_eq!(*pointers[4].cast::<*mut f32>(), out_ptr);
        assert_eq!(*pointers[5].cast::<usize>(), 4);
    }
    assert!(pointers.iter().all(|p| p.addr() % 16 == 0));

    let mut packed = PackedArgs::default();
    nothing::pack(&(), &mut packed);
    packed.push(());
    assert!(packed.is_empty() && packed.pointers().is_empty());
}

#[test]
fn a_launch_without_arguments() {
    for mode in MODES {
        // SAFETY: the kernel does nothing.
        unsafe { launch_on_cpu::<nothing>(shape_for(100, 32), mode, ()) }.unwrap();
    }
}

#[test]
fn out_of_bounds_is_found_in_every_mode() {
    for mode in MODES {
        let short = [1.0_f32; 3];
        let long = [1.0_f32; 8];
        let mut out = [0.0_f32; 8];
        let args = (
            View::from(&short[..]),
            View::from(&long[..]),
            ViewMut::from(&mut out[..]),
        );
        // SAFETY: one thread per element; out-of-bounds accesses are refused.
        let error = unsafe { launch_on_cpu::<add>(shape_for(8, 8), mode, args) }.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("View") && text.contains("add"), "{text}");
        assert!(text.contains("kernel.rs"), "{text}");
    }
}
