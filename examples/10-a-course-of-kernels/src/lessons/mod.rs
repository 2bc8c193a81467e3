//! The host's part of each lesson: data, launches, and a plain loop that says what is right.

mod bitonic;
mod gemm;
mod histogram;
mod n_body;
mod reduction;
mod stencil;

use crate::machine::{Machine, Outcome};

/// What a lesson does on a machine: it says what it found, or what is wrong.
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

/// Numbers that look like chance, the same each time.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 1_u32;
    std::iter::repeat_with(move || {
        // a linear congruential generator; its low bits are poor
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
    .take(count)
}
