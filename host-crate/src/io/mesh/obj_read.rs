//! Reading triangle meshes from OBJ: `v` and `f` records. Others are passed over, and so are
//! texture coordinates and normals.

use super::grow;
use crate::io::source::Source;
use crate::io::{FileProblem, MeshFormat};
use crate::mesh::{TriangleMesh, Triangles};

/// Longer lines are not understood: a face would have thousands of corners.
const LINE: usize = 1 << 16;

pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let mut vertices: Vec<[f32; 3]> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut number = 0u64;
    while let Some(line) = source.line(LINE)? {
        number += 1;
        let wrong = |problem: &str| damaged(number, &line, problem);
        if line.len() >= LINE {
            return Err(wrong("is too long"));
        }
        let Ok(text) = std::str::from_utf8(&line) else {
            // a comment or a name in another encoding harms nothing
            if matches!(line.first(), Some(b'#' | b'g' | b'o' | b'u' | b'm' | b's')) {
                continue;
            }
            return Err(wrong("is no text"));
        };
        let text = text.split('#').next().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let vertex = vertex(words).ok_or_else(|| wrong("is no vertex"))?;
                if vertices.len() as u64 >= u64::from(u32::MAX) {
                    return Err(wrong("has one vertex more than 32 bits count"));
                }
                grow(&mut vertices)?;
                vertices.push(vertex);
            }
            Some("f") => {
                let mut corners = words.map(|word| corner(word, vertices.len()));
                let mut next = || {
                    corners
                        .next()
                        .map(|corner| corner.ok_or_else(|| wrong("names no vertex before it")))
                };
                let (Some(first), Some(second), Some(third)) = (next(), next(), next()) else {
                    return Err(wrong("is a face of fewer than three corners"));
                };
                let (first, mut before) = (first?, third?);
                grow(&mut triangles)?;
                triangles.push([first, second?, before]);
                while let Some(corner) = next() {
                    let corner = corner?;
                    grow(&mut triangles)?;
                    triangles.push([first, before, corner]);
                    before = corner;
                }
            }
            Some(word) if !is_keyword(word) => return Err(wrong("is none of the format")),
            _ => {}
        }
    }
    Ok(TriangleMesh {
        vertices,
        normals: None,
        triangles: Triangles::U32(triangles),
    })
}

/// Whether a word could be one of the format's many keywords.
fn is_keyword(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The first three numbers; a weight or a colour may follow.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<[f32; 3]> {
    let mut next = || words.next()?.parse::<f32>().ok();
    Some([next()?, next()?, next()?])
}

/// The vertex of a corner, `5`, `5/2`, `5//3` or `5/2/3`: counted from 1, or backwards from -1.
fn corner(word: &str, vertices: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(vertices).ok()?;
    let index = match number {
        1.. => number - 1,
        _ => count.checked_add(number)?,
    };
    // 0 counts from the end, and is past it
    (0..count).contains(&index).then_some(index as u32)
}

fn damaged(number: u64, line: &[u8], problem: &str) -> FileProblem {
    let text = String::from_utf8_lossy(line);
    let start: String = text.trim().chars().take(60).collect();
    FileProblem::MeshFile {
        format: MeshFormat::Obj,
        problem: format!("line {number} reads {start:?}, which {problem}"),
    }
}
