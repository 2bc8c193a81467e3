//! JPEG-LS (ITU T.87): lossless and near-lossless coding of prediction errors in contexts.

use crate::io::FileProblem;
use crate::io::volume::dicom::jpeg::segments::{FrameHeader, SegmentReader, invalid};
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::volume::dicom::unsupported;

mod bits;
mod coding;
mod scan;

use bits::BitReader;
use coding::CodingParameters;
use scan::ScanDecoder;

/// Decodes a frame to little-endian samples with interleaved components.
pub(in crate::io::volume::dicom) fn decode(
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

/// Header of a scan.
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
