//! Header fields that determine the volume, from both versions of the format.

use nifti::NiftiHeader;

use super::damaged;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::{ByteOrder, FileProblem, VolumeFormat};

/// Size of the NIfTI-1 header in bytes, which is also the value of its first field.
pub(super) const SIZE_1: usize = 348;
/// Size of the NIfTI-2 header in bytes, which is also the value of its first field.
pub(super) const SIZE_2: usize = 540;

/// Relation between the header and the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Header and samples in one file.
    Single,
    /// Header (`.hdr`) and samples (`.img`) in two files.
    Pair,
    /// A pair with an Analyze 7.5 header. Holds the 1-based voxel at the world origin if SPM stored
    /// one.
    Analyze([i16; 3]),
}

/// Header fields under the names of the standard, widened to the types of NIfTI-2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub version: u8,
    pub kind: Kind,
    pub order: ByteOrder,
    pub dim: [i64; 8],
    pub datatype: i16,
    pub bitpix: i16,
    pub pixdim: [f64; 8],
    pub vox_offset: f64,
    pub scl_slope: f64,
    pub scl_inter: f64,
    pub intent_code: i32,
    /// Units; the low three bits are the spatial unit.
    pub xyzt_units: i32,
    pub qform_code: i32,
    pub sform_code: i32,
    /// Components b, c and d of the quaternion.
    pub quatern: [f64; 3],
    pub qoffset: [f64; 3],
    /// Rows x, y and z of the sform matrix.
    pub srow: [[f64; 4]; 3],
}

impl Header {
    /// Reads a header of either version from the start of a file.
    ///
    /// A header without a magic is taken as Analyze 7.5 if the file may belong to a pair.
    pub fn read(source: &mut Source<'_>, may_be_pair: bool) -> Result<Self, FileProblem> {
        let start = source.peek(SIZE_1)?;
        let Some(size) = start.first_chunk::<4>() else {
            return Err(wrong_magic(&start));
        };
        let (size, order) = match (i32::from_le_bytes(*size), i32::from_be_bytes(*size)) {
            (size @ (348 | 540), _) => (size, ByteOrder::Little),
            (_, size @ (348 | 540)) => (size, ByteOrder::Big),
            _ => return Err(wrong_magic(&start)),
        };
        let size = size as usize;
        let mut bytes = vec![0; size];
        let found = source.fill(&mut bytes)?;
        if found < size {
            return Err(FileProblem::HeaderTooShort {
                format: VolumeFormat::Nifti,
                expected: size as u64,
                found: found as u64,
            });
        }
        if size == SIZE_1 {
            parse_1(&bytes, order, may_be_pair)
        } else {
            parse_2(&bytes, order)
        }
    }

    /// Returns the offset of the samples in their file, in bytes.
    pub fn data_offset(&self) -> Result<u64, FileProblem> {
        // The header is followed by four bytes that flag extensions. The data file of a pair has no
        // header.
        let min_offset = match (self.kind, self.version) {
            (Kind::Pair | Kind::Analyze(_), _) => 0,
            (Kind::Single, 1) => SIZE_1 + 4,
            (Kind::Single, _) => SIZE_2 + 4,
        } as f64;
        match self.vox_offset {
            0.0 => Ok(min_offset as u64),
            offset if offset >= min_offset && offset < 2_f64.powi(53) => Ok(offset as u64),
            offset => Err(damaged(format!(
                "vox_offset, the offset of the samples, is {offset}; use at least {min_offset}"
            ))),
        }
    }
}

fn wrong_magic(start: &[u8]) -> FileProblem {
    FileProblem::WrongMagic {
        format: VolumeFormat::Nifti,
        expected: "a header size of 348 or 540 in the first four bytes",
        found: show_bytes(start),
    }
}

fn kind(magic: &[u8], single: &[u8], pair: &[u8]) -> Result<Kind, FileProblem> {
    if magic == single {
        Ok(Kind::Single)
    } else if magic == pair {
        Ok(Kind::Pair)
    } else {
        Err(FileProblem::WrongMagic {
            format: VolumeFormat::Nifti,
            expected: "the magic \"n+1\" or \"n+2\" in the header (Analyze 7.5 has none, and two files, .hdr and .img)",
            found: show_bytes(magic),
        })
    }
}

