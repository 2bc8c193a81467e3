//! JPEG-LS (ITU T.87): lossless and near-lossless coding of prediction errors in contexts.

use crate::io::FileProblem;
use crate::io::volume::dicom::image::PixelFormat;
use crate::io::volume::dicom::jpeg_segments::{FrameHeader, SegmentReader, invalid};
use crate::io::volume::dicom::unsupported;
use crate::memory;

/// Number of regular contexts; two contexts of run interruptions follow.
const CONTEXTS: usize = 365;
/// Orders of the run-length code (table A.1).
const RUN_ORDERS: [u32; 32] = [
    0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13,
    14, 15,
];
/// Range of the bias correction.
const MAX_BIAS: i32 = 127;

/// Decodes a frame to little-endian samples with interleaved components.
pub(super) fn decode(
    bytes: &[u8],
    format: &PixelFormat,
    out: &mut [u8],
) -> Result<(), FileProblem> {
    let mut reader = SegmentReader::new(bytes)?;
    let mut frame: Option<FrameHeader> = None;
    let mut presets = [0; 5];
    let mut decoded = 0;
    loop {
        match reader.next_segment()? {
            (0xF7, segment) => frame = Some(FrameHeader::parse(segment, format)?),
            (0xF8, [1, numbers @ ..]) if numbers.len() == 10 => {
                for (preset, bytes) in presets.iter_mut().zip(numbers.as_chunks::<2>().0) {
                    *preset = i32::from(u16::from_be_bytes(*bytes));
                }
            }
            (0xF8, _) => return Err(unsupported_feature("mapping tables")),
            (0xDD, segment) if segment.iter().any(|byte| *byte != 0) => {
                return Err(unsupported_feature("restart intervals"));
            }
            (0xC0..=0xCF, _) => return Err(invalid("it is not JPEG-LS")),
            (0xDA, segment) => {
                let header = frame
                    .as_ref()
                    .ok_or_else(|| invalid("a scan has no frame"))?;
                let scan = ScanHeader::parse(segment, header)?;
                let coding = CodingParameters::new(header.precision, scan.near, presets)?;
                let bits = BitReader::new(&bytes[reader.position..]);
                let mut decoder = ScanDecoder::new(coding, bits);
                decoder.decode(&scan, format, out)?;
                reader.position += decoder.bits.end();
                decoded += scan.components.len();
                if decoded >= header.components.len() {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

fn unsupported_feature(feature: &str) -> FileProblem {
    unsupported(
        format!("DICOM with JPEG-LS that has {feature}"),
        "convert it to uncompressed DICOM, for example with dcmdjpls or gdcmconv --raw",
    )
}

/// Order of the samples of several components in a scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interleave {
    Line,
    Sample,
}

struct ScanHeader {
    /// Indices of the components in the frame.
    components: Vec<usize>,
    /// Largest error of a sample.
    near: i32,
    interleave: Interleave,
}

impl ScanHeader {
    fn parse(segment: &[u8], frame: &FrameHeader) -> Result<Self, FileProblem> {
        let ends_early = || invalid("a scan header ends early");
        let (&count, rest) = segment.split_first().ok_or_else(ends_early)?;
        let count = usize::from(count);
        let selectors = rest.get(..2 * count).ok_or_else(ends_early)?;
        let &[near, interleave, transform] =
            rest[2 * count..].first_chunk().ok_or_else(ends_early)?;
        let components = selectors.as_chunks::<2>().0.iter();
        let components = components.map(|selector| frame.index(selector[0]));
        let components = components.collect::<Option<Vec<_>>>();
        let components = components.ok_or_else(|| invalid("a scan names an unknown component"))?;
        if components.is_empty() || components.len() > frame.components.len() {
            return Err(invalid("a scan has an invalid number of components"));
        }
        if transform != 0 {
            return Err(unsupported_feature("a point transform"));
        }
        if selectors.as_chunks::<2>().0.iter().any(|it| it[1] != 0) {
            return Err(unsupported_feature("mapping tables"));
        }
        let interleave = match (interleave, count) {
            (0, 1) | (1, _) => Interleave::Line,
            (2, _) => Interleave::Sample,
            _ => return Err(invalid("a scan has an invalid interleave mode")),
        };
        Ok(Self {
            components,
            near: i32::from(near),
            interleave,
        })
    }
}

/// Parameters of the code (annex C).
struct CodingParameters {
    max: i32,
    near: i32,
    /// Number of different prediction errors.
    range: i32,
    /// Number of bits of a prediction error.
    error_bits: u32,
    /// Longest code, in bits.
    limit: u32,
    thresholds: [i32; 3],
    /// Count at which the statistics of a context are halved.
    reset: i32,
}

impl CodingParameters {
    fn new(precision: u32, near: i32, presets: [i32; 5]) -> Result<Self, FileProblem> {
        let [max, t1, t2, t3, reset] = presets;
        let full = (1 << precision) - 1;
        let max = if max == 0 { full } else { max };
        if max > full || max < 1 || near > 255.min(max / 2) {
            return Err(invalid("its parameters are out of range"));
        }
        let range = (max + 2 * near) / (2 * near + 1) + 1;
        let bits = |count: i32| 32 - (count as u32 - 1).leading_zeros();
        let sample_bits = bits(max + 1).max(2);
        let defaults = default_thresholds(max, near);
        let choose = |preset: i32, default: i32| if preset == 0 { default } else { preset };
        let thresholds = [
            choose(t1, defaults[0]),
            choose(t2, defaults[1]),
            choose(t3, defaults[2]),
        ];
        let is_sorted = thresholds.is_sorted() && thresholds[0] > near && thresholds[2] <= max;
        let reset = choose(reset, 64);
        if !is_sorted || reset < 3 {
            return Err(invalid("its thresholds are out of range"));
        }
        Ok(Self {
            max,
            near,
            range,
            error_bits: bits(range),
            limit: 2 * (sample_bits + sample_bits.max(8)),
            thresholds,
            reset,
        })
    }

    fn quantize(&self, gradient: i32) -> i32 {
        let size = gradient.abs();
        let [t1, t2, t3] = self.thresholds;
        let level = match size {
            _ if size >= t3 => 4,
            _ if size >= t2 => 3,
            _ if size >= t1 => 2,
            _ if size > self.near => 1,
            _ => 0,
        };
        level * gradient.signum()
    }

    /// Returns the sample with this prediction and error.
    fn reconstruct(&self, prediction: i32, error: i32) -> i32 {
        let step = 2 * self.near + 1;
        let mut sample = prediction + error * step;
        if sample < -self.near {
            sample += self.range * step;
        } else if sample > self.max + self.near {
            sample -= self.range * step;
        }
        sample.clamp(0, self.max)
    }
}

/// Returns the default thresholds of the gradients (section C.2.4.1.1.1).
fn default_thresholds(max: i32, near: i32) -> [i32; 3] {
    let clamp = |value: i32, min: i32| {
        if value > max || value < min {
            min
        } else {
            value
        }
    };
    let values = if max >= 128 {
        let factor = (max.min(4095) + 128) / 256;
        [
            factor + 2 + 3 * near,
            4 * factor + 3 + 5 * near,
            17 * factor + 4 + 7 * near,
        ]
    } else {
        let factor = 256 / (max + 1);
        [
            (3 / factor + 3 * near).max(2),
            (7 / factor + 5 * near).max(3),
            (21 / factor + 7 * near).max(4),
        ]
    };
    let t1 = clamp(values[0], near + 1);
    let t2 = clamp(values[1], t1);
    [t1, t2, clamp(values[2], t2)]
}

/// Statistics of the errors in a context.
#[derive(Clone, Copy)]
struct Context {
    /// Sum of the absolute errors (A).
    magnitude: i32,
    /// Sum of the errors for the bias correction (B), or number of negative errors (Nn).
    bias: i32,
    /// Correction of the prediction (C).
    correction: i32,
    /// Number of samples (N).
    count: i32,
}

impl Context {
    /// Returns the order of the Golomb code for errors of this magnitude.
    fn order(&self, magnitude: i32) -> u32 {
        let mut order = 0;
        while order < 24 && self.count << order < magnitude {
            order += 1;
        }
        order
    }

    fn update(&mut self, error: i32, coding: &CodingParameters) {
        self.magnitude += error.abs();
        self.bias += error * (2 * coding.near + 1);
        if self.count == coding.reset {
            self.magnitude >>= 1;
            self.bias >>= 1;
            self.count >>= 1;
        }
        self.count += 1;
        if self.bias <= -self.count {
            self.bias = (self.bias + self.count).max(1 - self.count);
            self.correction = (self.correction - 1).max(-MAX_BIAS - 1);
        } else if self.bias > 0 {
            self.bias = (self.bias - self.count).min(0);
            self.correction = (self.correction + 1).min(MAX_BIAS);
        }
    }
}

struct ScanDecoder<'a> {
    coding: CodingParameters,
    bits: BitReader<'a>,
    contexts: [Context; CONTEXTS + 2],
}

/// Two rows of a component, with a sample more at each side.
struct Rows {
    above: Vec<i32>,
    row: Vec<i32>,
    run_index: usize,
}

impl<'a> ScanDecoder<'a> {
    fn new(coding: CodingParameters, bits: BitReader<'a>) -> Self {
        let context = Context {
            magnitude: ((coding.range + 32) / 64).max(2),
            bias: 0,
            correction: 0,
            count: 1,
        };
        Self {
            coding,
            bits,
            contexts: [context; CONTEXTS + 2],
        }
    }

    fn decode(
        &mut self,
        scan: &ScanHeader,
        format: &PixelFormat,
        out: &mut [u8],
    ) -> Result<(), FileProblem> {
        let columns = usize::from(format.columns);
        let (width, count) = (format.stored.bytes(), usize::from(format.components));
        let mut rows = Vec::new();
        for _ in &scan.components {
            let above = memory::try_zeroed::<i32>("a row", columns + 2)?;
            rows.push(Rows {
                row: above.clone(),
                above,
                run_index: 0,
            });
        }
        for y in 0..usize::from(format.rows) {
            for rows in &mut rows {
                std::mem::swap(&mut rows.above, &mut rows.row);
                rows.above[columns + 1] = rows.above[columns];
                rows.row[0] = rows.above[1];
            }
            match scan.interleave {
                Interleave::Line => {
                    for rows in &mut rows {
                        self.decode_rows(std::slice::from_mut(rows), columns)?;
                    }
                }
                Interleave::Sample => self.decode_rows(&mut rows, columns)?,
            }
            for (rows, component) in rows.iter().zip(&scan.components) {
                for x in 0..columns {
                    let start = ((y * columns + x) * count + component) * width;
                    let sample = rows.row[x + 1].to_le_bytes();
                    out[start..start + width].copy_from_slice(&sample[..width]);
                }
            }
        }
        Ok(())
    }

    /// Decodes a row of one component, or of several with interleaved samples.
    fn decode_rows(&mut self, rows: &mut [Rows], columns: usize) -> Result<(), FileProblem> {
        let mut x = 1;
        while x <= columns {
            let near = self.coding.near;
            let is_flat = rows.iter().all(|rows| {
                let gradients = gradients(rows, x);
                gradients.iter().all(|gradient| gradient.abs() <= near)
            });
            if is_flat {
                x += self.decode_run(rows, x, columns)?;
                continue;
            }
            for rows in rows.iter_mut() {
                rows.row[x] = self.decode_regular(rows, x)?;
            }
            x += 1;
        }
        Ok(())
    }

    fn decode_regular(&mut self, rows: &Rows, x: usize) -> Result<i32, FileProblem> {
        let [q1, q2, q3] = gradients(rows, x).map(|it| self.coding.quantize(it));
        let index = 81 * q1 + 9 * q2 + q3;
        let sign = if index < 0 { -1 } else { 1 };
        let context = &mut self.contexts[index.unsigned_abs() as usize];
        let (a, b, c) = (rows.row[x - 1], rows.above[x], rows.above[x - 1]);
        let median = if c >= a.max(b) {
            a.min(b)
        } else if c <= a.min(b) {
            a.max(b)
        } else {
            a + b - c
        };
        let prediction = (median + sign * context.correction).clamp(0, self.coding.max);
        let order = context.order(context.magnitude);
        let mapped = self
            .bits
            .golomb(order, self.coding.limit, self.coding.error_bits)?;
        let is_swapped = self.coding.near == 0 && order == 0 && 2 * context.bias <= -context.count;
        let error = match (mapped % 2 == 0, is_swapped) {
            (true, false) => mapped / 2,
            (false, false) => -(mapped + 1) / 2,
            (true, true) => -(mapped / 2) - 1,
            (false, true) => (mapped - 1) / 2,
        };
        context.update(error, &self.coding);
        Ok(self.coding.reconstruct(prediction, sign * error))
    }

    /// Decodes a run of samples that repeat the left one, and the sample that ends it. Returns the
    /// number of samples.
    fn decode_run(
        &mut self,
        rows: &mut [Rows],
        x: usize,
        columns: usize,
    ) -> Result<usize, FileProblem> {
        let left = columns + 1 - x;
        let mut length = 0;
        let mut index = rows[0].run_index;
        let mut is_interrupted = true;
        while self.bits.bits(1)? == 1 {
            let step = 1 << RUN_ORDERS[index];
            if length + step <= left {
                index = (index + 1).min(RUN_ORDERS.len() - 1);
            }
            length = (length + step).min(left);
            if length == left {
                is_interrupted = false;
                break;
            }
        }
        if is_interrupted {
            length += self.bits.bits(RUN_ORDERS[index])? as usize;
            if length >= left {
                return Err(invalid("a run is longer than its row"));
            }
        }
        for rows in rows.iter_mut() {
            let value = rows.row[x - 1];
            rows.row[x..x + length].fill(value);
        }
        if is_interrupted {
            let is_single = rows.len() == 1;
            for rows in rows.iter_mut() {
                rows.row[x + length] =
                    self.decode_interruption(rows, x + length, index, is_single)?;
            }
            index = index.saturating_sub(1);
            length += 1;
        }
        rows[0].run_index = index;
        Ok(length)
    }

    /// Decodes the sample after a run.
    fn decode_interruption(
        &mut self,
        rows: &Rows,
        x: usize,
        run_index: usize,
        is_single: bool,
    ) -> Result<i32, FileProblem> {
        let (a, b) = (rows.row[x - 1], rows.above[x]);
        let is_near = is_single && (a - b).abs() <= self.coding.near;
        let kind = i32::from(is_near);
        let context = &mut self.contexts[CONTEXTS + kind as usize];
        let order = context.order(context.magnitude + kind * (context.count >> 1));
        let limit = self.coding.limit - RUN_ORDERS[run_index] - 1;
        let mapped = self.bits.golomb(order, limit, self.coding.error_bits)?;
        let folded = mapped + kind;
        let is_odd = folded % 2 == 1;
        let size = (folded + folded % 2) / 2;
        let is_negative = (order != 0 || 2 * context.bias >= context.count) == is_odd;
        let error = if is_negative { -size } else { size };
        context.bias += i32::from(error < 0);
        context.magnitude += (mapped + 1 - kind) >> 1;
        if context.count == self.coding.reset {
            context.magnitude >>= 1;
            context.count >>= 1;
            context.bias >>= 1;
        }
        context.count += 1;
        let (prediction, sign) = match (is_near, a > b) {
            (true, _) => (a, 1),
            (false, true) => (b, -1),
            (false, false) => (b, 1),
        };
        Ok(self.coding.reconstruct(prediction, sign * error))
    }
}

/// Returns the differences of the neighbours of a sample: above right and above, above and above
/// left, above left and left.
fn gradients(rows: &Rows, x: usize) -> [i32; 3] {
    let (a, b, c, d) = (
        rows.row[x - 1],
        rows.above[x],
        rows.above[x - 1],
        rows.above[x + 1],
    );
    [d - b, b - c, c - a]
}

/// Reader of the bits of a scan. A byte of ones is followed by one of seven bits.
struct BitReader<'a> {
    bytes: &'a [u8],
    /// Index of the next byte.
    position: usize,
    buffer: u64,
    /// Number of valid low bits of the buffer.
    count: u32,
    is_after_ones: bool,
}

impl<'a> BitReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            buffer: 0,
            count: 0,
            is_after_ones: false,
        }
    }

    /// Returns the next `count` bits, at most 24.
    fn bits(&mut self, count: u32) -> Result<u32, FileProblem> {
        while self.count < count {
            let byte = self.bytes.get(self.position);
            let byte = *byte.ok_or_else(|| invalid("a scan ends early"))?;
            let width = if self.is_after_ones { 7 } else { 8 };
            if self.is_after_ones && byte & 0x80 != 0 {
                return Err(invalid("a scan ends early"));
            }
            self.position += 1;
            self.is_after_ones = byte == 0xFF;
            self.buffer = self.buffer << width | u64::from(byte);
            self.count += width;
        }
        self.count -= count;
        Ok((self.buffer >> self.count) as u32 & ((1 << count) - 1))
    }

    /// Decodes a number with a Golomb code of limited length (section A.5.3).
    fn golomb(&mut self, order: u32, limit: u32, error_bits: u32) -> Result<i32, FileProblem> {
        let max_zeros = limit.saturating_sub(error_bits + 1);
        let mut zeros = 0;
        while zeros < max_zeros && self.bits(1)? == 0 {
            zeros += 1;
        }
        if zeros < max_zeros {
            let number = u64::from(zeros) << order | u64::from(self.bits(order)?);
            return i32::try_from(number.min(1 << 20)).map_err(|_| invalid("a code is too large"));
        }
        // The end of the zeros is a one as well.
        if self.bits(1)? == 0 {
            return Err(invalid("a code is too long"));
        }
        Ok(self.bits(error_bits)? as i32 + 1)
    }

    /// Returns the index of the first byte after the scan.
    fn end(&self) -> usize {
        // A byte of ones at the end is followed by a stuffed one.
        self.position + usize::from(self.is_after_ones)
    }
}
