//! Reader of OFF in text: `OFF` with the prefixes `C` (colours) and `N` (normals). Colours are
//! skipped.

use crate::io::FileProblem;
use crate::io::mesh::position_list::{PositionList, parse_number};
use crate::io::mesh::try_append::append;
use crate::io::source::Source;
use crate::mesh::{TriangleMesh, Triangles};

/// Longest line that is accepted, in bytes: a face with thousands of corners.
const MAX_LINE: usize = 1 << 16;
/// Fewest bytes of a vertex: three digits and separators.
const MIN_VERTEX_BYTES: u64 = 5;
/// Fewest bytes of a face: a count and three indices.
const MIN_FACE_BYTES: u64 = 7;

/// Reads positions, normals if present, and triangles. Polygons are cut into triangle fans from
/// their first corner.
pub(super) fn read(source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let mut lines = Lines { source, number: 0 };
    let first = lines.expect("its first line")?;
    let mut words = first.split_ascii_whitespace();
    let keyword = words.next().unwrap_or_default();
    let Some(prefix) = keyword.strip_suffix("OFF") else {
        return Err(damaged(format!("it starts with {:?}", shorten(keyword))));
    };
    if !matches!(prefix, "" | "C" | "N" | "CN") || words.clone().any(|word| word == "BINARY") {
        return Err(FileProblem::Unsupported {
            what: format!("OFF that starts with {:?}", shorten(&first)),
            advice: "write it as text that starts with OFF, COFF or NOFF",
        });
    }
    let has_normals = prefix.contains('N');
    // The numbers of elements may stand in the first line.
    let counts: Vec<String> = words.map(str::to_owned).collect();
    let counts = if counts.is_empty() {
        let line = lines.expect("the numbers of vertices and faces")?;
        line.split_ascii_whitespace().map(str::to_owned).collect()
    } else {
        counts
    };
    let count = |index: usize| counts.get(index).and_then(|word| word.parse::<u64>().ok());
    let (Some(vertices), Some(faces)) = (count(0), count(1)) else {
        return Err(lines.invalid(&counts.join(" "), "does not state the numbers of elements"));
    };
    let needed = vertices
        .saturating_mul(MIN_VERTEX_BYTES)
        .saturating_add(faces.saturating_mul(MIN_FACE_BYTES));
    if let Some(found) = lines.source.remaining().fewer_than(needed) {
        return Err(damaged(format!(
            "{vertices} vertices and {faces} faces need at least {needed} bytes, but only {found} \
             are left; the file is truncated, so fetch it again"
        )));
    }
    let vertex_count = u32::try_from(vertices).map_err(|_| {
        damaged(format!(
            "it has {vertices} vertices; at most 4294967295 are read"
        ))
    })?;
    let mut positions = PositionList::default();
    let mut normals = Vec::new();
    for _ in 0..vertices {
        let line = lines.expect("a vertex")?;
        let mut numbers = line.split_ascii_whitespace().map(parse_number);
        let mut vector = || -> Option<[(f64, f32); 3]> {
            Some([numbers.next()??, numbers.next()??, numbers.next()??])
        };
        let position = vector();
        let position =
            position.ok_or_else(|| lines.invalid(&line, "is not a vertex of three numbers"))?;
        positions.append(position.map(|it| it.0), position.map(|it| it.1))?;
        if has_normals {
            let normal = vector();
            let normal = normal.ok_or_else(|| lines.invalid(&line, "has no normal"))?;
            append(&mut normals, normal.map(|it| it.1))?;
        }
    }
    let mut triangles = Vec::new();
    for _ in 0..faces {
        let line = lines.expect("a face")?;
        read_face(&line, vertex_count, &mut triangles)
            .map_err(|problem| problem.unwrap_or_else(|text| lines.invalid(&line, text)))?;
    }
    let (origin, vertices) = positions.into_local()?;
    Ok(TriangleMesh {
        origin,
        vertices,
        normals: has_normals.then_some(normals),
        triangles: Triangles::U32(triangles),
    })
}

/// Appends the triangles of a face.
///
/// # Errors
/// The problem of the line, or that of memory.
fn read_face(
    line: &str,
    vertices: u32,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), Result<FileProblem, &'static str>> {
    let mut words = line.split_ascii_whitespace();
    let corners: Option<usize> = words.next().and_then(|word| word.parse().ok());
    let corners = corners.filter(|corners| *corners >= 3);
    let corners = corners.ok_or(Err("is not a face of at least three corners"))?;
    let mut next = || {
        let index: Option<u32> = words.next().and_then(|word| word.parse().ok());
        let index = index.filter(|index| *index < vertices);
        index.ok_or(Err("refers to a vertex that does not exist"))
    };
    let (first, mut previous) = (next()?, next()?);
    for _ in 2..corners {
        let corner = next()?;
        append(triangles, [first, previous, corner]).map_err(Ok)?;
        previous = corner;
    }
    Ok(())
}

/// Lines without comments and empty lines.
struct Lines<'a> {
    source: Source<'a>,
    number: u64,
}

impl Lines<'_> {
    /// Returns the next line, which holds `what`.
    fn expect(&mut self, what: &str) -> Result<String, FileProblem> {
        while let Some(line) = self.source.line(MAX_LINE)? {
            self.number += 1;
            if line.len() >= MAX_LINE {
                return Err(self.invalid(&String::from_utf8_lossy(&line), "is too long"));
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.split('#').next().unwrap_or_default().trim();
            if !text.is_empty() {
                return Ok(text.to_owned());
            }
        }
        Err(damaged(format!(
            "it ends after {} lines, before {what}; the file is truncated, so fetch it again",
            self.number
        )))
    }

    fn invalid(&self, line: &str, problem: &str) -> FileProblem {
        let (number, line) = (self.number, shorten(line));
        damaged(format!("line {number} reads {line:?}, which {problem}"))
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: "OFF",
        problem,
    }
}
