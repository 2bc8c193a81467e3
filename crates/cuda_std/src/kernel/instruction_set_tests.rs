//! All instruction sets give the same bits, and each launch runs the right version.

use super::{InstructionSet, VARIABLE};
use crate::kernel::launch::launch;
use crate::prelude::*;
use simt::{LaunchShape, Mode};
use std::backtrace::Backtrace;
use std::process::Command;

/// Operations that the two instruction sets implement differently: fused multiply-add, rounding,
/// minima, bit counts, shifts, conversions, and a loop that is vectorised with a different width.
#[kernel]
unsafe fn many_operations(values: View<u64>, floats: ViewMut<u64>, integers: ViewMut<u64>) {
    let n = values.len();
    let mut i = thread::index_1d() as usize;
    while i < n {
        let bits = values.read(i);
        let (x, y) = (f64::from_bits(bits), f64::from_bits(values.read(n - 1 - i)));
        let (a, b) = (x as f32, y as f32);
        let double = GpuFloat::mul_add(x, y, -(x * y)) + GpuFloat::floor(x) / GpuFloat::sqrt(y);
        let single = GpuFloat::mul_add(a, b, 0.1) - GpuFloat::round(b) * GpuFloat::trunc(a);
        // the sign and payload of NaN are unspecified
        let word = |float: f64| if float.is_nan() { 1 } else { float.to_bits() };
        floats.write(i, word(double) ^ word(f64::from(single)));
        let count = bits.count_ones() + bits.leading_zeros() * bits.trailing_zeros();
        let shifted = bits << (count & 63) | bits >> (bits & 63);
        integers.write(
            i,
            shifted ^ (x as i32) as u64 ^ (a as u64) ^ (b as u8) as u64,
        );
        i += thread::block_dim_x() as usize * thread::grid_dim_x() as usize;
    }
    let (mut least, mut sum, mut i) = (u32::MAX, 0_u32, 0);
    while i < n {
        let low = values.read(i) as u32;
        least = if low < least { low } else { least };
        sum = sum.wrapping_mul(31).wrapping_add(low);
        i += 1;
    }
    if thread::index_1d() == 0 {
        integers.write(n, (least as u64) << 32 | sum as u64);
    }
}

/// Returns bit patterns of small, large and subnormal numbers, infinities and NaN.
fn patterns() -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..1000)
        .map(|i| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(i | 1);
            match i % 4 {
                0 => state,
                // between 1/2 and 2, where an additional rounding shows
                1 => 0x3fe0_0000_0000_0000 | state >> 11,
                2 => ((state >> 40) as f64 / 1024.0 - 4000.0).to_bits(),
                _ => state >> 12 | (state & 1) << 63,
            }
        })
        .collect()
}

fn results(instructions: InstructionSet, block: u32) -> (Vec<u64>, Vec<u64>) {
    let values = patterns();
    let (mut floats, mut integers) = (vec![0; values.len()], vec![0; values.len() + 1]);
    let args = (
        View::from(&values[..]),
        ViewMut::from(&mut floats[..]),
        ViewMut::from(&mut integers[..]),
    );
    // SAFETY: each thread writes its own elements; callers check that the processor supports the
    // instructions.
    unsafe {
        launch::<many_operations>(instructions, LaunchShape::new(2, block), Mode::Fast, args)
    }
    .unwrap();
    (floats, integers)
}

#[test]
fn both_instruction_sets_give_the_same_bits() {
    if !InstructionSet::Avx2.is_supported() {
        return;
    }
    for block in [1, 32] {
        let (floats, integers) = results(InstructionSet::Baseline, block);
        assert!(floats.iter().chain(&integers).any(|&word| word != 0));
        assert_eq!(
            results(InstructionSet::Avx2, block),
            (floats, integers),
            "blocks of {block}"
        );
    }
}

/// Stores whether it is compiled for AVX2.
#[kernel]
unsafe fn which_version(is_avx2: ViewMut<u8>) {
    let calls = Backtrace::force_capture().to_string();
    let runs = ["run_baseline", "run_avx2"].map(|name| calls.contains(name));
    assert!(runs[0] != runs[1], "{calls}");
    is_avx2.write(0, u8::from(runs[1]));
}

/// Returns `true` if backtraces contain function names, which [`which_version`] reads. Stripped
/// test programs have none and print a note.
#[inline(never)]
fn has_symbols() -> bool {
    let has = Backtrace::force_capture()
        .to_string()
        .contains("has_symbols");
    if !has {
        eprintln!(
            "skipped: which version runs is read from a backtrace, and this program has no symbols"
        );
    }
    has
}

fn ran_avx2(instructions: InstructionSet) -> bool {
    let mut is_avx2 = [2];
    let args = (ViewMut::from(&mut is_avx2[..]),);
    // SAFETY: a single thread; callers check that the processor supports the instructions.
    unsafe { launch::<which_version>(instructions, LaunchShape::new(1, 1), Mode::Fast, args) }
        .unwrap();
    is_avx2 == [1]
}

#[test]
fn fast_launches_use_the_best_instruction_set() {
    let chosen = InstructionSet::for_mode(Mode::Fast);
    assert_eq!(chosen, InstructionSet::best());
    if !has_symbols() {
        return;
    }
    assert!(!ran_avx2(InstructionSet::Baseline));
    let is_off = std::env::var_os(VARIABLE).is_some_and(|it| it == "off");
    assert_eq!(
        ran_avx2(chosen),
        InstructionSet::Avx2.is_supported() && !is_off
    );
}

#[test]
fn checked_launches_use_the_instrumented_baseline() {
    let mode = Mode::Checked { seed: 3 };
    assert_eq!(InstructionSet::for_mode(mode), InstructionSet::Instrumented);
    if !has_symbols() {
        return;
    }
    assert!(!ran_avx2(InstructionSet::Instrumented));
}

#[test]
fn the_environment_variable_selects_the_baseline() {
    let name = "the_environment_variable_selects_the_baseline";
    if std::env::var_os(VARIABLE).is_some_and(|it| it == "off") {
        assert_eq!(InstructionSet::best(), InstructionSet::Baseline);
        return;
    }
    // the variable is read once, so a child process is needed
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--include-ignored", name])
        .env(VARIABLE, "off")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}
