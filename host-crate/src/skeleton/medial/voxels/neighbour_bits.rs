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
/// The 8 neighbours that share only a corner.
const CORNERS: u32 = 1 | 1 << 2 | 1 << 6 | 1 << 8 | 1 << 18 | 1 << 20 | 1 << 24 | 1 << 26;
/// The 18 face and edge neighbours.
const FACES_AND_EDGES: u32 = NEIGHBOURS & !CORNERS;
/// The neighbours that precede the voxel in voxel order.
pub const PREDECESSORS: u32 = CENTRE - 1;
/// The neighbours that follow the voxel in voxel order.
pub const SUCCESSORS: u32 = NEIGHBOURS & !PREDECESSORS;

/// Voxels at dx = -1; `X2`, `Y0` and `Y2` are those at dx = 1, dy = -1 and dy = 1.
const X0: u32 = 0o111_111_111;
const X2: u32 = X0 << 2;
const Y0: u32 = 0o007_007_007;
const Y2: u32 = Y0 << 6;

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

/// Returns the voxels of a set and all voxels of the neighbourhood that touch them.
#[inline(always)]
pub const fn dilated(set: u32) -> u32 {
    let x = (set | (set << 1 & !X0) | (set >> 1 & !X2)) & CUBE;
    // masks off bits that left the neighbourhood
    let y = (x | (x << 3 & !Y0) | (x >> 3 & !Y2)) & CUBE;
    (y | y << 9 | y >> 9) & CUBE
}

/// Returns the voxels of a set and their face neighbours within the neighbourhood.
#[inline(always)]
const fn dilated_by_faces(set: u32) -> u32 {
    let x = set << 1 & !X0 | set >> 1 & !X2;
    let y = set << 3 & !Y0 | set >> 3 & !Y2;
    (set | x | y | set << 9 | set >> 9) & CUBE
}

/// Returns the 26-connected component of a set that contains the seed.
#[inline(always)]
pub fn connected_part(seed: u32, set: u32) -> u32 {
    let mut found = seed;
    loop {
        let next = dilated(found) & set;
        if next == found {
            return found;
        }
        found = next;
    }
}

/// Returns the 6-connected component of a set that contains the seed.
#[inline(always)]
fn face_connected_part(seed: u32, set: u32) -> u32 {
    let mut found = seed;
    loop {
        let next = dilated_by_faces(found) & set;
        if next == found {
            return found;
        }
        found = next;
    }
}

/// Returns the lowest set bit.
#[inline(always)]
fn lowest(set: u32) -> u32 {
    set & set.wrapping_neg()
}

/// Returns `true` if the object voxels around a voxel form exactly one 26-connected component.
#[inline(always)]
pub fn is_connected(neighbour_mask: u32) -> bool {
    let object = neighbour_mask & NEIGHBOURS;
    object != 0 && connected_part(lowest(object), object) == object
}

/// Returns `true` if a voxel is simple for (26, 6) connectivity: the object voxels around it form
/// one 26-connected component, and the background voxels among its face and edge neighbours form
/// one 6-connected component that contains a face neighbour (Bertrand and Malandain 1994).
#[inline(always)]
pub fn is_simple(neighbour_mask: u32) -> bool {
    let free = !neighbour_mask & FACES;
    if free == 0 || !is_connected(neighbour_mask) {
        return false;
    }
    free & !face_connected_part(lowest(free), !neighbour_mask & FACES_AND_EDGES) == 0
}

/// Returns one face neighbour of each background component for a voxel whose object neighbours form
/// one component and that has face neighbours in several 6-connected background components;
/// otherwise `None`.
#[inline(always)]
pub fn wall_between(neighbour_mask: u32) -> Option<u32> {
    let mut free = !neighbour_mask & FACES;
    if free.count_ones() < 2 || !is_connected(neighbour_mask) {
        return None;
    }
    let mut faces = 0;
    while free != 0 {
        faces |= lowest(free);
        free &= !face_connected_part(lowest(free), !neighbour_mask & FACES_AND_EDGES);
    }
    (faces.count_ones() > 1).then_some(faces)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the components of a set by breadth-first search.
    fn components(set: u32, touch: impl Fn([i32; 3], [i32; 3]) -> bool) -> Vec<u32> {
        let mut rest: Vec<usize> = bits(set).collect();
        let mut found = Vec::new();
        while let Some(seed) = rest.pop() {
            let mut part = vec![seed];
            let mut at = 0;
            while at < part.len() {
                let here = OFFSETS[part[at]];
                let (near, far): (Vec<_>, Vec<_>) =
                    rest.iter().partition(|&&bit| touch(here, OFFSETS[bit]));
                part.extend(near);
                rest = far;
                at += 1;
            }
            found.push(part.iter().fold(0, |set, &bit| set | 1 << bit));
        }
        found
    }

    fn distance(a: [i32; 3], b: [i32; 3]) -> (i32, i32) {
        let steps = [0, 1, 2].map(|axis| (a[axis] - b[axis]).abs());
        (steps.iter().sum(), steps.into_iter().max().unwrap_or(0))
    }

    fn is_simple_by_search(neighbour_mask: u32) -> bool {
        let object = components(neighbour_mask & NEIGHBOURS, |a, b| distance(a, b).1 == 1);
        let background = components(!neighbour_mask & FACES_AND_EDGES, |a, b| {
            distance(a, b).0 == 1
        });
        let with_faces = background.iter().filter(|&&part| part & FACES != 0).count();
        object.len() == 1 && with_faces == 1
    }

    #[test]
    fn simple_voxels_match_a_search() {
        let mut state = 7u64;
        let mut simple = 0;
        for round in 0..40_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut neighbour_mask = (state >> 33) as u32 & NEIGHBOURS;
            // includes sparse and dense sets
            match round % 3 {
                0 => neighbour_mask &= (state >> 13) as u32,
                1 => neighbour_mask |= (state >> 7) as u32 & NEIGHBOURS,
                _ => {}
            }
            assert_eq!(
                is_simple(neighbour_mask),
                is_simple_by_search(neighbour_mask),
                "{neighbour_mask:o}"
            );
            simple += u32::from(is_simple(neighbour_mask));
        }
        assert!(simple > 1000, "{simple}");
        assert!(!is_simple(0) && !is_simple(NEIGHBOURS));
    }

    #[test]
    fn walls_have_one_face_per_background_component() {
        let plate_across = |axis: usize| {
            let plate = bits(NEIGHBOURS).filter(|&bit| OFFSETS[bit][axis] == 0);
            plate.fold(0, |set, bit| set | 1 << bit)
        };
        let plate = plate_across(2);
        assert_eq!(wall_between(plate), Some(1 << 4 | 1 << 22));
        // adds half of a plate that meets the first one
        let half = bits(plate_across(0)).filter(|&bit| OFFSETS[bit][2] > 0);
        let three = half.fold(plate, |set, bit| set | 1 << bit);
        assert_eq!(wall_between(three), None, "no face beyond the half plate");
        let corner = plate_across(0) | plate_across(1) | plate;
        assert_eq!(
            wall_between(corner & !(1 << 12) & !(1 << 22)),
            Some(1 << 12 | 1 << 22)
        );
        assert_eq!(
            wall_between(corner & !(1 << 12) & !(1 << 22) & !(1 << 10)).map(u32::count_ones),
            Some(3)
        );
        assert_eq!(wall_between(1), None);
        assert_eq!(wall_between(NEIGHBOURS), None);
    }
}
