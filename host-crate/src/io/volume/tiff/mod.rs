//! TIFF and BigTIFF: stacks of pages, with the metadata of ImageJ and OME, and folders of slices.
//!
//! The format has no orientation: x and y are those of the image, z the order of the pages.

mod compression;
mod decode;
mod directory;
mod ome;
mod page;
mod slices;
mod stack;
mod write;

pub(in crate::io) use slices::{has_slices, open_slices};
pub(in crate::io) use write::TiffWriter;

use std::sync::Arc;

use crate::grid::Geometry;
use crate::io::source::decoded::DecodedPlanes;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::{ByteOrder, Compression, FileProblem, HeaderInfo, VolumeFormat};
use compression::BlockCompression;
use decode::{PageDecoder, Plane};
use directory::{Directory, TiffFile};
use page::Page;
use stack::{PageAxis, Stack};

/// Opens a file.
pub(crate) fn open(source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(FileProblem::Unsupported {
            what: "TIFF in a pipe or compressed with gzip".to_owned(),
            advice: "save it to an uncompressed file",
        });
    };
    let contents = read_pages(&bytes, length)?;
    let file = PlaneFile::Open(bytes);
    open_stack(contents, &file, length)
}

/// Pages of a file with their meaning.
struct Contents {
    pages: Vec<Arc<Page>>,
    stack: Stack,
    notes: Vec<String>,
    version: String,
}

/// Reads all directories.
fn read_pages(bytes: &RandomAccessBytes<'_>, length: u64) -> Result<Contents, FileProblem> {
    let file = TiffFile::open(bytes, length)?;
    let directories = file.directories()?;
    let mut notes = Vec::new();
    let is_reduced = |it: &&Directory| it.integer(254).unwrap_or(0) & 1 == 1;
    let reduced = directories.iter().filter(is_reduced).count();
    if reduced > 0 {
        notes.push(format!("{reduced} pages of reduced resolution are skipped"));
    }
    let mut pages = Vec::new();
    for directory in directories.iter().filter(|it| !is_reduced(it)) {
        pages.push(Arc::new(Page::parse(&file, directory)?));
    }
    let first = directories.iter().find(|it| !is_reduced(it));
    let first = first.ok_or_else(|| damaged("all pages have a reduced resolution".to_owned()))?;
    if let Some(orientation) = first.integer(274).filter(|it| *it != 1) {
        notes.push(format!(
            "rows and columns are read as they are stored: orientation {orientation} is not applied"
        ));
    }
    let text = first.text(270).unwrap_or_default();
    let is_ome = text.contains("<OME") || text.contains(":OME");
    let stack = if text.starts_with("ImageJ=") {
        Stack::parse_imagej(text, [first.real(282), first.real(283)])?
    } else if is_ome {
        let (stack, images) = ome::parse(text, pages[0].format.components, pages.len() as u64)?;
        if images > 1 {
            notes.push(format!(
                "the file holds {images} images; the first one is read"
            ));
        }
        stack
    } else {
        Stack::from_pages(pages.len() as u64)
    };
    Ok(Contents {
        pages,
        stack,
        notes,
        version: file.version().to_owned(),
    })
}

/// Opens the volume that the pages of a file make up.
fn open_stack<'a>(
    contents: Contents,
    file: &PlaneFile<'a>,
    length: u64,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let Contents {
        pages,
        stack,
        notes,
        version,
    } = contents;
    let count = stack.planes();
    let shifts = match (stack.software, pages.len() as u64) {
        (Some("ImageJ"), 1) if count > 1 => Some(following_planes(&pages[0], count, length)?),
        (None, _) => None,
        (Some(software), found) => {
            let last = stack
                .pages
                .iter()
                .flatten()
                .max()
                .map_or(count, |last| last + 1);
            if found < last {
                return Err(damaged(format!(
                    "{software}'s metadata describe {last} pages, but there are {found}"
                )));
            }
            None
        }
    };
    let mut planes = Vec::new();
    let [channels, times] = [PageAxis::Channel, PageAxis::Time].map(|axis| stack.size(axis));
    for time in 0..times {
        for channel in 0..channels {
            for z in 0..stack.size(PageAxis::Z) {
                let page = stack.page(z, channel, time);
                let (page, shift) = match shifts {
                    Some(bytes) => (0, page * bytes),
                    None => (page as usize, 0),
                };
                planes.push(Plane {
                    file: file.clone(),
                    page: Arc::clone(&pages[page]),
                    shift,
                });
            }
        }
    }
    check_equal(&planes)?;
    let mut opened = open_planes(planes, [stack.size(PageAxis::Z), channels, times], &stack)?;
    opened.header.version = Some(version);
    opened.header.notes.splice(0..0, notes);
    Ok(opened)
}

