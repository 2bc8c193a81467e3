//! VTK's XML image data: samples as text, in base64, or appended, optionally compressed with zlib
//! or LZ4. Positions are used as they are.

use std::io::Read;
use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::grid::Geometry;
use crate::io::source::decoded::{DecodePlanes, DecodedPlanes};
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::lz4;
use crate::io::volume::opened::OpenedVolume;
use crate::io::xml::{XmlPart, XmlParts, XmlTag};
use crate::io::{ByteOrder, Compression, FileProblem, HeaderInfo, StoredType, VolumeFormat};
use crate::memory;

/// Largest size of the tags before appended data, in bytes.
const MAX_TAGS: usize = 1 << 20;
/// Largest number of compressed blocks.
const MAX_BLOCKS: u64 = 1 << 26;
/// Size of compressed samples that is accepted whatever their number of bytes.
const FREE_BYTES: u64 = 1 << 20;
/// Largest expansion of larger ones.
const MAX_EXPANSION: u64 = 1032;
/// Start of appended data.
const APPENDED: &[u8] = b"<AppendedData";

/// Compression of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockCompressor {
    Zlib,
    Lz4,
}

/// Tags of a file.
#[derive(Default)]
struct Tags {
    order: Option<ByteOrder>,
    has_long_headers: bool,
    compressor: Option<String>,
    extent: Option<[i64; 6]>,
    origin: [f64; 3],
    spacing: [f64; 3],
    direction: Option<[f64; 9]>,
    pieces: usize,
    array: Option<Array>,
    is_base64: bool,
}

/// The array of samples.
struct Array {
    name: String,
    value_type: String,
    components: u64,
    format: String,
    offset: u64,
    text: Option<String>,
    is_cell_data: bool,
}

/// Opens a file and reads its tags.
pub(crate) fn open(source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(unsupported(
            "a VTI file in a pipe or compressed with gzip".to_owned(),
        ));
    };
    let (text, appended) = read_text(&bytes, length)?;
    let tags = parse(&text)?;
    let array = tags.array.as_ref();
    let array = array.ok_or_else(|| damaged("there is no array of samples".to_owned()))?;
    if tags.pieces > 1 {
        return Err(unsupported("a VTI file of several pieces".to_owned()));
    }
    let order = tags.order.unwrap_or_default();
    let stored = stored_type(&array.value_type)?;
    let extent = tags
        .extent
        .ok_or_else(|| damaged("there is no WholeExtent".to_owned()))?;
    let mut sizes = Vec::new();
    for axis in 0..3 {
        let points = extent[2 * axis + 1].checked_sub(extent[2 * axis]);
        let points = points.and_then(|it| it.checked_add(1));
        let points = points.and_then(|it| u64::try_from(it).ok());
        let points = points.ok_or_else(|| damaged(format!("WholeExtent is {extent:?}")))?;
        // An image with a single layer of points has one layer of cells.
        let cells = points.saturating_sub(1).max(points.min(1));
        sizes.push(if array.is_cell_data { cells } else { points });
    }
    let mut layout = Layout::new(&sizes, stored, order)?;
    if array.components > 1 {
        layout = layout.with_components(array.components)?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Vti, stored, order);
    (header.has_spacing, header.has_origin) = (true, true);
    if array.is_cell_data {
        header.notes.push(format!(
            "{:?} is an array of cells; the samples are placed at their centres",
            array.name
        ));
    }
    let geometry = geometry(&tags, extent, array.is_cell_data)?;
    let total = layout.total_bytes;
    let compressor = compressor(tags.compressor.as_deref())?;
    let data = match (array.format.as_str(), appended) {
        ("ascii", _) => ByteStore::Memory(parse_numbers(array, stored, order, total)?),
        ("binary", _) => {
            let text = array.text.as_deref().unwrap_or_default();
            base64_store(text.as_bytes(), &tags, compressor, total)?
        }
        ("appended", Some(start)) if tags.is_base64 => {
            let start = start
                .checked_add(array.offset)
                .filter(|start| *start <= length);
            let start = start.ok_or_else(|| damaged("an offset is beyond the file".to_owned()))?;
            let mut encoded = memory::try_zeroed("appended data", (length - start) as usize)?;
            bytes.fill(&mut encoded, start)?;
            base64_store(&encoded, &tags, compressor, total)?
        }
        ("appended", Some(start)) => {
            let start = start.checked_add(array.offset);
            let start = start.ok_or_else(|| damaged("an offset is beyond the file".to_owned()))?;
            raw_store(bytes, start, length, &tags, compressor, total)?
        }
        (format, _) => return Err(damaged(format!("the format of the array is {format:?}"))),
    };
    header.compression = compressor.map_or(Compression::None, |it| match it {
        BlockCompressor::Zlib => Compression::Zlib,
        BlockCompressor::Lz4 => Compression::Named("LZ4"),
    });
    let is_length_known = !matches!(data, ByteStore::Blocks { .. });
    let planes = layout.dims[2] as u64;
    let plane_bytes = total.checked_div(planes).unwrap_or(0) as usize;
    let planes = if plane_bytes == 0 { 0 } else { planes };
    let decoded = DecodedPlanes::new(ByteRanges { data, plane_bytes }, plane_bytes, planes);
    let source = Source::from_planes(decoded, is_length_known);
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

