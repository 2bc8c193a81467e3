//! Reader of OBJ: `v` and `f` records. Other records, texture coordinates and normals are ignored.

use crate::io::FileProblem;
use crate::io::mesh::position_list::{PositionList, parse_number};
use crate::io::mesh::try_append::append;
use crate::io::source::Source;
use crate::mesh::{TriangleMesh, Triangles};

/// Longest line that is accepted, in bytes: a face with thousands of corners.
const MAX_LINE: usize = 1 << 16;

/// Reads positions and triangles. Polygons are cut into triangle fans from their first corner.
pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let mut vertices = PositionList::default();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut line_number = 0u64;
    while let Some(line) = source.line(MAX_LINE)? {
        line_number += 1;
        let invalid = |problem: &str| damaged(line_number, &line, problem);
        if line.len() >= MAX_LINE {
            return Err(invalid("is too long"));
        }
        let Ok(text) = std::str::from_utf8(&line) else {
            // Comments and names may be in another encoding.
            if matches!(line.first(), Some(b'#' | b'g' | b'o' | b'u' | b'm' | b's')) {
                continue;
            }
            return Err(invalid("is not UTF-8 text"));
        };
        let text = text.split('#').next().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let (position, nearest) =
                    vertex(words).ok_or_else(|| invalid("is not a vertex of three numbers"))?;
                if vertices.len() as u64 >= u64::from(u32::MAX) {
                    return Err(invalid("exceeds the limit of 4294967295 vertices"));
                }
                vertices.append(position, nearest)?;
            }
            Some("f") => {
                let mut corners = words.map(|word| corner(word, vertices.len()));
                let mut next = || {
                    corners.next().map(|corner| {
                        corner.ok_or_else(|| {
                            invalid("refers to a vertex that is not defined before it")
                        })
                    })
                };
                let (Some(first), Some(second), Some(third)) = (next(), next(), next()) else {
                    return Err(invalid("is a face with fewer than three corners"));
                };
                let (first, mut previous) = (first?, third?);
                append(&mut triangles, [first, second?, previous])?;
                while let Some(corner) = next() {
                    let corner = corner?;
                    append(&mut triangles, [first, previous, corner])?;
                    previous = corner;
                }
            }
            Some(word) if !is_keyword(word) => {
                return Err(invalid("does not start with a keyword of the format"));
            }
            _ => {}
        }
    }
    let (origin, vertices) = vertices.into_local()?;
    Ok(TriangleMesh {
        origin,
        vertices,
        normals: None,
        triangles: Triangles::U32(triangles),
    })
}

/// Returns `true` if a word could be one of the format's many keywords.
fn is_keyword(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Parses the first three numbers, also rounded to `f32`; a weight or a colour may follow.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<([f64; 3], [f32; 3])> {
    let mut next = || parse_number(words.next()?);
    let numbers = [next()?, next()?, next()?];
    Some((numbers.map(|it| it.0), numbers.map(|it| it.1)))
}

/// Parses the vertex index of a corner, `5`, `5/2`, `5//3` or `5/2/3`. Indices in the file are
/// 1-based, or negative and relative to the end; returns the 0-based index.
fn corner(word: &str, vertices: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(vertices).ok()?;
    let index = match number {
        1.. => number - 1,
        _ => count.checked_add(number)?,
    };
    // The index 0, which is invalid, counts from the end and so falls out of range.
    (0..count).contains(&index).then_some(index as u32)
}

fn damaged(line_number: u64, line: &[u8], problem: &str) -> FileProblem {
    let text = String::from_utf8_lossy(line);
    let start: String = text.trim().chars().take(60).collect();
    FileProblem::MeshFile {
        format: "OBJ",
        problem: format!("line {line_number} reads {start:?}, which {problem}"),
    }
}
