//! What the eight values of a cell decide: which corners its ambiguous faces join, and whether
//! there is a tunnel.

use super::{
    loops::AMBIGUOUS,
    table::{DISC_ROWS, ROWS, first_row, tubes},
};
use crate::isosurface::table::{CORNERS, FACES};

/// How ambiguous faces are decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Above corners are kept apart on every face, and there are no tunnels: the rule of
    /// [`crate::isosurface::table`].
    #[default]
    Separated,
    /// As the trilinear interpolant of the cell does.
    Trilinear,
}

/// The surface in one cell, as far as its triangles need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The row of the [table](super::table).
    pub row: u32,
    /// The diagonal that the tunnel goes along, if the row is one with a tube: see
    /// [`hexagon`](super::hexagon).
    pub diagonal: u32,
}

impl Shape {
    /// Of a cell with the given values, samples minus isovalue, at its corners.
    ///
    /// Only signs of sums of products are used, and no fused operations, so that all devices decide
    /// alike. At most 40 products.
    #[inline(always)]
    pub fn of(values: &[f64; 8], rule: Rule) -> Self {
        let case = case(values);
        match rule {
            Rule::Separated => Self::of_case(case),
            Rule::Trilinear => Self::trilinear(values, case).0,
        }
    }

    /// Of a cell of which nothing but the case is known: above corners are kept apart on every
    /// face.
    #[inline(always)]
    pub fn of_case(case: u32) -> Self {
        Self {
            row: first_row(case),
            diagonal: 0,
        }
    }

    /// As [`Shape::of`] with [`Rule::Trilinear`]; and whether a tunnel was looked for.
    #[inline(always)]
    pub fn trilinear(values: &[f64; 8], case: u32) -> (Self, bool) {
        let row = row_of_discs(case, joined_faces(values));
        let discs = Self { row, diagonal: 0 };
        let tubes = tubes(row);
        if tubes & 0xff == 0 {
            return (discs, false);
        }
        let Some(diagonal) = tunnel(values) else {
            return (discs, true);
        };
        // which of three loops is joined; the rows of two loops do not ask
        let below = tubes & 0xf0 != 0 && joins_below(values);
        let number = diagonal + 4 * below as u32;
        if tubes >> number & 1 == 0 {
            return (discs, true);
        }
        let before = (tubes & ((1 << number) - 1)).count_ones();
        let tube = Self {
            row: DISC_ROWS as u32 + (tubes >> 8) + before,
            diagonal,
        };
        (tube, true)
    }

    /// In 16 bits: the inverse of [`unpack`](Self::unpack).
    #[inline(always)]
    pub const fn pack(self) -> u16 {
        (self.row | self.diagonal << ROW_BITS) as u16
    }

    /// From 16 bits.
    #[inline(always)]
    pub const fn unpack(packed: u16) -> Self {
        Self {
            row: packed as u32 & ((1 << ROW_BITS) - 1),
            diagonal: packed as u32 >> ROW_BITS,
        }
    }

    /// Whether the patch is a tube, and has the six inner vertices of a hexagon.
    #[inline(always)]
    pub const fn has_tube(&self) -> bool {
        self.row >= DISC_ROWS as u32
    }
}

/// Bits of a row's number.
const ROW_BITS: u32 = 10;

const _: () = assert!(
    ROWS <= 1 << ROW_BITS,
    "more rows than their bits can number"
);

/// The values of a cell: its samples in f64, in which the difference from the isovalue has the
/// right sign, less that. `cell` is its lowest corner, and `value` gives the sample at a place.
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

/// The case: bit k is set when corner k is below.
#[inline(always)]
pub fn case(values: &[f64; 8]) -> u32 {
    let mut case = 0;
    let mut corner = 0;
    while corner < 8 {
        case |= ((values[corner] < 0.0) as u32) << corner;
        corner += 1;
    }
    case
}

/// Whether [`Shape::of`] needs the values of a cell under [`Rule::Trilinear`], or the row is the
/// case's only one.
#[inline(always)]
pub fn needs_values(case: u32) -> bool {
    AMBIGUOUS[case as usize & 0xff] != 0 || tubes(first_row(case)) != 0
}

