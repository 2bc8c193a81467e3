//! Scans on several devices: the CPU used as several devices, and every GPU.

use ferrovox::{
    device::{CpuOptions, Device},
    scan::{
        self, Max, MultiDeviceMethod, MultiDeviceParams, MultiDeviceScanner, ScanError, ScanKind,
        Sum,
    },
};
use ferrovox_tests::noise::Noise;
use simt::Mode;

const METHODS: [MultiDeviceMethod; 2] = [
    MultiDeviceMethod::RescanWithOffset,
    MultiDeviceMethod::AddAfterwards,
];

/// Returns the CPU several times, and, if there are GPUs, all of them, with one used twice.
fn groups() -> Vec<Vec<Device>> {
    let mut groups: Vec<Vec<Device>> = [1, 2, 3, 8]
        .iter()
        .map(|&count| (0..count).map(|_| Device::cpu()).collect())
        .collect();
    let count = Device::cuda_count().unwrap_or(0);
    if count == 0 {
        eprintln!("no CUDA device is tested");
    } else {
        let all: Vec<Device> = (0..count).map(|i| Device::cuda(i).unwrap()).collect();
        groups.push(vec![all[0].clone(), all[0].clone()]);
        groups.push(all);
    }
    groups
}

fn expected(input: &[u32], kind: ScanKind, initial: u64) -> (Vec<u64>, u64) {
    let mut sum = initial;
    let scanned = input.iter().map(|&value| {
        let before = sum;
        sum += u64::from(value);
        if kind == ScanKind::Inclusive {
            sum
        } else {
            before
        }
    });
    (scanned.collect(), sum)
}

