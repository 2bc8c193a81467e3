//! Replacement of the decoder of JPEG 2000 in programs without the feature `jpeg2000`.

use crate::io::FileProblem;
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::volume::dicom::unsupported;

/// Returns an error that names the feature.
pub(in crate::io::volume::dicom) fn decode(
    _bytes: &[u8],
    _format: &PixelFormat,
    _out: &mut [u8],
) -> Result<(), FileProblem> {
    Err(unsupported(
        "JPEG 2000 in a program without the feature `jpeg2000` of ferrovox".to_owned(),
        "enable the feature, or convert the file with another program",
    ))
}
