//! Surface of the trilinear interpolant in one cell, found by refining the cell, without any code
//! of the kernels.
//!
//! Corner n of a cell is at (n & 1, n >> 1 & 1, n >> 2). Edges are numbered by axis, then by lower
//! corner: edge 4 a + i is along axis a, and bits 0 and 1 of i are its position along the other two
//! axes, lower axis first.
//!
//! The cell is cut at equal distances along each axis and through the saddles of the faces and of
//! the body; with many cuts, more of them are near the faces. Each box between cuts is divided into
//! six tetrahedra, in each of which the surface is a triangle or a quadrilateral. Boxes whose
//! corners have one sign are skipped, many at a time, because the interpolant lies between its
//! values at a box's corners.

mod refine;
mod saddles;
#[cfg(test)]
mod tests;

pub use refine::{Refinement, lines};
pub use saddles::{Saddle, interpolated, saddles};

/// Connected component of the surface in a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurfaceComponent {
    /// Loops in which the component meets the cell's faces, in order; each is the set of cell edges
    /// that it crosses, as bits.
    pub loops: Vec<u16>,
    /// Euler characteristic.
    pub euler: i64,
}

/// Reason why a cell could not be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The interpolant nearly vanishes at a saddle.
    Critical,
    /// No two refinements agree.
    Unsteady,
}

/// Tolerance for the interpolant at a saddle, relative to the largest value.
pub const CRITICAL_TOLERANCE: f64 = 1e-6;

/// Returns the components of the surface on which the interpolant of eight values vanishes, in
/// order.
///
/// The cell is cut into 4, 8, 16, 32 and 64 parts along each axis, and through its saddles, until
/// two refinements agree.
pub fn surface_components(
    values: &[f64; 8],
    memory: &mut Refinement,
) -> Result<Vec<SurfaceComponent>, Undecided> {
    let saddles = saddles(values);
    let greatest = values.iter().fold(0.0f64, |max, v| max.max(v.abs()));
    if saddles
        .iter()
        .any(|s| s.value.abs() < CRITICAL_TOLERANCE * greatest)
    {
        return Err(Undecided::Critical);
    }
    let mut previous = None;
    for parts in [4, 8, 16, 32, 64] {
        let components = memory.surface_components(values, lines(parts, &saddles));
        if previous.as_ref() == Some(&components) {
            return Ok(components);
        }
        previous = Some(components);
    }
    Err(Undecided::Unsteady)
}
