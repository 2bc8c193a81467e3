//! Meaning of the axes of an array, and their spacing.

use serde_json::Value;

use crate::io::FileProblem;
use crate::io::volume::zarr::array::Array;
use crate::io::volume::zarr::damaged;

/// Largest number of chunks of a plane.
const MAX_PLANE_CHUNKS: u64 = 1 << 22;
/// Size of a chunk that is accepted whatever part of it the array uses, in bytes.
const MAX_PADDED: u64 = 64 << 20;
/// Largest size of a larger chunk, in sizes of the part that the array uses.
const MAX_PADDING: u64 = 8;

/// Spatial and other axes of an array.
#[derive(Clone, Debug)]
pub(super) struct ArrayAxes {
    /// Indices of the spatial axes in the shape.
    pub x: usize,
    pub y: usize,
    pub z: usize,
    /// Indices of the other axes, fastest first.
    pub extra: Vec<usize>,
    /// Index among `extra` of the axis of channels.
    pub channel: Option<usize>,
    /// Number of samples of a plane.
    samples: usize,
}

impl ArrayAxes {
    /// Finds the axes by their names; without names the last three are z, y and x. The array must
    /// have at least three axes.
    pub fn new(names: &[Option<String>], array: &Array) -> Self {
        let count = array.shape.len();
        let find = |name: &str| {
            names.iter().position(|known| {
                known
                    .as_deref()
                    .is_some_and(|known| known.eq_ignore_ascii_case(name))
            })
        };
        let [x, y, z] = match (find("x"), find("y"), find("z")) {
            (Some(x), Some(y), Some(z)) => [x, y, z],
            _ => [count - 1, count - 2, count - 3],
        };
        let extra: Vec<usize> = (0..count)
            .rev()
            .filter(|axis| ![x, y, z].contains(axis))
            .collect();
        let channel = ["c", "channel"].iter().find_map(|name| find(name));
        let channel = channel.and_then(|axis| extra.iter().position(|it| *it == axis));
        Self {
            samples: (array.shape[x] as usize).saturating_mul(array.shape[y] as usize),
            x,
            y,
            z,
            extra,
            channel,
        }
    }

    /// Returns a note if some of the axes have names, but none is x, y or z.
    pub fn note(&self, names: &[Option<String>]) -> Option<String> {
        let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let taken = [("x", self.x), ("y", self.y), ("z", self.z)];
        let is_missing = |name: &str| !known.iter().any(|it| it.eq_ignore_ascii_case(name));
        let (missing, _) = taken.iter().find(|(name, _)| is_missing(name))?;
        let name = |index: usize| names[index].as_deref().unwrap_or("an axis without a name");
        (!known.is_empty()).then(|| {
            format!(
                "there is no axis {missing} (but {}); x, y and z are {}, {} and {}",
                known.join(", "),
                name(self.x),
                name(self.y),
                name(self.z)
            )
        })
    }

    /// Checks that planes consist of a reasonable number of chunks, and that chunks do not exceed
    /// the array by far.
    pub fn check_chunks(&self, array: &Array) -> Result<(), FileProblem> {
        let count = |axis: usize| array.shape[axis].div_ceil(array.chunk[axis]);
        let chunks = count(self.x).saturating_mul(count(self.y));
        let used = array.chunk.iter().zip(&array.shape);
        let used = used.fold(1_u64, |all, (chunk, size)| {
            all.saturating_mul(*chunk.min(&(*size).max(1)))
        });
        let bytes = array.chunk_samples() as u64 * array.stored.bytes() as u64;
        let is_too_large = bytes > MAX_PADDED && bytes / MAX_PADDING > used * 8;
        if chunks > MAX_PLANE_CHUNKS || is_too_large {
            return Err(damaged(format!(
                "the shape is {:?}, but chunks are {:?}; save it with other chunks",
                array.shape, array.chunk
            )));
        }
        Ok(())
    }

    /// Returns the number of samples of a plane.
    pub fn plane_samples(&self) -> usize {
        self.samples
    }
}

/// Resolution levels of an image (OME-NGFF 0.4 and 0.5).
#[derive(Debug, Default)]
pub(super) struct Multiscale {
    /// Name and unit of every axis.
    pub axes: Vec<(Option<String>, Option<String>)>,
    pub levels: Vec<Level>,
}

/// Resolution level.
#[derive(Debug)]
pub(super) struct Level {
    pub path: String,
    /// Spacing along every axis; empty if it is not stated.
    pub scale: Vec<f64>,
    /// Position of the first sample along every axis.
    pub translation: Vec<f64>,
}

impl Multiscale {
    /// Parses the attributes of a group; `None` if they describe no image.
    pub fn parse(attributes: &Value) -> Option<Self> {
        let ome = &attributes["ome"];
        let root = if ome.is_null() { attributes } else { ome };
        let multiscale = root["multiscales"].as_array()?.first()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let axes = multiscale["axes"].as_array().into_iter().flatten();
        let axes = axes.map(|axis| match axis {
            Value::String(name) => (Some(name.clone()), None),
            axis => (text(&axis["name"]), text(&axis["unit"])),
        });
        let outer = Transform::parse(&multiscale["coordinateTransformations"]);
        let levels = multiscale["datasets"]
            .as_array()?
            .iter()
            .filter_map(|dataset| {
                let inner = Transform::parse(&dataset["coordinateTransformations"]);
                let (scale, translation) = inner.then(&outer);
                Some(Level {
                    path: text(&dataset["path"])?,
                    scale,
                    translation,
                })
            });
        Some(Self {
            axes: axes.collect(),
            levels: levels.collect(),
        })
    }
}

/// Scale and translation along every axis.
struct Transform {
    scale: Vec<f64>,
    translation: Vec<f64>,
}

impl Transform {
    fn parse(value: &Value) -> Self {
        let find = |kind: &str| {
            let list = value.as_array().into_iter().flatten();
            let mut list = list.filter(|it| it["type"] == kind);
            let numbers = list.next().and_then(|it| it[kind].as_array());
            let numbers = numbers.into_iter().flatten().filter_map(Value::as_f64);
            numbers.collect()
        };
        Self {
            scale: find("scale"),
            translation: find("translation"),
        }
    }

    /// Returns scale and translation of this transform followed by `outer`.
    fn then(self, outer: &Self) -> (Vec<f64>, Vec<f64>) {
        let axes = self.scale.len().max(outer.scale.len());
        let get =
            |list: &[f64], axis: usize, default: f64| list.get(axis).copied().unwrap_or(default);
        let scale =
            (0..axes).map(|axis| get(&self.scale, axis, 1.0) * get(&outer.scale, axis, 1.0));
        let axes = self.translation.len().max(outer.translation.len());
        let translation = (0..axes).map(|axis| {
            get(&self.translation, axis, 0.0) * get(&outer.scale, axis, 1.0)
                + get(&outer.translation, axis, 0.0)
        });
        (scale.collect(), translation.collect())
    }
}
