//! Host code of each lesson: data, launches, and a plain loop that computes the expected result.

mod bitonic;
mod gemm;
mod histogram;
mod n_body;
mod reduction;
mod stencil;

use crate::machine::{Machine, Outcome};

/// A lesson: runs on a machine and returns a summary, or an error if the result is wrong.
type Lesson = fn(&Machine) -> Outcome<String>;

/// All lessons, in order.
pub const LESSONS: [(&str, Lesson); 6] = [
    ("histogram", histogram::run),
    ("reduction", reduction::run),
    ("stencil", stencil::run),
    ("gemm", gemm::run),
    ("n-body", n_body::run),
    ("bitonic", bitonic::run),
];

/// Returns reproducible pseudorandom numbers.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 1_u32;
    std::iter::repeat_with(move || {
        // a linear congruential generator; its low bits are poor
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
    .take(count)
}
