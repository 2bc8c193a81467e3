//! PNG: an image as a volume of one plane, or a folder of slices, one file per plane, in natural
//! order of their names.
//!
//! Samples are read as they are stored: neither a palette nor a gamma is applied. The resolution is
//! that of a screen in most files, and is not used.

use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use png::{Decoder, DecodingError, Transformations};

use crate::grid::Geometry;
use crate::io::error::show_bytes;
use crate::io::file_extension::extension;
use crate::io::source::decoded::{DecodePlanes, DecodedPlanes, decode_chunks};
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::source::{DEFLATE_LIMIT, Remaining, Source};
use crate::io::volume::file_list::list_slices;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::volume_format::PNG_SIGNATURE;
use crate::io::{ByteOrder, Compression, FileProblem, HeaderInfo, StoredType, VolumeFormat};
use crate::{memory, parallel};

/// Size of the signature and the chunk of the header, in bytes.
const HEADER: usize = 29;

/// Format of the samples, equal for all slices of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ImageFormat {
    width: u32,
    height: u32,
    components: u8,
    /// Number of bits of a component.
    bits: u8,
    has_palette: bool,
}

/// File with the samples of a plane.
struct Slice<'a> {
    file: PlaneFile<'a>,
    /// Number of bytes of the file.
    length: u64,
    format: ImageFormat,
}

/// Opens an image.
pub(crate) fn open(source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let (bytes, length) = random_access(&source)?;
    let format = ImageFormat::read(&bytes, length)?;
    let file = PlaneFile::Open(bytes);
    open_slices(vec![Slice {
        file,
        length,
        format,
    }])
}

/// Returns `true` if one of the files is a slice.
pub(in crate::io) fn has_slices(files: &[PathBuf]) -> bool {
    files.iter().any(|path| is_slice(path))
}

fn is_slice(path: &Path) -> bool {
    extension(path) == "png"
}

/// Opens the slices in a folder, without its subfolders.
pub(in crate::io) fn open_folder<'a>(folder: &Path) -> Result<OpenedVolume<'a>, FileProblem> {
    let files = list_slices(folder, is_slice)?;
    let slices = parallel::try_map(files.len(), |index| {
        let path = &files[index];
        let file = PlaneFile::Path(Arc::new(path.clone()));
        let format = || {
            let (bytes, length) = random_access(&Source::open(path)?)?;
            Ok((ImageFormat::read(&bytes, length)?, length))
        };
        match format() {
            Ok((format, length)) => Ok(Slice {
                file,
                length,
                format,
            }),
            Err(problem) => Err(file.wrap(problem)),
        }
    })?;
    let mut opened = open_slices(slices)?;
    opened.header.data_files = files;
    Ok(opened)
}

/// Returns the bytes of a file and their number.
fn random_access<'a>(source: &Source<'a>) -> Result<(RandomAccessBytes<'a>, u64), FileProblem> {
    match (source.positioned(), source.remaining()) {
        (Some(bytes), Remaining::Exactly(length)) => Ok((bytes, length)),
        _ => Err(FileProblem::Unsupported {
            what: "PNG in a pipe or compressed with gzip".to_owned(),
            advice: "save it to an uncompressed file",
        }),
    }
}

impl ImageFormat {
    /// Reads the header of a file of `length` bytes, and compares its sizes with that.
    fn read(bytes: &RandomAccessBytes<'_>, length: u64) -> Result<Self, FileProblem> {
        let mut start = [0; HEADER];
        let found = length.min(HEADER as u64) as usize;
        bytes.fill(&mut start[..found], 0)?;
        if !start.starts_with(PNG_SIGNATURE) {
            return Err(FileProblem::WrongMagic {
                format: VolumeFormat::Png,
                expected: "the bytes 89 50 4e 47 0d 0a 1a 0a (\\x89PNG)",
                found: show_bytes(&start[..found.min(8)]),
            });
        }
        if found < HEADER || start[12..16] != *b"IHDR" {
            return Err(damaged("it has no header".to_owned()));
        }
        let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| start[at + byte]));
        let (width, height) = (word(16), word(20));
        let (bits, colours) = (start[24], start[25]);
        let components = match colours {
            0 | 3 => 1,
            4 => 2,
            2 => 3,
            6 => 4,
            colours => return Err(damaged(format!("its type of colours is {colours}"))),
        };
        let format = Self {
            width,
            height,
            components,
            bits,
            has_palette: colours == 3,
        };
        let is_valid = matches!(bits, 1 | 2 | 4 | 8 | 16) && width > 0 && height > 0;
        if !is_valid || format.bytes() / 8 > u128::from(length) * u128::from(DEFLATE_LIMIT) {
            return Err(damaged(format!(
                "it has {width} x {height} pixels of {components} x {bits} bits in {length} bytes"
            )));
        }
        Ok(format)
    }

    fn stored(&self) -> StoredType {
        if self.bits == 16 {
            StoredType::U16
        } else {
            StoredType::U8
        }
    }

    /// Returns the number of bytes of the decoded samples.
    fn bytes(&self) -> u128 {
        let pixels = u128::from(self.width) * u128::from(self.height);
        pixels * u128::from(self.components) * self.stored().bytes() as u128
    }
}

