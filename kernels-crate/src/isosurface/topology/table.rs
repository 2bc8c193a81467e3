//! The patches of all subcases, derived from the rule at compile time.
//!
//! A row holds the triangles of one patch. Rows of discs come first, ordered by case and by the
//! decisions on its ambiguous faces; then rows of tubes, ordered by the row of discs with the same
//! loops, by which of three loops is joined, and by diagonal.

use super::{
    discs::{disc_patch, disc_triangle_count},
    loops::{AMBIGUOUS_FACE_TABLE, Loops},
    patch::Patch,
    tubes::{encircles_diagonal, is_sign_compatible, tube_patch, tube_triangle_count},
};

/// Number of rows of discs: one per case and combination of decisions on its ambiguous faces.
pub const DISC_ROWS: usize = FIRST_ROWS[256] as usize;

/// Number of rows.
pub const ROWS: usize = SIZES.0;

/// Total number of triangles of all rows.
pub const ROW_TRIANGLES: usize = SIZES.1;

/// Flag in an element of [`FIRST_TRIANGLES`]: the patch has an inner vertex at the centroid of a
/// loop.
const HAS_CENTROID: u16 = 1 << 15;

/// First row of each case, for use in constants.
const FIRST_ROWS: &[u16; 257] = &{
    let mut rows = [0; 257];
    let mut case = 0;
    while case < 256 {
        rows[case + 1] = rows[case] + (1 << AMBIGUOUS_FACE_TABLE[case].count_ones());
        case += 1;
    }
    rows
};

/// Length of tables indexed by row: a power of two, so that indices are masked instead of
/// bounds-checked.
const ROW_CAPACITY: usize = ROWS.next_power_of_two();

/// Length of the table of triangles: a power of two.
const TRIANGLE_CAPACITY: usize = ROW_TRIANGLES.next_power_of_two();

const _: () = assert!(ROWS < ROW_CAPACITY, "no capacity after the last row");

/// Returns the first row of a case.
#[inline(always)]
pub const fn first_row(case: u32) -> u32 {
    FIRST_ROW[case as usize & 0xff] as u32
}

/// Returns the tubes between the loops of a row of discs.
///
/// The low 8 bits are the set of tubes by diagonal: bits 4 to 7 where the joined loop of three
/// edges surrounds a below corner, else bits 0 to 3. The high 8 bits are the row of the first tube
/// minus [`DISC_ROWS`]. With two loops, bits 4 to 7 are 0.
#[inline(always)]
pub const fn tubes(row: u32) -> u32 {
    TUBES[row as usize & (ROW_CAPACITY - 1)] as u32
}

/// Returns the index of a row's first triangle, and whether its patch has an inner vertex at the
/// centroid of a loop.
#[inline(always)]
pub const fn first_triangle(row: u32) -> (u32, bool) {
    let first = FIRST_TRIANGLES[row as usize & (ROW_CAPACITY - 1)];
    ((first & !HAS_CENTROID) as u32, first & HAS_CENTROID != 0)
}

/// Returns a packed triangle: see [`unpack_triangle`](super::unpack_triangle).
#[inline(always)]
pub const fn triangle(at: u32) -> u16 {
    TRIANGLES[at as usize & (TRIANGLE_CAPACITY - 1)]
}

/// First row of each case.
static FIRST_ROW: [u16; 256] = {
    let mut rows = [0; 256];
    let mut case = 0;
    while case < 256 {
        rows[case] = FIRST_ROWS[case];
        case += 1;
    }
    rows
};

/// Tubes between the loops of each row of discs: see [`tubes`].
static TUBES: [u16; ROW_CAPACITY] = {
    let mut tubes = [0; ROW_CAPACITY];
    let mut row = 0;
    while row < DISC_ROWS {
        tubes[row] = TUBE_ROWS[row];
        row += 1;
    }
    tubes
};

/// Index of each row's first triangle in [`TRIANGLES`], combined with [`HAS_CENTROID`]; then the
/// total number of triangles.
static FIRST_TRIANGLES: [u16; ROW_CAPACITY] = FIRST_AND_TRIANGLES.0;

/// The triangles of all rows, counter-clockwise seen from the below side: see
/// [`unpack_triangle`](super::unpack_triangle).
static TRIANGLES: [u16; TRIANGLE_CAPACITY] = FIRST_AND_TRIANGLES.1;

/// Case and face decisions of a row of discs.
#[derive(Clone, Copy)]
struct DiscRow {
    case: u32,
    /// Ambiguous faces on which the above corners are joined, as a bit mask.
    joined: u32,
    loops: Loops,
}

