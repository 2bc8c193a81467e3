//! For tuning: times scans of several sizes and shapes beside a copy on the device of as many bytes.
//!
//! `cargo bench -p ferrovox --bench scan_tuning -- [LOG2 …] [--device NAME] [--threads N,…] [--pause N,…] [--shapes]
//! [--across DEVICE,…] [--runs N]`
//!
//! Sizes are powers of two, 18 to 28 if none is named (16 to 22 on the CPU). Input and output are on the device. A figure is
//! the median of the runs, timed by events around several scans in a row; beside it the fastest, and the copy's time as a fraction
//! of the median. With `--shapes` the sum of `u32` is timed in every shape of [`tuning`], for each block size and pause. With `--across`
//! scans from host memory to host memory are timed, on the first of the devices, the first two, and so on.

#[path = "scan_tuning/across.rs"]
mod across;
#[path = "scan_tuning/shapes.rs"]
mod shapes;

use ferrovox::{
    device::{Device, DeviceKind, Stream},
    scan::{Max, Operator, ScanMethod, ScanOf, ScanParams, ScanValue, Scanner, Sum},
};
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What was asked for.
struct Options {
    sizes: Vec<u32>,
    device: Option<String>,
    threads: Vec<u32>,
    pauses: Vec<u32>,
    shapes: bool,
    across: Option<String>,
    runs: usize,
}

fn options() -> Outcome<Options> {
    let mut options = Options {
        sizes: Vec::new(),
        device: None,
        threads: vec![512],
        pauses: vec![0],
        shapes: false,
        across: None,
        runs: 25,
    };
    let numbers = |text: Option<String>| -> Outcome<Vec<u32>> {
        let text = text.ok_or("a list of numbers is missing")?;
        Ok(text.split(',').map(str::parse).collect::<Result<_, _>>()?)
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--device" => options.device = args.next(),
            "--threads" => options.threads = numbers(args.next())?,
            "--pause" => options.pauses = numbers(args.next())?,
            "--runs" => options.runs = args.next().ok_or("--runs takes a number")?.parse()?,
            "--across" => options.across = args.next(),
            "--shapes" => options.shapes = true,
            // cargo's own
            "--bench" => {}
            size => options.sizes.push(size.parse()?),
        }
    }
    Ok(options)
}

fn main() -> Outcome<()> {
    let options = options()?;
    if let Some(names) = &options.across {
        let devices: Vec<Device> = names.split(',').map(str::parse).collect::<Result<_, _>>()?;
        return across::measure(&devices, &options.sizes, options.runs);
    }
    let devices = match &options.device {
        Some(name) => vec![name.parse::<Device>()?],
        None => Device::all(),
    };
    for device in devices {
        println!("{device}");
        let sizes = match (&options.sizes[..], device.kind()) {
            ([], DeviceKind::Cuda) => (18..=28).collect(),
            ([], DeviceKind::Cpu) => vec![16, 18, 20, 22],
            (sizes, _) => sizes.to_vec(),
        };
        for log2 in sizes {
            measure(&device, log2, &options)?;
        }
    }
    Ok(())
}

