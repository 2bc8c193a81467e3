//! NumPy's `.npy`. The axis that varies fastest in the file is x: an array in C order has the shape
//! (z, y, x), one in Fortran order (x, y, z). The format carries no geometry.

use std::io::{self, Write};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use super::error::show_bytes;
use super::layout::Layout;
use super::samples::read_samples;
use super::source::Source;
use super::{
    ByteOrder, FileProblem, HeaderInfo, ReadOptions, StoredType, VolumeFile, VolumeFormat,
    write_samples,
};
use crate::volume::{AnyVolume, Geometry, SampleType};

/// Longest header text: that of a plain array has some hundred bytes.
const HEADER: usize = 1 << 16;
/// Deepest nesting of brackets in the header text: that of a plain array has two.
const NESTING: usize = 8;

pub(crate) fn read(
    mut source: Source<'_>,
    options: &ReadOptions,
) -> Result<VolumeFile, FileProblem> {
    let text = header_bytes(&mut source)?;
    let parsed = NpyHeader::from_reader(&text[..]).map_err(|error| damaged(error.to_string()))?;
    let (stored, order) = stored_type(&parsed.dtype())?;
    let mut sizes = parsed.shape().to_vec();
    if parsed.order() == Order::C {
        sizes.reverse();
    }
    // Axes of size 1 beyond three hold nothing: (1, z, y, x) is one volume.
    let layout = Layout::new(&sizes, stored, order)?;
    let mut header = HeaderInfo::new(VolumeFormat::Npy, stored, order);
    header.version = Some(format!("npy {}.{}", text[6], text[7]));
    let volume = read_samples(
        &mut source,
        &layout,
        Geometry::default(),
        options,
        &mut header,
    )?;
    Ok(VolumeFile { volume, header })
}

/// The whole header: magic, version, length and text. The `npyz` crate takes the length on trust and
/// parses the text recursively, so both are bounded here.
fn header_bytes(source: &mut Source<'_>) -> Result<Vec<u8>, FileProblem> {
    let start = source.peek(12)?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::Npy,
            expected: "the bytes 93 4e 55 4d 50 59 (\\x93NUMPY)",
            found: show_bytes(&start),
        });
    }
    let too_short = |expected: usize, found: usize| FileProblem::HeaderTooShort {
        format: VolumeFormat::Npy,
        expected: expected as u64,
        found: found as u64,
    };
    let before_text = if start.get(6) == Some(&1) { 10 } else { 12 };
    if start.len() < before_text {
        return Err(too_short(before_text, start.len()));
    }
    let text = match before_text {
        10 => usize::from(u16::from_le_bytes([start[8], start[9]])),
        _ => u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize,
    };
    if text > HEADER {
        return Err(damaged(format!(
            "it has {text} bytes of text; a plain array needs fewer than {HEADER}"
        )));
    }
    let mut bytes = vec![0; before_text + text];
    let found = source.fill(&mut bytes)?;
    if found < bytes.len() {
        return Err(too_short(bytes.len(), found));
    }
    check_nesting(&bytes[before_text..])?;
    Ok(bytes)
}

fn check_nesting(text: &[u8]) -> Result<(), FileProblem> {
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING {
            return Err(damaged(format!(
                "its brackets are nested deeper than {NESTING}"
            )));
        }
    }
    Ok(())
}

fn stored_type(dtype: &DType) -> Result<(StoredType, ByteOrder), FileProblem> {
    let unsupported = || FileProblem::Unsupported {
        what: format!("npy dtype {}", dtype.descr()),
        advice: "save an array of integers of 8 to 32 bits, float32 or float64",
    };
    let DType::Plain(plain) = dtype else {
        return Err(unsupported());
    };
    let stored = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Bool | TypeChar::Uint, 1) => StoredType::U8,
        (TypeChar::Int, 1) => StoredType::I8,
        (TypeChar::Uint, 2) => StoredType::U16,
        (TypeChar::Int, 2) => StoredType::I16,
        (TypeChar::Uint, 4) => StoredType::U32,
        (TypeChar::Int, 4) => StoredType::I32,
        (TypeChar::Uint, 8) => StoredType::U64,
        (TypeChar::Int, 8) => StoredType::I64,
        (TypeChar::Float, 4) => StoredType::F32,
        (TypeChar::Float, 8) => StoredType::F64,
        _ => return Err(unsupported()),
    };
    let order = match plain.endianness() {
        Endianness::Big => ByteOrder::Big,
        Endianness::Little | Endianness::Irrelevant => ByteOrder::Little,
    };
    Ok((stored, order))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Npy,
        problem,
    }
}

/// Writes an array of shape (z, y, x) in C order.
pub(crate) fn write(volume: &AnyVolume, order: ByteOrder, out: &mut dyn Write) -> io::Result<()> {
    let [nx, ny, nz] = volume.dims();
    let code = match volume.sample_type() {
        SampleType::U8 => "u1",
        SampleType::I8 => "i1",
        SampleType::U16 => "u2",
        SampleType::I16 => "i2",
        SampleType::I32 => "i4",
        SampleType::F32 => "f4",
        SampleType::F64 => "f8",
    };
    let mark = match order {
        _ if volume.sample_type().bytes() == 1 => '|',
        ByteOrder::Little => '<',
        ByteOrder::Big => '>',
    };
    let mut text = format!(
        "{{'descr': '{mark}{code}', 'fortran_order': False, 'shape': ({nz}, {ny}, {nx}), }}"
    );
    // Magic, version, length and text together are a multiple of 64, so that the samples are aligned.
    let padding = 63 - (10 + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    write_samples(volume, order, out)
}