/// The ambiguous faces on which the above corners are joined: bit k for face k of [`FACES`].
///
/// They are where the product of their values is greater than that of the below corners (Nielson
/// and Hamann 1991), or equal to it. Both cells at a face compare the same two products.
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

/// The row of discs of a case, by the decisions on its ambiguous faces.
#[inline(always)]
pub fn row_of_discs(case: u32, joined: u32) -> u32 {
    let faces = AMBIGUOUS[case as usize & 0xff] as u32;
    let (mut decisions, mut bit) = (0, 0);
    let mut face = 0;
    while face < 6 {
        decisions |= (joined & faces) >> face << 31 >> (31 - bit);
        bit += faces >> face & 1;
        face += 1;
    }
    first_row(case) + decisions
}

/// How the slices of a cell across one axis change along it.
///
/// The interpolant in the slice at `t` has the determinant
/// `first (1 - t)² + middle t (1 - t) + last t²`: the product of the values at the ends of one
/// diagonal, less that at the ends of the other. Where it vanishes the slice's saddle is on the
/// surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slices {
    /// The determinant of the face at 0.
    pub first: f64,
    /// The determinant of the face at 1.
    pub last: f64,
    /// The coefficient between them.
    pub middle: f64,
    /// The sum of the values of the first diagonal, less those of the second, at 0: how `first`
    /// grows with all values.
    pub first_slope: f64,
    /// The same at 1.
    pub last_slope: f64,
}

impl Slices {
    /// Across x.
    #[inline(always)]
    pub fn x(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[7], v[3], v[4]], [v[6], v[1], v[5], v[2]])
    }

    /// Across y.
    #[inline(always)]
    pub fn y(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[5], v[4], v[1]], [v[6], v[3], v[2], v[7]])
    }

    /// Across z.
    #[inline(always)]
    pub fn z(v: &[f64; 8]) -> Self {
        Self::new([v[0], v[2], v[1], v[3]], [v[6], v[4], v[7], v[5]])
    }

    /// Of the face at 0, its first diagonal before its second, and of the corners opposite to
    /// these.
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

    /// The sign that both ends and the middle coefficient, negated, have in common; 0 if they
    /// differ.
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

    /// The discriminant of the determinant: Cayley's hyperdeterminant of the values, the same
    /// across every axis but for rounding.
    #[inline(always)]
    pub fn discriminant(&self) -> f64 {
        self.middle * self.middle - 4.0 * self.first * self.last
    }

    /// How the discriminant grows with all values, halved.
    #[inline(always)]
    fn discriminant_slope(&self) -> f64 {
        self.middle * (self.first_slope + self.last_slope)
            - 2.0 * (self.first * self.last_slope + self.last * self.first_slope)
    }
}

/// The sign of a value that is taken at an isovalue a little lower: where it is 0, that of its
/// slope.
#[inline(always)]
fn sign(value: f64, slope: f64) -> i32 {
    let value = if value == 0.0 { slope } else { value };
    (value > 0.0) as i32 - (value < 0.0) as i32
}

/// The diagonal along which a tunnel goes through the cell, if there is one. A cell has no more
/// than one.
///
/// The determinant has two roots in the cell on each axis. Of cells whose corners alternate between
/// below and above that is asked only where the loops have 3, 3 and 6 edges: with other loops there
/// may be such roots without a tunnel.
#[inline(always)]
pub fn tunnel(values: &[f64; 8]) -> Option<u32> {
    let (x, y, z) = (Slices::x(values), Slices::y(values), Slices::z(values));
    let signs = [x.common_sign(), y.common_sign(), z.common_sign()];
    if signs[0] == 0 || signs[1] == 0 || signs[2] == 0 {
        return None;
    }
    if sign(z.discriminant(), z.discriminant_slope()) <= 0 {
        return None;
    }
    Some((signs[0] != signs[2]) as u32 | ((signs[1] != signs[2]) as u32) << 1)
}

/// Of a cell with three loops and a tunnel: whether the loop of three edges that it joins is round
/// a corner that is below.
#[inline(always)]
fn joins_below(values: &[f64; 8]) -> bool {
    let z = Slices::z(values);
    z.first_slope * (2.0 * z.last - z.middle) + z.last_slope * (2.0 * z.first - z.middle) > 0.0
}
