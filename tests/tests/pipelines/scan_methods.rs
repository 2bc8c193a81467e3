//! Three-pass scans, checked sums, and rejected input.

use ferrovox::{
    device::Device,
    scan::{
        Max, Operator, ScanError, ScanKind, ScanMethod, ScanParams, ScanValue, Scannable, Scanner,
        Sum,
    },
};
use ferrovox_kernels::operator::Lift;
use ferrovox_tests::{devices, noise::Noise};
use std::fmt::Debug;

/// Checks that both methods agree with each other and with sequential sums.
fn check<I, V>(label: &str, device: &Device, input: &[I], initial: V)
where
    I: Scannable<V, Sum> + Lift<V>,
    V: ScanValue + Debug,
    Sum: Operator<V>,
{
    let stream = device.stream().unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    let on_device = stream.upload(input).unwrap();
    let mut output = stream.alloc::<V>(input.len()).unwrap();
    for kind in [ScanKind::Exclusive, ScanKind::Inclusive] {
        let mut running = initial;
        let mut expected = Vec::new();
        for &item in input {
            let through = Sum::combine(running, item.lift());
            expected.push(match kind {
                ScanKind::Exclusive => running,
                ScanKind::Inclusive => through,
            });
            running = through;
        }
        for method in [ScanMethod::ThreePass, ScanMethod::SinglePass] {
            let params = ScanParams {
                kind,
                method,
                initial: Some(initial),
            };
            let total = scanner.scan(Sum, &on_device, &mut output, &params).unwrap();
            let what = format!("{label}: {} {kind:?} {method:?}", input.len());
            assert_eq!(total.download().unwrap(), running, "{what}");
            assert_eq!(stream.download(&output).unwrap(), expected, "{what}");
        }
    }
}

#[test]
fn three_pass_scan_equals_single_pass_scan() {
    for test in devices::all() {
        let mut noise = Noise(71);
        for size in [0, 1, 33, 1000, 5003] {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let ints: Vec<i32> = words.iter().map(|&word| word as i32).collect();
            let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
            let shorts: Vec<u16> = words.iter().map(|&word| word as u16).collect();
            let longs: Vec<u64> = (0..size).map(|_| noise.bits()).collect();
            let longer: Vec<i64> = longs.iter().map(|&long| long as i64).collect();
            let (label, device) = (&test.label, &test.device);
            check::<_, u32>(label, device, &words, 0);
            check::<_, u64>(label, device, &words, 1 << 40);
            check::<_, i32>(label, device, &ints, -5);
            check::<_, u32>(label, device, &bytes, 7);
            check::<_, u64>(label, device, &bytes, 0);
            check::<_, u32>(label, device, &shorts, 0);
            check::<_, u64>(label, device, &shorts, 0);
            check::<_, u64>(label, device, &longs, u64::MAX);
            check::<_, i64>(label, device, &longer, i64::MIN);
        }
    }
}

#[test]
fn three_pass_scan_in_place() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let params = ScanParams {
            method: ScanMethod::ThreePass,
            ..Default::default()
        };
        let mut data = stream.upload(&vec![3u32; 2_345]).unwrap();
        let total = scanner.scan_in_place(Sum, &mut data, &params).unwrap();
        assert_eq!(total.download().unwrap(), 3 * 2_345, "{}", test.label);
        let expected: Vec<u32> = (0..2_345).map(|i| 3 * i).collect();
        assert_eq!(stream.download(&data).unwrap(), expected, "{}", test.label);
    }
}

#[test]
fn checked_sum_without_overflow_succeeds() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let input = stream.upload(&[u32::MAX - 3, 1, 0, 2]).unwrap();
        let mut output = stream.alloc::<u32>(4).unwrap();
        let total = scanner.exclusive_checked(&input, &mut output).unwrap();
        assert_eq!(total, u32::MAX, "{}", test.label);
        let expected = [0, u32::MAX - 3, u32::MAX - 2, u32::MAX - 2];
        assert_eq!(
            stream.download(&output).unwrap(),
            expected,
            "{}",
            test.label
        );
        let ints = vec![-1i32; 3001];
        let input = stream.upload(&ints).unwrap();
        let mut output = stream.alloc::<i32>(3001).unwrap();
        let total = scanner.inclusive_checked(&input, &mut output).unwrap();
        assert_eq!(total, -3001, "{}", test.label);
        let expected: Vec<i32> = (1..=3001).map(|i: i32| -i).collect();
        assert_eq!(
            stream.download(&output).unwrap(),
            expected,
            "{}",
            test.label
        );
    }
}

