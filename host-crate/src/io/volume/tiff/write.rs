//! Writer of TIFF: one uncompressed page per plane, with the spacing in OME-XML, or for integers of
//! 64 bits, which OME-XML does not have, in ImageJ's description. Files over 4 GB are BigTIFF.

use std::io::{self, BufWriter, Write};

use crate::io::output::replacement::Replacement;
use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, FileProblem, StoredType};

/// Upper bound of the size of a page without its samples, and of the description, in bytes.
const MAX_PAGE_BYTES: u64 = 512;
const MAX_DESCRIPTION_BYTES: u64 = 4096;
/// Largest number in fields of 32 bits.
const MAX_LONG: u64 = u32::MAX as u64;

/// Codes of units of the resolution.
const NO_UNIT: u64 = 1;
const CENTIMETRE: u64 = 3;

/// Types of fields.
const ASCII: u16 = 2;
const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;
const LONG8: u16 = 16;

/// Writer that puts a directory before every plane of the samples that it receives.
pub(in crate::io) struct TiffWriter {
    out: BufWriter<Replacement>,
    order: ByteOrder,
    stored: StoredType,
    is_big: bool,
    width: u64,
    height: u64,
    planes: u64,
    /// Spacing along x and y, in units of the resolution.
    spacing: [f64; 2],
    /// Code of the unit of the resolution.
    resolution_unit: u64,
    description: Vec<u8>,
    plane_bytes: u64,
    /// Index of the current plane, and number of its bytes that have been written.
    plane: u64,
    written: u64,
    /// Number of bytes of the file so far.
    offset: u64,
}

impl TiffWriter {
    /// Writes the header of a file.
    pub fn begin(
        out: BufWriter<Replacement>,
        content: &VolumeContent,
    ) -> Result<Self, FileProblem> {
        let [width, height, planes] = content.dims.map(|count| count as u64);
        let plane_bytes = width.saturating_mul(height);
        let plane_bytes = plane_bytes.saturating_mul(content.stored.bytes() as u64);
        let total = plane_bytes
            .saturating_add(MAX_PAGE_BYTES)
            .saturating_mul(planes)
            .saturating_add(MAX_DESCRIPTION_BYTES);
        if plane_bytes == 0 || planes == 0 || width.max(height) > MAX_LONG {
            let [nx, ny, nz] = content.dims;
            return Err(FileProblem::Unsupported {
                what: format!("a TIFF file of {nx} x {ny} x {nz} samples"),
                advice: "write .nii or .nrrd",
            });
        }
        let spacing = content.geometry.spacing();
        // ImageJ's resolution is in the unit of its description.
        let (resolution_unit, unit) = match ome_type(content.stored) {
            Some(_) => (CENTIMETRE, 10.0),
            None => (NO_UNIT, 1.0),
        };
        let mut writer = Self {
            out,
            order: content.order,
            stored: content.stored,
            is_big: total > MAX_LONG,
            width,
            height,
            planes,
            spacing: [spacing[0] / unit, spacing[1] / unit],
            resolution_unit,
            description: description(content),
            plane_bytes,
            plane: 0,
            written: 0,
            offset: 0,
        };
        let header = writer.header();
        let written = writer.out.write_all(&header);
        written.map_err(|error| FileProblem::from_io("write", error))?;
        writer.offset = header.len() as u64;
        Ok(writer)
    }

    /// Returns the file after all planes.
    pub fn finish(self) -> io::Result<Replacement> {
        Ok(self.out.into_inner()?)
    }

    fn header(&self) -> Vec<u8> {
        let mut bytes = match self.order {
            ByteOrder::Little => b"II".to_vec(),
            ByteOrder::Big => b"MM".to_vec(),
        };
        if self.is_big {
            self.append(&mut bytes, 43, 2);
            self.append(&mut bytes, 8, 2);
            self.append(&mut bytes, 0, 2);
            self.append(&mut bytes, 16, 8);
        } else {
            self.append(&mut bytes, 42, 2);
            self.append(&mut bytes, 8, 4);
        }
        bytes
    }

