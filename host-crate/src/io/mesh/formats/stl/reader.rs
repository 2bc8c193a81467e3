//! Reader of STL, binary and text. Corners at equal positions become one vertex; facet normals are
//! ignored. The text form may have more digits than `f32`, far from the world origin.

use std::collections::HashMap;
use std::hash::Hash;

use crate::io::FileProblem;
use crate::io::mesh::formats::starts_with_ignoring_case;
use crate::io::mesh::position_list::{PositionList, parse_number};
use crate::io::mesh::try_append::append;
use crate::io::source::{Remaining, Source};
use crate::memory::{self, OutOfMemory};
use crate::mesh::{TriangleMesh, Triangles};

/// Size of the header of the binary form, including the number of facets, in bytes.
const HEADER_BYTES: u64 = 84;
/// Size of a facet of the binary form, in bytes.
const FACET_BYTES: u64 = 50;
/// Longest word of the text form that is accepted, in bytes.
const MAX_WORD: usize = 256;
/// Longest name of a solid that is accepted, in bytes.
const MAX_NAME: usize = 64 * MAX_WORD;

/// Reads the triangles of a binary or text file.
pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let start = source.peek(HEADER_BYTES as usize)?;
    let count = start.get(80..84).map(|bytes| {
        let bytes = bytes.try_into().unwrap_or_default();
        u64::from(u32::from_le_bytes(bytes))
    });
    // Some binary files start with "solid" too: their length decides.
    let is_binary_length = count.is_some_and(|count| {
        source.remaining() == Remaining::Exactly(HEADER_BYTES + FACET_BYTES * count)
    });
    let is_text =
        starts_with_ignoring_case(start.trim_ascii_start(), b"solid") && !is_binary_length;
    let mut mesh = Builder::default();
    match (is_text, count) {
        (true, _) => read_text(&mut source, &mut mesh)?,
        (false, Some(count)) => read_binary(&mut source, count, &mut mesh)?,
        (false, None) => {
            return Err(damaged(format!(
                "it has {} bytes, and neither starts with \"solid\" nor has a header of {HEADER_BYTES} bytes",
                start.len()
            )));
        }
    }
    mesh.finish()
}

/// Mesh under construction.
#[derive(Default)]
struct Builder {
    positions: PositionList,
    triangles: Vec<[u32; 3]>,
    indices: VertexIndices<u64>,
}

/// Map from positions, by the bits of their coordinates, to vertices.
#[derive(Default)]
struct VertexIndices<Bits>(HashMap<[Bits; 3], u32>);

impl<Bits: Eq + Hash> VertexIndices<Bits> {
    /// Returns the vertex at a position, and `true` if it is new.
    fn vertex(&mut self, position: [Bits; 3]) -> Result<(u32, bool), FileProblem> {
        if let Some(&vertex) = self.0.get(&position) {
            return Ok((vertex, false));
        }
        let vertex = u32::try_from(self.0.len())
            .map_err(|_| damaged("it has more than 4294967296 vertices".to_owned()))?;
        let entry = size_of::<([Bits; 3], u32)>() as u64 + 1;
        self.0.try_reserve(1).map_err(|_| OutOfMemory {
            purpose: "a mesh",
            bytes: (self.0.len() as u64 + 1) * entry,
        })?;
        self.0.insert(position, vertex);
        Ok((vertex, true))
    }
}

impl Builder {
    /// Adds a triangle of corners with their coordinates, also rounded to `f32`.
    fn add_triangle(&mut self, corners: [[(f64, f32); 3]; 3]) -> Result<(), FileProblem> {
        let mut triangle = [0; 3];
        for (corner, vertex) in corners.iter().zip(&mut triangle) {
            let position = corner.map(|(number, _)| number);
            // Adding 0 turns -0 into +0: both are the same position.
            let (index, is_new) = self
                .indices
                .vertex(position.map(|number| (number + 0.0).to_bits()))?;
            if is_new {
                self.positions
                    .append(position, corner.map(|(_, nearest)| nearest))?;
            }
            *vertex = index;
        }
        append(&mut self.triangles, triangle)
    }

    fn finish(mut self) -> Result<TriangleMesh, FileProblem> {
        let is_exact = self.positions.is_exact();
        let (origin, mut vertices) = self.positions.into_local()?;
        if !is_exact {
            merge_equal(&mut vertices, &mut self.triangles)?;
        }
        Ok(TriangleMesh {
            origin,
            vertices,
            normals: None,
            triangles: Triangles::U32(self.triangles),
        })
    }
}

