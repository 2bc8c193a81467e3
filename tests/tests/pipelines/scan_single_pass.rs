//! The single-pass scan compared with sequential combination.

use ferrovox::{
    device::{Device, Stream},
    scan::{Max, Min, Operator, ScanKind, ScanParams, ScanValue, Scannable, Scanner, Sum},
};
use ferrovox_kernels::operator::Lift;
use ferrovox_tests::{devices, noise::Noise};
use std::fmt::Debug;

/// Returns the scan and the total, by definition.
fn expected<I: Lift<V>, V: ScanValue, O: Operator<V>>(
    input: &[I],
    kind: ScanKind,
    initial: V,
) -> (Vec<V>, V) {
    let mut running = initial;
    let scanned = input.iter().map(|&item| {
        let before = running;
        running = O::combine(running, item.lift());
        match kind {
            ScanKind::Exclusive => before,
            ScanKind::Inclusive => running,
        }
    });
    (scanned.collect(), running)
}

/// Scans `input` and compares the result bit by bit.
fn check<I, V, O>(label: &str, scanner: &mut Scanner, stream: &Stream, operator: O, input: &[I])
where
    I: Scannable<V, O> + Lift<V>,
    V: ScanValue + Debug,
    O: Operator<V> + Copy,
{
    let on_device = stream.upload(input).unwrap();
    let mut output = stream.alloc::<V>(input.len()).unwrap();
    for kind in [ScanKind::Exclusive, ScanKind::Inclusive] {
        for initial in [O::identity(), V::from_words([77, 0, 0, 0])] {
            let params = ScanParams {
                kind,
                initial: Some(initial),
                ..Default::default()
            };
            let scanned = scanner.scan(operator, &on_device, &mut output, &params);
            let total = scanned.unwrap_or_else(|error| panic!("{label}: {error}"));
            let total = total.download().unwrap();
            let found = stream.download(&output).unwrap();
            let (scan, sum) = expected::<I, V, O>(input, kind, initial);
            let what = format!(
                "{label}: {} of {} {}",
                std::any::type_name::<O>(),
                input.len(),
                std::any::type_name::<I>()
            );
            assert_eq!(bytemuck_bytes(&[total]), bytemuck_bytes(&[sum]), "{what}");
            if bytemuck_bytes(&found) != bytemuck_bytes(&scan) {
                let at = (0..scan.len()).find(|&i| found[i] != scan[i]);
                panic!("{what}: {kind:?} differs at {at:?}");
            }
        }
    }
}

fn bytemuck_bytes<V: ScanValue>(values: &[V]) -> Vec<[u32; 4]> {
    let words = |value: &V| std::array::from_fn(|i| if i < V::WORDS { value.word(i) } else { 0 });
    values.iter().map(words).collect()
}

/// Sizes around warps and around tiles of blocks of 1, 64 and 100 threads with 8 or 16 elements
/// each.
const SIZES: [usize; 20] = [
    0, 1, 2, 31, 32, 33, 127, 511, 512, 513, 800, 1023, 1024, 1025, 1599, 1600, 1601, 3203, 8191,
    8193,
];

#[test]
fn single_pass_scan_of_every_type_and_size() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(61);
        for size in SIZES {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let longs: Vec<u64> = (0..size).map(|_| noise.bits()).collect();
            let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
            let shorts: Vec<u16> = words.iter().map(|&word| word as u16).collect();
            let ints: Vec<i32> = words.iter().map(|&word| word as i32).collect();
            let longer: Vec<i64> = longs.iter().map(|&long| long as i64).collect();
            let label = &test.label;
            check::<_, u32, _>(label, &mut scanner, &stream, Sum, &words);
            check::<_, u64, _>(label, &mut scanner, &stream, Sum, &words);
            check::<_, i32, _>(label, &mut scanner, &stream, Sum, &ints);
            check::<_, u64, _>(label, &mut scanner, &stream, Sum, &longs);
            check::<_, i64, _>(label, &mut scanner, &stream, Sum, &longer);
            check::<_, u32, _>(label, &mut scanner, &stream, Sum, &bytes);
            check::<_, u64, _>(label, &mut scanner, &stream, Sum, &bytes);
            check::<_, u32, _>(label, &mut scanner, &stream, Sum, &shorts);
            check::<_, u64, _>(label, &mut scanner, &stream, Sum, &shorts);
        }
    }
}

