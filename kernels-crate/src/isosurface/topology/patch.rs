//! A patch: the triangles of one cell, in the form that tables hold.

/// Triangles in a cell at most: a tube between loops of 3 and 6, and the triangle of a third loop.
pub const MAX_TRIANGLES: usize = 22;

/// The number of a cell's first inner vertex; those below are its edges.
pub const INNER: u32 = 12;

/// The corners of a triangle in 15 bits.
pub(super) const fn pack(a: u32, b: u32, c: u32) -> u16 {
    (a | b << 5 | c << 10) as u16
}

/// The corners of a triangle: numbers of edges below [`INNER`], of inner vertices from there on.
#[inline(always)]
pub const fn corners(packed: u16) -> [u32; 3] {
    let packed = packed as u32;
    [packed & 31, packed >> 5 & 31, packed >> 10 & 31]
}

/// The triangles of one cell while tables are made.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    pub triangles: [u16; MAX_TRIANGLES],
    pub count: usize,
    /// Whether there is an inner vertex at the centroid of a loop.
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
        self.triangles[self.count] = pack(a, b, c);
        self.count += 1;
    }
}