/// Returns the index reported by a checked sum, or `None`.
fn overflow<I, V>(device: &Device, input: &[I]) -> Option<u64>
where
    I: ferrovox::scan::CheckedSum<V>,
    V: ScanValue,
{
    let stream = device.stream().unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    let on_device = stream.upload(input).unwrap();
    let mut output = stream.alloc::<V>(input.len()).unwrap();
    match scanner.exclusive_checked(&on_device, &mut output) {
        Ok(_) => None,
        Err(ScanError::Overflow { index, .. }) => Some(index),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn checked_sum_reports_the_first_overflow() {
    for test in devices::all() {
        let (label, device) = (&test.label, &test.device);
        let mut words = vec![1u32; 3_000];
        words[0] = u32::MAX - 2_500;
        assert_eq!(overflow::<_, u32>(device, &words), Some(2_501), "{label}");
        assert_eq!(overflow::<_, u64>(device, &words), None, "{label}");
        // the total is in range, a partial sum is not
        let mut ints = vec![0i32; 2_000];
        (ints[10], ints[1_500], ints[1_501]) = (i32::MAX, 1, -1);
        assert_eq!(overflow::<_, i32>(device, &ints), Some(1_500), "{label}");
        (ints[1_500], ints[1_501]) = (-1, 1);
        assert_eq!(overflow::<_, i32>(device, &ints), None, "{label}");
        let longs = [u64::MAX, 0, 1, u64::MAX, u64::MAX];
        assert_eq!(overflow::<_, u64>(device, &longs), Some(2), "{label}");
        let longer = [i64::MIN, 0, -1];
        assert_eq!(overflow::<_, i64>(device, &longer), Some(2), "{label}");
        assert_eq!(overflow::<u8, u32>(device, &[]), None, "{label}");
    }
}

#[test]
fn invalid_input_is_an_error() {
    let stream = Device::cpu().stream().unwrap();
    let mut scanner = Scanner::new(&stream).unwrap();
    let input = stream.upload(&[1u32; 5]).unwrap();
    let mut short = stream.alloc::<u32>(4).unwrap();
    let mut long = stream.alloc::<u32>(6).unwrap();
    let error = scanner.exclusive(Sum, &input, &mut short).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the output has 4 elements, but the input 5; pass an output of the same length"
    );
    let error = scanner.exclusive(Sum, &input, &mut long).err().unwrap();
    let (input_len, output_len) = (5, 6);
    assert!(
        matches!(error, ScanError::LengthsDiffer { input, output } if (input, output) == (input_len, output_len))
    );
    assert!(matches!(
        scanner.inclusive_checked(&input, &mut short),
        Err(ScanError::OutputTooSmall { .. })
    ));
    let mut output = stream.alloc::<u32>(5).unwrap();
    let params = ScanParams {
        method: ScanMethod::ThreePass,
        ..Default::default()
    };
    let error = scanner
        .scan(Max, &input, &mut output, &params)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "no three-pass scan of u32 by Max; use single-pass"
    );
    // the scanner remains usable
    let total = scanner.exclusive(Sum, &input, &mut output).unwrap();
    assert_eq!(total.download().unwrap(), 5);
}

/// The total is accessible to kernels.
#[test]
fn total_stays_on_the_device() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let input = stream.upload(&[2u64; 100]).unwrap();
        let mut output = stream.alloc::<u64>(100).unwrap();
        let total = scanner.exclusive(Sum, &input, &mut output).unwrap();
        assert_eq!(total.view().len(), 1);
        assert_eq!(total.download().unwrap(), 200);
    }
}

#[test]
fn minima_and_maxima_handle_nan_and_signed_zeros() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let input = stream.upload(&[-0.0f32, 0.0, -1.0, f32::NAN, 5.0]).unwrap();
        let mut output = stream.alloc::<f32>(5).unwrap();
        scanner.inclusive(Max, &input, &mut output).unwrap();
        let found: Vec<u32> = stream
            .download(&output)
            .unwrap()
            .iter()
            .map(|x| x.to_bits())
            .collect();
        let nan = f32::NAN.to_bits();
        let expected = [(-0.0f32).to_bits(), 0, 0, nan, nan];
        assert_eq!(found, expected, "{}", test.label);
    }
}
