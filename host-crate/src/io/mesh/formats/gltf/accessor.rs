//! Numbers of accessors in the binary chunk.

use serde_json::Value;

use super::{FLOAT, UNSIGNED_INT};
use crate::io::FileProblem;
use crate::io::mesh::formats::gltf::document::{damaged, index, unsupported};
use crate::memory;

/// Type of the components of an accessor.
#[derive(Clone, Copy)]
enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl ComponentType {
    fn from_code(code: u64) -> Result<Self, FileProblem> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            code if code == u64::from(UNSIGNED_INT) => Self::U32,
            code if code == u64::from(FLOAT) => Self::F32,
            _ => {
                return Err(damaged(format!(
                    "an accessor has the component type {code}"
                )));
            }
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Returns a component, scaled to [-1, 1] if it is a normalized integer.
    fn read(self, bytes: &[u8], is_normalized: bool) -> f32 {
        let (value, max) = match self {
            Self::I8 => (f32::from(bytes[0] as i8), 127.0),
            Self::U8 => (f32::from(bytes[0]), 255.0),
            Self::I16 => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
            Self::U16 => (f32::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
            Self::U32 => (self.read_index(bytes) as f32, 1.0),
            Self::F32 => {
                let word = [bytes[0], bytes[1], bytes[2], bytes[3]];
                return f32::from_le_bytes(word);
            }
        };
        if is_normalized {
            (value / max).max(-1.0)
        } else {
            value
        }
    }

    /// Returns a component as an index.
    fn read_index(self, bytes: &[u8]) -> u32 {
        bytes[..self.bytes()]
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u32::from(*byte))
    }
}

/// Numbers that an accessor describes.
pub(super) struct Accessor<'b> {
    bytes: &'b [u8],
    stride: usize,
    pub count: usize,
    component: ComponentType,
    is_normalized: bool,
}

impl<'b> Accessor<'b> {
    /// Locates the numbers of an accessor, which has elements of this type, in the binary chunk.
    pub fn locate(
        document: &Value,
        binary: &'b [u8],
        accessor: u64,
        element: &str,
    ) -> Result<Self, FileProblem> {
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let found = index(document, "accessors", accessor)?;
        if found.get("sparse").is_some() {
            return Err(unsupported("glTF with sparse accessors".to_owned()));
        }
        if found.get("type").and_then(Value::as_str) != Some(element) {
            return Err(damaged(format!(
                "accessor {accessor} is not of type {element}"
            )));
        }
        let view = number(found, "bufferView")
            .ok_or_else(|| unsupported("glTF with an accessor without a buffer view".to_owned()))?;
        let view = index(document, "bufferViews", view)?;
        if number(view, "buffer") != Some(0) {
            return Err(unsupported("glTF with several buffers".to_owned()));
        }
        let component = number(found, "componentType").unwrap_or(0);
        let component = ComponentType::from_code(component)?;
        let width = component.bytes() * if element == "VEC3" { 3 } else { 1 };
        let beyond = || damaged(format!("accessor {accessor} exceeds its buffer view"));
        let part = |bytes: &'b [u8], start: u64, length: Option<u64>| {
            let rest = bytes.get(usize::try_from(start).ok()?..)?;
            match length {
                None => Some(rest),
                Some(length) => rest.get(..usize::try_from(length).ok()?),
            }
        };
        let start = number(view, "byteOffset").unwrap_or(0);
        let bytes = part(binary, start, number(view, "byteLength")).ok_or_else(beyond)?;
        let start = number(found, "byteOffset").unwrap_or(0);
        let bytes = part(bytes, start, None).ok_or_else(beyond)?;
        let stride = number(view, "byteStride").unwrap_or(width as u64);
        let stride = usize::try_from(stride).ok().filter(|it| *it >= width);
        let stride = stride.ok_or_else(beyond)?;
        let count = number(found, "count").unwrap_or(0);
        let count = usize::try_from(count).map_err(|_| beyond())?;
        let needed = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(width));
        if needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(beyond());
        }
        Ok(Self {
            bytes,
            stride,
            count,
            component,
            is_normalized: found.get("normalized") == Some(&Value::Bool(true)),
        })
    }

    /// Returns vectors of three numbers.
    pub fn vectors(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        let width = self.component.bytes();
        (0..self.count).map(move |element| {
            let bytes = &self.bytes[element * self.stride..];
            let read = |axis: usize| {
                let bytes = &bytes[axis * width..];
                self.component.read(bytes, self.is_normalized)
            };
            [0, 1, 2].map(read)
        })
    }

    /// Returns indices.
    pub fn indices(&self) -> Result<Vec<u32>, FileProblem> {
        let mut found = Vec::new();
        memory::try_reserve("a mesh", &mut found, self.count)?;
        let elements = 0..self.count;
        found.extend(elements.map(|element| {
            let bytes = &self.bytes[element * self.stride..];
            self.component.read_index(bytes)
        }));
        Ok(found)
    }
}
