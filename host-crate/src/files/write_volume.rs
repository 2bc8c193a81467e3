//! Writing volume files.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::format::extension;
use super::replace::replace_file;
use super::{ByteOrder, FileError, FileProblem, StoredType};
use super::{metaimage, nifti, npy, nrrd};
use crate::volume::{AnyVolume, Sample, SampleType, Volume, with_volume};

/// How to write a volume file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeWriteOptions {
    /// Byte order of the samples (and of a binary header). Little-endian unless said otherwise.
    pub byte_order: ByteOrder,
    /// Compress the samples, in formats where that is a choice (NRRD, MetaImage). NIfTI is compressed when the
    /// name ends in `.gz`.
    pub compress: bool,
    /// Write samples of i32, of which none may be negative, as 32 bit unsigned ones: volumes have no such type, files do.
    pub unsigned: bool,
}

/// Writes a volume file; the extension tells the format: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or `.npy`.
///
/// The file appears under its name when it is complete; until then, and after any failure, what stood there
/// before is untouched. The geometry is carried by all formats but `.npy`; NIfTI-1 rounds it to f32.
///
/// # Errors
/// [`FileError`] for an extension that is none of these, for a sample that is not unsigned where that was asked for, and for what
/// the operating system refuses.
///
/// ```no_run
/// use ferrovox::files::{VolumeWriteOptions, write_volume};
/// use ferrovox::volume::{Geometry, Volume};
///
/// let ramp = Volume::from_fn([64, 64, 64], Geometry::default(), |x, _, _| x as f32)?;
/// write_volume("ramp.nrrd", &ramp.into(), &VolumeWriteOptions::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_volume(
    path: impl AsRef<Path>,
    volume: &AnyVolume,
    options: &VolumeWriteOptions,
) -> Result<(), FileError> {
    let path = path.as_ref();
    let kind = extension(path);
    if !matches!(kind.as_str(), "nii" | "nii.gz" | "nrrd" | "mha" | "npy") {
        let known = "volumes are written as .nii, .nii.gz, .nrrd, .mha and .npy";
        return Err(FileError::new(
            path,
            FileProblem::UnknownExtension {
                extension: kind,
                known,
            },
        ));
    }
    let stored = stored_type(volume, options).map_err(|problem| FileError::new(path, problem))?;
    replace_file(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 18, file);
        encode(&kind, volume, stored, options, &mut out)?;
        out.flush()
    })
}

/// The type that the samples have in the file.
fn stored_type(
    volume: &AnyVolume,
    options: &VolumeWriteOptions,
) -> Result<StoredType, FileProblem> {
    if !options.unsigned {
        return Ok(volume.sample_type().into());
    }
    let AnyVolume::I32(samples) = volume else {
        return Err(FileProblem::OtherType {
            asked: SampleType::I32,
            found: volume.sample_type(),
        });
    };
    match samples.samples().iter().position(|&sample| sample < 0) {
        None => Ok(StoredType::U32),
        Some(index) => Err(FileProblem::Negative {
            index: index as u64,
            value: samples.samples()[index],
        }),
    }
}

/// Writes the bytes of a volume file to anything. `kind` is the extension.
pub(crate) fn encode(
    kind: &str,
    volume: &AnyVolume,
    stored: StoredType,
    options: &VolumeWriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let order = options.byte_order;
    match kind {
        "nii" => nifti::write(volume, stored, order, out),
        "nii.gz" => {
            let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
            nifti::write(volume, stored, order, &mut encoder)?;
            encoder.finish()?;
            Ok(())
        }
        "nrrd" => nrrd::write(volume, stored, order, options.compress, out),
        "mha" => metaimage::write(volume, stored, order, options.compress, out),
        "npy" => npy::write(volume, stored, order, out),
        _ => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "no such volume format",
        )),
    }
}

/// Writes the samples' bytes in the given order.
pub(crate) fn write_samples(
    volume: &AnyVolume,
    order: ByteOrder,
    out: &mut dyn Write,
) -> io::Result<()> {
    if order == ByteOrder::NATIVE {
        out.write_all(volume.bytes())
    } else {
        with_volume!(volume, volume => write_swapped(volume, out))
    }
}

fn write_swapped<T: Sample>(volume: &Volume<T>, out: &mut dyn Write) -> io::Result<()> {
    for chunk in volume.samples().chunks(1 << 16) {
        let swapped: Vec<T> = chunk.iter().map(|sample| sample.swap_bytes()).collect();
        out.write_all(bytemuck::cast_slice(&swapped))?;
    }
    Ok(())
}
