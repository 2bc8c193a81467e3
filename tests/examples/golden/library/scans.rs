//! Golden records of scans.

use super::Devices;
use crate::record::Record;
use anyhow::Result;
use ferrovox::{
    device::Stream,
    scan::{
        self, CheckedSum, Max, Min, MultiDeviceMethod, MultiDeviceParams, Operator, ScanError,
        ScanKind, ScanMethod, ScanParams, ScanValue, Scannable, Scanner, Sum,
    },
};
use ferrovox_tests::{golden::BitHash, noise::Noise};

/// Array sizes: empty, one element, below a warp, above a CPU tile, several GPU tiles.
const SIZES: [usize; 5] = [0, 1, 29, 8_209, 100_003];
const KINDS: [ScanKind; 2] = [ScanKind::Exclusive, ScanKind::Inclusive];

fn generate_input<T>(size: usize, convert: impl Fn(u64) -> T) -> Vec<T> {
    let mut noise = Noise(size as u64 + 17);
    (0..size).map(|_| convert(noise.bits())).collect()
}

/// Converts random bits to a number in -1..1 with 24 significant bits.
fn fraction(bits: u64) -> f64 {
    (bits >> 40) as f64 / f64::from(1 << 23) - 1.0
}

/// Adds scans of all sizes and kinds, with and without an initial value.
fn add_scans<I, V, O>(
    bits: &mut BitHash,
    stream: &Stream,
    operator: O,
    method: ScanMethod,
    initial: V,
    convert: impl Fn(u64) -> I,
) -> Result<(), ScanError>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V> + Copy,
{
    let mut scanner = Scanner::new(stream)?;
    for size in SIZES {
        let input = stream.upload(&generate_input(size, &convert))?;
        let mut output = stream.zeros::<V>(size)?;
        for kind in KINDS {
            for initial in [None, Some(initial)] {
                let params = ScanParams {
                    kind,
                    method,
                    initial,
                };
                let total = scanner
                    .scan(operator, &input, &mut output, &params)?
                    .download()?;
                bits.add(&[total]).add(&stream.download(&output)?);
            }
        }
    }
    Ok(())
}

macro_rules! record_scans {
    ($record:ident, $stream:expr; $($input:ident $value:ident $operator:ident $method:ident, $initial:expr, $convert:expr;)+) => {$(
        let name = concat!(stringify!($operator), "-", stringify!($input), "-", stringify!($value), "-", stringify!($method));
        let mut bits = BitHash::default();
        add_scans::<$input, $value, _>(&mut bits, $stream, $operator, ScanMethod::$method, $initial, $convert)?;
        $record.hash(name, bits.finish());
    )+};
}

/// Records integer sums with both methods.
pub fn integers(record: &mut Record, devices: &Devices) -> Result<()> {
    record_scans! {
        record, &devices.stream;
        u32 u32 Sum SinglePass, 5, |bits| bits as u32;
        u32 u32 Sum ThreePass, 5, |bits| bits as u32;
        i32 i32 Sum SinglePass, -5, |bits| bits as i32;
        i32 i32 Sum ThreePass, -5, |bits| bits as i32;
        u64 u64 Sum SinglePass, 5, |bits| bits;
        u64 u64 Sum ThreePass, 5, |bits| bits;
        i64 i64 Sum SinglePass, -5, |bits| bits as i64;
        i64 i64 Sum ThreePass, -5, |bits| bits as i64;
    }
    Ok(())
}

/// Records sums of small integers with wider results.
pub fn counts(record: &mut Record, devices: &Devices) -> Result<()> {
    record_scans! {
        record, &devices.stream;
        u8 u32 Sum SinglePass, 7, |bits| bits as u8;
        u8 u64 Sum SinglePass, 7, |bits| bits as u8;
        u16 u32 Sum SinglePass, 7, |bits| bits as u16;
        u16 u64 Sum SinglePass, 7, |bits| bits as u16;
        u32 u64 Sum SinglePass, 7, |bits| bits as u32;
        u8 u32 Sum ThreePass, 7, |bits| bits as u8;
        u8 u64 Sum ThreePass, 7, |bits| bits as u8;
        u16 u32 Sum ThreePass, 7, |bits| bits as u16;
        u16 u64 Sum ThreePass, 7, |bits| bits as u16;
        u32 u64 Sum ThreePass, 7, |bits| bits as u32;
    }
    Ok(())
}

/// Records minima and maxima.
pub fn extremes(record: &mut Record, devices: &Devices) -> Result<()> {
    record_scans! {
        record, &devices.stream;
        u32 u32 Min SinglePass, 1 << 31, |bits| bits as u32;
        u32 u32 Max SinglePass, 1 << 31, |bits| bits as u32;
        i32 i32 Min SinglePass, 0, |bits| bits as i32;
        i32 i32 Max SinglePass, 0, |bits| bits as i32;
        u64 u64 Min SinglePass, 1 << 63, |bits| bits;
        u64 u64 Max SinglePass, 1 << 63, |bits| bits;
        i64 i64 Min SinglePass, 0, |bits| bits as i64;
        i64 i64 Max SinglePass, 0, |bits| bits as i64;
        f32 f32 Min SinglePass, -0.5, |bits| fraction(bits) as f32;
        f32 f32 Max SinglePass, 0.5, |bits| fraction(bits) as f32;
        f64 f64 Min SinglePass, -0.5, fraction;
        f64 f64 Max SinglePass, 0.5, fraction;
    }
    Ok(())
}

