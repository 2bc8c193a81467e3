//! Decoding of the planes of an array from its chunks.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::io::source::decoded::DecodePlanes;
use crate::io::volume::half::half_to_f32;
use crate::io::volume::zarr::array::{Array, Shard};
use crate::io::volume::zarr::axes::ArrayAxes;
use crate::io::volume::zarr::codecs::decode_all;
use crate::io::volume::zarr::damaged;
use crate::io::volume::zarr::store::Store;
use crate::io::{ByteOrder, FileProblem};
use crate::{memory, parallel};

/// Bytes of the chunks that are decoded together, unless a chunk has more.
const BATCH_BYTES: usize = 32 << 20;
/// Largest number of chunks that are decoded together.
const MAX_BATCH: usize = 1 << 12;
/// Number of chunks of the shards whose indices are kept, unless a single one has more.
const MAX_INDEXED: usize = 1 << 22;
/// Size by which compression may enlarge a chunk, in addition to a sixteenth of it, in bytes.
const MAX_OVERHEAD: u64 = 1 << 16;

/// Index of a shard: offset and number of bytes of every chunk.
type ShardIndex = Option<Arc<Vec<[u64; 2]>>>;

/// Decoder of the chunks of an array.
pub(super) struct ChunkDecoder<'a> {
    pub store: Store<'a>,
    pub array: Array,
    pub axes: ArrayAxes,
    /// Indices of the shards that were read last.
    pub indices: Mutex<BTreeMap<String, ShardIndex>>,
}

impl DecodePlanes for ChunkDecoder<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        let plane_bytes = self.axes.plane_samples() * self.array.stored.bytes();
        let mut first = planes.start;
        let mut rest = out;
        // A range of planes may cover several layers of chunks.
        while first < planes.end {
            let end = self.window_end(first, planes.end - first).min(planes.end);
            let bytes = (end - first) as usize * plane_bytes;
            let (layer, after) = rest.split_at_mut(bytes);
            self.decode_layer(first..end, layer)?;
            (first, rest) = (end, after);
        }
        Ok(())
    }

    /// Returns the end of the layer of chunks.
    fn window_end(&self, first: u64, count: u64) -> u64 {
        let depth = self.array.shape[self.axes.z];
        let chunk = self.array.chunk[self.axes.z];
        let z = first % depth;
        let end = first - z + ((z / chunk + 1) * chunk).min(depth);
        end.min(first + count)
    }
}

