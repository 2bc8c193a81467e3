//! The clock, profiler counters, address spaces and the device that the build is for.

use cuda_std::cfg::ComputeCapability;
use cuda_std::misc::{breakpoint, clock, profiler_counter};
use cuda_std::ptr::{
    AddressSpace, convert_generic_to_specific_address_space,
    convert_specific_address_space_to_generic,
};
use cuda_std::{externally_visible, gpu_only};

#[test]
fn the_clock_goes_on() {
    let start = clock();
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert!(clock() - start >= 2_000_000);
}

#[test]
fn breakpoints_and_counters_do_nothing_here() {
    breakpoint();
    profiler_counter(7);
}

#[test]
#[should_panic(expected = "eight profiler counters")]
fn there_are_eight_counters() {
    profiler_counter(8);
}

#[test]
fn conversions_change_nothing_here() {
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
fn the_cpu_counts_as_the_least_device() {
    const CAPABILITY: ComputeCapability = ComputeCapability::from_cuda_arch_env();
    assert!(CAPABILITY >= ComputeCapability::Compute70);
    assert!(ComputeCapability::Compute90 > ComputeCapability::Compute89);
}

/// The number of the multiprocessor.
#[gpu_only]
fn multiprocessor() -> u32 {
    0
}

#[test]
#[should_panic(expected = "`multiprocessor` runs only on the GPU")]
fn gpu_only_functions_panic_here() {
    let _ = multiprocessor();
}

#[externally_visible]
#[unsafe(no_mangle)]
extern "C" fn ferrovox_cuda_std_test_twice(x: u32) -> u32 {
    2 * x
}

#[test]
fn externally_visible_functions_are_functions() {
    assert_eq!(ferrovox_cuda_std_test_twice(4), 8);
}
