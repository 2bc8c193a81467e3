//! Chunks of a binary file, elements of its JSON part, and matrices of its nodes.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use super::{BINARY_CHUNK, JSON_CHUNK, MAGIC};
use crate::io::FileProblem;
use crate::io::source::{Remaining, Source};

/// Largest size of the JSON part, in bytes.
const MAX_JSON: usize = 64 << 20;
/// Largest nesting of the JSON part.
const MAX_DEPTH: usize = 64;

/// Extensions that do not concern positions and triangles, with these starts of their names.
const IGNORED_EXTENSIONS: [&str; 3] = ["KHR_materials_", "KHR_texture_", "KHR_lights_"];
/// Further extensions that are read.
const KNOWN_EXTENSIONS: [&str; 1] = ["KHR_mesh_quantization"];

/// Reads a file and returns its JSON part and its binary chunk, which is empty if there is none.
pub(super) fn read_chunks(source: &mut Source<'_>) -> Result<(Value, Vec<u8>), FileProblem> {
    let mut header = [0; 12];
    let found = source.fill(&mut header)?;
    if found < header.len() || !header.starts_with(MAGIC) {
        return Err(damaged("it does not start with \"glTF\"".to_owned()));
    }
    let [version, length] = [4, 8].map(|at| word(&header, at));
    if version != 2 {
        return Err(unsupported(format!("glTF version {version}")));
    }
    let content = u64::from(length).saturating_sub(12);
    let is_short = match source.remaining() {
        Remaining::Exactly(left) | Remaining::AtMost(left) => left < content,
        Remaining::Unknown => false,
    };
    if is_short {
        return Err(damaged(format!(
            "its header states {length} bytes; the file is truncated, so fetch it again"
        )));
    }
    let content = source.read_exact_growing(content)?;
    let content =
        content.ok_or_else(|| damaged("the file is truncated, so fetch it again".to_owned()))?;
    let (mut document, mut binary) = (None, None);
    let mut rest = &content[..];
    while let Some((header, after)) = rest.split_first_chunk::<8>() {
        let length = word(header, 0) as usize;
        let chunk = after.get(..length);
        let chunk = chunk.ok_or_else(|| damaged("a chunk exceeds the file".to_owned()))?;
        match word(header, 4) {
            JSON_CHUNK if document.is_none() => document = Some(parse_json(chunk)?),
            BINARY_CHUNK if binary.is_none() => binary = Some(chunk.to_vec()),
            _ => {}
        }
        rest = after.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    let document = document.ok_or_else(|| damaged("it has no JSON chunk".to_owned()))?;
    Ok((document, binary.unwrap_or_default()))
}

fn parse_json(chunk: &[u8]) -> Result<Value, FileProblem> {
    if chunk.len() > MAX_JSON {
        return Err(damaged(format!("its JSON part has {} bytes", chunk.len())));
    }
    // The parser recurses without a limit.
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in chunk {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(damaged(format!(
                "its JSON part is nested more than {MAX_DEPTH} deep"
            )));
        }
    }
    serde_json::from_slice(chunk)
        .map_err(|error| damaged(format!("its JSON part is invalid: {error}")))
}

/// Fails if the file needs an extension that changes positions or triangles.
pub(super) fn check_extensions(document: &Value) -> Result<(), FileProblem> {
    let required = document.get("extensionsRequired");
    let required = required.and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        let is_ignored = IGNORED_EXTENSIONS.iter().any(|it| name.starts_with(it));
        if !is_ignored && !KNOWN_EXTENSIONS.contains(&name) {
            return Err(unsupported(format!("glTF with the extension {name:?}")));
        }
    }
    Ok(())
}

/// Returns an element of a list of the document.
pub(super) fn index<'d>(
    document: &'d Value,
    list: &str,
    index: u64,
) -> Result<&'d Value, FileProblem> {
    let element = usize::try_from(index).ok();
    let element = element.and_then(|it| document.get(list)?.get(it));
    element.ok_or_else(|| damaged(format!("element {index} of {list:?} does not exist")))
}

/// Returns the numbers of an array of this length; `None` if there is none.
fn numbers<const N: usize>(value: &Value, key: &str) -> Option<[f64; N]> {
    let values = value.get(key)?.as_array()?;
    let values: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
    values?.try_into().ok()
}

/// Returns the matrix of a node.
pub(super) fn node_matrix(node: &Value) -> Matrix4<f64> {
    if let Some(columns) = numbers::<16>(node, "matrix") {
        return Matrix4::from_column_slice(&columns);
    }
    let [x, y, z, w] = numbers(node, "rotation").unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    let scale = numbers(node, "scale").unwrap_or([1.0; 3]);
    let translation = numbers(node, "translation").unwrap_or([0.0; 3]);
    Matrix4::new_translation(&Vector3::from(translation))
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&Vector3::from(scale))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(super) fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: "glTF",
        problem,
    }
}

pub(super) fn unsupported(what: String) -> FileProblem {
    FileProblem::Unsupported {
        what,
        advice: "write one file of glTF 2.0 without compression, or another mesh format",
    }
}
