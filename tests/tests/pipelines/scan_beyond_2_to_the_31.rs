//! More elements than 31 bits can count, on a GPU with enough memory.

use ferrovox::{
    device::{Device, DeviceError},
    scan::{Scanner, Sum},
};

/// Number of elements: more than 2^31, and not a multiple of any tile.
const COUNT: usize = (1 << 31) + 1_000_003;

#[test]
fn more_than_2_to_the_31_bytes_are_summed_into_64_bits() {
    let Ok(device) = Device::cuda(0) else {
        test_cases::report_skip(format_args!("no CUDA device"));
        return;
    };
    let stream = device.stream().unwrap();
    let bytes = COUNT as u64 * 9 + (1 << 28);
    if let Err(error @ DeviceError::OutOfMemory { .. }) = stream.require(bytes) {
        test_cases::report_skip(format_args!("{error}"));
        return;
    }
    let mut input = vec![3u8; COUNT];
    input[1 << 31] = 200;
    let on_device = stream.upload(&input).unwrap();
    let mut output = stream.alloc::<u64>(COUNT).unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    let total = scanner.exclusive(Sum, &on_device, &mut output).unwrap();
    assert_eq!(total.download().unwrap(), COUNT as u64 * 3 + 197);
    let scanned = stream.download(&output).unwrap();
    for (at, &found) in scanned.iter().enumerate() {
        let expected = at as u64 * 3 + if at > 1 << 31 { 197 } else { 0 };
        assert_eq!(found, expected, "element {at}");
    }
}
