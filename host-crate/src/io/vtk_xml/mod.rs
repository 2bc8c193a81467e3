//! VTK's XML files: tags of polydata, shared by the mesh and the skeleton encoder, and readers of
//! tags and arrays, shared by the readers of images and meshes.
//!
//! Arrays stand either in their tags, as text, or in the appended data at the end of the file, as
//! raw little-endian bytes after a 64-bit length.

pub(in crate::io) mod arrays;
mod base64;
pub(in crate::io) mod blocks;
pub(in crate::io) mod problems;
pub(in crate::io) mod tags;

use std::fmt::{self, Display};
use std::io::{self, Write};

/// Start of the file.
pub(super) const PROLOGUE: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";

/// Values per line of an array that is written as text.
const VALUES_PER_LINE: usize = 12;

/// Size of the length before each appended array, in bytes.
const LENGTH_BYTES: u64 = 8;

/// Numbers of points and cells. Its display form is the opening tag of the piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PieceCounts {
    pub points: u64,
    /// Number of cells that are single points.
    pub vertices: u64,
    pub lines: u64,
    pub polygons: u64,
}

impl Display for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            self.points, self.vertices, self.lines, self.polygons
        )
    }
}

/// Name and type of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataArray<'a> {
    /// VTK's name of the type, such as `Float32`.
    value_type: &'a str,
    name: &'a str,
    is_vector: bool,
}

impl<'a> DataArray<'a> {
    /// Describes an array of one number per point or cell.
    pub const fn scalars(value_type: &'a str, name: &'a str) -> Self {
        Self {
            value_type,
            name,
            is_vector: false,
        }
    }

    /// Describes an array of three numbers per point.
    pub const fn vectors(value_type: &'a str, name: &'a str) -> Self {
        Self {
            value_type,
            name,
            is_vector: true,
        }
    }

    /// Writes the array with its values as text.
    pub fn write_ascii<T: Display>(
        &self,
        out: &mut dyn Write,
        values: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        write!(out, "<DataArray {self} format=\"ascii\">")?;
        for (index, value) in values.into_iter().enumerate() {
            let separator = if index % VALUES_PER_LINE == 0 {
                "\n"
            } else {
                " "
            };
            write!(out, "{separator}{value}")?;
        }
        writeln!(out, "\n</DataArray>")
    }
}

impl Display for DataArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "type=\"{}\" Name=\"{}\"", self.value_type, self.name)?;
        if self.is_vector {
            f.write_str(" NumberOfComponents=\"3\"")?;
        }
        Ok(())
    }
}

/// Offsets of the appended arrays, assigned in the order of the data.
#[derive(Debug, Default)]
pub(super) struct AppendedData {
    next_offset: u64,
}

impl AppendedData {
    /// Tag that opens the data. Offsets count from its last character.
    pub const OPEN: &str = "<AppendedData encoding=\"raw\">_";
    /// End of the file, after the last array.
    pub const CLOSE: &str = "\n</AppendedData></VTKFile>\n";

    /// Returns the tag of the next array, which has this many bytes.
    pub fn append(&mut self, array: DataArray<'_>, bytes: u64) -> String {
        let offset = self.next_offset;
        self.next_offset += LENGTH_BYTES + bytes;
        format!("<DataArray {array} format=\"appended\" offset=\"{offset}\"/>")
    }

    /// Returns the length that stands before an array of this many bytes.
    pub fn length(bytes: u64) -> Vec<u8> {
        bytes.to_le_bytes().to_vec()
    }
}
