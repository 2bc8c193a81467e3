//! Header fields that determine the volume, from both versions of the format.

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

/// Parses a NIfTI-1 header, or one of Analyze 7.5 if the magic is missing and `may_be_pair` is
/// `true`.
fn parse_1(bytes: &[u8], order: ByteOrder, may_be_pair: bool) -> Result<Header, FileProblem> {
    let fields = Fields { bytes, order };
    let kind = match kind(&bytes[344..], b"n+1\0", b"ni1\0") {
        Err(_) if may_be_pair => Kind::Analyze([253, 255, 257].map(|offset| fields.i16(offset))),
        kind => kind?,
    };
    let triple = |offset: usize| [0, 4, 8].map(|step| fields.f32(offset + step));
    let row = |offset: usize| [0, 4, 8, 12].map(|step| fields.f32(offset + step));
    let header = Header {
        version: 1,
        kind,
        order,
        dim: std::array::from_fn(|axis| fields.i16(40 + 2 * axis).into()),
        datatype: fields.i16(70),
        bitpix: fields.i16(72),
        pixdim: std::array::from_fn(|axis| fields.f32(76 + 4 * axis)),
        vox_offset: fields.f32(108),
        scl_slope: fields.f32(112),
        scl_inter: fields.f32(116),
        intent_code: fields.i16(68).into(),
        xyzt_units: bytes[123].into(),
        qform_code: fields.i16(252).into(),
        sform_code: fields.i16(254).into(),
        quatern: triple(256),
        qoffset: triple(268),
        srow: [row(280), row(296), row(312)],
    };
    Ok(match kind {
        // These fields have other meanings in Analyze 7.5.
        Kind::Analyze(_) => Header {
            qform_code: 0,
            sform_code: 0,
            xyzt_units: 0,
            intent_code: 0,
            // SPM2's intercept; other programs may store anything here.
            scl_inter: Some(header.scl_inter)
                .filter(|it| it.is_finite())
                .unwrap_or(0.0),
            ..header
        },
        Kind::Single | Kind::Pair => header,
    })
}

/// Parses a NIfTI-2 header: the fields of version 1, wider, at other offsets.
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

    /// Returns a number of 32 bits, widened.
    fn f32(&self, offset: usize) -> f64 {
        f32::from_le_bytes(self.at(offset)).into()
    }

    fn f64(&self, offset: usize) -> f64 {
        f64::from_le_bytes(self.at(offset))
    }
}
