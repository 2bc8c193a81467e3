//! Resolution of ambiguous cells: which corners their ambiguous faces join, and whether the cell
//! contains a tunnel.

use super::{
    loops::AMBIGUOUS_FACES,
    table::{DISC_ROWS, ROWS, first_row, tubes},
};
use crate::isosurface::table::{CORNERS, FACES};

/// Method that resolves ambiguous cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disambiguation {
    /// Separates the above corners on every ambiguous face, without tunnels: the rule of
    /// [`crate::isosurface::table`].
    #[default]
    Separated,
    /// Reproduces the topology of the trilinear interpolant in the cell.
    Trilinear,
}

/// Resolved configuration of a cell (*subcase* in Chernyaev 1995): determines its triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subcase {
    /// Row of the [triangle table](super::table).
    pub row: u32,
    /// Diagonal of the cell that the tunnel follows, if the row contains a tube: see
    /// [`hexagon_corner`](super::hexagon_corner).
    pub diagonal: u32,
}

impl Subcase {
    /// Returns the subcase of a cell with the given corner values, samples minus isovalue.
    ///
    /// Only signs of sums of products are evaluated, without fused multiply-adds, so that all
    /// devices agree. Takes at most 40 multiplications.
    #[inline(always)]
    pub fn from_values(values: &[f64; 8], rule: Disambiguation) -> Self {
        let case = case_index(values);
        match rule {
            Disambiguation::Separated => Self::from_case(case),
            Disambiguation::Trilinear => Self::resolve(values, case).0,
        }
    }

    /// Returns the subcase of a cell of which only the case is known: above corners are separated
    /// on every ambiguous face.
    #[inline(always)]
    pub fn from_case(case: u32) -> Self {
        Self {
            row: first_row(case),
            diagonal: 0,
        }
    }

    /// Returns the subcase according to the trilinear interpolant, and whether the cell was tested
    /// for a tunnel.
    #[inline(always)]
    pub fn resolve(values: &[f64; 8], case: u32) -> (Self, bool) {
        let row = disc_row(case, joined_faces(values));
        let discs = Self { row, diagonal: 0 };
        let tubes = tubes(row);
        if tubes & 0xff == 0 {
            return (discs, false);
        }
        let Some(diagonal) = tunnel_diagonal(values) else {
            return (discs, true);
        };
        // selects the joined loop if there are three; two loops are always joined with each other
        let below = tubes & 0xf0 != 0 && joins_below_loop(values);
        let tube = diagonal + 4 * below as u32;
        if tubes >> tube & 1 == 0 {
            return (discs, true);
        }
        let before = (tubes & ((1 << tube) - 1)).count_ones();
        let tube = Self {
            row: DISC_ROWS as u32 + (tubes >> 8) + before,
            diagonal,
        };
        (tube, true)
    }

    /// Packs the subcase into 16 bits; the inverse of [`unpack`](Self::unpack).
    #[inline(always)]
    pub const fn pack(self) -> u16 {
        (self.row | self.diagonal << ROW_BITS) as u16
    }

    /// Unpacks a subcase from 16 bits.
    #[inline(always)]
    pub const fn unpack(packed: u16) -> Self {
        Self {
            row: packed as u32 & ((1 << ROW_BITS) - 1),
            diagonal: packed as u32 >> ROW_BITS,
        }
    }

    /// Returns `true` if the patch is a tube, with the six inner vertices of a hexagon.
    #[inline(always)]
    pub const fn has_tube(&self) -> bool {
        self.row >= DISC_ROWS as u32
    }
}

/// Number of bits of a row index in a packed subcase.
const ROW_BITS: u32 = 10;

const _: () = assert!(ROWS <= 1 << ROW_BITS, "more rows than ROW_BITS can number");

/// Returns the values at the corners of a cell: samples minus isovalue in `f64`, in which the
/// difference has the correct sign. `cell` is the lowest corner of the cell, and `value` reads the
/// sample at a grid index.
#[inline(always)]
pub fn cell_values(cell: [u32; 3], iso: f32, value: impl Fn([u32; 3]) -> f32) -> [f64; 8] {
    let mut values = [0.0; 8];
    let mut corner = 0;
    while corner < 8 {
        let [dx, dy, dz] = CORNERS[corner];
        let sample = value([cell[0] + dx, cell[1] + dy, cell[2] + dz]);
        values[corner] = sample as f64 - iso as f64;
        corner += 1;
    }
    values
}

/// Returns the case index: bit k is set if corner k is below.
#[inline(always)]
pub fn case_index(values: &[f64; 8]) -> u32 {
    let mut case = 0;
    let mut corner = 0;
    while corner < 8 {
        case |= ((values[corner] < 0.0) as u32) << corner;
        corner += 1;
    }
    case
}

/// Returns `true` if a cell of this case is ambiguous: its subcase under
/// [`Disambiguation::Trilinear`] depends on the values, not only on the signs.
#[inline(always)]
pub fn is_ambiguous_case(case: u32) -> bool {
    AMBIGUOUS_FACES[case as usize & 0xff] != 0 || tubes(first_row(case)) != 0
}

/// Returns the ambiguous faces on which the above corners are joined: bit k for face k of
/// [`FACES`].
///
/// By the asymptotic decider (Nielson and Hamann 1991), these are the faces on which the product of
/// the above values is at least that of the below values. Both cells at a face compare the same two
/// products.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn joined_faces(values: &[f64; 8]) -> u32 {
    let mut joined = 0;
    let mut face = 0;
    while face < 6 {
        let [a, b, c, d] = FACES[face].map(|corner| values[corner as usize]);
        let (first, second) = (a * c, b * d);
        let is_ambiguous =
            (a < 0.0) == (c < 0.0) && (b < 0.0) == (d < 0.0) && (a < 0.0) != (b < 0.0);
        let is_joined = if a < 0.0 {
            second >= first
        } else {
            first >= second
        };
        joined |= ((is_ambiguous && is_joined) as u32) << face;
        face += 1;
    }
    joined
}

