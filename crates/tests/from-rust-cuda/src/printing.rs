use cuda_std::prelude::*;

/// Prints each negative number on its own line.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn name_negative(x: &[f32]) {
    let i = thread::index_1d() as usize;
    if i < x.len() && x[i] < 0.0 {
        print!("element {i} is ");
        println!("{}, {:?}", x[i], [x[i] as i32, i as i32]);
    }
}

/// Halves even numbers; an odd number or 0 ends the launch.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn halve(x: &[u32], out: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < x.len() {
        assert_eq!(x[i] % 2, 0, "element {i}");
        assert_ne!(x[i], 0);
        cuda_std::assert!(x[i] < 1000, "{} is too large", x[i]);
        *out.add(i) = x[i] / 2;
    }
}