#[test]
fn minima_and_maxima_match_reference() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(62);
        for size in [0, 1, 33, 513, 1600, 8193] {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let ints: Vec<i32> = words.iter().map(|&word| word as i32).collect();
            let longs: Vec<u64> = (0..size).map(|_| noise.bits()).collect();
            let longer: Vec<i64> = longs.iter().map(|&long| long as i64).collect();
            let floats: Vec<f32> = (0..size).map(|_| noise.signed()).collect();
            let doubles: Vec<f64> = floats.iter().map(|&float| float.into()).collect();
            let label = &test.label;
            check::<_, u32, _>(label, &mut scanner, &stream, Min, &words);
            check::<_, u32, _>(label, &mut scanner, &stream, Max, &words);
            check::<_, i32, _>(label, &mut scanner, &stream, Min, &ints);
            check::<_, i32, _>(label, &mut scanner, &stream, Max, &ints);
            check::<_, u64, _>(label, &mut scanner, &stream, Min, &longs);
            check::<_, u64, _>(label, &mut scanner, &stream, Max, &longs);
            check::<_, i64, _>(label, &mut scanner, &stream, Min, &longer);
            check::<_, i64, _>(label, &mut scanner, &stream, Max, &longer);
            check::<_, f32, _>(label, &mut scanner, &stream, Min, &floats);
            check::<_, f32, _>(label, &mut scanner, &stream, Max, &floats);
            check::<_, f64, _>(label, &mut scanner, &stream, Min, &doubles);
            check::<_, f64, _>(label, &mut scanner, &stream, Max, &doubles);
        }
    }
}

/// Sums of 64 bits over a few tiles, each published as two words. Repeated, since an error would
/// depend on timing.
#[test]
fn sums_of_long_floats_over_several_tiles() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(71);
        for size in [8193, 50_001, 300_007] {
            let doubles: Vec<f64> = (0..size).map(|_| noise.below(1 << 30) as f64).collect();
            let kind = ScanKind::Exclusive;
            let (expected, sum) = expected::<f64, f64, Sum>(&doubles, kind, 0.0);
            let input = stream.upload(&doubles).unwrap();
            let mut output = stream.alloc::<f64>(size).unwrap();
            for round in 0..20 {
                let total = scanner.exclusive(Sum, &input, &mut output).unwrap();
                let total = total.download().unwrap();
                let found = stream.download(&output).unwrap();
                let wrong = (0..size).find(|&i| found[i] != expected[i]);
                let label = format!("{}: {size}, round {round}", test.label);
                if let Some(at) = wrong {
                    panic!(
                        "{label}: element {at} is {} and not {}",
                        found[at], expected[at]
                    );
                }
                assert_eq!(total, sum, "{label}");
            }
        }
    }
}