/// Parses a NIfTI-1 header with the `nifti` crate.
fn parse_1(bytes: &[u8], order: ByteOrder, may_be_pair: bool) -> Result<Header, FileProblem> {
    let kind = match kind(&bytes[344..], b"n+1\0", b"ni1\0") {
        Err(_) if may_be_pair => {
            let fields = Fields { bytes, order };
            Kind::Analyze([253, 255, 257].map(|offset| fields.i16(offset)))
        }
        kind => kind?,
    };
    // The crate rejects Analyze headers; fields with another meaning there are reset below.
    let mut bytes = bytes.to_vec();
    if let Kind::Analyze(_) = kind {
        bytes[344..].copy_from_slice(b"ni1\0");
    }
    let bytes = &bytes[..];
    let header = NiftiHeader::from_reader(bytes).map_err(|error| damaged(error.to_string()))?;
    // The crate determines the byte order from dim[0] alone; the size field is more reliable.
    let parsed_as = match header.endianness {
        nifti::Endianness::Little => ByteOrder::Little,
        nifti::Endianness::Big => ByteOrder::Big,
    };
    if parsed_as != order {
        let axes = match order {
            ByteOrder::Little => i16::from_le_bytes([bytes[40], bytes[41]]),
            ByteOrder::Big => i16::from_be_bytes([bytes[40], bytes[41]]),
        };
        return Err(damaged(format!(
            "dim[0], the number of axes, is {axes}; use 1 to 7"
        )));
    }
    let fields = Header {
        version: 1,
        kind,
        order,
        // The standard's type is i16.
        dim: header.dim.map(|size| i64::from(size as i16)),
        datatype: header.datatype,
        bitpix: header.bitpix,
        pixdim: header.pixdim.map(f64::from),
        vox_offset: f64::from(header.vox_offset),
        scl_slope: f64::from(header.scl_slope),
        scl_inter: f64::from(header.scl_inter),
        intent_code: i32::from(header.intent_code),
        xyzt_units: i32::from(bytes[123]),
        qform_code: i32::from(header.qform_code),
        sform_code: i32::from(header.sform_code),
        quatern: [header.quatern_b, header.quatern_c, header.quatern_d].map(f64::from),
        qoffset: [header.quatern_x, header.quatern_y, header.quatern_z].map(f64::from),
        srow: [header.srow_x, header.srow_y, header.srow_z].map(|row| row.map(f64::from)),
    };
    Ok(match kind {
        // These fields have other meanings in Analyze 7.5.
        Kind::Analyze(_) => Header {
            qform_code: 0,
            sform_code: 0,
            xyzt_units: 0,
            intent_code: 0,
            // SPM2's intercept; other programs may store anything here.
            scl_inter: Some(fields.scl_inter)
                .filter(|it| it.is_finite())
                .unwrap_or(0.0),
            ..fields
        },
        Kind::Single | Kind::Pair => fields,
    })
}

/// Parses a NIfTI-2 header, which the crate does not support: the same fields, wider, at other
/// offsets.
fn parse_2(bytes: &[u8], order: ByteOrder) -> Result<Header, FileProblem> {
    let fields = Fields { bytes, order };
    let triple = |offset: usize| [0, 8, 16].map(|step| fields.f64(offset + step));
    let row = |offset: usize| [0, 8, 16, 24].map(|step| fields.f64(offset + step));
    Ok(Header {
        version: 2,
        kind: kind(&bytes[4..8], b"n+2\0", b"ni2\0")?,
        order,
        datatype: fields.i16(12),
        bitpix: fields.i16(14),
        dim: std::array::from_fn(|axis| fields.i64(16 + 8 * axis)),
        pixdim: std::array::from_fn(|axis| fields.f64(104 + 8 * axis)),
        vox_offset: fields.i64(168) as f64,
        scl_slope: fields.f64(176),
        scl_inter: fields.f64(184),
        intent_code: fields.i32(504),
        xyzt_units: fields.i32(500),
        qform_code: fields.i32(344),
        sform_code: fields.i32(348),
        quatern: triple(352),
        qoffset: triple(376),
        srow: [row(400), row(432), row(464)],
    })
}

/// Access to numbers at offsets in a header of sufficient length.
struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl Fields<'_> {
    /// Returns `N` bytes, least significant first.
    fn at<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut field = [0; N];
        field.copy_from_slice(&self.bytes[offset..offset + N]);
        if self.order == ByteOrder::Big {
            field.reverse();
        }
        field
    }

    fn i16(&self, offset: usize) -> i16 {
        i16::from_le_bytes(self.at(offset))
    }

    fn i32(&self, offset: usize) -> i32 {
        i32::from_le_bytes(self.at(offset))
    }

    fn i64(&self, offset: usize) -> i64 {
        i64::from_le_bytes(self.at(offset))
    }

    fn f64(&self, offset: usize) -> f64 {
        f64::from_le_bytes(self.at(offset))
    }
}
