//! Compression with gzip by all threads.
//!
//! The content is cut into blocks of equal size, which are compressed independently with the bytes
//! before them as the dictionary (as `pigz` does) and end at a byte. The result is one member whose
//! bytes do not depend on the number of threads.

use std::io::{self, Write};

use flate2::{Compress, Compression, Crc, FlushCompress};

use crate::{memory, parallel};

/// Size of a block, in bytes.
const BLOCK: usize = 1 << 19;
/// Size of the dictionary of a block, in bytes: what deflate can refer to.
const DICTIONARY: usize = 1 << 15;
/// Largest number of blocks that are compressed at a time.
const MAX_BLOCKS: usize = 64;
/// Header of a file without a name, a time and an operating system (RFC 1952).
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// Bits of the window, the largest of deflate.
const WINDOW_BITS: u8 = 15;

/// Writer that compresses blocks in parallel.
pub(super) struct GzipWriter<W> {
    out: W,
    level: u32,
    /// The dictionary of the first block, and the blocks.
    content: Vec<u8>,
    /// Length of the dictionary of the first block.
    dictionary: usize,
    /// Capacity for blocks, in bytes.
    capacity: usize,
    crc: Crc,
}

impl<W: Write> GzipWriter<W> {
    /// Writes the header.
    pub fn new(mut out: W, level: u32) -> io::Result<Self> {
        out.write_all(&HEADER)?;
        Ok(Self {
            out,
            level,
            content: Vec::new(),
            dictionary: 0,
            capacity: BLOCK * rayon::current_num_threads().min(MAX_BLOCKS),
            crc: Crc::new(),
        })
    }

    /// Compresses what remains, and writes the trailer.
    pub fn finish(mut self) -> io::Result<W> {
        self.compress(true)?;
        self.out.write_all(&self.crc.sum().to_le_bytes())?;
        self.out.write_all(&self.crc.amount().to_le_bytes())?;
        Ok(self.out)
    }

    /// Compresses all blocks, of which only the last may be incomplete.
    fn compress(&mut self, is_last: bool) -> io::Result<()> {
        let (content, dictionary, level) = (&self.content, self.dictionary, self.level);
        let blocks = (content.len() - dictionary).div_ceil(BLOCK).max(1);
        let packed = parallel::try_map(blocks, |index| {
            let start = dictionary + index * BLOCK;
            let end = content.len().min(start + BLOCK);
            let flush = if is_last && index + 1 == blocks {
                FlushCompress::Finish
            } else {
                FlushCompress::Sync
            };
            let before = &content[start.saturating_sub(DICTIONARY)..start];
            let mut crc = Crc::new();
            crc.update(&content[start..end]);
            let packed = compress_block(before, &content[start..end], level, flush)?;
            Ok::<_, io::Error>((packed, crc))
        })?;
        for (bytes, crc) in &packed {
            self.out.write_all(bytes)?;
            self.crc.combine(crc);
        }
        let kept = content.len().min(DICTIONARY);
        let start = content.len() - kept;
        self.content.copy_within(start.., 0);
        self.content.truncate(kept);
        self.dictionary = kept;
        Ok(())
    }
}

/// Compresses a block, which ends at a byte.
fn compress_block(
    dictionary: &[u8],
    mut block: &[u8],
    level: u32,
    flush: FlushCompress,
) -> io::Result<Vec<u8>> {
    let mut compress = Compress::new_with_window_bits(Compression::new(level), false, WINDOW_BITS);
    if !dictionary.is_empty() {
        compress.set_dictionary(dictionary)?;
    }
    let mut packed = Vec::new();
    loop {
        // Incompressible data grow by less; the second pass is for them.
        let step = block.len() + block.len() / 64 + 64;
        memory::try_reserve("a compressed block", &mut packed, step)?;
        let consumed = compress.total_in();
        compress.compress_vec(block, &mut packed, flush)?;
        block = &block[(compress.total_in() - consumed) as usize..];
        // Space is left once everything has been written.
        if packed.len() < packed.capacity() {
            return Ok(packed);
        }
    }
}

impl<W: Write> Write for GzipWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Blocks that may be the last are kept.
        if self.content.len() == self.dictionary + self.capacity && !bytes.is_empty() {
            self.compress(false)?;
        }
        let filled = self.content.len() - self.dictionary;
        let accepted = bytes.len().min(self.capacity - filled);
        memory::try_extend("a block of the file", &mut self.content, &bytes[..accepted])?;
        Ok(accepted)
    }

    /// Keeps incomplete blocks.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn pack(content: &[u8], step: usize) -> Vec<u8> {
        let mut writer = GzipWriter::new(Vec::new(), 2).unwrap();
        for part in content.chunks(step) {
            writer.write_all(part).unwrap();
        }
        writer.finish().unwrap()
    }

    fn unpack(packed: &[u8]) -> Vec<u8> {
        let mut content = Vec::new();
        let mut decoder = flate2::bufread::GzDecoder::new(packed);
        decoder.read_to_end(&mut content).unwrap();
        assert!(decoder.into_inner().is_empty());
        content
    }

    #[test]
    fn files_have_the_same_bytes_for_any_number_of_threads_and_size_of_writes() {
        let noise = |i: usize| ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8;
        let contents: [fn(usize, u8) -> u8; 3] = [
            |i, noise| ((i / 1000) as u8).wrapping_add(noise % 8),
            |_, noise| noise,
            |_, _| 0,
        ];
        for len in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK, 5 * BLOCK + 12_345] {
            for byte in contents {
                let content: Vec<u8> = (0..len).map(|i| byte(i, noise(i))).collect();
                let packed = pack(&content, 1 << 18);
                assert!(unpack(&packed) == content);
                for (threads, step) in [(1, usize::MAX), (3, 70_001)] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    let other = pool.unwrap().install(|| pack(&content, step));
                    assert!(other == packed, "{len} bytes, {threads} threads");
                }
            }
        }
    }
}
