//! Compressed blocks of an array.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use crate::io::FileProblem;
use crate::io::lz4;
use crate::io::source::DEFLATE_LIMIT;
use crate::io::source::decoded::decode_chunks;
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::vtk_xml::problems::{damaged, ends_early, unsupported};
use crate::memory;

/// Largest number of compressed blocks.
const MAX_BLOCKS: u64 = 1 << 26;
/// Largest size of a block, in bytes.
const MAX_BLOCK_BYTES: u64 = 1 << 31;
/// Size of compressed samples that is accepted whatever their number of bytes.
const FREE_BYTES: u64 = 1 << 20;

/// Compression of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum BlockCompressor {
    Zlib,
    Lz4,
}

impl BlockCompressor {
    /// Returns the compressor of this name; `None` without a name.
    ///
    /// # Errors
    /// For a compressor that is not read.
    pub fn from_name(name: Option<&str>) -> Result<Option<Self>, FileProblem> {
        match name {
            None => Ok(None),
            Some("vtkZLibDataCompressor") => Ok(Some(Self::Zlib)),
            Some("vtkLZ4DataCompressor") => Ok(Some(Self::Lz4)),
            Some(name) => Err(unsupported(format!(
                "a VTK file with the compressor {name}"
            ))),
        }
    }

    /// Decompresses a block into `out`, which has its size.
    fn decompress(self, bytes: &[u8], out: &mut [u8]) -> Result<(), FileProblem> {
        let failed = |problem| damaged(format!("a block cannot be decompressed: {problem}"));
        match self {
            Self::Zlib => {
                let mut decoder = flate2::read::ZlibDecoder::new(bytes);
                let read = decoder.read_exact(out);
                read.map_err(|error| failed(error.to_string()))
            }
            Self::Lz4 => {
                let mut content = Vec::new();
                memory::try_reserve("a block", &mut content, out.len())?;
                lz4::decompress(bytes, out.len(), &mut content).map_err(failed)?;
                if content.len() != out.len() {
                    return Err(failed(format!(
                        "it has {} bytes instead of {}",
                        content.len(),
                        out.len()
                    )));
                }
                out.copy_from_slice(&content);
                Ok(())
            }
        }
    }
}

/// Compressed bytes of all blocks.
pub(in crate::io) enum CompressedBytes<'a> {
    Memory(Vec<u8>),
    File(RandomAccessBytes<'a>),
}

impl CompressedBytes<'_> {
    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
        let mut out = memory::try_zeroed("a block", count as usize)?;
        let is_complete = match self {
            Self::Memory(bytes) => RandomAccessBytes::Bytes(bytes).fill(&mut out, offset)?,
            Self::File(bytes) => bytes.fill(&mut out, offset)?,
        };
        if is_complete {
            Ok(out)
        } else {
            Err(ends_early())
        }
    }
}

/// Sizes of compressed blocks, which stand before them.
#[derive(Clone, Copy)]
pub(in crate::io) struct BlockSizes {
    /// Number of blocks.
    pub count: u64,
    /// Size of every block but the last, in decompressed bytes.
    pub block_bytes: u64,
    /// Size of all blocks, in decompressed bytes.
    total: u64,
}

impl BlockSizes {
    /// Checks the number of blocks, their size, and that of the last one if it is smaller, which
    /// together must have `total` bytes.
    pub fn new([count, bytes, last]: [u64; 3], total: u64) -> Result<Self, FileProblem> {
        let full = if last == 0 {
            count
        } else {
            count.saturating_sub(1)
        };
        let found = full.checked_mul(bytes).and_then(|it| it.checked_add(last));
        let block_bytes = bytes.max(1);
        let is_valid = found == Some(total) && count == total.div_ceil(block_bytes);
        if !is_valid || count > MAX_BLOCKS || bytes > MAX_BLOCK_BYTES {
            return Err(damaged(format!(
                "{count} blocks of {bytes} bytes, the last of {last}, do not make {total} bytes"
            )));
        }
        Ok(Self {
            count,
            block_bytes,
            total,
        })
    }
}

/// Compressed blocks of equal size, of which the last may be smaller.
pub(in crate::io) struct Blocks<'a> {
    bytes: CompressedBytes<'a>,
    /// Offset and number of compressed bytes of every block.
    blocks: Vec<(u64, u64)>,
    sizes: BlockSizes,
    compressor: BlockCompressor,
    /// Index and content of the block that was decompressed last for a part of it: the next range
    /// of bytes often starts in it.
    last: Mutex<Option<(usize, Vec<u8>)>>,
}

impl<'a> Blocks<'a> {
    /// Locates blocks with these compressed sizes between the offsets `first` and `end` of `bytes`.
    pub fn new(
        bytes: CompressedBytes<'a>,
        compressed: &[u64],
        [first, end]: [u64; 2],
        sizes: BlockSizes,
        compressor: BlockCompressor,
    ) -> Result<Self, FileProblem> {
        let available = end.saturating_sub(first);
        if sizes.total
            > available
                .saturating_mul(DEFLATE_LIMIT)
                .saturating_add(FREE_BYTES)
        {
            return Err(damaged(format!(
                "{} bytes are compressed to {available}",
                sizes.total
            )));
        }
        let mut offset = first;
        let mut blocks = Vec::new();
        memory::try_reserve("sizes of blocks", &mut blocks, compressed.len())?;
        for size in compressed {
            blocks.push((offset, *size));
            offset = offset
                .checked_add(*size)
                .filter(|it| *it <= end)
                .ok_or_else(ends_early)?;
        }
        Ok(Self {
            bytes,
            blocks,
            sizes,
            compressor,
            last: Mutex::new(None),
        })
    }

    /// Decompresses the bytes from `offset` on into `out`: whole blocks directly and on all
    /// threads.
    pub fn decode(&self, offset: u64, out: &mut [u8]) -> Result<(), FileProblem> {
        let block_bytes = self.sizes.block_bytes as usize;
        let mut index = (offset / self.sizes.block_bytes) as usize;
        let skipped = (offset % self.sizes.block_bytes) as usize;
        let mut rest = out;
        if skipped > 0 {
            let (head, after) = rest.split_at_mut(rest.len().min(block_bytes - skipped));
            self.copy_part(index, skipped, head)?;
            (rest, index) = (after, index + 1);
        }
        let whole = rest.len() / block_bytes;
        let (blocks, tail) = rest.split_at_mut(whole * block_bytes);
        decode_chunks(blocks, block_bytes, |number, out| {
            self.decompress(index + number as usize, out)
        })?;
        if tail.is_empty() {
            return Ok(());
        }
        self.copy_part(index + whole, 0, tail)
    }

    /// Copies bytes of a block from `skipped` on.
    fn copy_part(&self, index: usize, skipped: usize, out: &mut [u8]) -> Result<(), FileProblem> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let content = match last.take() {
            Some((known, content)) if known == index => content,
            _ => {
                let start = index as u64 * self.sizes.block_bytes;
                let size = self.sizes.block_bytes.min(self.sizes.total - start);
                let mut content = memory::try_zeroed("a block", size as usize)?;
                self.decompress(index, &mut content)?;
                content
            }
        };
        out.copy_from_slice(&content[skipped..skipped + out.len()]);
        *last = Some((index, content));
        Ok(())
    }

    fn decompress(&self, index: usize, out: &mut [u8]) -> Result<(), FileProblem> {
        let (start, count) = self.blocks[index];
        let compressed = self.bytes.read(start, count)?;
        self.compressor.decompress(&compressed, out)
    }
}
