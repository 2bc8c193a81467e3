//! The surface of the trilinear interpolant in one cell, found by refining the cell: nothing here
//! is shared with the kernels.
//!
//! Corner n of a cell is at (n & 1, n >> 1 & 1, n >> 2). Its edges are numbered by axis, then by
//! the lower corner: edge 4 a + i goes along axis a, and bits 0 and 1 of i are its place along the
//! other two axes, the lower axis first.
//!
//! The cell is cut by lines along each axis, in equal distances and through the saddles of the
//! faces and of the body; where there are many, more of them are near the faces. Each box between
//! the lines is cut into six tetrahedra, in each of which the surface is a triangle or a
//! quadrilateral. Boxes whose corners have one sign are left out unseen, many at a time: the
//! interpolant is between its values at a box's corners.

mod refine;
mod saddles;
#[cfg(test)]
mod tests;

pub use refine::{Refinement, lines};
pub use saddles::{Saddle, interpolated, saddles};

/// One piece of a surface in a cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The loops in which it meets the cell's faces, in order: for each the edges of the cell that
    /// it crosses, as bits.
    pub loops: Vec<u16>,
    /// Its Euler characteristic.
    pub euler: i64,
}

/// Why nothing can be said about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// The interpolant is nearly 0 at a saddle.
    Critical,
    /// No two refinements agree.
    Unsteady,
}

/// How near to 0 the interpolant may be at a saddle, as a part of the greatest value.
pub const NEAR: f64 = 1e-6;

/// The pieces of the surface where the interpolant of eight values vanishes, in order.
///
/// The cell is cut into 4, 8, 16, 32 and 64 parts along each axis, and through its saddles, until
/// two of them agree.
pub fn pieces(values: &[f64; 8], memory: &mut Refinement) -> Result<Vec<Piece>, Undecided> {
    let saddles = saddles(values);
    let greatest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if saddles.iter().any(|s| s.value.abs() < NEAR * greatest) {
        return Err(Undecided::Critical);
    }
    let mut before = None;
    for parts in [4, 8, 16, 32, 64] {
        let found = memory.pieces(values, lines(parts, &saddles));
        if before.as_ref() == Some(&found) {
            return Ok(found);
        }
        before = Some(found);
    }
    Err(Undecided::Unsteady)
}