    /// Appends a number of this many bytes.
    fn append(&self, bytes: &mut Vec<u8>, number: u64, width: usize) {
        match self.order {
            ByteOrder::Little => bytes.extend_from_slice(&number.to_le_bytes()[..width]),
            ByteOrder::Big => bytes.extend_from_slice(&number.to_be_bytes()[8 - width..]),
        }
    }

    /// Returns the directory of the current plane, at the current offset, and its long values.
    fn directory(&self) -> Vec<u8> {
        let offset_type = if self.is_big { LONG8 } else { LONG };
        let sample_format = match self.stored {
            StoredType::F32 | StoredType::F64 => 3,
            StoredType::I8 | StoredType::I16 | StoredType::I32 | StoredType::I64 => 2,
            _ => 1,
        };
        let mut fields: Vec<(u16, u16, FieldValue<'_>)> = vec![
            (256, LONG, FieldValue::Number(self.width)),
            (257, LONG, FieldValue::Number(self.height)),
            (
                258,
                SHORT,
                FieldValue::Number(8 * self.stored.bytes() as u64),
            ),
            (259, SHORT, FieldValue::Number(1)),
            (262, SHORT, FieldValue::Number(1)),
            (273, offset_type, FieldValue::SampleOffset),
            (277, SHORT, FieldValue::Number(1)),
            (278, LONG, FieldValue::Number(self.height)),
            (279, offset_type, FieldValue::Number(self.plane_bytes)),
            (282, RATIONAL, FieldValue::Reciprocal(self.spacing[0])),
            (283, RATIONAL, FieldValue::Reciprocal(self.spacing[1])),
            (296, SHORT, FieldValue::Number(self.resolution_unit)),
            (339, SHORT, FieldValue::Number(sample_format)),
        ];
        if self.plane == 0 {
            fields.insert(5, (270, ASCII, FieldValue::Text(&self.description)));
        }
        let (count_width, width) = if self.is_big { (8, 8) } else { (2, 4) };
        let directory_bytes = count_width + fields.len() * (4 + 2 * width) + width;
        let start = self.offset + directory_bytes as u64;
        // Values that exceed a field follow the directory.
        let mut values = Vec::new();
        for (_, _, value) in &fields {
            match value {
                FieldValue::Text(text) => values.extend_from_slice(text),
                FieldValue::Reciprocal(number) => self.append_reciprocal(&mut values, *number),
                FieldValue::Number(_) | FieldValue::SampleOffset => {}
            }
        }
        let samples = start + values.len() as u64;
        let mut bytes = Vec::new();
        self.append(&mut bytes, fields.len() as u64, count_width);
        let mut at = start;
        for (tag, kind, value) in &fields {
            self.append(&mut bytes, u64::from(*tag), 2);
            self.append(&mut bytes, u64::from(*kind), 2);
            let count = match value {
                FieldValue::Text(text) => text.len() as u64,
                _ => 1,
            };
            self.append(&mut bytes, count, width);
            let (number, number_width) = match (value, *kind) {
                (FieldValue::Number(number), SHORT) => (*number, 2),
                (FieldValue::Number(number), LONG) => (*number, 4),
                (FieldValue::Number(number), _) => (*number, width),
                (FieldValue::SampleOffset, _) => (samples, width),
                (FieldValue::Text(_) | FieldValue::Reciprocal(_), _) => {
                    let here = at;
                    at += match value {
                        FieldValue::Text(text) => text.len() as u64,
                        _ => 8,
                    };
                    (here, width)
                }
            };
            // A rational fits into a field of 64 bits.
            if let (FieldValue::Reciprocal(spacing), 8) = (value, width) {
                self.append_reciprocal(&mut bytes, *spacing);
                continue;
            }
            self.append(&mut bytes, number, number_width);
            bytes.resize(bytes.len() + width - number_width, 0);
        }
        let next = samples + self.plane_bytes.next_multiple_of(2);
        let is_last = self.plane + 1 == self.planes;
        self.append(&mut bytes, if is_last { 0 } else { next }, width);
        bytes.extend_from_slice(&values);
        bytes
    }