/// Opens slices of one format.
fn open_slices(slices: Vec<Slice<'_>>) -> Result<OpenedVolume<'_>, FileProblem> {
    let format = slices[0].format;
    if let Some(index) = slices.iter().position(|slice| slice.format != format) {
        let show = |it: &ImageFormat| {
            let (width, height, count, bits) = (it.width, it.height, it.components, it.bits);
            format!("{width} x {height} pixels of {count} x {bits} bits")
        };
        let problem = damaged(format!(
            "plane {index} has {}, but plane 0 {}; save planes of one size and type",
            show(&slices[index].format),
            show(&format)
        ));
        return Err(slices[index].file.wrap(problem));
    }
    let count = slices.len() as u64;
    let sizes = [u64::from(format.width), u64::from(format.height), count];
    let mut layout = Layout::new(&sizes, format.stored(), ByteOrder::Little)?;
    if format.components > 1 {
        layout = layout.with_components(u64::from(format.components))?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Png, format.stored(), ByteOrder::Little);
    header.compression = Compression::Named("deflate");
    header
        .notes
        .push("the format has no spacing; it is taken as 1, pass --spacing to state it".to_owned());
    if format.has_palette {
        let note = "the samples are indices of a palette, which is not applied";
        header.notes.push(note.to_owned());
    }
    let bytes = usize::try_from(format.bytes());
    let plane_bytes = bytes.map_err(|_| damaged("an image is too large".to_owned()))?;
    let decoder = SliceDecoder {
        slices,
        plane_bytes,
    };
    let planes = DecodedPlanes::new(decoder, plane_bytes, count);
    let source = Source::from_planes(planes, false);
    Ok(OpenedVolume::new(
        source,
        layout,
        Geometry::default(),
        header,
    ))
}

/// Decoder of slices.
struct SliceDecoder<'a> {
    slices: Vec<Slice<'a>>,
    /// Size of a decoded slice, in bytes.
    plane_bytes: usize,
}

impl DecodePlanes for SliceDecoder<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        decode_chunks(out, self.plane_bytes, |index, out| {
            let slice = &self.slices[(planes.start + index) as usize];
            let decoded = slice.decode(out);
            decoded.map_err(|problem| slice.file.wrap(problem))
        })
    }
}

impl Slice<'_> {
    /// Decodes the samples in little-endian, those of fewer than 8 bits to a byte each.
    fn decode(&self, out: &mut [u8]) -> Result<(), FileProblem> {
        let failed = |error: DecodingError| damaged(error.to_string());
        let mut bytes = memory::try_zeroed("a slice", self.length as usize)?;
        if !self.file.open()?.fill(&mut bytes, 0)? {
            return Err(FileProblem::FileChanged);
        }
        let mut decoder = Decoder::new(Cursor::new(&bytes[..]));
        decoder.set_transformations(Transformations::IDENTITY);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let mut reader = decoder.read_info().map_err(failed)?;
        let ImageFormat {
            width,
            height,
            components,
            bits,
            ..
        } = self.format;
        let row_samples = width as usize * usize::from(components);
        let row_bytes = (row_samples * usize::from(bits)).div_ceil(8);
        let size = row_bytes * height as usize;
        if reader.output_buffer_size() != Some(size) {
            return Err(FileProblem::FileChanged);
        }
        if size == out.len() {
            reader.next_frame(out).map_err(failed)?;
        } else {
            let mut packed = memory::try_zeroed::<u8>("a slice", size)?;
            reader.next_frame(&mut packed).map_err(failed)?;
            let rows = packed.chunks_exact(row_bytes);
            for (row, out) in rows.zip(out.chunks_exact_mut(row_samples)) {
                let bits = usize::from(bits);
                for (index, sample) in out.iter_mut().enumerate() {
                    let bit = index * bits;
                    *sample = row[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1);
                }
            }
        }
        if bits == 16 {
            out.as_chunks_mut::<2>()
                .0
                .iter_mut()
                .for_each(|it| it.reverse());
        }
        Ok(())
    }
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Png,
        problem,
    }
}