/// Returns the text of the tags, and the offset of appended data.
fn read_text(
    bytes: &RandomAccessBytes<'_>,
    length: u64,
) -> Result<(String, Option<u64>), FileProblem> {
    let start_length = length.min(MAX_TAGS as u64) as usize;
    let mut start = memory::try_zeroed("tags", start_length)?;
    bytes.fill(&mut start, 0)?;
    let tag = start.windows(APPENDED.len()).position(|it| it == APPENDED);
    if let Some(tag) = tag {
        let data = start[tag..].iter().position(|byte| *byte == b'_');
        let data = data.ok_or_else(|| damaged("the appended data have no start".to_owned()))?;
        let text = String::from_utf8_lossy(&start[..tag + data]).into_owned();
        return Ok((text, Some((tag + data + 1) as u64)));
    }
    // Arrays as text may be long.
    let mut all = memory::try_zeroed("text of arrays", length as usize)?;
    bytes.fill(&mut all, 0)?;
    let text = String::from_utf8(all).map_err(|_| damaged("it is not text".to_owned()))?;
    Ok((text, None))
}

fn parse(text: &str) -> Result<Tags, FileProblem> {
    let mut tags = Tags {
        spacing: [1.0; 3],
        ..Tags::default()
    };
    let mut section = "";
    let mut active: Option<String> = None;
    let mut candidates: Vec<(bool, Array)> = Vec::new();
    let mut is_in_array = false;
    for part in XmlParts::new(text) {
        match part {
            XmlPart::Open(tag) => match tag.name {
                "VTKFile" => parse_file(&tag, &mut tags)?,
                "ImageData" => parse_image(&tag, &mut tags)?,
                "Piece" => tags.pieces += 1,
                "PointData" | "CellData" => {
                    section = tag.name;
                    active = tag.attribute("Scalars").map(|name| name.into_owned());
                }
                "AppendedData" => {
                    tags.is_base64 = tag.attribute("encoding").as_deref() == Some("base64");
                }
                "DataArray" if matches!(section, "PointData" | "CellData") => {
                    let name = tag.attribute("Name").unwrap_or_default().into_owned();
                    let is_active = active.as_deref() == Some(&name);
                    is_in_array = !tag.is_empty;
                    candidates.push((is_active, parse_array(&tag, name, section == "CellData")));
                }
                _ => {}
            },
            XmlPart::Close("PointData" | "CellData") => section = "",
            XmlPart::Close("DataArray") => is_in_array = false,
            XmlPart::Text(text) if is_in_array => {
                if let Some((_, array)) = candidates.last_mut() {
                    array.text = Some(text.to_owned());
                }
            }
            _ => {}
        }
    }
    // Active points, other points, active cells, other cells.
    candidates.sort_by_key(|(is_active, array)| (array.is_cell_data, !is_active));
    tags.array = candidates.into_iter().next().map(|(_, array)| array);
    Ok(tags)
}

