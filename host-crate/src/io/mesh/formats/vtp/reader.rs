//! Reader of VTK's XML polydata: points, polygons, strips, and the active normals.

use crate::io::mesh::position_list::PositionList;
use crate::io::mesh::try_append::append;
use crate::io::source::{Remaining, Source};
use crate::io::vtk_xml::arrays::ArrayFile;
use crate::io::vtk_xml::blocks::BlockCompressor;
use crate::io::vtk_xml::problems::{damaged, ends_early, unsupported};
use crate::io::vtk_xml::tags::{Array, FileTags, read_text};
use crate::io::xml::{XmlPart, XmlParts, XmlTag};
use crate::io::{ByteOrder, FileProblem};
use crate::memory;
use crate::mesh::{TriangleMesh, Triangles};

/// Tags of a file.
#[derive(Default)]
struct Tags {
    file: FileTags,
    /// Number of pieces.
    pieces: usize,
    counts: Counts,
    points: Option<Array>,
    normals: Option<Array>,
    polygons: Cells,
    strips: Cells,
}

/// Numbers of points and cells.
#[derive(Default)]
struct Counts {
    points: u64,
    polygons: u64,
    strips: u64,
}

/// Arrays of cells.
#[derive(Default)]
struct Cells {
    connectivity: Option<Array>,
    offsets: Option<Array>,
}

/// Reads positions, normals if present, and triangles. Polygons are cut into triangle fans from
/// their first corner; vertices and lines are skipped.
pub(super) fn read(source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(unsupported(
            "a VTP file in a pipe or compressed with gzip".to_owned(),
        ));
    };
    let (text, appended) = read_text(&bytes, length)?;
    let tags = parse(&text)?;
    match tags.pieces {
        0 => return Err(damaged("it has no piece".to_owned())),
        1 => {}
        _ => return Err(unsupported("a VTP file of several pieces".to_owned())),
    }
    let file = ArrayFile {
        bytes,
        length,
        tags: &tags.file,
        text: &text,
        appended,
        compressor: BlockCompressor::from_name(tags.file.compressor.as_deref())?,
    };
    let mut mesh = TriangleMesh::default();
    let count = tags.counts.points;
    if count > 0 {
        let points = tags.points.as_ref();
        let points = points.ok_or_else(|| damaged("it has no array of points".to_owned()))?;
        let mut positions = PositionList::default();
        for position in read_vectors(&file, points, count)? {
            positions.append(position, position.map(|number| number as f32))?;
        }
        (mesh.origin, mesh.vertices) = positions.into_local()?;
        if let Some(normals) = &tags.normals {
            let mut list = Vec::new();
            for normal in read_vectors(&file, normals, count)? {
                append(&mut list, normal.map(|number| number as f32))?;
            }
            mesh.normals = Some(list);
        }
    }
    let mut triangles = Vec::new();
    for (cells, number, is_strip) in [
        (&tags.polygons, tags.counts.polygons, false),
        (&tags.strips, tags.counts.strips, true),
    ] {
        if number > 0 {
            let vertices = mesh.vertices.len();
            read_cells(&file, cells, number, is_strip, vertices, &mut triangles)?;
        }
    }
    mesh.triangles = Triangles::U32(triangles);
    Ok(mesh)
}

/// Parses the tags of a file.
fn parse(text: &str) -> Result<Tags, FileProblem> {
    let mut tags = Tags::default();
    let mut section = String::new();
    let mut active_normals = None;
    // The array whose text may follow.
    let mut current: Option<Array> = None;
    let mut parts = XmlParts::new(text);
    while let Some(part) = parts.next() {
        match part {
            XmlPart::Open(tag) => match tag.name {
                "VTKFile" => tags.file = FileTags::parse(&tag, "PolyData")?,
                "Piece" => {
                    tags.pieces += 1;
                    tags.counts = parse_counts(&tag);
                }
                "PointData" => {
                    active_normals = tag.attribute("Normals").map(|name| name.into_owned());
                    tag.name.clone_into(&mut section);
                }
                "CellData" | "Points" | "Verts" | "Lines" | "Strips" | "Polys" | "FieldData" => {
                    tag.name.clone_into(&mut section);
                }
                "AppendedData" => tags.file.parse_appended(&tag),
                "DataArray" => {
                    let array = Array::parse(&tag);
                    if tag.is_empty {
                        tags.store(array, &section, active_normals.as_deref());
                    } else {
                        current = Some(array);
                    }
                }
                _ => {}
            },
            XmlPart::Close("DataArray") => {
                if let Some(array) = current.take() {
                    tags.store(array, &section, active_normals.as_deref());
                }
            }
            XmlPart::Close(name) if name == section => section.clear(),
            XmlPart::Text(text) => {
                if let Some(array) = &mut current {
                    array.set_text(text, parts.offset());
                }
            }
            XmlPart::Close(_) => {}
        }
    }
    Ok(tags)
}

fn parse_counts(tag: &XmlTag<'_>) -> Counts {
    let number = |name: &str| tag.number(name).unwrap_or(0);
    Counts {
        points: number("NumberOfPoints"),
        polygons: number("NumberOfPolys"),
        strips: number("NumberOfStrips"),
    }
}

