//! Encoded and compressed samples of a volume file.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::io::output::replacement::{Replacement, create_problem, temporary_folder};
use crate::io::volume::gzip_writer::GzipWriter;
use crate::io::volume::metaimage;
use crate::io::volume::nifti;
use crate::io::volume::npy;
use crate::io::volume::nrrd;
use crate::io::volume::options::VolumeContent;
use crate::io::volume::tiff::TiffWriter;
use crate::io::volume::vti;
use crate::io::volume::zarr::ZarrWriter;
use crate::io::{FileProblem, VolumeWriteOptions};
use crate::memory;

/// Compression level. Level 1 of `zlib-rs` makes files a quarter to a half larger.
const LEVEL: u32 = 2;
/// Size of write buffers and of the blocks passed to a compressor, in bytes.
const BUFFER: usize = 1 << 18;

/// Destination of the samples, with compression.
pub(super) enum SampleWriter {
    /// Uncompressed samples, and the bytes after them.
    Plain(BufWriter<Replacement>, &'static str),
    Gzip(GzipWriter<BufWriter<Replacement>>),
    /// Compresses into a temporary file, which is copied after the header.
    Zlib(Replacement, BlockWriter<ZlibEncoder<BufWriter<File>>>),
    Tiff(TiffWriter),
    Zarr(Box<ZarrWriter>),
}

impl SampleWriter {
    /// Creates the file and writes everything before the samples.
    pub fn begin(
        path: &Path,
        extension: &str,
        content: &VolumeContent,
        options: &VolumeWriteOptions,
    ) -> Result<Self, FileProblem> {
        let file = Replacement::create(path)?;
        if extension == "mha" && options.compress {
            let folder = temporary_folder(path)?;
            let spool = tempfile::tempfile_in(folder).map_err(create_problem)?;
            let out = BufWriter::with_capacity(BUFFER, spool);
            let encoder = ZlibEncoder::new(out, Compression::new(LEVEL));
            return Ok(Self::Zlib(
                file,
                BlockWriter::new(encoder).map_err(create_problem)?,
            ));
        }
        let mut out = BufWriter::with_capacity(BUFFER, file);
        match extension {
            "tif" => return Ok(Self::Tiff(TiffWriter::begin(out, content)?)),
            "zarr.zip" => return Ok(Self::Zarr(Box::new(ZarrWriter::begin(out, content)?))),
            _ => {}
        }
        let gzip = |out| GzipWriter::new(out, LEVEL);
        let begin = || match extension {
            "nii" => {
                out.write_all(&nifti::header_to_write(content))?;
                Ok(Self::Plain(out, ""))
            }
            "nii.gz" => {
                let mut encoder = gzip(out)?;
                encoder.write_all(&nifti::header_to_write(content))?;
                Ok(Self::Gzip(encoder))
            }
            "nrrd" => {
                out.write_all(&nrrd::header_to_write(content, options.compress))?;
                Ok(if options.compress {
                    Self::Gzip(gzip(out)?)
                } else {
                    Self::Plain(out, "")
                })
            }
            "vti" => {
                out.write_all(&vti::header_to_write(content))?;
                Ok(Self::Plain(out, vti::TRAILER))
            }
            "mha" => {
                out.write_all(&metaimage::header_to_write(content, None))?;
                Ok(Self::Plain(out, ""))
            }
            _ => {
                out.write_all(&npy::header_to_write(content))?;
                Ok(Self::Plain(out, ""))
            }
        };
        begin().map_err(|error| FileProblem::from_io("write", error))
    }

    /// Writes everything after the samples.
    pub fn finish(self, content: &VolumeContent) -> io::Result<Replacement> {
        match self {
            Self::Plain(mut out, trailer) => {
                out.write_all(trailer.as_bytes())?;
                Ok(out.into_inner()?)
            }
            Self::Tiff(writer) => writer.finish(),
            Self::Zarr(writer) => writer.finish(),
            Self::Gzip(encoder) => Ok(encoder.finish()?.into_inner()?),
            Self::Zlib(mut file, encoder) => {
                let mut spool = encoder.into_inner()?.finish()?.into_inner()?;
                let bytes = spool.stream_position()?;
                file.write_all(&metaimage::header_to_write(content, Some(bytes)))?;
                spool.rewind()?;
                let copied = io::copy(&mut spool, file.file()?)?;
                if copied == bytes {
                    Ok(file)
                } else {
                    Err(io::Error::other(
                        "a temporary file changed; write the volume again",
                    ))
                }
            }
        }
    }
}

impl Write for SampleWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out, _) => out.write(bytes),
            Self::Tiff(writer) => writer.write(bytes),
            Self::Zarr(writer) => writer.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zlib(_, encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out, _) => out.flush(),
            Self::Tiff(writer) => writer.flush(),
            Self::Zarr(writer) => writer.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zlib(_, encoder) => encoder.flush(),
        }
    }
}

/// Passes bytes on in blocks of [`BUFFER`] bytes, because the output of a compressor depends on the
/// sizes of the writes.
pub(super) struct BlockWriter<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    fn new(out: W) -> io::Result<Self> {
        let mut block = Vec::new();
        memory::try_reserve("a block of the file", &mut block, BUFFER)?;
        Ok(Self { out, block })
    }

    /// Passes on the last, incomplete block.
    fn into_inner(mut self) -> io::Result<W> {
        self.out.write_all(&self.block)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for BlockWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let accepted = bytes.len().min(BUFFER - self.block.len());
        self.block.extend_from_slice(&bytes[..accepted]);
        if self.block.len() == BUFFER {
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(accepted)
    }

    /// Keeps an incomplete block.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