/// Returns the table row of a case without a tunnel, by the decisions on its ambiguous faces.
#[inline(always)]
pub fn disc_row(case: u32, joined: u32) -> u32 {
    let faces = AMBIGUOUS_FACES[case as usize & 0xff] as u32;
    let (mut decisions, mut bit) = (0, 0);
    let mut face = 0;
    while face < 6 {
        decisions |= (joined & faces) >> face << 31 >> (31 - bit);
        bit += faces >> face & 1;
        face += 1;
    }
    first_row(case) + decisions
}

/// The determinant of a cell's slices perpendicular to one axis, as a quadratic polynomial along
/// that axis.
///
/// In the slice at `t`, the bilinear interpolant has the determinant
/// `first (1 - t)² + middle t (1 - t) + last t²`: the product of the values at the ends of one
/// diagonal minus the product at the ends of the other. At its roots the saddle of the slice lies
/// on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceDeterminant {
    /// Determinant of the face at 0.
    pub first: f64,
    /// Determinant of the face at 1.
    pub last: f64,
    /// Mixed coefficient.
    pub middle: f64,
    /// Derivative of `first` with respect to a uniform increase of all values: the sum of the
    /// values on the first diagonal minus the sum on the second, at 0.
    pub first_slope: f64,
    /// Derivative of `last` with respect to a uniform increase of all values.
    pub last_slope: f64,
}

impl SliceDeterminant {
    /// Returns the determinant of slices perpendicular to x.
    #[inline(always)]
    pub fn along_x(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[7], v[3], v[4]], [v[6], v[1], v[5], v[2]])
    }

    /// Returns the determinant of slices perpendicular to y.
    #[inline(always)]
    pub fn along_y(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[5], v[4], v[1]], [v[6], v[3], v[2], v[7]])
    }

    /// Returns the determinant of slices perpendicular to z.
    #[inline(always)]
    pub fn along_z(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[2], v[1], v[3]], [v[6], v[4], v[7], v[5]])
    }

    /// Computes the polynomial from the corners of the face at 0, first diagonal before second, and
    /// the corners opposite to these.
    #[inline(always)]
    fn new([a, b, c, d]: [f64; 4], [e, f, g, h]: [f64; 4]) -> Self {
        Self {
            first: a * b - c * d,
            last: e * f - g * h,
            middle: (a * e + b * f) - (c * g + d * h),
            first_slope: (a + b) - (c + d),
            last_slope: (e + f) - (g + h),
        }
    }

    /// Returns the sign that both ends and the negated mixed coefficient have in common, or 0 if
    /// they differ.
    #[inline(always)]
    fn common_sign(&self) -> i32 {
        let first = sign(self.first, self.first_slope);
        let last = sign(self.last, self.last_slope);
        // where it is 0 the discriminant is not positive
        let middle = sign(self.middle, 0.0);
        if first == last && middle == -first {
            first
        } else {
            0
        }
    }

    /// Returns the discriminant of the polynomial: Cayley's hyperdeterminant of the values, equal
    /// for all three axes up to rounding.
    #[inline(always)]
    pub fn discriminant(&self) -> f64 {
        self.middle * self.middle - 4.0 * self.first * self.last
    }

    /// Returns half the derivative of the discriminant with respect to a uniform increase of all
    /// values.
    #[inline(always)]
    fn discriminant_slope(&self) -> f64 {
        self.middle * (self.first_slope + self.last_slope)
            - 2.0 * (self.first * self.last_slope + self.last * self.first_slope)
    }
}

/// Returns the sign of a quantity evaluated at an infinitesimally lower isovalue: where the
/// quantity is 0, the sign of its derivative.
#[inline(always)]
fn sign(value: f64, slope: f64) -> i32 {
    let value = if value == 0.0 { slope } else { value };
    (value > 0.0) as i32 - (value < 0.0) as i32
}

/// Returns the diagonal along which a tunnel passes through the cell, if there is one; a cell has
/// at most one.
///
/// A tunnel exists if the determinant has two roots inside the cell along each axis. For a cell
/// whose corner signs alternate, this is only conclusive if its loops have 3, 3 and 6 edges; with
/// other loops such roots can occur without a tunnel.
#[inline(always)]
pub fn tunnel_diagonal(values: &[f64; 8]) -> Option<u32> {
    let (x, y, z) = (
        SliceDeterminant::along_x(values),
        SliceDeterminant::along_y(values),
        SliceDeterminant::along_z(values),
    );
    let signs = [x.common_sign(), y.common_sign(), z.common_sign()];
    if signs[0] == 0 || signs[1] == 0 || signs[2] == 0 {
        return None;
    }
    if sign(z.discriminant(), z.discriminant_slope()) <= 0 {
        return None;
    }
    Some((signs[0] != signs[2]) as u32 | ((signs[1] != signs[2]) as u32) << 1)
}

/// Returns `true` if, in a cell with three loops and a tunnel, the joined loop of three edges
/// surrounds a corner that is below.
#[inline(always)]
fn joins_below_loop(values: &[f64; 8]) -> bool {
    let z = SliceDeterminant::along_z(values);
    z.first_slope * (2.0 * z.last - z.middle) + z.last_slope * (2.0 * z.first - z.middle) > 0.0
}
