//! Pages of TIFF files: format of the samples, and location of their blocks.

use crate::io::volume::tiff::compression::BlockCompression;
use crate::io::volume::tiff::directory::{Directory, TiffFile};
use crate::io::volume::tiff::{damaged, unsupported};
use crate::io::{ByteOrder, FileProblem, StoredType};
use crate::memory;

/// Bytes of a page that are accepted whatever the number of stored bytes: a blank image is
/// compressed to nearly nothing.
const FREE_BYTES: u64 = 8 << 20;

/// Format of the samples, equal for all pages of a volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageFormat {
    pub width: u64,
    pub height: u64,
    /// Number of components of a pixel.
    pub components: u64,
    pub bits: u64,
    /// Type of the decoded samples.
    pub stored: StoredType,
    /// `true` for 16-bit floats, which are decoded to 32 bits.
    pub is_half: bool,
    pub order: ByteOrder,
    /// `true` if 0 is white.
    pub is_inverted: bool,
    pub has_palette: bool,
}

impl PageFormat {
    /// Returns the size of a decoded page, in bytes.
    pub fn page_bytes(&self) -> u64 {
        self.width * self.height * self.components * self.stored.bytes() as u64
    }

    /// Returns the size of a row of `pixels` stored pixels of `components` components, in bytes.
    pub fn row_bytes(&self, pixels: u64, components: u64) -> u64 {
        (pixels * components * self.bits).div_ceil(8)
    }
}

/// A page.
#[derive(Clone)]
pub(super) struct Page {
    pub format: PageFormat,
    pub compression: BlockCompression,
    pub predictor: u64,
    /// `true` if every component has blocks of its own.
    pub is_planar: bool,
    /// Width and height of a block.
    pub block: [u64; 2],
    /// Offset and number of bytes of every block.
    pub blocks: Vec<(u64, u64)>,
}

impl Page {
    /// Reads the description of a page.
    pub fn parse(file: &TiffFile<'_, '_>, directory: &Directory) -> Result<Self, FileProblem> {
        let number = |tag, name: &str| {
            let found = directory.integer(tag);
            found.ok_or_else(|| damaged(format!("a page has no {name}")))
        };
        let (width, height) = (number(256, "ImageWidth")?, number(257, "ImageLength")?);
        let format = page_format(file.order, directory, width, height)?;
        let compression = BlockCompression::from_code(directory.integer(259).unwrap_or(1))?;
        let is_planar = directory.integer(284) == Some(2) && format.components > 1;
        let block = match (directory.integer(322), directory.integer(323)) {
            (Some(width), Some(height)) => [width, height],
            _ => [width, directory.integer(278).unwrap_or(height).min(height)],
        };
        if block.iter().any(|size| !(1..=1 << 31).contains(size)) {
            return Err(damaged(format!("a block is {} x {}", block[0], block[1])));
        }
        let predictor = directory.integer(317).unwrap_or(1);
        let is_float = matches!(format.stored, StoredType::F32 | StoredType::F64);
        match predictor {
            1 => {}
            2 if format.bits >= 8 => {}
            3 if is_float => {}
            other => return Err(unsupported(format!("TIFF with the predictor {other}"))),
        }
        if directory.integer(266).unwrap_or(1) != 1 {
            return Err(unsupported(
                "TIFF with reversed bits (FillOrder 2)".to_owned(),
            ));
        }
        let mut page = Self {
            format,
            compression,
            predictor,
            is_planar,
            block,
            blocks: Vec::new(),
        };
        page.blocks = page.locate_blocks(file, directory)?;
        Ok(page)
    }

    /// Returns the number of blocks along x and y.
    pub fn block_counts(&self) -> [u64; 2] {
        [
            self.format.width.div_ceil(self.block[0]),
            self.format.height.div_ceil(self.block[1]),
        ]
    }

    /// Returns the number of components that a block holds.
    pub fn block_components(&self) -> u64 {
        if self.is_planar {
            1
        } else {
            self.format.components
        }
    }

