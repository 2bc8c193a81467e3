//! The hexagon round a tunnel, and the strips from there to the loops.
//!
//! A tunnel goes along one of the four diagonals of the cell. The hexagon lies round it: its
//! vertices are the corners of a box inside the cell, but for the two corners on the diagonal.

use super::{
    loops::{middle, square},
    patch::{INNER, Patch},
};

/// Where the inner box of a tunnel begins and ends on each axis, in eighths of the cell: what
/// strips are chosen for.
const BOX: [i32; 2] = [2, 6];

/// Where vertex `number` of a hexagon is: bit k is set where it is at the upper end of the inner
/// box along axis k.
///
/// Bits of `diagonal`: whether the tunnel goes against z along x, and along y. Neighbours in the
/// hexagon differ along one axis.
#[inline(always)]
pub const fn hexagon(diagonal: u32, number: u32) -> u32 {
    (0b011_010_110_100_101_001 >> (3 * number) & 7) ^ diagonal & 3
}

/// The hexagon of a diagonal, in the box that strips are chosen for.
pub(super) struct Hexagon {
    /// In eighths of the cell.
    places: [[i32; 3]; 6],
}

impl Hexagon {
    pub const fn of(diagonal: u32) -> Self {
        let mut places = [[0; 3]; 6];
        let mut at = 0;
        while at < 6 {
            let mut axis = 0;
            while axis < 3 {
                places[at][axis] = BOX[(hexagon(diagonal, at as u32) >> axis & 1) as usize];
                axis += 1;
            }
            at += 1;
        }
        Self { places }
    }

    /// 1 if a loop goes round the diagonal in the order of the hexagon's vertices, -1 if against
    /// it, 0 if neither.
    pub const fn direction(&self, edges: &[u8; 12], length: usize) -> i32 {
        let mut path = [[0; 3]; 12];
        let mut at = 0;
        while at < length {
            path[at] = eighths(edges[at]);
            at += 1;
        }
        let (own, other) = (area(&self.places, 6), area(&path, length));
        let along = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
        along.signum()
    }

    /// Adds the strip between a loop and the hexagon whose sides across have the least sum of
    /// squares.
    pub const fn strip(&self, patch: &mut Patch, edges: &[u8; 12], length: usize) {
        let forward = self.direction(edges, length) > 0;
        let mut squares = [[0; 6]; LONGEST];
        let mut on_loop = 0;
        while on_loop < length {
            let place = eighths(edges[on_loop]);
            let mut vertex = 0;
            while vertex < 6 {
                squares[on_loop][vertex] = (square(place, self.places[vertex]) as u32) << STEPS;
                vertex += 1;
            }
            on_loop += 1;
        }
        let (mut best, mut first) = (u32::MAX, 0);
        let mut start = 0;
        while start < 6 {
            let strip = strip_from(&squares, length, start, forward);
            if strip >> STEPS < best >> STEPS {
                (best, first) = (strip, start);
            }
            start += 1;
        }
        let (mut on_loop, mut on_hexagon) = (0, 0);
        while on_loop < length || on_hexagon < 6 {
            let edge = edges[on_loop % length] as u32;
            let vertex = INNER + after(first, on_hexagon, forward) as u32;
            if best >> (on_loop + on_hexagon) & 1 == 1 {
                on_hexagon += 1;
                patch.push(
                    edge,
                    INNER + after(first, on_hexagon, forward) as u32,
                    vertex,
                );
            } else {
                on_loop += 1;
                patch.push(edge, edges[on_loop % length] as u32, vertex);
            }
        }
    }
}

/// Edges of the longest loop that a tunnel joins.
const LONGEST: usize = 6;

/// Steps of a strip at most: the bits of a number in which those on the hexagon are set. Above them
/// is the sum of squares.
const STEPS: usize = LONGEST + 6;

/// The hexagon's vertex that comes some steps after another.
const fn after(vertex: usize, steps: usize, forward: bool) -> usize {
    if forward {
        (vertex + steps) % 6
    } else {
        (vertex + 12 - steps) % 6
    }
}

/// The best strip whose first side goes from the loop's first edge to the hexagon's vertex `start`,
/// by the squares of all sides.
const fn strip_from(
    squares: &[[u32; 6]; LONGEST],
    length: usize,
    start: usize,
    forward: bool,
) -> u32 {
    // the best ways to the sides from one place of the loop, by steps on the hexagon
    let mut ways = [0; 7];
    let mut on_loop = 0;
    while on_loop <= length {
        let squares = &squares[on_loop % length];
        let mut on_hexagon = 0;
        let mut vertex = start;
        while on_hexagon <= 6 {
            let along = if on_loop > 0 {
                ways[on_hexagon]
            } else {
                u32::MAX
            };
            let round = if on_hexagon > 0 {
                ways[on_hexagon - 1] | 1 << (on_loop + on_hexagon - 1)
            } else {
                u32::MAX
            };
            let way = if along < round { along } else { round };
            // the first side, which is also the last, is counted once
            if way < u32::MAX {
                ways[on_hexagon] = way + squares[vertex];
            }
            vertex = after(vertex, 1, forward);
            on_hexagon += 1;
        }
        on_loop += 1;
    }
    ways[6]
}

/// The middle of an edge, in eighths of the cell.
const fn eighths(edge: u8) -> [i32; 3] {
    let [x, y, z] = middle(edge);
    [4 * x, 4 * y, 4 * z]
}

/// Twice the area vector of a closed path.
const fn area(path: &[[i32; 3]], length: usize) -> [i32; 3] {
    let mut sum = [0; 3];
    let mut at = 0;
    while at < length {
        let (p, q) = (path[at], path[(at + 1) % length]);
        sum[0] += p[1] * q[2] - p[2] * q[1];
        sum[1] += p[2] * q[0] - p[0] * q[2];
        sum[2] += p[0] * q[1] - p[1] * q[0];
        at += 1;
    }
    sum
}
