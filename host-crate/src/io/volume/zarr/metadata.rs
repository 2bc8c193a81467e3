//! Metadata of arrays of version 2 and 3.

use serde_json::Value;

use crate::io::volume::zarr::array::{Array, KeyEncoding, Shard};
use crate::io::volume::zarr::codecs::{Codec, named};
use crate::io::volume::zarr::{damaged, unsupported};
use crate::io::{ByteOrder, FileProblem, StoredType};

impl Array {
    /// Parses the file `.zarray` of version 2.
    pub fn parse_v2(prefix: String, json: &Value) -> Result<Self, FileProblem> {
        let text = json["dtype"].as_str().unwrap_or_default();
        let (order, code) = text.split_at_checked(1).unwrap_or_default();
        let order = match order {
            ">" => ByteOrder::Big,
            _ => ByteOrder::Little,
        };
        let (stored, is_half) = match code {
            "b1" | "u1" => (StoredType::U8, false),
            "i1" => (StoredType::I8, false),
            "u2" => (StoredType::U16, false),
            "i2" => (StoredType::I16, false),
            "u4" => (StoredType::U32, false),
            "i4" => (StoredType::I32, false),
            "u8" => (StoredType::U64, false),
            "i8" => (StoredType::I64, false),
            "f2" => (StoredType::F32, true),
            "f4" => (StoredType::F32, false),
            "f8" => (StoredType::F64, false),
            _ => return Err(unsupported(format!("Zarr with the type {}", json["dtype"]))),
        };
        let mut codecs = Vec::new();
        if let Some(filters) = json["filters"].as_array() {
            for filter in filters {
                let name = filter["id"].as_str().unwrap_or("unknown");
                codecs.push(Codec::from_name(name)?);
            }
        }
        if !json["compressor"].is_null() {
            let name = json["compressor"]["id"].as_str().unwrap_or("unknown");
            codecs.push(Codec::from_name(name)?);
        }
        let shape = sizes(&json["shape"], "shape")?;
        let mut storage_axes: Vec<usize> = (0..shape.len()).collect();
        if json["order"] == "F" {
            storage_axes.reverse();
        }
        let separator = match json["dimension_separator"].as_str() {
            Some("/") => '/',
            _ => '.',
        };
        let array = Self {
            prefix,
            version: 2,
            chunk: sizes(&json["chunks"], "chunks")?,
            shard: None,
            stored,
            is_half,
            order,
            storage_axes,
            codecs,
            fill: fill_bytes(&json["fill_value"], stored)?,
            keys: KeyEncoding {
                prefix: "",
                separator,
            },
            dimension_names: vec![None; shape.len()],
            shape,
        };
        array.check()
    }

    /// Parses the file `zarr.json` of version 3.
    pub fn parse_v3(prefix: String, json: &Value) -> Result<Self, FileProblem> {
        let (stored, is_half) = match json["data_type"].as_str().unwrap_or_default() {
            "bool" => (StoredType::U8, false),
            "float16" => (StoredType::F32, true),
            name => {
                let stored = name.parse::<StoredType>();
                let stored = stored.map_err(|_| {
                    unsupported(format!("Zarr with the type {}", json["data_type"]))
                })?;
                (stored, false)
            }
        };
        let (grid, configuration) = named(&json["chunk_grid"]);
        if grid != "regular" {
            return Err(unsupported(format!("Zarr with the chunk grid {grid:?}")));
        }
        let chunk = sizes(&configuration["chunk_shape"], "chunk_shape")?;
        let shape = sizes(&json["shape"], "shape")?;
        let (encoding, configuration) = named(&json["chunk_key_encoding"]);
        let keys = match encoding {
            "v2" => KeyEncoding {
                prefix: "",
                separator: separator(configuration, '.'),
            },
            _ => KeyEncoding {
                prefix: "c",
                separator: separator(configuration, '/'),
            },
        };
        let names = json["dimension_names"].as_array();
        let mut array = Self {
            prefix,
            version: 3,
            storage_axes: (0..shape.len()).collect(),
            chunk,
            shard: None,
            stored,
            is_half,
            order: ByteOrder::Little,
            codecs: Vec::new(),
            fill: fill_bytes(&json["fill_value"], stored)?,
            keys,
            dimension_names: match names {
                Some(names) => names
                    .iter()
                    .map(|it| it.as_str().map(str::to_owned))
                    .collect(),
                None => vec![None; shape.len()],
            },
            shape,
        };
        let codecs = json["codecs"].as_array();
        let codecs = codecs.ok_or_else(|| damaged("there are no codecs".to_owned()))?;
        array.apply_codecs(codecs)?;
        array.check()
    }

