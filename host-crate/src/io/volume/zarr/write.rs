//! Writer of Zarr 3 with OME-NGFF 0.5 in a zip archive: chunks compressed with gzip, without those
//! that hold zeros only.

use std::io::{self, BufWriter, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};

use crate::io::output::replacement::Replacement;
use crate::io::volume::options::VolumeContent;
use crate::io::zip::writer::ZipWriter;
use crate::io::{ByteOrder, FileProblem, StoredType};
use crate::{memory, parallel};

/// Compression level, as for other volumes.
const LEVEL: u32 = 2;
/// Largest size of a chunk along each axis.
const CHUNK: usize = 64;
/// Bytes of planes that are held in memory, unless a plane has more.
const SLAB_BYTES: usize = 16 << 20;
/// Comment that archives of OME-Zarr have.
const COMMENT: &str =
    "{\"ome\":{\"version\":\"0.5\",\"zipFile\":{\"centralDirectory\":{\"jsonFirst\":true}}}}";

/// Writer that collects the planes of a layer of chunks.
pub(in crate::io) struct ZarrWriter {
    archive: ZipWriter<BufWriter<Replacement>>,
    dims: [usize; 3],
    /// Size of a chunk along x, y and z.
    chunk: [usize; 3],
    sample_bytes: usize,
    /// Samples of the planes of the current layer.
    slab: Vec<u8>,
    /// Index of the current layer along z.
    layer: usize,
}

impl ZarrWriter {
    /// Writes the metadata.
    pub fn begin(
        out: BufWriter<Replacement>,
        content: &VolumeContent,
    ) -> Result<Self, FileProblem> {
        let sample_bytes = content.stored.bytes();
        let [nx, ny, nz] = content.dims;
        let plane_bytes = nx.saturating_mul(ny).saturating_mul(sample_bytes);
        let planes = (SLAB_BYTES / plane_bytes.max(1))
            .clamp(1, CHUNK)
            .min(nz.max(1));
        let chunk = [nx.clamp(1, CHUNK), ny.clamp(1, CHUNK), planes];
        let mut archive = ZipWriter::new(out);
        let mut store = |name: &str, document: Value| {
            let text = document.to_string();
            archive
                .store(name, text.as_bytes())
                .map_err(|error| FileProblem::from_io("write", error))
        };
        store("zarr.json", group(content))?;
        store("0/zarr.json", array(content, chunk))?;
        let mut slab = Vec::new();
        memory::try_reserve(
            "planes of chunks",
            &mut slab,
            plane_bytes.saturating_mul(planes),
        )?;
        Ok(Self {
            archive,
            dims: content.dims,
            chunk,
            sample_bytes,
            slab,
            layer: 0,
        })
    }

    /// Returns the file after all samples.
    pub fn finish(mut self) -> io::Result<Replacement> {
        if !self.slab.is_empty() {
            self.write_layer()?;
        }
        let out = self.archive.finish(COMMENT)?;
        Ok(out.into_inner()?)
    }

    /// Compresses and writes the chunks of the planes that are held.
    fn write_layer(&mut self) -> io::Result<()> {
        let counts = [0, 1].map(|axis| self.dims[axis].div_ceil(self.chunk[axis]));
        let chunks = parallel::map_ranges(counts[0] * counts[1], 1, |range| {
            let index = range.start;
            self.compress([index % counts[0], index / counts[0]])
        });
        for (index, chunk) in chunks.into_iter().enumerate() {
            if let Some(bytes) = chunk? {
                let (x, y) = (index % counts[0], index / counts[0]);
                let name = format!("0/c/{}/{y}/{x}", self.layer);
                self.archive.store(&name, &bytes)?;
            }
        }
        self.layer += 1;
        self.slab.clear();
        Ok(())
    }

    /// Returns the compressed samples of a chunk; `None` if all are zero.
    fn compress(&self, chunk: [usize; 2]) -> io::Result<Option<Vec<u8>>> {
        let [width, height, depth] = self.chunk;
        let bytes = self.sample_bytes;
        let row = self.dims[0] * bytes;
        let plane = row * self.dims[1];
        let [x, y] = [chunk[0] * width, chunk[1] * height];
        let count = width.min(self.dims[0] - x) * bytes;
        let mut content = memory::try_zeroed::<u8>("a chunk", width * height * depth * bytes)?;
        for z in 0..self.slab.len() / plane {
            for line in 0..height.min(self.dims[1] - y) {
                let from = z * plane + (y + line) * row + x * bytes;
                let to = (z * height + line) * width * bytes;
                content[to..to + count].copy_from_slice(&self.slab[from..from + count]);
            }
        }
        if content.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let level = Compression::new(LEVEL);
        let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), level);
        encoder.write_all(&content)?;
        encoder.finish().map(Some)
    }
}

impl Write for ZarrWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plane = self.dims[0] * self.dims[1] * self.sample_bytes;
        let capacity = plane * self.chunk[2];
        if capacity == 0 {
            return Ok(0);
        }
        let count = bytes.len().min(capacity - self.slab.len());
        self.slab.extend_from_slice(&bytes[..count]);
        if self.slab.len() == capacity {
            self.write_layer()?;
        }
        Ok(count)
    }

    /// Keeps incomplete chunks.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the metadata of the group: axes, spacing, and the origin if the axes are those of the
/// world.
fn group(content: &VolumeContent) -> Value {
    let spacing = content.geometry.spacing();
    let origin = content.geometry.origin();
    let axes = content.geometry.axes();
    let mut transforms = vec![json!({
        "type": "scale",
        "scale": [spacing[2], spacing[1], spacing[0]],
    })];
    let is_aligned = (0..3).all(|axis| axes[(axis, axis)] == spacing[axis]);
    if is_aligned {
        transforms.push(json!({
            "type": "translation",
            "translation": [origin.z, origin.y, origin.x],
        }));
    }
    let axes =
        ["z", "y", "x"].map(|name| json!({ "name": name, "type": "space", "unit": "millimeter" }));
    json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": { "ome": {
            "version": "0.5",
            "multiscales": [{
                "axes": axes,
                "datasets": [{ "path": "0", "coordinateTransformations": transforms }],
            }],
        } },
    })
}

/// Returns the metadata of the array.
fn array(content: &VolumeContent, chunk: [usize; 3]) -> Value {
    let endian = match content.order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    };
    let kind = match content.stored {
        StoredType::U8 => "uint8",
        StoredType::I8 => "int8",
        StoredType::U16 => "uint16",
        StoredType::I16 => "int16",
        StoredType::U32 => "uint32",
        StoredType::I32 => "int32",
        StoredType::U64 => "uint64",
        StoredType::I64 => "int64",
        StoredType::F32 => "float32",
        StoredType::F64 => "float64",
    };
    let reversed = |[x, y, z]: [usize; 3]| [z, y, x];
    json!({
        "zarr_format": 3,
        "node_type": "array",
        "shape": reversed(content.dims),
        "data_type": kind,
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": reversed(chunk) } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "fill_value": 0,
        "codecs": [
            { "name": "bytes", "configuration": { "endian": endian } },
            { "name": "gzip", "configuration": { "level": LEVEL } },
        ],
        "dimension_names": ["z", "y", "x"],
        "attributes": {},
    })
}