fn measure(device: &Device, log2: u32, options: &Options) -> Outcome<()> {
    let stream = device.stream()?;
    let count = 1usize << log2;
    let words: Vec<u32> = (0..count as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 24)
        .collect();
    let input = stream.upload(&words)?;
    let mut output = stream.alloc::<u32>(count)?;
    let timer = Timer {
        stream: &stream,
        runs: options.runs,
        // so that what a launch costs the host is hidden behind the device's work
        repeats: (1usize << 26 >> log2).clamp(1, 20),
    };
    let copy = timer.time(|| Ok(stream.copy(&input, &mut output)?))?;
    println!("  2^{log2} elements");
    print("copy of u32", copy, copy, count * 8);
    if options.shapes {
        return shapes::measure(&timer, &input, &mut output, copy, options);
    }
    let mut scanner = Scanner::new(&stream)?;
    let scan = timer.time(|| {
        scanner.exclusive(Sum, &input, &mut output)?;
        Ok(())
    })?;
    print("u32 sum", scan, copy, count * 8);
    verify(&words, &stream.download(&output)?)?;
    let scan = timer.time(|| {
        scanner.exclusive(Max, &input, &mut output)?;
        Ok(())
    })?;
    print("u32 max", scan, copy, count * 8);
    let params = ScanParams {
        method: ScanMethod::ThreePass,
        ..Default::default()
    };
    let scan = timer.time(|| {
        scanner.scan(Sum, &input, &mut output, &params)?;
        Ok(())
    })?;
    print("u32 sum in three passes", scan, copy, count * 8);
    drop((input, output));

    let bytes: Vec<u8> = words.iter().map(|&word| word as u8).collect();
    other::<u8, u32, _>(&timer, "u8 to u32 sum", Sum, &bytes)?;
    other::<u8, u64, _>(&timer, "u8 to u64 sum", Sum, &bytes)?;
    let floats: Vec<f32> = words.iter().map(|&word| word as f32).collect();
    other::<f32, f32, _>(&timer, "f32 sum", Sum, &floats)?;
    drop(floats);
    let longs: Vec<u64> = words.iter().map(|&word| word.into()).collect();
    other::<u64, u64, _>(&timer, "u64 sum", Sum, &longs)?;
    let doubles: Vec<f64> = words.iter().map(|&word| word.into()).collect();
    other::<f64, f64, _>(&timer, "f64 sum", Sum, &doubles)?;
    Ok(())
}

/// Times one more type, beside a copy of half the bytes that the scan reads and writes.
fn other<I, V, O>(timer: &Timer, what: &str, operator: O, elements: &[I]) -> Outcome<()>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V> + Copy,
{
    let stream = timer.stream;
    let moved = elements.len() * (size_of::<I>() + size_of::<V>());
    let from = stream.zeros::<u8>(moved / 2)?;
    let mut to = stream.alloc::<u8>(moved / 2)?;
    let copy = timer.time(|| Ok(stream.copy(&from, &mut to)?))?;
    drop((from, to));
    let input = stream.upload(elements)?;
    let mut output = stream.alloc::<V>(elements.len())?;
    let mut scanner = Scanner::new(stream)?;
    let scan = timer.time(|| {
        scanner.exclusive(operator, &input, &mut output)?;
        Ok(())
    })?;
    print(what, scan, copy, moved);
    Ok(())
}

/// Times work on a stream.
pub struct Timer<'s> {
    stream: &'s Stream,
    runs: usize,
    /// How often the work is enqueued in one run.
    repeats: usize,
}

/// The median and the least of several runs.
#[derive(Clone, Copy)]
pub struct Times {
    median: Duration,
    least: Duration,
}

impl Timer<'_> {
    /// The time that `work` takes on the device.
    pub fn time(&self, mut work: impl FnMut() -> Outcome<()>) -> Outcome<Times> {
        work()?;
        self.stream.synchronize()?;
        let mut times = Vec::with_capacity(self.runs);
        for _ in 0..self.runs {
            let start = self.stream.record()?;
            for _ in 0..self.repeats {
                work()?;
            }
            let end = self.stream.record()?;
            times.push(end.since(&start)? / self.repeats as u32);
        }
        times.sort();
        Ok(Times {
            median: times[times.len() / 2],
            least: times[0],
        })
    }
}

/// One line: times, bandwidth, and how many of these are one copy.
pub fn print(what: &str, times: Times, copy: Times, bytes: usize) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "    {what:<28} {:>9.4} ms  (least {:>9.4})  {:>7.1} GB/s  {:>5.3} of copy",
        ms(times.median),
        ms(times.least),
        bytes as f64 / times.median.as_secs_f64() / 1e9,
        ms(copy.median) / ms(times.median)
    );
}

/// Whether `found` is the exclusive sum of `input`.
pub fn verify(input: &[u32], found: &[u32]) -> Outcome<()> {
    let mut sum = 0u32;
    for (at, (&value, &scanned)) in input.iter().zip(found).enumerate() {
        if scanned != sum {
            return Err(format!("element {at} is {scanned} and should be {sum}").into());
        }
        sum = sum.wrapping_add(value);
    }
    Ok(())
}
