//! Packed triangles of one cell.

/// Maximum number of triangles of a cell: a tube between loops of 3 and 6 edges, and one triangle
/// in a third loop.
pub const MAX_TRIANGLES: usize = 22;

/// Corner number of a cell's first inner vertex; smaller numbers are cell edges.
pub const FIRST_INNER: u32 = 12;

/// Packs the corners of a triangle into 15 bits.
pub(super) const fn pack_triangle(a: u32, b: u32, c: u32) -> u16 {
    (a | b << 5 | c << 10) as u16
}

/// Unpacks the corners of a triangle: cell edges below [`FIRST_INNER`], inner vertices from there
/// on.
#[inline(always)]
pub const fn unpack_triangle(packed: u16) -> [u32; 3] {
    let packed = packed as u32;
    [packed & 31, packed >> 5 & 31, packed >> 10 & 31]
}

/// The triangles of one cell during construction of the table.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    pub triangles: [u16; MAX_TRIANGLES],
    pub count: usize,
    /// `true` if the patch has an inner vertex at the centroid of a loop.
    pub has_centroid: bool,
}

impl Patch {
    pub const fn new() -> Self {
        Self {
            triangles: [0; MAX_TRIANGLES],
            count: 0,
            has_centroid: false,
        }
    }

    pub const fn push(&mut self, a: u32, b: u32, c: u32) {
        self.triangles[self.count] = pack_triangle(a, b, c);
        self.count += 1;
    }
}