#[test]
fn multi_device_scan_matches_reference_for_all_methods() {
    let mut noise = Noise(81);
    for devices in groups() {
        for size in [0, 1, 2, 7, 8, 9, 1000, 4099, 20_011] {
            let input: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            for method in METHODS {
                for kind in [ScanKind::Exclusive, ScanKind::Inclusive] {
                    for chunk in [Some(1000), Some(4099), None] {
                        let params = MultiDeviceParams {
                            kind,
                            method,
                            initial: Some(5),
                            chunk,
                        };
                        let mut output = vec![0u64; size];
                        let total = scan::multi_device(&devices, Sum, &input, &mut output, &params);
                        let (scan, sum) = expected(&input, kind, 5);
                        let what = format!(
                            "{} of {}: {size} {method:?} {kind:?} {chunk:?}",
                            devices.len(),
                            devices[0]
                        );
                        assert_eq!(total.unwrap(), sum, "{what}");
                        assert!(output == scan, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn multi_device_minima_and_maxima_match_reference() {
    let mut noise = Noise(82);
    let input: Vec<f64> = (0..5000).map(|_| noise.signed().into()).collect();
    for devices in groups() {
        for method in METHODS {
            let params = MultiDeviceParams {
                kind: ScanKind::Inclusive,
                method,
                chunk: Some(700),
                ..Default::default()
            };
            let mut output = vec![0.0; input.len()];
            let total = scan::multi_device(&devices, Max, &input, &mut output, &params).unwrap();
            let mut greatest = f64::NEG_INFINITY;
            for (value, found) in input.iter().zip(&output) {
                greatest = greatest.max(*value);
                assert_eq!(*found, greatest);
            }
            assert_eq!(total, greatest);
        }
    }
}

/// Pinned memory, with which copies run concurrently with everything else.
#[test]
fn pinned_memory_can_be_scanned() {
    let mut noise = Noise(83);
    for devices in groups() {
        let size = 300_007;
        let mut input = devices[0].pinned::<u32>(size).unwrap();
        input.fill_with(|| noise.bits() as u32);
        let mut output = devices[0].pinned::<u64>(size).unwrap();
        for method in METHODS {
            let params = MultiDeviceParams {
                method,
                chunk: Some(1 << 14),
                ..Default::default()
            };
            output.fill(u64::MAX);
            let total = scan::multi_device(&devices, Sum, &input, &mut output, &params).unwrap();
            let (scan, sum) = expected(&input, ScanKind::Exclusive, 0);
            assert_eq!(total, sum);
            assert!(
                output[..] == scan[..],
                "{} devices, {method:?}",
                devices.len()
            );
        }
    }
}

#[test]
fn failing_device_is_reported_and_others_do_not_wait() {
    // a block without threads
    let broken = Device::cpu_with(CpuOptions {
        mode: Mode::Fast,
        block: 0,
    });
    for position in 0..3 {
        let mut devices = vec![Device::cpu(), Device::cpu(), Device::cpu()];
        devices[position] = broken.clone();
        for method in METHODS {
            let params = MultiDeviceParams {
                method,
                chunk: Some(100),
                ..Default::default()
            };
            let mut output = vec![0u32; 1000];
            let outcome = scan::multi_device(&devices, Sum, &[1u32; 1000], &mut output, &params);
            match outcome {
                Err(error @ ScanError::OnDevice(_)) => {
                    let place = format!("cpu (device {} of 3)", position + 1);
                    assert!(error.to_string().contains(&place), "{method:?}: {error}");
                    assert!(error.to_string().contains("device"), "{error}");
                    assert!(error.to_string().contains("cpu"), "{error}");
                }
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
}

/// Sizes around those at which the number or the length of chunks changes, or chunks are split.
#[test]
fn scans_with_default_chunks_match_reference() {
    let mut noise = Noise(84);
    let sizes = [
        0,
        1,
        524_287,
        (1 << 19) + 1,
        1_048_583,
        4_194_319,
        9_000_011,
    ];
    for devices in groups() {
        let mut scanner = MultiDeviceScanner::new(&devices).unwrap();
        for size in sizes {
            let input: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let mut output = vec![u64::MAX; size];
            let params = MultiDeviceParams::default();
            let total = scanner.scan(Sum, &input, &mut output, &params).unwrap();
            let (scan, sum) = expected(&input, ScanKind::Exclusive, 0);
            let what = format!("{} of {}: {size}", devices.len(), devices[0]);
            assert_eq!(total, sum, "{what}");
            assert!(output == scan, "{what}");
        }
    }
}

/// One scanner for longer and shorter inputs, of several types, by several operators and methods,
/// in sequence.
#[test]
fn scanner_is_reusable_for_all_types_and_methods() {
    let mut noise = Noise(85);
    for devices in groups() {
        let mut scanner = MultiDeviceScanner::new(&devices).unwrap();
        for size in [10, 5000, 300_007, 3, 0, 40_000, 300_007] {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            for (method, chunk) in [
                (MultiDeviceMethod::RescanWithOffset, None),
                (MultiDeviceMethod::RescanWithOffset, Some(1 << 13)),
                (MultiDeviceMethod::AddAfterwards, None),
            ] {
                let what = format!("{} of {}: {size} {method:?}", devices.len(), devices[0]);
                let params = MultiDeviceParams {
                    method,
                    chunk,
                    initial: Some(7),
                    ..Default::default()
                };
                let mut output = vec![0u64; size];
                let total = scanner.scan(Sum, &words, &mut output, &params).unwrap();
                let (scan, sum) = expected(&words, ScanKind::Exclusive, 7);
                assert_eq!(total, sum, "{what}");
                assert!(output == scan, "{what}");

                let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
                let params = MultiDeviceParams {
                    kind: ScanKind::Inclusive,
                    method,
                    chunk,
                    ..Default::default()
                };
                let mut output = vec![0u32; size];
                let total = scanner.scan(Sum, &bytes, &mut output, &params).unwrap();
                let mut sum = 0;
                for (&byte, &found) in bytes.iter().zip(&output) {
                    sum += u32::from(byte);
                    assert_eq!(found, sum, "{what}");
                }
                assert_eq!(total, sum, "{what}");

                let values: Vec<f64> = words.iter().map(|&word| word.into()).collect();
                let params = MultiDeviceParams {
                    kind: ScanKind::Inclusive,
                    method,
                    chunk,
                    ..Default::default()
                };
                let mut output = vec![0.0; size];
                let total = scanner.scan(Max, &values, &mut output, &params).unwrap();
                let mut greatest = f64::NEG_INFINITY;
                for (&value, &found) in values.iter().zip(&output) {
                    greatest = greatest.max(value);
                    assert_eq!(found, greatest, "{what}");
                }
                assert_eq!(total, greatest, "{what}");
            }
        }
    }
}

/// The scanner fails each time it is used, and requests to the other devices do not block the next
/// scan.
#[test]
fn scanner_reports_repeated_failures() {
    let broken = Device::cpu_with(CpuOptions {
        mode: Mode::Fast,
        block: 0,
    });
    let mut scanner = MultiDeviceScanner::new(&[Device::cpu(), broken, Device::cpu()]).unwrap();
    let params = MultiDeviceParams {
        chunk: Some(100),
        ..Default::default()
    };
    for _ in 0..3 {
        let mut output = vec![0u32; 1000];
        let outcome = scanner.scan(Sum, &[1u32; 1000], &mut output, &params);
        assert!(matches!(
            outcome,
            Err(ScanError::OnDevice(error)) if error.among.is_some_and(|it| it.number == 2)
        ));
        // one chunk: for the first device, which works
        let total = scanner.scan(Sum, &[1u32; 100], &mut output[..100], &params);
        assert_eq!(total.unwrap(), 100);
        assert_eq!(output[99], 99);
    }
}

#[test]
fn invalid_input_is_an_error() {
    let params = MultiDeviceParams::default();
    let mut output = [0u32; 3];
    let none = scan::multi_device(&[], Sum, &[1u32; 3], &mut output, &params);
    assert!(matches!(none, Err(ScanError::NoDevices)));
    let cpu = [Device::cpu()];
    let short = scan::multi_device(&cpu, Sum, &[1u32; 4], &mut output, &params);
    assert!(matches!(
        short,
        Err(ScanError::OutputTooSmall {
            input: 4,
            output: 3
        })
    ));
    let long = scan::multi_device(&cpu, Sum, &[1u32; 2], &mut output, &params);
    assert!(matches!(long, Err(ScanError::LengthsDiffer { .. })));
}