    fn locate_blocks(
        &self,
        file: &TiffFile<'_, '_>,
        directory: &Directory,
    ) -> Result<Vec<(u64, u64)>, FileProblem> {
        let choose = |tile, strip| match directory.integers(tile) {
            [] => directory.integers(strip),
            found => found,
        };
        let offsets = choose(324, 273);
        let mut counts = choose(325, 279).to_vec();
        let [across, down] = self.block_counts();
        let planes = if self.is_planar {
            self.format.components
        } else {
            1
        };
        let expected = u128::from(across) * u128::from(down) * u128::from(planes);
        if counts.is_empty() && offsets.len() == 1 && self.compression == BlockCompression::None {
            // Old files omit the size of a single strip.
            counts
                .push(self.format.row_bytes(self.block[0], self.format.components) * self.block[1]);
        }
        if expected != offsets.len() as u128 || expected != counts.len() as u128 {
            return Err(damaged(format!(
                "a page has {} blocks of {} sizes instead of {expected}",
                offsets.len(),
                counts.len()
            )));
        }
        let mut stored = 0_u64;
        let mut blocks = Vec::new();
        memory::try_reserve("blocks", &mut blocks, offsets.len())?;
        for (&offset, &count) in offsets.iter().zip(&counts) {
            let end = offset.checked_add(count);
            if end.is_none_or(|end| end > file.length) || count == 0 {
                return Err(damaged(format!(
                    "a block of {count} bytes at {offset} is not in the file, which has {} bytes; \
                     it is truncated, fetch it again",
                    file.length
                )));
            }
            stored = stored.saturating_add(count);
            blocks.push((offset, count));
        }
        let bytes = u128::from(self.format.width)
            * u128::from(self.format.height)
            * u128::from(self.format.components * 8);
        let row_bytes = u128::from(self.block[0]) * u128::from(self.block_components() * 8);
        let limit = u128::from(FREE_BYTES)
            + u128::from(stored) * u128::from(self.compression.max_expansion()) * 8;
        if bytes > limit || row_bytes * u128::from(self.block[1]) > limit {
            return Err(damaged(format!(
                "a page of {} x {} pixels in blocks of {} x {} has only {stored} bytes",
                self.format.width, self.format.height, self.block[0], self.block[1]
            )));
        }
        Ok(blocks)
    }
}

fn page_format(
    order: ByteOrder,
    directory: &Directory,
    width: u64,
    height: u64,
) -> Result<PageFormat, FileProblem> {
    let components = directory.integer(277).unwrap_or(1);
    let bits = directory.integers(258);
    let bits_of_all = bits.first().copied().unwrap_or(1);
    let formats = directory.integers(339);
    let sample_format = formats.first().copied().unwrap_or(1);
    let is_mixed =
        bits.iter().any(|it| *it != bits_of_all) || formats.iter().any(|it| *it != sample_format);
    let photometric = directory.integer(262).unwrap_or(1);
    if is_mixed || !(1..=1 << 16).contains(&components) {
        return Err(unsupported(
            "TIFF with components of different types".to_owned(),
        ));
    }
    if photometric == 6 {
        return Err(unsupported("TIFF with the colours YCbCr".to_owned()));
    }
    let stored = match (sample_format, bits_of_all) {
        (1 | 4, 1 | 2 | 4 | 8) => StoredType::U8,
        (1 | 4, 16) => StoredType::U16,
        (1 | 4, 32) => StoredType::U32,
        (1 | 4, 64) => StoredType::U64,
        (2, 8) => StoredType::I8,
        (2, 16) => StoredType::I16,
        (2, 32) => StoredType::I32,
        (2, 64) => StoredType::I64,
        (3, 16 | 32) => StoredType::F32,
        (3, 64) => StoredType::F64,
        (format, bits) => {
            let name = match format {
                1 => "unsigned integers",
                2 => "signed integers",
                3 => "floats",
                _ => "complex numbers",
            };
            return Err(unsupported(format!("TIFF with {name} of {bits} bits")));
        }
    };
    if width == 0 || height == 0 || width > 1 << 31 || height > 1 << 31 {
        return Err(damaged(format!("a page is {width} x {height}")));
    }
    Ok(PageFormat {
        width,
        height,
        components,
        bits: bits_of_all,
        stored,
        is_half: sample_format == 3 && bits_of_all == 16,
        order,
        is_inverted: photometric == 0,
        has_palette: photometric == 3,
    })
}
