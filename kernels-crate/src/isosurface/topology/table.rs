//! The patches of all cells, derived from the rule when the crate is compiled.
//!
//! A row holds the triangles of one patch. First come the rows of discs, by case and within it by
//! the decisions on its ambiguous faces; then those of tubes, by the row of discs with the same
//! loops, which of three loops is joined, and the diagonal.

use super::{
    discs::{disc_triangles, discs},
    loops::{AMBIGUOUS_FACES, Loops},
    patch::Patch,
    tubes::{goes_round, is_possible, tube, tube_triangles},
};

/// Rows of discs: one for each case and each set of decisions on its ambiguous faces.
pub const DISC_ROWS: usize = FIRST_ROWS[256] as usize;

/// All rows.
pub const ROWS: usize = SIZES.0;

/// Triangles of all rows.
pub const ROW_TRIANGLES: usize = SIZES.1;

/// Set in an element of [`FIRST_TRIANGLES`] where the row's patch has an inner vertex at the
/// centroid of a loop.
const HAS_CENTROID: u16 = 1 << 15;

/// For each case its first row.
const FIRST_ROWS: &[u16; 257] = &{
    let mut rows = [0; 257];
    let mut case = 0;
    while case < 256 {
        rows[case + 1] = rows[case] + (1 << AMBIGUOUS_FACES[case].count_ones());
        case += 1;
    }
    rows
};

/// Elements of tables by row: a power of two, so that a row's number is masked, not checked.
const ROW_ROOM: usize = ROWS.next_power_of_two();

/// Elements of the table of triangles: a power of two.
const TRIANGLE_ROOM: usize = ROW_TRIANGLES.next_power_of_two();

const _: () = assert!(ROWS < ROW_ROOM, "no room after the last row");

/// The first row of a case.
#[inline(always)]
pub const fn first_row(case: u32) -> u32 {
    FIRST_ROW[case as usize & 0xff] as u32
}

/// The tubes between the same loops as a row of discs has.
///
/// The low 8 bits say which there are, by diagonal, and from bit 4 on by diagonal where the loop of
/// three edges that is joined is round a corner that is below. The high 8 bits are the first one's
/// row less [`DISC_ROWS`]. Two loops have the same tubes whatever that corner is: bits 4 to 7 are 0.
#[inline(always)]
pub const fn tubes(row: u32) -> u32 {
    TUBES[row as usize & (ROW_ROOM - 1)] as u32
}

/// The first triangle of a row, and whether its patch has an inner vertex at the centroid of a
/// loop.
#[inline(always)]
pub const fn first_triangle(row: u32) -> (u32, bool) {
    let first = FIRST_TRIANGLES[row as usize & (ROW_ROOM - 1)];
    ((first & !HAS_CENTROID) as u32, first & HAS_CENTROID != 0)
}

/// A triangle of a row: see [`corners`](super::corners).
#[inline(always)]
pub const fn triangle(at: u32) -> u16 {
    TRIANGLES[at as usize & (TRIANGLE_ROOM - 1)]
}

/// For each case its first row.
static FIRST_ROW: [u16; 256] = {
    let mut rows = [0; 256];
    let mut case = 0;
    while case < 256 {
        rows[case] = FIRST_ROWS[case];
        case += 1;
    }
    rows
};

/// For each row of discs the tubes between the same loops: see [`tubes`].
static TUBES: [u16; ROW_ROOM] = {
    let mut tubes = [0; ROW_ROOM];
    let mut row = 0;
    while row < DISC_ROWS {
        tubes[row] = TUBE_ROWS[row];
        row += 1;
    }
    tubes
};

/// For each row its first triangle of [`TRIANGLES`], [`HAS_CENTROID`] perhaps; and the number of
/// all triangles.
static FIRST_TRIANGLES: [u16; ROW_ROOM] = FIRST_AND_TRIANGLES.0;