fn parse_file(tag: &XmlTag<'_>, tags: &mut Tags) -> Result<(), FileProblem> {
    let kind = tag.attribute("type").unwrap_or_default();
    if kind != "ImageData" {
        return Err(unsupported(format!("a VTK file of the type {kind}")));
    }
    tags.order = match tag.attribute("byte_order").as_deref() {
        Some("BigEndian") => Some(ByteOrder::Big),
        _ => Some(ByteOrder::Little),
    };
    tags.has_long_headers = tag.attribute("header_type").as_deref() == Some("UInt64");
    tags.compressor = tag.attribute("compressor").map(|name| name.into_owned());
    Ok(())
}

fn parse_image(tag: &XmlTag<'_>, tags: &mut Tags) -> Result<(), FileProblem> {
    let numbers = |name: &str| -> Result<Option<Vec<f64>>, FileProblem> {
        let Some(text) = tag.attribute(name) else {
            return Ok(None);
        };
        let numbers = text
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<Vec<f64>, _>>();
        numbers
            .map(Some)
            .map_err(|_| damaged(format!("{name} is {text:?}")))
    };
    let extent = numbers("WholeExtent")?.and_then(|it| <[f64; 6]>::try_from(it).ok());
    tags.extent = extent.map(|it| it.map(|number| number as i64));
    if let Some(origin) = numbers("Origin")?.and_then(|it| it.try_into().ok()) {
        tags.origin = origin;
    }
    if let Some(spacing) = numbers("Spacing")?.and_then(|it| it.try_into().ok()) {
        tags.spacing = spacing;
    }
    tags.direction = numbers("Direction")?.and_then(|it| it.try_into().ok());
    Ok(())
}

fn parse_array(tag: &XmlTag<'_>, name: String, is_cell_data: bool) -> Array {
    let text = |name: &str| tag.attribute(name).unwrap_or_default().into_owned();
    Array {
        name,
        value_type: text("type"),
        components: tag.number("NumberOfComponents").unwrap_or(1),
        format: text("format"),
        offset: tag.number("offset").unwrap_or(0),
        text: None,
        is_cell_data,
    }
}

fn stored_type(name: &str) -> Result<StoredType, FileProblem> {
    Ok(match name {
        "UInt8" => StoredType::U8,
        "Int8" => StoredType::I8,
        "UInt16" => StoredType::U16,
        "Int16" => StoredType::I16,
        "UInt32" => StoredType::U32,
        "Int32" => StoredType::I32,
        "UInt64" => StoredType::U64,
        "Int64" => StoredType::I64,
        "Float32" => StoredType::F32,
        "Float64" => StoredType::F64,
        name => return Err(unsupported(format!("a VTI file with the type {name:?}"))),
    })
}

fn compressor(name: Option<&str>) -> Result<Option<BlockCompressor>, FileProblem> {
    match name {
        None => Ok(None),
        Some("vtkZLibDataCompressor") => Ok(Some(BlockCompressor::Zlib)),
        Some("vtkLZ4DataCompressor") => Ok(Some(BlockCompressor::Lz4)),
        Some(name) => Err(unsupported(format!(
            "a VTI file with the compressor {name}"
        ))),
    }
}

/// Returns the grid of the points or of the centres of the cells.
fn geometry(tags: &Tags, extent: [i64; 6], is_cell_data: bool) -> Result<Geometry, FileProblem> {
    let direction = tags
        .direction
        .map_or(Matrix3::identity(), |it| Matrix3::from_row_slice(&it));
    let axes = direction * Matrix3::from_diagonal(&Vector3::from(tags.spacing));
    let first = [0, 1, 2].map(|axis| {
        let half = if is_cell_data && extent[2 * axis + 1] > extent[2 * axis] {
            0.5
        } else {
            0.0
        };
        extent[2 * axis] as f64 + half
    });
    let origin = Vector3::from(tags.origin) + axes * Vector3::from(first);
    Ok(Geometry::new(axes, origin)?)
}

