//! Reading triangle meshes from STL, binary and text. Corners at equal positions become one vertex;
//! facet normals are passed over.

use std::collections::HashMap;

use super::grow;
use crate::io::source::{Left, Source};
use crate::io::{FileProblem, MeshFormat};
use crate::memory::OutOfMemory;
use crate::mesh::{TriangleMesh, Triangles};

/// Bytes before the facets of the binary form, and of a facet.
const HEADER: u64 = 84;
const FACET: u64 = 50;
/// Longer words are not of the text form.
const WORD: usize = 256;

pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let start = source.peek(HEADER as usize)?;
    let count = start.get(80..84).map(|bytes| {
        let bytes = bytes.try_into().unwrap_or_default();
        u64::from(u32::from_le_bytes(bytes))
    });
    // some binary files begin as text ones do: their length decides
    let fits = count.is_some_and(|count| source.left() == Left::Exactly(HEADER + FACET * count));
    let text = start.trim_ascii_start().starts_with(b"solid") && !fits;
    let mut mesh = Builder::default();
    match (text, count) {
        (true, _) => read_text(&mut source, &mut mesh)?,
        (false, Some(count)) => read_binary(&mut source, count, &mut mesh)?,
        (false, None) => {
            return Err(damaged(format!(
                "it has {} bytes, and neither begins with \"solid\" nor has a header of {HEADER} bytes",
                start.len()
            )));
        }
    }
    Ok(TriangleMesh {
        vertices: mesh.vertices,
        normals: None,
        triangles: Triangles::U32(mesh.triangles),
    })
}

#[derive(Default)]
struct Builder {
    vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    known: HashMap<[u32; 3], u32>,
}

impl Builder {
    fn vertex(&mut self, position: [f32; 3]) -> Result<u32, FileProblem> {
        // zeros of both signs are one place
        let key = position.map(|x| (x + 0.0).to_bits());
        if let Some(&vertex) = self.known.get(&key) {
            return Ok(vertex);
        }
        let vertex = u32::try_from(self.vertices.len())
            .map_err(|_| damaged("it has more vertices than 32 bits count".to_owned()))?;
        grow(&mut self.vertices)?;
        let bytes = (self.known.len() as u64 + 1) * 20;
        self.known.try_reserve(1).map_err(|_| OutOfMemory {
            purpose: "a mesh",
            bytes,
        })?;
        self.vertices.push(position);
        self.known.insert(key, vertex);
        Ok(vertex)
    }

    fn triangle(&mut self, [a, b, c]: [[f32; 3]; 3]) -> Result<(), FileProblem> {
        let triangle = [self.vertex(a)?, self.vertex(b)?, self.vertex(c)?];
        grow(&mut self.triangles)?;
        self.triangles.push(triangle);
        Ok(())
    }
}

fn read_binary(source: &mut Source<'_>, count: u64, mesh: &mut Builder) -> Result<(), FileProblem> {
    source.skip(HEADER)?;
    let needed = FACET * count;
    if let Some(found) = source.left().fewer_than(needed) {
        return Err(damaged(format!(
            "{count} triangles need {needed} bytes, but only {found} are left; it is truncated"
        )));
    }
    let mut facet = [0; FACET as usize];
    for triangle in 0..count {
        if source.fill(&mut facet)? < facet.len() {
            return Err(damaged(format!(
                "it ends within triangle {triangle} of {count}; it is truncated"
            )));
        }
        let number = |at: usize| {
            let at = 12 + 4 * at;
            f32::from_le_bytes([facet[at], facet[at + 1], facet[at + 2], facet[at + 3]])
        };
        mesh.triangle([0, 3, 6].map(|at| [number(at), number(at + 1), number(at + 2)]))?;
    }
    Ok(())
}

fn read_text(source: &mut Source<'_>, mesh: &mut Builder) -> Result<(), FileProblem> {
    // the name after "solid" may be anything
    source.line(WORD * 64)?;
    let mut corners: Vec<[f32; 3]> = Vec::new();
    let mut ended = false;
    while let Some(word) = source.word(WORD)? {
        let word = word.to_ascii_lowercase();
        ended = word == b"endsolid";
        match word.as_slice() {
            b"facet" | b"outer" => corners.clear(),
            b"vertex" => {
                let mut position = [0.0; 3];
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
                [a, b, c] => mesh.triangle([a, b, c])?,
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
            // another solid may follow, each with a name
            b"endsolid" | b"solid" => {
                source.line(WORD * 64)?;
            }
            _ => {
                let word = String::from_utf8_lossy(&word);
                let start: String = word.chars().take(60).collect();
                return Err(damaged(format!(
                    "{start:?}, after {} bytes, is no word of the format",
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

fn number(source: &mut Source<'_>) -> Result<f32, FileProblem> {
    let Some(word) = source.word(WORD)? else {
        return Err(truncated());
    };
    let text = String::from_utf8_lossy(&word);
    text.parse().map_err(|_| {
        let start: String = text.chars().take(60).collect();
        damaged(format!(
            "{start:?}, after {} bytes, is no number",
            source.position()
        ))
    })
}

fn truncated() -> FileProblem {
    damaged("it ends before \"endsolid\"; it is truncated".to_owned())
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: MeshFormat::Stl,
        problem,
    }
}
