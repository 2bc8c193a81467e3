//! The clock, profiler counters, address spaces, and the target device.

use cuda_std::cfg::ComputeCapability;
use cuda_std::misc::{breakpoint, clock, profiler_counter};
use cuda_std::ptr::{
    AddressSpace, convert_generic_to_specific_address_space,
    convert_specific_address_space_to_generic,
};
use cuda_std::{externally_visible, gpu_only};

#[test]
fn the_clock_advances() {
    let start = clock();
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert!(clock() - start >= 2_000_000);
}

#[test]
fn breakpoints_and_counters_do_nothing_on_the_cpu() {
    breakpoint();
    profiler_counter(7);
}

#[test]
#[should_panic(expected = "eight profiler counters")]
fn there_are_eight_counters() {
    profiler_counter(8);
}

#[test]
fn pointer_conversions_do_nothing_on_the_cpu() {
    let value = 3_u8;
    for space in [
        AddressSpace::Global,
        AddressSpace::Shared,
        AddressSpace::Constant,
        AddressSpace::Local,
    ] {
        // SAFETY: addresses are computed, not used.
        let back = unsafe {
            let there = convert_generic_to_specific_address_space(&value, space);
            convert_specific_address_space_to_generic(there, space)
        };
        assert_eq!(back, &raw const value);
    }
}

#[test]
fn the_cpu_has_the_minimum_compute_capability() {
    const CAPABILITY: ComputeCapability = ComputeCapability::from_cuda_arch_env();
    assert!(CAPABILITY >= ComputeCapability::Compute70);
    assert!(ComputeCapability::Compute90 > ComputeCapability::Compute89);
}

/// Returns the index of the multiprocessor.
#[gpu_only]
fn multiprocessor() -> u32 {
    0
}

#[test]
#[should_panic(expected = "`multiprocessor` runs only on the GPU")]
fn gpu_only_functions_panic_on_the_cpu() {
    let _ = multiprocessor();
}

#[externally_visible]
#[unsafe(no_mangle)]
extern "C" fn ferrovox_cuda_std_test_twice(x: u32) -> u32 {
    2 * x
}

#[test]
fn externally_visible_functions_are_callable() {
    assert_eq!(ferrovox_cuda_std_test_twice(4), 8);
}