/// Bytes of the samples.
enum ByteStore<'a> {
    Memory(Vec<u8>),
    File {
        bytes: RandomAccessBytes<'a>,
        start: u64,
    },
    Blocks(Blocks<'a>),
}

/// Compressed blocks of equal size, of which the last may be smaller.
struct Blocks<'a> {
    /// Compressed bytes of all blocks.
    bytes: CompressedBytes<'a>,
    /// Offset and number of compressed bytes of every block.
    blocks: Vec<(u64, u64)>,
    block_bytes: u64,
    total: u64,
    compressor: BlockCompressor,
}

enum CompressedBytes<'a> {
    Memory(Vec<u8>),
    File(RandomAccessBytes<'a>),
}

impl CompressedBytes<'_> {
    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
        let mut out = memory::try_zeroed("a block", count as usize)?;
        let is_complete = match self {
            Self::Memory(bytes) => RandomAccessBytes::Bytes(bytes).fill(&mut out, offset)?,
            Self::File(bytes) => bytes.fill(&mut out, offset)?,
        };
        if is_complete {
            Ok(out)
        } else {
            Err(ends_early())
        }
    }
}

/// Decoder of the planes of a [`ByteStore`].
struct ByteRanges<'a> {
    data: ByteStore<'a>,
    plane_bytes: usize,
}

impl DecodePlanes for ByteRanges<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        let offset = planes.start * self.plane_bytes as u64;
        match &self.data {
            ByteStore::Memory(bytes) => {
                let start = offset as usize;
                out.copy_from_slice(&bytes[start..start + out.len()]);
                Ok(())
            }
            ByteStore::File { bytes, start } => {
                if bytes.fill(out, start + offset)? {
                    Ok(())
                } else {
                    Err(ends_early())
                }
            }
            ByteStore::Blocks(blocks) => blocks.decode(offset, out),
        }
    }
}

impl Blocks<'_> {
    fn decode(&self, offset: u64, out: &mut [u8]) -> Result<(), FileProblem> {
        let (mut offset, mut rest) = (offset, out);
        while !rest.is_empty() {
            let index = offset / self.block_bytes;
            let (start, count) = self.blocks[index as usize];
            let size = self.block_bytes.min(self.total - index * self.block_bytes) as usize;
            let compressed = self.bytes.read(start, count)?;
            let content = self.decompress(&compressed, size)?;
            let skipped = (offset % self.block_bytes) as usize;
            let count = rest.len().min(size - skipped);
            let (filled, after) = rest.split_at_mut(count);
            filled.copy_from_slice(&content[skipped..skipped + count]);
            (rest, offset) = (after, offset + count as u64);
        }
        Ok(())
    }

    fn decompress(&self, bytes: &[u8], size: usize) -> Result<Vec<u8>, FileProblem> {
        let mut out = Vec::new();
        let failed = match self.compressor {
            BlockCompressor::Zlib => {
                let decoder = flate2::read::ZlibDecoder::new(bytes);
                let read = decoder.take(size as u64).read_to_end(&mut out);
                read.err().map(|error| error.to_string())
            }
            BlockCompressor::Lz4 => lz4::decompress(bytes, size, &mut out).err(),
        };
        if let Some(problem) = failed {
            return Err(damaged(format!(
                "a block cannot be decompressed: {problem}"
            )));
        }
        if out.len() != size {
            return Err(damaged(format!(
                "a block has {} bytes instead of {size}",
                out.len()
            )));
        }
        Ok(out)
    }
}

