//! Markers and segments of JPEG files (ITU T.81, annex B), and the header of a frame.

use crate::io::FileProblem;
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::volume::dicom::{damaged, unsupported};

/// Largest number of components of a frame.
const MAX_COMPONENTS: usize = 4;

/// Reader of markers and their segments.
pub(super) struct SegmentReader<'a> {
    pub bytes: &'a [u8],
    /// Index of the next byte.
    pub position: usize,
}

impl<'a> SegmentReader<'a> {
    /// Starts after the marker of the start of an image.
    pub fn new(bytes: &'a [u8]) -> Result<Self, FileProblem> {
        if !bytes.starts_with(&[0xFF, 0xD8]) {
            return Err(invalid("it does not start with a start marker"));
        }
        Ok(Self { bytes, position: 2 })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], FileProblem> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let found = rest.get(..count).ok_or_else(|| invalid("it ends early"))?;
        self.position += count;
        Ok(found)
    }

    /// Returns the code of the next marker and its segment.
    pub fn next_segment(&mut self) -> Result<(u8, &'a [u8]), FileProblem> {
        if self.take(1)? != [0xFF] {
            return Err(invalid("a marker is missing"));
        }
        let mut code = 0xFF;
        // Any number of fill bytes may precede the code.
        while code == 0xFF {
            code = self.take(1)?[0];
        }
        if code == 0xD9 {
            return Err(invalid("components are missing"));
        }
        let length = self.take(2)?;
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        let length = length.checked_sub(2);
        let segment = self.take(length.ok_or_else(|| invalid("a segment has no length"))?)?;
        Ok((code, segment))
    }
}

/// Precision of the samples and identifiers of the components.
pub(super) struct FrameHeader {
    /// Number of bits of a sample.
    pub precision: u32,
    pub components: Vec<u8>,
}

impl FrameHeader {
    /// Parses a frame header, which must describe an image of this format.
    pub fn parse(segment: &[u8], format: &PixelFormat) -> Result<Self, FileProblem> {
        let (header, components) = segment
            .split_first_chunk::<6>()
            .ok_or_else(|| invalid("the frame has no header"))?;
        let [precision, y0, y1, x0, x1, count] = *header;
        let rows = u16::from_be_bytes([y0, y1]);
        let columns = u16::from_be_bytes([x0, x1]);
        let count = usize::from(count);
        let is_same = rows == format.rows
            && columns == format.columns
            && count == usize::from(format.components);
        if !is_same || count > MAX_COMPONENTS || components.len() < 3 * count {
            return Err(damaged(format!(
                "the image is {} x {} with {} components, but its JPEG frame {columns} x {rows} with {count}",
                format.columns, format.rows, format.components
            )));
        }
        if !(2..=16).contains(&precision) || usize::from(precision) > 8 * format.stored.bytes() {
            return Err(invalid(&format!("its samples have {precision} bits")));
        }
        let components = &components.as_chunks::<3>().0[..count];
        if count > 1 && components.iter().any(|component| component[1] != 0x11) {
            return Err(unsupported(
                "DICOM with subsampled lossless JPEG".to_owned(),
                "convert it to uncompressed DICOM, for example with dcmdjpeg",
            ));
        }
        Ok(Self {
            precision: u32::from(precision),
            components: components.iter().map(|component| component[0]).collect(),
        })
    }

    /// Returns the index of the component with this identifier.
    pub fn index(&self, identifier: u8) -> Option<usize> {
        self.components.iter().position(|id| *id == identifier)
    }
}

/// Returns an error about the JPEG data of a frame.
pub(super) fn invalid(problem: &str) -> FileProblem {
    damaged(format!("the JPEG data of a frame are damaged: {problem}"))
}
