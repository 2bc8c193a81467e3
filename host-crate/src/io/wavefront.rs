//! Records of Wavefront OBJ files, shared by the mesh and the skeleton encoder.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a keyword and three numbers, with the fewest digits that read back as the same number.
pub(super) fn write_vector<T: Display>(
    out: &mut (impl Write + ?Sized),
    keyword: &str,
    [x, y, z]: [T; 3],
) -> io::Result<()> {
    writeln!(out, "{keyword} {x} {y} {z}")
}

/// Writes a keyword and the 1-based indices of an element: a face, a line or points.
pub(super) fn write_element<T: Display>(
    out: &mut (impl Write + ?Sized),
    keyword: &str,
    indices: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    out.write_all(keyword.as_bytes())?;
    for index in indices {
        write!(out, " {index}")?;
    }
    out.write_all(b"\n")
}

/// Starts a group, to which the elements that follow belong.
pub(super) fn write_group(out: &mut (impl Write + ?Sized), name: &str) -> io::Result<()> {
    writeln!(out, "g {name}")
}
