//! The format of a volume that is written.

use crate::io::VolumeFormat;
use crate::io::output::destination::output_extension;
use crate::io::volume_format::{ZARR_EXTENSION, writable};
use std::path::Path;

/// Extension of the format for outputs without one: devices, pipes and standard output.
const STREAM_EXTENSION: &str = "nrrd";

impl VolumeFormat {
    /// Returns the extension that determines the format of the output `path`; `None` if volumes are
    /// not written with it.
    pub(crate) fn writable_extension(path: &Path) -> Option<String> {
        let extension = output_extension(path, STREAM_EXTENSION);
        let extension = match extension.as_str() {
            "tiff" => "tif",
            // The names of archives of Zarr end with one of these.
            "zip" | "ozx" => ZARR_EXTENSION,
            other => other,
        };
        writable()
            .any(|known| known == extension)
            .then(|| extension.to_owned())
    }
}
