//! The three-pass scan compared with sequential sums.

use ferrovox::device::{Device, Element, Launch};
use ferrovox_kernels::{
    sample::Count,
    scan::{Segments, reduce_segments, scan_segment_sums, scan_segments},
};
use ferrovox_tests::{devices, noise::Noise};
use test_cases::shard;

/// Returns the exclusive scan of `input` in segments of `length`, and the total.
fn scan<T: Count + Element, I: Count + Element>(
    device: &Device,
    input: &[T],
    length: u64,
) -> (Vec<I>, u64) {
    let stream = device.stream().unwrap();
    let segments = Segments {
        count: input.len() as u64,
        length,
    };
    let input = stream.upload(input).unwrap();
    let mut sums = stream
        .alloc::<u64>(segments.segments() as usize + 1)
        .unwrap();
    let mut output = stream.alloc::<I>(input.len()).unwrap();
    let launch = Launch::pieces(segments.segments());
    // SAFETY: one sum per segment and one more, and one output per input.
    unsafe {
        stream
            .launch::<reduce_segments<T>>(launch, (input.view(), segments, sums.view_mut()))
            .unwrap();
        stream
            .launch::<scan_segment_sums>(
                Launch::one_block(),
                (segments.segments(), sums.view_mut()),
            )
            .unwrap();
        let args = (input.view(), segments, sums.view(), 0, 0, output.view_mut());
        stream.launch::<scan_segments<T, I>>(launch, args).unwrap();
    }
    let total = *stream.download(&sums).unwrap().last().unwrap();
    (stream.download(&output).unwrap(), total)
}

fn check<T: Count + Element, I: Count + Element + PartialEq + std::fmt::Debug>(
    label: &str,
    device: &Device,
    input: &[T],
    length: u64,
) {
    let mut sum = 0u64;
    let expected: Vec<I> = input
        .iter()
        .map(|&value| {
            let before = sum;
            sum += value.widen();
            I::narrow(before)
        })
        .collect();
    let (found, total) = scan::<T, I>(device, input, length);
    assert_eq!(
        total,
        sum,
        "{label}: total of {} elements in segments of {length}",
        input.len()
    );
    assert!(
        found == expected,
        "{label}: {} elements in segments of {length}",
        input.len()
    );
}

#[test]
fn three_pass_scan_of_every_size_and_segment_length() {
    for test in devices::all() {
        let mut noise = Noise(51);
        for count in [0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 1024, 1031, 4099] {
            let bytes: Vec<u8> = (0..count).map(|_| noise.bits() as u8).collect();
            let words: Vec<u32> = (0..count).map(|_| noise.bits() as u32).collect();
            for lengths in shard([[1, 7], [16, 100], [512, 5000]], count) {
                check::<u8, u32>(&test.label, &test.device, &bytes, lengths[0]);
                check::<u32, u64>(&test.label, &test.device, &words, lengths[1]);
            }
        }
    }
}

#[test]
fn three_pass_scan_of_a_long_input() {
    for test in devices::fast() {
        let mut noise = Noise(52);
        let words: Vec<u32> = (0..3_000_017)
            .map(|_| noise.bits() as u32 & 0x3ff)
            .collect();
        check::<u32, u32>(&test.label, &test.device, &words, 1 << 16);
        let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
        check::<u8, u64>(&test.label, &test.device, &bytes, 4096);
        let shorts: Vec<u16> = words.iter().map(|&word| word as u16).collect();
        check::<u16, u32>(&test.label, &test.device, &shorts, 100_000);
    }
}

/// Sums beyond 32 bits are exact.
#[test]
fn sums_beyond_32_bits_are_exact() {
    for test in devices::fast() {
        check::<u32, u64>(&test.label, &test.device, &[u32::MAX; 10_000], 1000);
        check::<u64, u64>(&test.label, &test.device, &[1 << 40; 5_000], 300);
    }
}