/// Locates raw appended data.
fn raw_store<'a>(
    bytes: RandomAccessBytes<'a>,
    start: u64,
    length: u64,
    tags: &Tags,
    compressor: Option<BlockCompressor>,
    total: u64,
) -> Result<ByteStore<'a>, FileProblem> {
    let width: u64 = if tags.has_long_headers { 8 } else { 4 };
    let order = tags.order.unwrap_or_default();
    let read = |index: u64, count: u64| -> Result<Vec<u64>, FileProblem> {
        let offset = start.checked_add(index * width);
        let end = offset.and_then(|offset| offset.checked_add(count * width));
        let (Some(offset), Some(_)) = (offset, end.filter(|end| *end <= length)) else {
            return Err(ends_early());
        };
        let mut words = memory::try_zeroed::<u8>("sizes of blocks", (count * width) as usize)?;
        bytes.fill(&mut words, offset)?;
        Ok(words
            .chunks_exact(width as usize)
            .map(|word| number(word, order))
            .collect())
    };
    let Some(compressor) = compressor else {
        let found = read(0, 1)?[0];
        check_total(found, total)?;
        let data = start + width;
        if data.checked_add(total).is_none_or(|end| end > length) {
            return Err(ends_early());
        }
        return Ok(ByteStore::File { bytes, start: data });
    };
    let header = read(0, 3)?;
    let blocks = block_sizes([header[0], header[1], header[2]], total)?;
    let sizes = read(3, blocks)?;
    let first = start + (3 + blocks) * width;
    let located = locate_blocks(&sizes, first, length, total)?;
    Ok(ByteStore::Blocks(Blocks {
        bytes: CompressedBytes::File(bytes),
        blocks: located,
        block_bytes: header[1].max(1),
        total,
        compressor,
    }))
}

/// Decodes data in base64: the header, and after it, encoded separately if compressed, the rest.
fn base64_store<'a>(
    text: &[u8],
    tags: &Tags,
    compressor: Option<BlockCompressor>,
    total: u64,
) -> Result<ByteStore<'a>, FileProblem> {
    let width: usize = if tags.has_long_headers { 8 } else { 4 };
    let order = tags.order.unwrap_or_default();
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let encoded = |bytes: usize| bytes.div_ceil(3) * 4;
    let part = |start: usize, bytes: usize| {
        let part = text
            .get(start..)
            .and_then(|rest| rest.get(..encoded(bytes)));
        let mut decoded = decode_base64(part.ok_or_else(ends_early)?)?;
        if decoded.len() < bytes {
            return Err(ends_early());
        }
        decoded.truncate(bytes);
        Ok(decoded)
    };
    let Some(compressor) = compressor else {
        let total = usize::try_from(total).map_err(|_| ends_early())?;
        if text.len() / 4 * 3 < total {
            return Err(ends_early());
        }
        let mut content = part(0, width + total)?;
        let data = content.split_off(width);
        check_total(number(&content, order), total as u64)?;
        return Ok(ByteStore::Memory(data));
    };
    let header = part(0, 3 * width)?;
    let words: Vec<u64> = header
        .chunks_exact(width)
        .map(|word| number(word, order))
        .collect();
    let blocks = block_sizes([words[0], words[1], words[2]], total)?;
    let header_bytes = (3 + blocks as usize) * width;
    if text.len() < encoded(header_bytes) {
        return Err(ends_early());
    }
    let header = part(0, header_bytes)?;
    let sizes = header[3 * width..]
        .chunks_exact(width)
        .map(|word| number(word, order));
    let sizes: Vec<u64> = sizes.collect();
    let compressed: u64 = sizes.iter().fold(0, |all, size| all.saturating_add(*size));
    if compressed > text.len() as u64 {
        return Err(ends_early());
    }
    let bytes = part(encoded(header_bytes), compressed as usize)?;
    let located = locate_blocks(&sizes, 0, compressed, total)?;
    Ok(ByteStore::Blocks(Blocks {
        bytes: CompressedBytes::Memory(bytes),
        blocks: located,
        block_bytes: words[1].max(1),
        total,
        compressor,
    }))
}

fn check_total(found: u64, total: u64) -> Result<(), FileProblem> {
    if found == total {
        return Ok(());
    }
    Err(damaged(format!(
        "the array has {found} bytes, but the extent needs {total}"
    )))
}