/// Merges vertices whose positions differed before they were rounded to `f32`.
fn merge_equal(
    vertices: &mut Vec<[f32; 3]>,
    triangles: &mut [[u32; 3]],
) -> Result<(), FileProblem> {
    let mut indices = VertexIndices::<u32>::default();
    let mut merged = Vec::new();
    memory::try_reserve("a mesh", &mut merged, vertices.len())?;
    let mut count = 0;
    for vertex in 0..vertices.len() {
        let position = vertices[vertex];
        let (index, is_new) = indices.vertex(position.map(|x| (x + 0.0).to_bits()))?;
        if is_new {
            vertices[count] = position;
            count += 1;
        }
        merged.push(index);
    }
    vertices.truncate(count);
    for corner in triangles.as_flattened_mut() {
        *corner = merged[*corner as usize];
    }
    Ok(())
}

fn read_binary(source: &mut Source<'_>, count: u64, mesh: &mut Builder) -> Result<(), FileProblem> {
    source.skip(HEADER_BYTES)?;
    let needed = FACET_BYTES * count;
    if let Some(found) = source.remaining().fewer_than(needed) {
        return Err(damaged(format!(
            "{count} triangles need {needed} bytes, but only {found} are left; the file is truncated, so fetch it again"
        )));
    }
    let mut facet = [0; FACET_BYTES as usize];
    for triangle in 0..count {
        if source.fill(&mut facet)? < facet.len() {
            return Err(damaged(format!(
                "it ends within triangle {triangle} of {count}; the file is truncated, so fetch it again"
            )));
        }
        // The corners follow the facet normal of 12 bytes.
        let coordinate = |index: usize| {
            let at = 12 + 4 * index;
            let bytes = [facet[at], facet[at + 1], facet[at + 2], facet[at + 3]];
            let number = f32::from_le_bytes(bytes);
            (f64::from(number), number)
        };
        let corner = |first: usize| [0, 1, 2].map(|axis| coordinate(first + axis));
        mesh.add_triangle([0, 3, 6].map(corner))?;
    }
    Ok(())
}

fn read_text(source: &mut Source<'_>, mesh: &mut Builder) -> Result<(), FileProblem> {
    // The name after "solid" is arbitrary.
    source.line(MAX_NAME)?;
    let mut corners: Vec<[(f64, f32); 3]> = Vec::new();
    let mut ended = false;
    while let Some(word) = source.word(MAX_WORD)? {
        let word = word.to_ascii_lowercase();
        ended = word == b"endsolid";
        match word.as_slice() {
            b"facet" | b"outer" => corners.clear(),
            b"vertex" => {
                let mut position = [(0.0, 0.0); 3];
                for x in &mut position {
                    *x = number(source)?;
                }
                if corners.len() == 3 {
                    return Err(damaged(format!(
                        "facet {} has more than three corners",
                        mesh.triangles.len()
                    )));
                }
                corners.push(position);
            }
            b"endloop" => match corners[..] {
                [a, b, c] => mesh.add_triangle([a, b, c])?,
                _ => {
                    return Err(damaged(format!(
                        "facet {} has {} corners instead of three",
                        mesh.triangles.len(),
                        corners.len()
                    )));
                }
            },
            b"endfacet" => corners.clear(),
            b"normal" => {
                for _ in 0..3 {
                    number(source)?;
                }
            }
            b"loop" => {}
            // Another solid may follow, each with a name.
            b"endsolid" | b"solid" => {
                source.line(MAX_NAME)?;
            }
            _ => {
                let word = String::from_utf8_lossy(&word);
                let start: String = word.chars().take(60).collect();
                return Err(damaged(format!(
                    "{start:?}, after {} bytes, is not a word of the format",
                    source.position()
                )));
            }
        }
    }
    if !ended {
        return Err(truncated());
    }
    Ok(())
}

/// Reads a number, also rounded to `f32`.
fn number(source: &mut Source<'_>) -> Result<(f64, f32), FileProblem> {
    let Some(word) = source.word(MAX_WORD)? else {
        return Err(truncated());
    };
    let text = String::from_utf8_lossy(&word);
    parse_number(&text).ok_or_else(|| {
        let start: String = text.chars().take(60).collect();
        damaged(format!(
            "{start:?}, after {} bytes, is not a number",
            source.position()
        ))
    })
}

fn truncated() -> FileProblem {
    damaged("it ends before \"endsolid\"; the file is truncated, so fetch it again".to_owned())
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: "STL",
        problem,
    }
}
