//! Scans of random inputs.

use ferrovox::{
    device::{CpuOptions, Device},
    scan::{self, MultiDeviceParams, ScanKind, ScanMethod, ScanParams, Scanner, Sum},
};
use proptest::prelude::*;
use simt::Mode;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(48)))]

    /// Every method, block size and partition yields the sum.
    #[test]
    fn every_method_gives_the_sum(
        input in prop::collection::vec(any::<i64>(), 0..3000),
        initial in any::<i64>(),
        inclusive in any::<bool>(),
        block in prop::sample::select(vec![1u32, 7, 32, 64, 96, 100]),
        seed in any::<u64>(),
        checked in any::<bool>(),
        chunk in 1usize..1500,
    ) {
        let kind = if inclusive { ScanKind::Inclusive } else { ScanKind::Exclusive };
        let mut running = initial;
        let expected: Vec<i64> = input.iter().map(|&value| {
            let before = running;
            running = running.wrapping_add(value);
            if inclusive { running } else { before }
        }).collect();
        let mode = if checked { Mode::Checked { seed } } else { Mode::Fast };
        let device = Device::cpu_with(CpuOptions { mode, block });
        let stream = device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let on_device = stream.upload(&input).unwrap();
        let mut output = stream.alloc::<i64>(input.len()).unwrap();
        for method in [ScanMethod::SinglePass, ScanMethod::ThreePass] {
            let params = ScanParams { kind, method, initial: Some(initial) };
            let total = scanner.scan(Sum, &on_device, &mut output, &params).unwrap();
            prop_assert_eq!(total.download().unwrap(), running);
            prop_assert_eq!(&stream.download(&output).unwrap(), &expected);
        }
        let params = MultiDeviceParams { kind, initial: Some(initial), chunk: Some(chunk), ..Default::default() };
        let devices = [device.clone(), Device::cpu(), device];
        let mut output = vec![0; input.len()];
        let total = scan::multi_device(&devices, Sum, &input, &mut output, &params).unwrap();
        prop_assert_eq!(total, running);
        prop_assert_eq!(&output, &expected);
    }
}