/// Checks the number of blocks, their size, and that of the last one if it is smaller. Returns
/// their number.
fn block_sizes([count, bytes, last]: [u64; 3], total: u64) -> Result<u64, FileProblem> {
    let full = if last == 0 {
        count
    } else {
        count.saturating_sub(1)
    };
    let found = full.checked_mul(bytes).and_then(|it| it.checked_add(last));
    let expected = total.div_ceil(bytes.max(1));
    if found != Some(total) || count != expected || count > MAX_BLOCKS || bytes > 1 << 31 {
        return Err(damaged(format!(
            "{count} blocks of {bytes} bytes, the last of {last}, do not make {total} bytes"
        )));
    }
    Ok(count)
}

fn locate_blocks(
    sizes: &[u64],
    first: u64,
    end: u64,
    total: u64,
) -> Result<Vec<(u64, u64)>, FileProblem> {
    let compressed = end.saturating_sub(first);
    if total > FREE_BYTES + MAX_EXPANSION * compressed {
        return Err(damaged(format!(
            "{total} bytes are compressed to {compressed}"
        )));
    }
    let mut offset = first;
    let mut located = Vec::new();
    for size in sizes {
        located.push((offset, *size));
        offset = offset
            .checked_add(*size)
            .filter(|it| *it <= end)
            .ok_or_else(ends_early)?;
    }
    Ok(located)
}

fn number(bytes: &[u8], order: ByteOrder) -> u64 {
    let digit = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    match order {
        ByteOrder::Little => bytes.iter().rev().fold(0, digit),
        ByteOrder::Big => bytes.iter().fold(0, digit),
    }
}

/// Parses the numbers of an array, and stores them in the byte order of the file.
fn parse_numbers(
    array: &Array,
    stored: StoredType,
    order: ByteOrder,
    total: u64,
) -> Result<Vec<u8>, FileProblem> {
    let width = stored.bytes();
    let text = array.text.as_deref().unwrap_or_default();
    // Every number has a digit and a separator.
    if total / width as u64 > text.len() as u64 {
        return Err(ends_early());
    }
    let mut out = Vec::new();
    for word in text.split_ascii_whitespace() {
        let invalid = || {
            damaged(format!(
                "{:?} is not a number of type {stored}",
                shorten(word)
            ))
        };
        let bytes: [u8; 8] = match stored {
            StoredType::F32 => {
                let number = word.parse::<f32>().map_err(|_| invalid())?;
                u64::from(number.to_bits()).to_le_bytes()
            }
            StoredType::F64 => word.parse::<f64>().map_err(|_| invalid())?.to_le_bytes(),
            StoredType::U64 => word.parse::<u64>().map_err(|_| invalid())?.to_le_bytes(),
            _ => word.parse::<i64>().map_err(|_| invalid())?.to_le_bytes(),
        };
        let start = out.len();
        out.extend_from_slice(&bytes[..width]);
        if order == ByteOrder::Big {
            out[start..].reverse();
        }
    }
    check_total(out.len() as u64, total)?;
    Ok(out)
}

fn shorten(word: &str) -> String {
    word.chars().take(20).collect()
}

fn decode_base64(text: &[u8]) -> Result<Vec<u8>, FileProblem> {
    let value = |symbol: u8| match symbol {
        b'A'..=b'Z' => Ok(symbol - b'A'),
        b'a'..=b'z' => Ok(symbol - b'a' + 26),
        b'0'..=b'9' => Ok(symbol - b'0' + 52),
        b'+' => Ok(62),
        b'/' => Ok(63),
        b'=' => Ok(0),
        _ => Err(damaged("the base64 has an invalid symbol".to_owned())),
    };
    let mut out = Vec::new();
    for group in text.chunks_exact(4) {
        let mut bits = 0_u32;
        for symbol in group {
            bits = bits << 6 | u32::from(value(*symbol)?);
        }
        let padding = group.iter().filter(|symbol| **symbol == b'=').count();
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(&bytes[1..4 - padding.min(2)]);
    }
    Ok(out)
}

fn ends_early() -> FileProblem {
    damaged("the samples end early; the file is truncated, fetch it again".to_owned())
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Vti,
        problem,
    }
}

fn unsupported(what: String) -> FileProblem {
    FileProblem::Unsupported {
        what,
        advice: "write it as one image, uncompressed or compressed with zlib or LZ4",
    }
}