/// Records floating-point sums; their order of operations depends on the device.
pub fn floats(record: &mut Record, devices: &Devices) -> Result<()> {
    record_scans! {
        record, &devices.stream;
        f32 f32 Sum SinglePass, 0.25, |bits| fraction(bits) as f32;
        f64 f64 Sum SinglePass, 0.25, fraction;
    }
    Ok(())
}

/// Records in-place scans.
pub fn in_place(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let mut scanner = Scanner::new(stream)?;
    let mut bits = BitHash::default();
    for size in SIZES {
        let mut data = stream.upload(&generate_input(size, |bits| bits as u32))?;
        let total = scanner.inclusive_in_place(Sum, &mut data)?.download()?;
        bits.add(&[total]).add(&stream.download(&data)?);
        let total = scanner.exclusive_in_place(Max, &mut data)?.download()?;
        bits.add(&[total]).add(&stream.download(&data)?);
    }
    record.hash("in-place", bits.finish());
    Ok(())
}

fn add_checked<I, V>(bits: &mut BitHash, stream: &Stream, convert: impl Fn(u64) -> I) -> Result<()>
where
    I: CheckedSum<V>,
    V: ScanValue,
{
    let mut scanner = Scanner::new(stream)?;
    for size in SIZES {
        let input = stream.upload(&generate_input(size, &convert))?;
        let mut output = stream.zeros::<V>(size)?;
        for kind in KINDS {
            let params = ScanParams {
                kind,
                ..ScanParams::default()
            };
            match scanner.checked_sum(&input, &mut output, &params) {
                Ok(total) => bits.add(&[total]).add(&stream.download(&output)?),
                Err(ScanError::Overflow { index, .. }) => bits.add(&[index]),
                Err(error) => return Err(error.into()),
            };
        }
    }
    Ok(())
}

/// Records checked sums with and without overflow.
pub fn checked(record: &mut Record, devices: &Devices) -> Result<()> {
    macro_rules! record_checked {
        ($($input:ident $value:ident, $convert:expr;)+) => {$(
            let name = concat!(stringify!($input), "-", stringify!($value));
            let mut bits = BitHash::default();
            add_checked::<$input, $value>(&mut bits, &devices.stream, $convert)?;
            record.hash(name, bits.finish());
        )+};
    }
    record_checked! {
        u8 u32, |bits| bits as u8;
        u8 u64, |bits| bits as u8;
        u16 u32, |bits| bits as u16;
        u16 u64, |bits| bits as u16;
        u32 u32, |bits| bits as u32 >> 18;
        u32 u64, |bits| bits as u32;
        i32 i32, |bits| bits as i32 >> 8;
        u64 u64, |bits| bits >> 16;
        i64 i64, |bits| bits as i64 >> 3;
    }
    let mut bits = BitHash::default();
    add_checked::<u32, u32>(&mut bits, &devices.stream, |bits| bits as u32)?;
    record.hash("u32-u32-overflow", bits.finish());
    Ok(())
}

const METHODS: [MultiDeviceMethod; 2] = [
    MultiDeviceMethod::RescanWithOffset,
    MultiDeviceMethod::AddAfterwards,
];

fn add_across<I, V, O>(
    bits: &mut BitHash,
    devices: &Devices,
    operator: O,
    convert: impl Fn(u64) -> I,
) -> Result<()>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V> + Copy,
{
    for size in SIZES {
        let input = generate_input(size, &convert);
        for method in METHODS {
            for kind in KINDS {
                let params = MultiDeviceParams {
                    kind,
                    method,
                    initial: None,
                    chunk: Some(10_007),
                };
                let mut output = vec![V::zeroed(); size];
                let total =
                    scan::multi_device(&devices.all, operator, &input, &mut output, &params)?;
                bits.add(&[total]).add(&output);
            }
        }
    }
    Ok(())
}

/// Records scans across three devices.
pub fn across(record: &mut Record, devices: &Devices) -> Result<()> {
    let mut bits = BitHash::default();
    add_across::<u32, u64, _>(&mut bits, devices, Sum, |bits| bits as u32)?;
    record.hash("Sum-u32-u64", bits.finish());
    let mut bits = BitHash::default();
    add_across::<u8, u32, _>(&mut bits, devices, Sum, |bits| bits as u8)?;
    record.hash("Sum-u8-u32", bits.finish());
    let mut bits = BitHash::default();
    add_across::<i64, i64, _>(&mut bits, devices, Min, |bits| bits as i64)?;
    record.hash("Min-i64", bits.finish());
    let mut bits = BitHash::default();
    add_across::<f32, f32, _>(&mut bits, devices, Max, |bits| fraction(bits) as f32)?;
    record.hash("Max-f32", bits.finish());
    Ok(())
}

/// Records floating-point sums across three devices.
pub fn across_floats(record: &mut Record, devices: &Devices) -> Result<()> {
    let mut bits = BitHash::default();
    add_across::<f32, f32, _>(&mut bits, devices, Sum, |bits| fraction(bits) as f32)?;
    record.hash("Sum-f32", bits.finish());
    let mut bits = BitHash::default();
    add_across::<f64, f64, _>(&mut bits, devices, Sum, fraction)?;
    record.hash("Sum-f64", bits.finish());
    Ok(())
}
