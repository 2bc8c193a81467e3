//! An array, and the sizes and keys of its chunks.

use crate::io::volume::zarr::codecs::Codec;
use crate::io::volume::zarr::store::Store;
use crate::io::volume::zarr::{MAX_METADATA, damaged, parse_json};
use crate::io::{ByteOrder, FileProblem, StoredType};

/// Largest number of axes.
const MAX_AXES: usize = 32;
/// Largest size of a chunk, in bytes.
const MAX_CHUNK: u64 = 1 << 30;
/// Largest number of chunks of a shard.
const MAX_SHARD: u64 = 1 << 21;

/// An array. Axes are in the order of the shape, slowest first.
#[derive(Debug)]
pub(super) struct Array {
    /// Path in the hierarchy, with a final slash unless it is the root.
    pub prefix: String,
    pub version: u8,
    pub shape: Vec<u64>,
    /// Size of a chunk.
    pub chunk: Vec<u64>,
    /// Number of chunks of a shard along every axis; `None` without shards.
    pub shard: Option<Shard>,
    pub stored: StoredType,
    /// `true` for floats of 16 bits.
    pub is_half: bool,
    pub order: ByteOrder,
    /// Axes of a stored chunk, slowest first.
    pub storage_axes: Vec<usize>,
    pub codecs: Vec<Codec>,
    /// Bytes of a sample of a missing chunk.
    pub fill: Vec<u8>,
    pub keys: KeyEncoding,
    pub dimension_names: Vec<Option<String>>,
}

/// Chunks that are stored together.
#[derive(Debug)]
pub(super) struct Shard {
    pub counts: Vec<u64>,
    pub is_index_first: bool,
    /// Codecs of the index.
    pub index_codecs: Vec<Codec>,
}

/// Form of the keys of chunks.
#[derive(Debug)]
pub(super) struct KeyEncoding {
    pub prefix: &'static str,
    pub separator: char,
}

impl Array {
    /// Reads the metadata of the array at a path; `None` if there is no array.
    pub fn read(store: &Store<'_>, path: &str) -> Result<Option<Self>, FileProblem> {
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{}/", path.trim_end_matches('/'))
        };
        if let Some(bytes) = store.read(&format!("{prefix}zarr.json"), MAX_METADATA)? {
            let json = parse_json("zarr.json", &bytes)?;
            if json["node_type"] != "array" {
                return Ok(None);
            }
            return Self::parse_v3(prefix, &json).map(Some);
        }
        let Some(bytes) = store.read(&format!("{prefix}.zarray"), MAX_METADATA)? else {
            return Ok(None);
        };
        let json = parse_json(".zarray", &bytes)?;
        let mut array = Self::parse_v2(prefix, &json)?;
        if let Some(bytes) = store.read(&format!("{}.zattrs", array.prefix), MAX_METADATA)? {
            let attributes = parse_json(".zattrs", &bytes)?;
            if let Some(names) = attributes["_ARRAY_DIMENSIONS"].as_array() {
                array.dimension_names = names
                    .iter()
                    .map(|it| it.as_str().map(str::to_owned))
                    .collect();
            }
        }
        Ok(Some(array))
    }

    /// Checks the sizes of the array and of its chunks.
    pub fn check(self) -> Result<Self, FileProblem> {
        let axes = self.shape.len();
        let bytes = self
            .chunk
            .iter()
            .try_fold(8_u64, |all, size| all.checked_mul(*size));
        let shard = self.shard.as_ref().map_or(Some(1), |shard| {
            shard
                .counts
                .iter()
                .try_fold(1_u64, |all, count| all.checked_mul(*count))
        });
        if axes == 0 || axes > MAX_AXES || self.chunk.len() != axes || self.chunk.contains(&0) {
            return Err(damaged(format!(
                "the shape is {:?}, chunks are {:?}",
                self.shape, self.chunk
            )));
        }
        if bytes.is_none_or(|bytes| bytes > 8 * MAX_CHUNK) || shard.is_none_or(|it| it > MAX_SHARD)
        {
            return Err(damaged(format!("chunks are {:?}", self.chunk)));
        }
        if self.dimension_names.len() != axes {
            return Err(damaged("the number of dimension names is wrong".to_owned()));
        }
        Ok(self)
    }

    /// Returns the size of a stored sample, in bytes.
    pub fn sample_bytes(&self) -> usize {
        if self.is_half { 2 } else { self.stored.bytes() }
    }

    /// Returns the number of samples of a chunk.
    pub fn chunk_samples(&self) -> usize {
        self.chunk.iter().product::<u64>() as usize
    }

    /// Returns the key of a chunk or a shard.
    pub fn key(&self, index: &[u64]) -> String {
        let numbers: Vec<String> = index.iter().map(u64::to_string).collect();
        let separator = self.keys.separator.to_string();
        let joined = numbers.join(&separator);
        match self.keys.prefix {
            "" => format!("{}{joined}", self.prefix),
            prefix => format!("{}{prefix}{separator}{joined}", self.prefix),
        }
    }
}
