//! Corners, edges and faces of a cell, and the form of a marching-cubes case.

/// Offsets (x, y, z) of the corners: 0 to 3 around the lower face, 4 to 7 above them.
pub const CORNERS: [[u32; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
];

/// The two corners of each edge of a cell, the lower end first.
pub const EDGES: [[u32; 2]; 12] = [
    [0, 1],
    [1, 2],
    [3, 2],
    [0, 3],
    [4, 5],
    [5, 6],
    [7, 6],
    [4, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// The corners of each face, counter-clockwise as seen from outside. The faces are those at z = 0,
/// z = 1, y = 0, y = 1, x = 0 and x = 1.
pub const FACES: [[u32; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 4, 7, 3],
    [1, 2, 6, 5],
];

/// Maximum number of triangles of a case.
pub const MAX_TRIANGLES: usize = 5;

/// The triangles of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Number of triangles.
    pub triangles: u8,
    /// The corners of each triangle as edges of the cell, counter-clockwise as seen from the below
    /// side. Unused elements are 0.
    pub edges: [[u8; 3]; MAX_TRIANGLES],
}