impl Tags {
    /// Stores an array of a section, if it is needed.
    fn store(&mut self, array: Array, section: &str, active_normals: Option<&str>) {
        let slot = match (section, array.name.as_str()) {
            ("Points", _) => &mut self.points,
            ("PointData", name) if Some(name) == active_normals => &mut self.normals,
            ("Polys", "connectivity") => &mut self.polygons.connectivity,
            ("Polys", "offsets") => &mut self.polygons.offsets,
            ("Strips", "connectivity") => &mut self.strips.connectivity,
            ("Strips", "offsets") => &mut self.strips.offsets,
            _ => return,
        };
        *slot = Some(array);
    }
}

/// Reads an array of vectors.
fn read_vectors(
    file: &ArrayFile<'_, '_>,
    array: &Array,
    count: u64,
) -> Result<Vec<[f64; 3]>, FileProblem> {
    let count = count.checked_mul(3).ok_or_else(ends_early)?;
    let width = match array.value_type.as_str() {
        "Float32" => 4,
        "Float64" => 8,
        name => {
            return Err(unsupported(format!(
                "a VTP file with points of type {name:?}"
            )));
        }
    };
    let order = file.tags.order;
    let number = |bytes: &[u8]| match order.unsigned(bytes) {
        bits if width == 4 => f64::from(f32::from_bits(bits as u32)),
        bits => f64::from_bits(bits),
    };
    // The nearest f32 of a text is exact, so that it is rounded once.
    let parse = |word: &str| match width {
        4 => word.parse::<f32>().ok().map(f64::from),
        _ => word.parse::<f64>().ok(),
    };
    let numbers = read_numbers(file, array, count, width, number, parse)?;
    let mut vectors = Vec::new();
    memory::try_reserve("a mesh", &mut vectors, numbers.len() / 3)?;
    vectors.extend(numbers.as_chunks::<3>().0);
    Ok(vectors)
}

/// Reads an array of indices.
fn read_indices(
    file: &ArrayFile<'_, '_>,
    array: Option<&Array>,
    count: u64,
) -> Result<Vec<u64>, FileProblem> {
    let array = array.ok_or_else(|| damaged("an array of cells is missing".to_owned()))?;
    let width = match array.value_type.as_str() {
        "Int8" | "UInt8" => 1,
        "Int16" | "UInt16" => 2,
        "Int32" | "UInt32" => 4,
        "Int64" | "UInt64" => 8,
        name => {
            return Err(unsupported(format!(
                "a VTP file with indices of type {name:?}"
            )));
        }
    };
    let order: ByteOrder = file.tags.order;
    let parse = |word: &str| word.parse().ok();
    read_numbers(file, array, count, width, |it| order.unsigned(it), parse)
}

/// Reads `count` numbers of `width` bytes.
fn read_numbers<T>(
    file: &ArrayFile<'_, '_>,
    array: &Array,
    count: u64,
    width: u64,
    decode: impl Fn(&[u8]) -> T,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, FileProblem> {
    let total = count.checked_mul(width).ok_or_else(ends_early)?;
    let mut numbers = Vec::new();
    if let Some(bytes) = file.read_array(array, total)? {
        memory::try_reserve("an array", &mut numbers, count as usize)?;
        numbers.extend(bytes.chunks_exact(width as usize).map(decode));
        return Ok(numbers);
    }
    let mut words = file.text[array.text.clone()].split_ascii_whitespace();
    for _ in 0..count {
        let word = words.next().ok_or_else(ends_early)?;
        let number = parse(word).ok_or_else(|| {
            let start: String = word.chars().take(20).collect();
            damaged(format!(
                "{start:?} is not a number of type {}",
                array.value_type
            ))
        })?;
        append(&mut numbers, number)?;
    }
    Ok(numbers)
}

/// Appends the triangles of polygons or strips.
fn read_cells(
    file: &ArrayFile<'_, '_>,
    cells: &Cells,
    count: u64,
    is_strip: bool,
    vertices: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), FileProblem> {
    let offsets = read_indices(file, cells.offsets.as_ref(), count)?;
    let total = offsets.last().copied().unwrap_or(0);
    let connectivity = read_indices(file, cells.connectivity.as_ref(), total)?;
    let mut start = 0;
    for end in offsets {
        let corners = usize::try_from(end).ok();
        let corners = corners.and_then(|end| connectivity.get(start..end));
        let corners =
            corners.ok_or_else(|| damaged("the offsets of the cells do not ascend".to_owned()))?;
        start = end as usize;
        for (index, corner) in corners.iter().enumerate() {
            if *corner >= vertices as u64 || u32::try_from(*corner).is_err() {
                return Err(damaged(format!(
                    "a cell refers to point {corner} of {vertices}"
                )));
            }
            if index < 2 {
                continue;
            }
            let before = if is_strip { index - 2 } else { 0 };
            let triangle = [corners[before], corners[index - 1], *corner];
            let [a, b, c] = triangle.map(|corner| corner as u32);
            let is_turned = is_strip && index % 2 == 1;
            append(triangles, if is_turned { [b, a, c] } else { [a, b, c] })?;
        }
    }
    Ok(())
}
