//! Decoding of the rows of a scan.

use super::bits::BitReader;
use super::coding::{CodingParameters, Context};
use super::{Interleave, ScanHeader};
use crate::io::FileProblem;
use crate::io::volume::dicom::jpeg::segments::invalid;
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::memory;

/// Number of regular contexts; two contexts of run interruptions follow.
const CONTEXTS: usize = 365;
/// Orders of the run-length code (table A.1).
const RUN_ORDERS: [u32; 32] = [
    0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13,
    14, 15,
];
/// Decoder of a scan.
pub(super) struct ScanDecoder<'a> {
    coding: CodingParameters,
    pub bits: BitReader<'a>,
    contexts: [Context; CONTEXTS + 2],
}

/// Two rows of a component, with a sample more at each side.
struct Rows {
    above: Vec<i32>,
    row: Vec<i32>,
    run_index: usize,
}

impl<'a> ScanDecoder<'a> {
    pub fn new(coding: CodingParameters, bits: BitReader<'a>) -> Self {
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

    pub fn decode(
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
        context.magnitude = context.magnitude.saturating_add((mapped + 1 - kind) >> 1);
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
