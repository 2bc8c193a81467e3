//! Blosc, version 1: blocks of shuffled bytes or bits, compressed with one of several algorithms.

use std::io::Read;

use crate::io::lz4::{self, copy_match};

/// Size of the header, in bytes.
const HEADER: usize = 16;
/// Largest size of an element, and smallest size of a part, of blocks that are split by the bytes
/// of their elements, in bytes. Files from before a flag for that have no other sign.
const MAX_SPLITS: usize = 16;
const MIN_SPLIT: usize = 128;
/// Distance at which a match of blosclz has an offset of 16 bits.
const BLOSCLZ_DISTANCE: usize = 8191;

/// Decompresses a buffer of `expected` bytes. The error describes the mistake.
pub(super) fn decompress(bytes: &[u8], expected: usize) -> Result<Vec<u8>, String> {
    let header = bytes.get(..HEADER).ok_or("it ends within the header")?;
    let flags = header[2];
    let type_size = usize::from(header[3]).max(1);
    let long = |at: usize| {
        let bytes = bytes.get(at..at + 4).ok_or("it ends early")?;
        Ok::<_, String>(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    };
    let (size, block_size) = (long(4)?, long(8)?);
    if size != expected {
        return Err(format!("it has {size} bytes instead of {expected}"));
    }
    if flags & 2 != 0 {
        let content = bytes.get(HEADER..HEADER + size).ok_or("it ends early")?;
        return Ok(content.to_vec());
    }
    if block_size == 0 && size > 0 {
        return Err("its blocks have no bytes".to_owned());
    }
    let compressor = flags >> 5;
    let is_split =
        flags & 0x10 == 0 && type_size <= MAX_SPLITS && block_size / type_size >= MIN_SPLIT;
    let mut out = Vec::new();
    for block in 0..size.div_ceil(block_size.max(1)) {
        let block_bytes = block_size.min(size - block * block_size);
        let mut position = long(HEADER + 4 * block)?;
        let splits = if is_split && block_bytes == block_size {
            type_size
        } else {
            1
        };
        let part_bytes = block_bytes / splits;
        let mut content = Vec::new();
        for _ in 0..splits {
            let stored = long(position)?;
            let part = bytes
                .get(position + 4..)
                .and_then(|rest| rest.get(..stored));
            let part = part.ok_or("a block ends early")?;
            position += 4 + stored;
            if stored == part_bytes {
                content.extend_from_slice(part);
            } else {
                decompress_part(compressor, part, part_bytes, &mut content)?;
            }
        }
        if content.len() != block_bytes {
            return Err(format!(
                "a block has {} bytes instead of {block_bytes}",
                content.len()
            ));
        }
        match flags & 5 {
            1 => out.extend(unshuffle(&content, type_size)),
            4 => out.extend(unshuffle_bits(&content, type_size)),
            _ => out.extend(content),
        }
    }
    Ok(out)
}

fn decompress_part(
    compressor: u8,
    bytes: &[u8],
    size: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let end = out.len() + size;
    match compressor {
        0 => decompress_blosclz(bytes, end, out),
        1 => lz4::decompress(bytes, end, out),
        3 | 4 => {
            let limit = size as u64;
            let read = if compressor == 3 {
                flate2::read::ZlibDecoder::new(bytes)
                    .take(limit)
                    .read_to_end(out)
            } else {
                let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
                let decoder = decoder.map_err(|error| error.to_string())?;
                decoder.take(limit).read_to_end(out)
            };
            read.map(|_| ()).map_err(|error| error.to_string())
        }
        2 => Err("the compressor snappy is not supported".to_owned()),
        other => Err(format!("the compressor {other} is unknown")),
    }
}

/// Decompresses blosclz: literals, and matches of at least three earlier bytes.
fn decompress_blosclz(bytes: &[u8], end: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let base = out.len();
    let mut input = bytes.iter().map(|byte| usize::from(*byte));
    let mut control = input.next().unwrap_or(0) & 31;
    loop {
        if control < 32 {
            for _ in 0..=control {
                out.push(input.next().ok_or("a literal ends early")? as u8);
            }
        } else {
            let mut length = (control >> 5) - 1;
            let mut distance = (control & 31) << 8;
            let mut next = || input.next().ok_or("a match ends early");
            if length == 6 {
                loop {
                    let more = next()?;
                    length += more;
                    if more != 255 || length > end {
                        break;
                    }
                }
            }
            let low = next()?;
            distance += low;
            if low == 255 && distance == (31 << 8) + 255 {
                distance = (next()? << 8) + next()? + BLOSCLZ_DISTANCE;
            }
            copy_match(out, base, distance + 1, length + 3, end)?;
        }
        if out.len() > end {
            return Err("a block is too long".to_owned());
        }
        match input.next() {
            Some(next) => control = next,
            None => return Ok(()),
        }
    }
}

/// Reorders bytes that are sorted by significance.
fn unshuffle(bytes: &[u8], type_size: usize) -> Vec<u8> {
    let count = bytes.len() / type_size;
    let mut out = bytes.to_vec();
    for (index, element) in out.chunks_exact_mut(type_size).enumerate() {
        for (byte, out) in element.iter_mut().enumerate() {
            *out = bytes[byte * count + index];
        }
    }
    out
}

/// Reorders bits that are sorted by significance, of a multiple of eight elements.
fn unshuffle_bits(bytes: &[u8], type_size: usize) -> Vec<u8> {
    let count = bytes.len() / type_size;
    let mut out = bytes.to_vec();
    if !count.is_multiple_of(8) {
        return out;
    }
    let row = count / 8;
    for (index, element) in out.chunks_exact_mut(type_size).enumerate() {
        for (byte, out) in element.iter_mut().enumerate() {
            *out = (0..8)
                .map(|bit| (bytes[(byte * 8 + bit) * row + index / 8] >> (index % 8) & 1) << bit)
                .sum();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::decompress;

    /// Blocks of old files are one part if their parts would be small, without a flag.
    #[test]
    fn small_blocks_of_old_files_are_not_split() {
        let content: Vec<u8> = (0..64).collect();
        let mut file = vec![2, 1, 0x21, 8];
        for number in [64_u32, 64, 16 + 4 + 4 + 64, 20, 64] {
            file.extend(number.to_le_bytes());
        }
        for index in 0..64 {
            file.push(content[index % 8 * 8 + index / 8]);
        }
        assert_eq!(decompress(&file, 64).unwrap(), content);
    }
}
