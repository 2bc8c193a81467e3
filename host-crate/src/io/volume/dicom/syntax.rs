//! Transfer syntaxes of DICOM.

use crate::io::volume::dicom::unsupported;
use crate::io::{ByteOrder, Compression, FileProblem};

/// Encoding of the data set and compression of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Implicit,
    Explicit,
    Deflated,
    BigEndian,
    Rle,
    JpegLossless,
    JpegLs,
    Jpeg2000,
}

impl Syntax {
    /// Returns the syntax of a UID.
    ///
    /// # Errors
    /// For a syntax that is not read, with its name and a program that converts it.
    pub fn from_uid(uid: &str) -> Result<Self, FileProblem> {
        let name = match uid {
            "1.2.840.10008.1.2" => return Ok(Self::Implicit),
            "1.2.840.10008.1.2.1" => return Ok(Self::Explicit),
            "1.2.840.10008.1.2.1.99" => return Ok(Self::Deflated),
            "1.2.840.10008.1.2.2" => return Ok(Self::BigEndian),
            "1.2.840.10008.1.2.5" => return Ok(Self::Rle),
            "1.2.840.10008.1.2.4.57" | "1.2.840.10008.1.2.4.70" => return Ok(Self::JpegLossless),
            "1.2.840.10008.1.2.4.80" | "1.2.840.10008.1.2.4.81" => return Ok(Self::JpegLs),
            "1.2.840.10008.1.2.4.90" | "1.2.840.10008.1.2.4.91" => return Ok(Self::Jpeg2000),
            "1.2.840.10008.1.2.4.50" => "JPEG baseline",
            "1.2.840.10008.1.2.4.51" => "JPEG extended (12 bits)",
            "1.2.840.10008.1.2.4.92" | "1.2.840.10008.1.2.4.93" => "JPEG 2000 part 2",
            "1.2.840.10008.1.2.4.201" | "1.2.840.10008.1.2.4.202" | "1.2.840.10008.1.2.4.203" => {
                "High-throughput JPEG 2000"
            }
            uid if uid.starts_with("1.2.840.10008.1.2.4.10") => "video",
            uid => uid,
        };
        Err(unsupported(
            format!("DICOM with the transfer syntax {name}"),
            "convert it to uncompressed DICOM, for example with dcmdjpeg, dcmconv +te or gdcmconv --raw",
        ))
    }

    /// Returns `true` if every element states its value representation.
    pub fn is_explicit(self) -> bool {
        self != Self::Implicit
    }

    /// Returns the byte order of the data set.
    pub fn order(self) -> ByteOrder {
        if self == Self::BigEndian {
            ByteOrder::Big
        } else {
            ByteOrder::Little
        }
    }

    /// Returns `true` if the samples are compressed in fragments.
    pub fn is_encapsulated(self) -> bool {
        matches!(
            self,
            Self::Rle | Self::JpegLossless | Self::JpegLs | Self::Jpeg2000
        )
    }

    /// Returns the compression, for messages.
    pub fn compression(self) -> Compression {
        match self {
            Self::Implicit | Self::Explicit | Self::BigEndian => Compression::None,
            Self::Deflated => Compression::Named("deflate"),
            Self::Rle => Compression::Named("RLE"),
            Self::JpegLossless => Compression::Named("lossless JPEG"),
            Self::JpegLs => Compression::Named("JPEG-LS"),
            Self::Jpeg2000 => Compression::Named("JPEG 2000"),
        }
    }
}