    /// Appends the reciprocal of a positive number as a fraction of 32-bit integers, which is exact
    /// for numbers of few decimal digits.
    fn append_reciprocal(&self, bytes: &mut Vec<u8>, number: f64) {
        let mut numerator = 1_000_000_000_u32;
        while numerator > 1 && number * f64::from(numerator) > f64::from(u32::MAX) {
            numerator /= 10;
        }
        // The conversion saturates.
        let denominator = (number * f64::from(numerator)).round() as u32;
        self.append(bytes, u64::from(numerator), 4);
        self.append(bytes, u64::from(denominator.max(1)), 4);
    }
}

/// Value of a field.
enum FieldValue<'t> {
    Number(u64),
    /// Offset of the samples of the page.
    SampleOffset,
    Text(&'t [u8]),
    Reciprocal(f64),
}

impl Write for TiffWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written == 0 {
            let directory = self.directory();
            self.out.write_all(&directory)?;
            self.offset += directory.len() as u64;
        }
        let left = self.plane_bytes - self.written;
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        self.out.write_all(&bytes[..count])?;
        self.written += count as u64;
        if self.written == self.plane_bytes {
            // Directories start at even offsets.
            let padding = self.plane_bytes % 2;
            self.out.write_all(&[0][..padding as usize])?;
            self.offset += self.plane_bytes + padding;
            self.plane += 1;
            self.written = 0;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns OME's name of a type; `None` for one that it does not have.
fn ome_type(stored: StoredType) -> Option<&'static str> {
    Some(match stored {
        StoredType::U8 => "uint8",
        StoredType::I8 => "int8",
        StoredType::U16 => "uint16",
        StoredType::I16 => "int16",
        StoredType::U32 => "uint32",
        StoredType::I32 => "int32",
        StoredType::F32 => "float",
        StoredType::F64 => "double",
        StoredType::U64 | StoredType::I64 => return None,
    })
}

/// Returns the description, with an even number of bytes.
fn description(content: &VolumeContent) -> Vec<u8> {
    let text = match ome_type(content.stored) {
        Some(name) => ome_description(content, name),
        None => {
            let [_, _, planes] = content.dims;
            let spacing = content.geometry.spacing()[2];
            format!("ImageJ=1.53\nimages={planes}\nslices={planes}\nunit=mm\nspacing={spacing}\n")
        }
    };
    let mut bytes = text.into_bytes();
    bytes.push(0);
    if bytes.len() % 2 == 1 {
        bytes.push(0);
    }
    bytes
}

/// Returns the description in OME-XML, with OME's name of the type.
fn ome_description(content: &VolumeContent, kind: &str) -> String {
    let [nx, ny, nz] = content.dims;
    let spacing = content.geometry.spacing();
    let is_big_endian = content.order == ByteOrder::Big;
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
         <OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" Creator=\"ferrovox\">\
         <Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" Type=\"{kind}\" \
         BigEndian=\"{is_big_endian}\" SizeX=\"{nx}\" SizeY=\"{ny}\" SizeZ=\"{nz}\" SizeC=\"1\" \
         SizeT=\"1\" PhysicalSizeX=\"{}\" PhysicalSizeXUnit=\"mm\" PhysicalSizeY=\"{}\" \
         PhysicalSizeYUnit=\"mm\" PhysicalSizeZ=\"{}\" PhysicalSizeZUnit=\"mm\">\
         <Channel ID=\"Channel:0:0\" SamplesPerPixel=\"1\"/>\
         <TiffData IFD=\"0\" PlaneCount=\"{nz}\"/></Pixels></Image></OME>",
        spacing[0], spacing[1], spacing[2]
    )
}