    /// Sets the byte order, the axes and the codecs of chunks, of those in a shard if there are
    /// shards.
    fn apply_codecs(&mut self, codecs: &[Value]) -> Result<(), FileProblem> {
        for codec in codecs {
            let (name, configuration) = named(codec);
            match name {
                "bytes" => {
                    if configuration["endian"] == "big" {
                        self.order = ByteOrder::Big;
                    }
                }
                "transpose" => {
                    let order = sizes(&configuration["order"], "order")?;
                    let axes: Vec<usize> = order.iter().map(|axis| *axis as usize).collect();
                    let mut sorted = axes.clone();
                    sorted.sort_unstable();
                    if !sorted.into_iter().eq(0..self.shape.len()) {
                        return Err(damaged(format!("the transposition is {axes:?}")));
                    }
                    // Axes of the array after earlier transpositions.
                    let earlier = std::mem::take(&mut self.storage_axes);
                    self.storage_axes = axes.into_iter().map(|axis| earlier[axis]).collect();
                }
                "sharding_indexed" if self.shard.is_none() && codecs.len() == 1 => {
                    self.apply_sharding(configuration)?;
                }
                name => self.codecs.push(Codec::from_name(name)?),
            }
        }
        Ok(())
    }

    fn apply_sharding(&mut self, configuration: &Value) -> Result<(), FileProblem> {
        let inner = sizes(&configuration["chunk_shape"], "chunk_shape")?;
        let is_divided = inner.len() == self.chunk.len()
            && inner
                .iter()
                .zip(&self.chunk)
                .all(|(inner, outer)| *inner > 0 && outer % inner == 0);
        if !is_divided {
            return Err(damaged(format!(
                "shards of {:?} hold chunks of {inner:?}",
                self.chunk
            )));
        }
        let counts: Vec<u64> = self
            .chunk
            .iter()
            .zip(&inner)
            .map(|(outer, inner)| outer / inner)
            .collect();
        let mut index_codecs = Vec::new();
        for codec in configuration["index_codecs"]
            .as_array()
            .into_iter()
            .flatten()
        {
            match named(codec).0 {
                "bytes" => {}
                "crc32c" => index_codecs.push(Codec::Crc32c),
                name => return Err(unsupported(format!("Zarr with the index codec {name}"))),
            }
        }
        self.chunk = inner;
        self.shard = Some(Shard {
            counts,
            is_index_first: configuration["index_location"] == "start",
            index_codecs,
        });
        let codecs = configuration["codecs"].as_array();
        let codecs = codecs.ok_or_else(|| damaged("shards have no codecs".to_owned()))?;
        self.apply_codecs(codecs)
    }
}

fn separator(configuration: &Value, default: char) -> char {
    match configuration["separator"].as_str() {
        Some(".") => '.',
        Some("/") => '/',
        _ => default,
    }
}

fn sizes(value: &Value, name: &str) -> Result<Vec<u64>, FileProblem> {
    let sizes = value
        .as_array()
        .map(|list| list.iter().map(Value::as_u64).collect());
    let sizes: Option<Vec<u64>> = sizes.flatten();
    sizes.ok_or_else(|| damaged(format!("{name} is {value}")))
}

/// Returns the little-endian bytes of a fill value; 0 for none.
fn fill_bytes(value: &Value, stored: StoredType) -> Result<Vec<u8>, FileProblem> {
    let number = match value {
        Value::Null => 0.0,
        Value::Bool(flag) => f64::from(*flag),
        Value::Number(number) => {
            if let (Some(integer), false) = (
                number.as_i64(),
                matches!(stored, StoredType::F32 | StoredType::F64),
            ) {
                return Ok(integer.to_le_bytes()[..stored.bytes()].to_vec());
            }
            if let (Some(integer), StoredType::U64) = (number.as_u64(), stored) {
                return Ok(integer.to_le_bytes().to_vec());
            }
            number.as_f64().unwrap_or(0.0)
        }
        Value::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return Err(unsupported(format!("Zarr with the fill value {text:?}"))),
        },
        other => return Err(damaged(format!("the fill value is {other}"))),
    };
    Ok(match stored {
        StoredType::F32 => (number as f32).to_le_bytes().to_vec(),
        StoredType::F64 => number.to_le_bytes().to_vec(),
        _ => (number as i64).to_le_bytes()[..stored.bytes()].to_vec(),
    })
}