/// The triangles of all rows: see [`corners`](super::corners). Counter-clockwise seen from the
/// below side.
static TRIANGLES: [u16; TRIANGLE_ROOM] = FIRST_AND_TRIANGLES.1;

/// What a row of discs is for.
#[derive(Clone, Copy)]
struct Row {
    case: u32,
    /// The ambiguous faces on which the above corners are joined.
    joined: u32,
    loops: Loops,
}

const DISCS: &[Row; DISC_ROWS] = &{
    let none = Row {
        case: 0,
        joined: 0,
        loops: Loops::of(0, 0),
    };
    let mut rows = [none; DISC_ROWS];
    let (mut case, mut row) = (0, 0);
    while case < 256 {
        while row < FIRST_ROWS[case + 1] {
            let joined = spread(row - FIRST_ROWS[case], AMBIGUOUS_FACES[case]);
            rows[row as usize] = Row {
                case: case as u32,
                joined,
                loops: Loops::of(case as u32, joined),
            };
            row += 1;
        }
        case += 1;
    }
    rows
};

/// The low bits of `decisions`, each moved to the next face of `faces`.
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

/// The tubes between the loops of a row, as bits of [`TUBES`].
const fn tubes_of(row: &Row) -> u16 {
    let last = match row.loops.count {
        2 => 4,
        3 => 8,
        _ => 0,
    };
    let (mut bits, mut number) = (0, 0);
    while number < last {
        let (below, diagonal) = (number >= 4, number & 3);
        if is_possible(row.case, row.joined, diagonal)
            && goes_round(row.case, &row.loops, below, diagonal)
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
        let bits = tubes_of(&DISCS[row]);
        assert!(before < 256, "too many tubes");
        tubes[row] = bits | if bits == 0 { 0 } else { before << 8 };
        before += bits.count_ones() as u16;
        row += 1;
    }
    tubes
};

/// Rows and triangles.
const SIZES: (usize, usize) = {
    let (mut rows, mut triangles) = (DISC_ROWS, 0);
    let mut row = 0;
    while row < DISC_ROWS {
        let loops = &DISCS[row].loops;
        let mut number = 0;
        while number < loops.count {
            triangles += disc_triangles(loops.lengths[number]);
            number += 1;
        }
        let tubes = (TUBE_ROWS[row] & 0xff).count_ones() as usize;
        rows += tubes;
        triangles += tubes * tube_triangles(loops);
        row += 1;
    }
    (rows, triangles)
};

const FIRST_AND_TRIANGLES: &([u16; ROW_ROOM], [u16; TRIANGLE_ROOM]) = &{
    let mut firsts = [0; ROW_ROOM];
    let mut triangles = [0; TRIANGLE_ROOM];
    let (mut row, mut first) = (0, 0);
    while row < DISC_ROWS {
        let patch = discs(DISCS[row].case, DISCS[row].joined, &DISCS[row].loops);
        firsts[row] = first as u16 | if patch.has_centroid { HAS_CENTROID } else { 0 };
        first = append(&mut triangles, first, &patch);
        row += 1;
    }
    let mut of = 0;
    while of < DISC_ROWS {
        let mut tubes = TUBE_ROWS[of] & 0xff;
        while tubes != 0 {
            let number = tubes.trailing_zeros();
            tubes &= tubes - 1;
            let patch = tube(DISCS[of].case, &DISCS[of].loops, number >= 4, number & 3);
            firsts[row] = first as u16;
            first = append(&mut triangles, first, &patch);
            row += 1;
        }
        of += 1;
    }
    assert!(
        row == ROWS && first == ROW_TRIANGLES,
        "rows were miscounted"
    );
    assert!(first < HAS_CENTROID as usize, "too many triangles");
    firsts[row] = first as u16;
    (firsts, triangles)
};

const fn append(triangles: &mut [u16; TRIANGLE_ROOM], first: usize, patch: &Patch) -> usize {
    let mut at = 0;
    while at < patch.count {
        triangles[first + at] = patch.triangles[at];
        at += 1;
    }
    first + patch.count
}