const DISC_ROW_TABLE: &[DiscRow; DISC_ROWS] = &{
    let none = DiscRow {
        case: 0,
        joined: 0,
        loops: Loops::new(0, 0),
    };
    let mut rows = [none; DISC_ROWS];
    let (mut case, mut row) = (0, 0);
    while case < 256 {
        while row < FIRST_ROWS[case + 1] {
            let joined = spread(row - FIRST_ROWS[case], AMBIGUOUS_FACE_TABLE[case]);
            rows[row as usize] = DiscRow {
                case: case as u32,
                joined,
                loops: Loops::new(case as u32, joined),
            };
            row += 1;
        }
        case += 1;
    }
    rows
};

/// Moves the low bits of `decisions` to the positions of the set bits of `faces`.
const fn spread(decisions: u16, faces: u8) -> u32 {
    let (mut joined, mut face, mut bit) = (0, 0, 0);
    while face < 6 {
        if faces >> face & 1 == 1 {
            joined |= (decisions as u32 >> bit & 1) << face;
            bit += 1;
        }
        face += 1;
    }
    joined
}

/// Returns the low 8 bits of the row's element of [`TUBES`].
const fn tube_bits(row: &DiscRow) -> u16 {
    let last = match row.loops.count {
        2 => 4,
        3 => 8,
        _ => 0,
    };
    let (mut bits, mut number) = (0, 0);
    while number < last {
        let (below, diagonal) = (number >= 4, number & 3);
        if is_sign_compatible(row.case, row.joined, diagonal)
            && encircles_diagonal(row.case, &row.loops, below, diagonal)
        {
            bits |= 1 << number;
        }
        number += 1;
    }
    bits
}

const TUBE_ROWS: &[u16; DISC_ROWS] = &{
    let mut tubes = [0; DISC_ROWS];
    let (mut row, mut before) = (0, 0u16);
    while row < DISC_ROWS {
        let bits = tube_bits(&DISC_ROW_TABLE[row]);
        assert!(before < 256, "too many tubes");
        tubes[row] = bits | if bits == 0 { 0 } else { before << 8 };
        before += bits.count_ones() as u16;
        row += 1;
    }
    tubes
};

/// Numbers of rows and triangles.
const SIZES: (usize, usize) = {
    let (mut rows, mut triangles) = (DISC_ROWS, 0);
    let mut row = 0;
    while row < DISC_ROWS {
        let loops = &DISC_ROW_TABLE[row].loops;
        let mut number = 0;
        while number < loops.count {
            triangles += disc_triangle_count(loops.lengths[number]);
            number += 1;
        }
        let tubes = (TUBE_ROWS[row] & 0xff).count_ones() as usize;
        rows += tubes;
        triangles += tubes * tube_triangle_count(loops);
        row += 1;
    }
    (rows, triangles)
};

const FIRST_AND_TRIANGLES: &([u16; ROW_CAPACITY], [u16; TRIANGLE_CAPACITY]) = &{
    let mut firsts = [0; ROW_CAPACITY];
    let mut triangles = [0; TRIANGLE_CAPACITY];
    let (mut row, mut first) = (0, 0);
    while row < DISC_ROWS {
        let patch = disc_patch(
            DISC_ROW_TABLE[row].case,
            DISC_ROW_TABLE[row].joined,
            &DISC_ROW_TABLE[row].loops,
        );
        firsts[row] = first as u16 | if patch.has_centroid { HAS_CENTROID } else { 0 };
        first = append(&mut triangles, first, &patch);
        row += 1;
    }
    let mut disc_row = 0;
    while disc_row < DISC_ROWS {
        let mut tubes = TUBE_ROWS[disc_row] & 0xff;
        while tubes != 0 {
            let number = tubes.trailing_zeros();
            tubes &= tubes - 1;
            let patch = tube_patch(
                DISC_ROW_TABLE[disc_row].case,
                &DISC_ROW_TABLE[disc_row].loops,
                number >= 4,
                number & 3,
            );
            firsts[row] = first as u16;
            first = append(&mut triangles, first, &patch);
            row += 1;
        }
        disc_row += 1;
    }
    assert!(
        row == ROWS && first == ROW_TRIANGLES,
        "rows were miscounted"
    );
    assert!(first < HAS_CENTROID as usize, "too many triangles");
    firsts[row] = first as u16;
    (firsts, triangles)
};

const fn append(triangles: &mut [u16; TRIANGLE_CAPACITY], first: usize, patch: &Patch) -> usize {
    let mut at = 0;
    while at < patch.count {
        triangles[first + at] = patch.triangles[at];
        at += 1;
    }
    first + patch.count
}