/// Integers sum exactly in any grouping, so the result is unique.
#[test]
fn floats_that_add_up_exactly() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(63);
        for size in [0, 1, 31, 513, 1025, 8193] {
            let floats: Vec<f32> = (0..size).map(|_| noise.below(512) as f32).collect();
            let doubles: Vec<f64> = (0..size).map(|_| noise.below(1 << 30) as f64).collect();
            let kinds = [ScanKind::Exclusive, ScanKind::Inclusive];
            for kind in kinds {
                let params = ScanParams {
                    kind,
                    initial: Some(0.0),
                    ..Default::default()
                };
                let input = stream.upload(&floats).unwrap();
                let mut output = stream.alloc::<f32>(size).unwrap();
                let total = scanner.scan(Sum, &input, &mut output, &params).unwrap();
                let (scan, sum) = expected::<f32, f32, Sum>(&floats, kind, 0.0);
                assert_eq!(total.download().unwrap(), sum, "{}: {size}", test.label);
                assert_eq!(stream.download(&output).unwrap(), scan, "{}", test.label);
            }
            for kind in kinds {
                let params = ScanParams {
                    kind,
                    initial: Some(0.0),
                    ..Default::default()
                };
                let input = stream.upload(&doubles).unwrap();
                let mut output = stream.alloc::<f64>(size).unwrap();
                let total = scanner.scan(Sum, &input, &mut output, &params).unwrap();
                let (scan, sum) = expected::<f64, f64, Sum>(&doubles, kind, 0.0);
                assert_eq!(total.download().unwrap(), sum, "{}: {size}", test.label);
                assert_eq!(stream.download(&output).unwrap(), scan, "{}", test.label);
            }
        }
    }
}

#[test]
fn single_pass_scan_in_place() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(64);
        for size in [0, 1, 33, 1024, 1601, 4099] {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let mut data = stream.upload(&words).unwrap();
            let total = scanner.exclusive_in_place(Sum, &mut data).unwrap();
            let (scan, sum) = expected::<u32, u32, Sum>(&words, ScanKind::Exclusive, 0);
            assert_eq!(total.download().unwrap(), sum, "{}: {size}", test.label);
            assert_eq!(
                stream.download(&data).unwrap(),
                scan,
                "{}: {size}",
                test.label
            );
            let mut data = stream.upload(&words).unwrap();
            scanner.inclusive_in_place(Max, &mut data).unwrap();
            let (scan, _) = expected::<u32, u32, Max>(&words, ScanKind::Inclusive, 0);
            assert_eq!(
                stream.download(&data).unwrap(),
                scan,
                "{}: {size}",
                test.label
            );
        }
    }
}

/// Many concurrent tiles; the same scanner throughout, so that each scan finds the states of the
/// previous one.
#[test]
fn scans_of_many_tiles_match_reference() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(65);
        for size in [3_000_017, 1_048_576, 2_999_999] {
            let words: Vec<u32> = (0..size).map(|_| noise.bits() as u32).collect();
            let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
            let label = &test.label;
            check::<_, u32, _>(label, &mut scanner, &stream, Sum, &words);
            check::<_, u64, _>(label, &mut scanner, &stream, Sum, &bytes);
            check::<_, u32, _>(label, &mut scanner, &stream, Max, &words);
        }
    }
}

/// Equal launches yield equal bits, however their tiles are scheduled.
#[test]
fn float_sums_are_reproducible() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let mut noise = Noise(66);
        let floats: Vec<f32> = (0..1_500_007).map(|_| noise.signed()).collect();
        let input = stream.upload(&floats).unwrap();
        let mut output = stream.alloc::<f32>(floats.len()).unwrap();
        let mut first = None;
        for _ in 0..8 {
            scanner.inclusive(Sum, &input, &mut output).unwrap();
            let bits: Vec<u32> = stream
                .download(&output)
                .unwrap()
                .iter()
                .map(|x| x.to_bits())
                .collect();
            assert!(*first.get_or_insert(bits.clone()) == bits, "{}", test.label);
        }
    }
}

/// Blocks of many threads on several CPU cores: tiles finish out of order and have to wait.
#[test]
fn blocks_that_finish_out_of_order_give_the_same_scan() {
    use ferrovox::device::CpuOptions;
    let mut noise = Noise(67);
    let words: Vec<u32> = (0..200_003).map(|_| noise.bits() as u32).collect();
    for block in [1, 32, 64, 100, 256] {
        let mode = simt::Mode::Fast;
        let device = Device::cpu_with(CpuOptions { mode, block });
        let stream = device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let label = format!("blocks of {block}");
        check::<_, u32, _>(&label, &mut scanner, &stream, Sum, &words);
        check::<_, u64, _>(&label, &mut scanner, &stream, Sum, &words);
    }
}
