//! Bit masks of the 3 x 3 x 3 neighbourhood of a voxel.
//!
//! Bit `9 (dz + 1) + 3 (dy + 1) + dx + 1` is the neighbour at offset (dx, dy, dz); bit 13 is the
//! voxel itself.

/// The voxel itself.
pub const CENTRE: u32 = 1 << 13;
/// All 27 voxels.
pub const CUBE: u32 = (1 << 27) - 1;
/// The 26 neighbours.
pub const NEIGHBOURS: u32 = CUBE & !CENTRE;
/// The 6 face neighbours.
pub const FACES: u32 = 1 << 4 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16 | 1 << 22;
/// The neighbours that precede the voxel in voxel order.
pub const PREDECESSORS: u32 = CENTRE - 1;
/// The neighbours that follow the voxel in voxel order.
pub const SUCCESSORS: u32 = NEIGHBOURS & !PREDECESSORS;

/// Voxels at dx = -1; `X2`, `Y0` and `Y2` are those at dx = 1, dy = -1 and dy = 1.
const X0: u32 = 0o111_111_111;
const X2: u32 = X0 << 2;
const Y0: u32 = 0o007_007_007;
const Y2: u32 = Y0 << 6;

/// Voxels at dz = -1; `Z2` are those at dz = 1.
const Z0: u32 = 0o777;
const Z2: u32 = Z0 << 18;

/// For each axis, the neighbours at offset -1 and at offset 1 along it.
pub const SIDES: [[u32; 2]; 3] = [[X0, X2], [Y0, Y2], [Z0, Z2]];

/// For each bit, the lower bits of the same row.
pub const LOWER_IN_ROW: [u32; 27] = {
    let mut below = [0; 27];
    let mut bit = 0;
    while bit < 27 {
        below[bit] = (1 << bit) - (1 << (bit - bit % 3));
        bit += 1;
    }
    below
};

/// Returns the offset of a neighbour bit.
pub const fn offset(bit: usize) -> [i32; 3] {
    [
        (bit % 3) as i32 - 1,
        (bit / 3 % 3) as i32 - 1,
        (bit / 9) as i32 - 1,
    ]
}

/// Offsets of all neighbour bits.
pub const OFFSETS: [[i32; 3]; 27] = {
    let mut offsets = [[0; 3]; 27];
    let mut bit = 0;
    while bit < 27 {
        offsets[bit] = offset(bit);
        bit += 1;
    }
    offsets
};

/// Returns the neighbour bit of an offset with components from -1 to 1.
pub const fn offset_bit([dx, dy, dz]: [i32; 3]) -> usize {
    (9 * (dz + 1) + 3 * (dy + 1) + dx + 1) as usize
}

/// For each bit, the voxels of the neighbourhood that touch its voxel, including that voxel.
pub const ADJACENT: [u32; 27] = {
    let mut touching = [0; 27];
    let mut bit = 0;
    while bit < 27 {
        touching[bit] = dilated(1 << bit);
        bit += 1;
    }
    touching
};

/// Returns the set bits of a mask, lowest first.
pub fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

/// Squares of 2 x 2 voxels that contain the centre, without the centre.
const SQUARES: [u32; 12] = {
    let mut squares = [0; 12];
    let mut index = 0;
    while index < 12 {
        let (normal, quadrant) = (index / 4, index % 4);
        let [a, b] = [(normal + 1) % 3, (normal + 2) % 3];
        let mut corner = [0; 3];
        corner[a] = 2 * (quadrant as i32 % 2) - 1;
        corner[b] = 2 * (quadrant as i32 / 2) - 1;
        let (mut first, mut second) = (corner, corner);
        first[a] = 0;
        second[b] = 0;
        squares[index] = 1 << offset_bit(first) | 1 << offset_bit(second) | 1 << offset_bit(corner);
        index += 1;
    }
    squares
};

/// Returns `true` if the voxel and three of the neighbours in a mask form a square. Voxels of lines
/// that are one voxel thick are in no square.
pub fn is_in_square(neighbour_mask: u32) -> bool {
    SQUARES.iter().any(|&square| !neighbour_mask & square == 0)
}

/// The 8 neighbours that share only a corner.
const CORNERS: u32 = 1 | 1 << 2 | 1 << 6 | 1 << 8 | 1 << 18 | 1 << 20 | 1 << 24 | 1 << 26;

/// Returns the 6-connected parts of a set in the 18-neighbourhood of a voxel that contain a face
/// neighbour of it. Their number is the topological number (Bertrand and Malandain 1994) of a
/// background.
pub fn face_connected_parts(set: u32) -> impl Iterator<Item = u32> {
    let set = set & NEIGHBOURS & !CORNERS;
    let mut faces = set & FACES;
    std::iter::from_fn(move || {
        if faces == 0 {
            return None;
        }
        let mut part = faces & faces.wrapping_neg();
        loop {
            let next = dilated_by_faces(part) & set;
            if next == part {
                break;
            }
            part = next;
        }
        faces &= !part;
        Some(part)
    })
}

/// Returns the voxels of a set and their face neighbours in the neighbourhood.
const fn dilated_by_faces(set: u32) -> u32 {
    let x = (set << 1 & !X0) | (set >> 1 & !X2);
    let y = (set << 3 & !Y0) | (set >> 3 & !Y2);
    (set | x | y | set << 9 | set >> 9) & CUBE
}

/// Returns the voxels of a set and all voxels of the neighbourhood that touch them.
#[inline(always)]
const fn dilated(set: u32) -> u32 {
    let x = (set | (set << 1 & !X0) | (set >> 1 & !X2)) & CUBE;
    // masks off bits that left the neighbourhood
    let y = (x | (x << 3 & !Y0) | (x >> 3 & !Y2)) & CUBE;
    (y | y << 9 | y >> 9) & CUBE
}

/// For each cell of a voxel (given as the direction to a face, edge or corner), the preceding
/// neighbours that share the cell.
pub const SHARED_WITH_PREDECESSORS: [u32; 27] = {
    let mut shared = [0; 27];
    let mut cell = 0;
    while cell < 27 {
        let cell_offset = offset(cell);
        let mut other = 0;
        while other < 13 {
            let neighbour_offset = offset(other);
            let mut shares_cell = true;
            let mut axis = 0;
            while axis < 3 {
                shares_cell = shares_cell
                    && (neighbour_offset[axis] == 0 || neighbour_offset[axis] == cell_offset[axis]);
                axis += 1;
            }
            if shares_cell {
                shared[cell] |= 1 << other;
            }
            other += 1;
        }
        cell += 1;
    }
    shared
};
