//! Scans over several devices: the CPU posing as several, and every GPU there is.

use ferrovox::{
    device::{CpuOptions, Device},
    scan::{self, AcrossMethod, AcrossParams, Max, ScanError, ScanKind, Sum},
};
use ferrovox_tests::noise::Noise;
use simt::Mode;

const METHODS: [AcrossMethod; 2] = [AcrossMethod::FoldedOffsets, AcrossMethod::AddedOffsets];

/// One CPU many times, and if there are GPUs, all of them, and one of them twice.
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
fn all_methods_devices_and_sizes() {
    let mut noise = Noise(81);
    for devices in groups() {
        for size in [0, 1, 2, 7, 8, 9, 1000, 4099, 20_011] {
            let input: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            for method in METHODS {
                for kind in [ScanKind::Exclusive, ScanKind::Inclusive] {
                    for chunk in [1000, 4099, 1 << 20] {
                        let params = AcrossParams {
                            kind,
                            method,
                            initial: Some(5),
                            chunk,
                        };
                        let mut output = vec![0u64; size];
                        let total = scan::across(&devices, Sum, &input, &mut output, &params);
                        let (scan, sum) = expected(&input, kind, 5);
                        let what = format!(
                            "{} of {}: {size} {method:?} {kind:?} {chunk}",
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
fn other_operators() {
    let mut noise = Noise(82);
    let input: Vec<f64> = (0..5000).map(|_| noise.signed().into()).collect();
    for devices in groups() {
        for method in METHODS {
            let params = AcrossParams {
                kind: ScanKind::Inclusive,
                method,
                chunk: 700,
                ..Default::default()
            };
            let mut output = vec![0.0; input.len()];
            let total = scan::across(&devices, Max, &input, &mut output, &params).unwrap();
            let mut greatest = f64::NEG_INFINITY;
            for (value, found) in input.iter().zip(&output) {
                greatest = greatest.max(*value);
                assert_eq!(*found, greatest);
            }
            assert_eq!(total, greatest);
        }
    }
}

/// From and to pinned memory, where copies run beside everything else.
#[test]
fn pinned_memory() {
    let mut noise = Noise(83);
    for devices in groups() {
        let size = 300_007;
        let mut input = devices[0].pinned::<u32>(size).unwrap();
        input.fill_with(|| noise.bits() as u32);
        let mut output = devices[0].pinned::<u64>(size).unwrap();
        for method in METHODS {
            let params = AcrossParams {
                method,
                chunk: 1 << 14,
                ..Default::default()
            };
            output.fill(u64::MAX);
            let total = scan::across(&devices, Sum, &input, &mut output, &params).unwrap();
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
fn the_device_that_fails_is_named_and_nobody_waits_for_it() {
    // a block without threads
    let broken = Device::cpu_with(CpuOptions {
        mode: Mode::Fast,
        block: 0,
    });
    for position in 0..3 {
        let mut devices = vec![Device::cpu(), Device::cpu(), Device::cpu()];
        devices[position] = broken.clone();
        for method in METHODS {
            let params = AcrossParams {
                method,
                chunk: 100,
                ..Default::default()
            };
            let mut output = vec![0u32; 1000];
            let outcome = scan::across(&devices, Sum, &[1u32; 1000], &mut output, &params);
            match outcome {
                Err(error @ ScanError::OneOfSeveral { number, .. }) => {
                    assert_eq!(number, position, "{method:?}");
                    assert!(error.to_string().contains("device"), "{error}");
                    assert!(error.to_string().contains("cpu"), "{error}");
                }
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn what_is_refused() {
    let params = AcrossParams::default();
    let mut output = [0u32; 3];
    let none = scan::across(&[], Sum, &[1u32; 3], &mut output, &params);
    assert!(matches!(none, Err(ScanError::NoDevices)));
    let cpu = [Device::cpu()];
    let short = scan::across(&cpu, Sum, &[1u32; 4], &mut output, &params);
    assert!(matches!(
        short,
        Err(ScanError::OutputTooSmall {
            input: 4,
            output: 3
        })
    ));
    let long = scan::across(&cpu, Sum, &[1u32; 2], &mut output, &params);
    assert!(matches!(long, Err(ScanError::LengthsDiffer { .. })));
}