impl ChunkDecoder<'_> {
    /// Decodes planes in one layer of chunks.
    fn decode_layer(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        let Self { array, axes, .. } = self;
        let depth = array.shape[axes.z];
        let mut index = vec![0; array.shape.len()];
        let z = planes.start % depth..planes.start % depth + (planes.end - planes.start);
        // Index of the chunk along all axes but x and y, and position within it.
        let mut within = vec![0; array.shape.len()];
        let mut number = planes.start / depth;
        for axis in &axes.extra {
            let position = number % array.shape[*axis];
            number /= array.shape[*axis];
            index[*axis] = position / array.chunk[*axis];
            within[*axis] = position % array.chunk[*axis];
        }
        index[axes.z] = z.start / array.chunk[axes.z];
        let [across, down] =
            [axes.x, axes.y].map(|axis| array.shape[axis].div_ceil(array.chunk[axis]));
        let chunk_index = |number: u64| {
            let mut index = index.clone();
            index[axes.x] = number % across;
            index[axes.y] = number / across;
            index
        };
        let chunk_bytes = array.chunk_samples() * array.sample_bytes();
        let batch = (BATCH_BYTES / chunk_bytes.max(1)).clamp(1, MAX_BATCH);
        for first in (0..across * down).step_by(batch) {
            let count = (across * down - first).min(batch as u64) as usize;
            let decoded = parallel::try_map(count, |number| {
                self.decode_chunk(&chunk_index(first + number as u64))
            })?;
            for (number, content) in decoded.iter().enumerate() {
                let index = chunk_index(first + number as u64);
                self.copy_chunk(&index, &within, z.clone(), content.as_deref(), out);
            }
        }
        Ok(())
    }

    /// Reads and decodes a chunk; `None` if it is missing.
    fn decode_chunk(&self, index: &[u64]) -> Result<Option<Vec<u8>>, FileProblem> {
        let array = &self.array;
        let size = array.chunk_samples() * array.sample_bytes();
        let limit = size as u64 + size as u64 / 16 + MAX_OVERHEAD;
        let stored = match &array.shard {
            None => self.store.read(&array.key(index), limit)?,
            Some(shard) => self.read_from_shard(shard, index, limit)?,
        };
        let Some(stored) = stored else {
            return Ok(None);
        };
        let content = decode_all(&array.codecs, stored, size);
        content
            .map(Some)
            .map_err(|problem| crate::io::volume::data_files::wrap(&array.key(index), problem))
    }

    fn read_from_shard(
        &self,
        shard: &Shard,
        index: &[u64],
        limit: u64,
    ) -> Result<Option<Vec<u8>>, FileProblem> {
        let pairs = || index.iter().zip(&shard.counts);
        let key = self.array.key(
            &pairs()
                .map(|(index, count)| index / count)
                .collect::<Vec<_>>(),
        );
        let slot = pairs().fold(0, |slot, (index, count)| slot * count + index % count);
        let Some(entries) = self.shard_index(shard, &key)? else {
            return Ok(None);
        };
        let [offset, count] = entries[slot as usize];
        if [offset, count] == [u64::MAX; 2] {
            return Ok(None);
        }
        let offset = i64::try_from(offset).ok().filter(|_| count <= limit);
        let offset =
            offset.ok_or_else(|| damaged(format!("the index of {key} is out of range")))?;
        self.store.read_range(&key, offset, count)
    }

    /// Returns the index of a shard; `None` if there is no such shard.
    fn shard_index(&self, shard: &Shard, key: &str) -> Result<ShardIndex, FileProblem> {
        let lock = || self.indices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(key) {
            return Ok(found.clone());
        }
        let chunks = shard.counts.iter().product::<u64>() as usize;
        let bytes = 16 * chunks;
        let stored = (bytes + 4 * shard.index_codecs.len()) as u64;
        let offset = if shard.is_index_first {
            0
        } else {
            -(stored as i64)
        };
        let index = match self.store.read_range(key, offset, stored)? {
            None => None,
            Some(stored) => {
                let bytes = decode_all(&shard.index_codecs, stored, bytes)?;
                let pairs = bytes.as_chunks::<16>().0.iter();
                let words = pairs.map(|pair| {
                    [&pair[..8], &pair[8..]].map(|word| ByteOrder::Little.unsigned(word))
                });
                Some(Arc::new(words.collect()))
            }
        };
        let mut indices = lock();
        if (indices.len() + 1).saturating_mul(chunks) > MAX_INDEXED {
            indices.clear();
        }
        indices.insert(key.to_owned(), index.clone());
        Ok(index)
    }

    /// Copies the part of a chunk in the planes `z` to `out`, as little-endian samples.
    fn copy_chunk(
        &self,
        index: &[u64],
        within: &[u64],
        z: Range<u64>,
        content: Option<&[u8]>,
        out: &mut [u8],
    ) {
        let Self { array, axes, .. } = self;
        let strides = self.strides();
        let fixed: u64 = axes
            .extra
            .iter()
            .map(|axis| within[*axis] * strides[*axis])
            .sum();
        let ranges = [axes.x, axes.y].map(|axis| {
            let start = index[axis] * array.chunk[axis];
            start..(start + array.chunk[axis]).min(array.shape[axis])
        });
        let (width, stored) = (array.stored.bytes(), array.sample_bytes());
        let [nx, ny] = [array.shape[axes.x], array.shape[axes.y]];
        let z_start = index[axes.z] * array.chunk[axes.z];
        for plane in z.clone() {
            for y in ranges[1].clone() {
                let row = fixed
                    + (plane - z_start) * strides[axes.z]
                    + (y - ranges[1].start) * strides[axes.y];
                let target = (((plane - z.start) * ny + y) * nx + ranges[0].start) as usize * width;
                let count = (ranges[0].end - ranges[0].start) as usize;
                let target = &mut out[target..target + count * width];
                for (x, out) in target.chunks_exact_mut(width).enumerate() {
                    let Some(content) = content else {
                        out.copy_from_slice(&array.fill);
                        continue;
                    };
                    let source = (row + x as u64 * strides[axes.x]) as usize * stored;
                    copy_sample(array, &content[source..source + stored], out);
                }
            }
        }
    }

    /// Returns the distance of neighbours along every axis in a stored chunk, in samples.
    fn strides(&self) -> Vec<u64> {
        let mut strides = vec![0; self.array.chunk.len()];
        let mut stride = 1;
        for axis in self.array.storage_axes.iter().rev() {
            strides[*axis] = stride;
            stride *= self.array.chunk[*axis];
        }
        strides
    }
}

/// Copies a sample in little-endian, with 32 bits for floats of 16.
fn copy_sample(array: &Array, sample: &[u8], out: &mut [u8]) {
    if array.is_half {
        let half = array.order.unsigned(sample) as u16;
        out.copy_from_slice(&half_to_f32(half).to_le_bytes());
        return;
    }
    out.copy_from_slice(sample);
    if array.order == ByteOrder::Big {
        out.reverse();
    }
}

/// Returns the plane size, if memory for a plane can be addressed.
pub(super) fn plane_bytes(array: &Array, axes: &ArrayAxes) -> Result<usize, FileProblem> {
    let bytes = array.shape[axes.x]
        .checked_mul(array.shape[axes.y])
        .and_then(|samples| samples.checked_mul(array.stored.bytes() as u64))
        .and_then(|bytes| usize::try_from(bytes).ok());
    let bytes = bytes.ok_or_else(|| FileProblem::TooLarge {
        sizes: array.shape.iter().rev().copied().collect(),
    })?;
    memory::probe("a plane", bytes as u64)?;
    Ok(bytes)
}