/// Returns the distance of the planes that follow the single page of a stack, as ImageJ writes
/// files of more than 4 GB.
fn following_planes(page: &Page, count: u64, length: u64) -> Result<u64, FileProblem> {
    let bytes = page
        .format
        .row_bytes(page.format.width, page.format.components)
        * page.format.height;
    let start = page.blocks[0].0;
    let contiguous = page
        .blocks
        .windows(2)
        .all(|it| it[0].0 + it[0].1 == it[1].0);
    let is_raw = page.compression == BlockCompression::None && contiguous && !page.is_planar;
    let end = bytes
        .checked_mul(count)
        .and_then(|it| it.checked_add(start));
    if !is_raw || end.is_none_or(|end| end > length) {
        return Err(damaged(format!(
            "ImageJ states {count} images, but there is one page, and the file does not hold the others"
        )));
    }
    Ok(bytes)
}

/// Checks that all planes have one format.
fn check_equal(planes: &[Plane<'_>]) -> Result<(), FileProblem> {
    let first = &planes[0].page.format;
    let other = planes.iter().position(|it| it.page.format != *first);
    let Some(index) = other else { return Ok(()) };
    let other = &planes[index].page.format;
    let show = |it: &page::PageFormat| {
        format!(
            "{} x {} pixels of {} components of {}",
            it.width, it.height, it.components, it.stored
        )
    };
    let problem = damaged(format!(
        "plane {index} has {}, but plane 0 {}; save planes of one size and type",
        show(other),
        show(first)
    ));
    Err(planes[index].file.wrap(problem))
}

/// Opens planes of one format: `sizes` planes along z, channels and times.
fn open_planes<'a>(
    planes: Vec<Plane<'a>>,
    sizes: [u64; 3],
    stack: &Stack,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let page = Arc::clone(&planes[0].page);
    let format = &page.format;
    let [z, channels, times] = sizes;
    let mut all = vec![format.width, format.height, z];
    let is_separate = channels > 1;
    match (is_separate, times > 1) {
        (false, false) => {}
        (false, true) => all.push(times),
        (true, _) => all.extend([channels, times]),
    }
    let mut layout = Layout::new(&all, format.stored, ByteOrder::Little)?;
    if is_separate {
        layout = layout.with_component_axis(3);
    }
    if format.components > 1 {
        layout = layout.with_components(format.components)?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Tiff, format.stored, ByteOrder::Little);
    header.compression = page
        .compression
        .name()
        .map_or(Compression::None, Compression::Named);
    let spacing = stack.spacing.map(|it| it.unwrap_or(1.0));
    header.has_spacing = stack.spacing.iter().any(Option::is_some);
    match (&stack.unit, header.has_spacing) {
        (_, false) => header.notes.push(
            "the file has no spacing; it is taken as 1, pass --spacing to state it".to_owned(),
        ),
        (Some(unit), true) if unit != "mm" => header
            .notes
            .push(format!("lengths in {unit} are used as they are")),
        _ => {}
    }
    if header.has_spacing && z > 1 && stack.spacing[2].is_none() {
        header
            .notes
            .push("the file has no spacing along z; it is taken as 1".to_owned());
    }
    if format.is_inverted && format.bits > 1 {
        header.notes.push(
            "smaller values are shown brighter (MinIsWhite); they are used as they are".to_owned(),
        );
    }
    if format.has_palette {
        header
            .notes
            .push("the samples are indices of a palette, which is not applied".to_owned());
    }
    let geometry = Geometry::from_spacing(spacing, [0.0; 3])?;
    let is_length_known = page.compression == BlockCompression::None;
    let (bytes, count) = (format.page_bytes(), planes.len() as u64);
    let bytes = usize::try_from(bytes).map_err(|_| damaged("a page is too large".to_owned()))?;
    let decoded = DecodedPlanes::new(PageDecoder { planes }, bytes, count);
    let source = Source::from_planes(decoded, is_length_known);
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Tiff,
        problem,
    }
}

fn unsupported(what: String) -> FileProblem {
    FileProblem::Unsupported {
        what,
        advice: "save it uncompressed or with deflate, with integers of 8, 16 or 32 bits or floats, \
                 for example with tifffile or ImageJ",
    }
}
