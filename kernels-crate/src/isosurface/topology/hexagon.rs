//! The hexagon around a tunnel, and the strips of triangles between it and the loops.
//!
//! A tunnel follows one of the four diagonals of the cell. The vertices of the hexagon around it
//! are the corners of a box inside the cell, except for the two corners on the diagonal.

use super::{
    loops::{edge_midpoint, squared_distance},
    patch::{FIRST_INNER, Patch},
};

/// Lower and upper end, in eighths of the cell, of the nominal box for which strips are optimised.
const NOMINAL_BOX: [i32; 2] = [2, 6];

/// Returns the corner of the inner box at vertex `index` of a hexagon: bit k is set if the vertex
/// is at the upper end along axis k.
///
/// Bits 0 and 1 of `diagonal` tell whether the tunnel runs against z along x and along y.
/// Consecutive vertices of the hexagon differ along one axis.
#[inline(always)]
pub const fn hexagon_corner(diagonal: u32, index: u32) -> u32 {
    (0b011_010_110_100_101_001 >> (3 * index) & 7) ^ diagonal & 3
}

/// The hexagon around a diagonal, at the corners of the nominal box.
pub(super) struct Hexagon {
    /// Positions in eighths of the cell.
    positions: [[i32; 3]; 6],
}

impl Hexagon {
    pub const fn new(diagonal: u32) -> Self {
        let mut positions = [[0; 3]; 6];
        let mut at = 0;
        while at < 6 {
            let mut axis = 0;
            while axis < 3 {
                positions[at][axis] =
                    NOMINAL_BOX[(hexagon_corner(diagonal, at as u32) >> axis & 1) as usize];
                axis += 1;
            }
            at += 1;
        }
        Self { positions }
    }

    /// Returns 1 if a loop surrounds the diagonal in the order of the hexagon's vertices, -1 if in
    /// the opposite order, 0 if neither.
    pub const fn winding(&self, edges: &[u8; 12], length: usize) -> i32 {
        let mut path = [[0; 3]; 12];
        let mut at = 0;
        while at < length {
            path[at] = midpoint_in_eighths(edges[at]);
            at += 1;
        }
        let (own, of_loop) = (area_vector(&self.positions, 6), area_vector(&path, length));
        let alignment = own[0] * of_loop[0] + own[1] * of_loop[1] + own[2] * of_loop[2];
        alignment.signum()
    }

    /// Adds the strip of triangles between a loop and the hexagon with the minimal sum of squared
    /// rung lengths.
    pub const fn push_strip(&self, patch: &mut Patch, edges: &[u8; 12], length: usize) {
        let forward = self.winding(edges, length) > 0;
        let mut squares = [[0; 6]; MAX_TUBE_LOOP];
        let mut on_loop = 0;
        while on_loop < length {
            let point = midpoint_in_eighths(edges[on_loop]);
            let mut vertex = 0;
            while vertex < 6 {
                squares[on_loop][vertex] =
                    (squared_distance(point, self.positions[vertex]) as u32) << MAX_STRIP_STEPS;
                vertex += 1;
            }
            on_loop += 1;
        }
        let (mut best, mut first) = (u32::MAX, 0);
        let mut start = 0;
        while start < 6 {
            let strip = best_strip_from(&squares, length, start, forward);
            if strip >> MAX_STRIP_STEPS < best >> MAX_STRIP_STEPS {
                (best, first) = (strip, start);
            }
            start += 1;
        }
        let (mut on_loop, mut on_hexagon) = (0, 0);
        while on_loop < length || on_hexagon < 6 {
            let edge = edges[on_loop % length] as u32;
            let vertex = FIRST_INNER + step_around(first, on_hexagon, forward) as u32;
            if best >> (on_loop + on_hexagon) & 1 == 1 {
                on_hexagon += 1;
                patch.push(
                    edge,
                    FIRST_INNER + step_around(first, on_hexagon, forward) as u32,
                    vertex,
                );
            } else {
                on_loop += 1;
                patch.push(edge, edges[on_loop % length] as u32, vertex);
            }
        }
    }
}

/// Maximum number of edges of a loop that a tunnel joins.
const MAX_TUBE_LOOP: usize = 6;

/// Maximum number of steps of a strip. A strip is encoded in a number: bit k is set if step k
/// advances on the hexagon; the bits above hold the sum of squares.
const MAX_STRIP_STEPS: usize = MAX_TUBE_LOOP + 6;

/// Returns the hexagon vertex `steps` after `vertex`.
const fn step_around(vertex: usize, steps: usize, forward: bool) -> usize {
    if forward {
        (vertex + steps) % 6
    } else {
        (vertex + 12 - steps) % 6
    }
}

/// Returns the best strip whose first rung joins the first edge of the loop and hexagon vertex
/// `start`, given the squared lengths of all rungs (dynamic programming).
const fn best_strip_from(
    squares: &[[u32; 6]; MAX_TUBE_LOOP],
    length: usize,
    start: usize,
    forward: bool,
) -> u32 {
    // best partial strips ending at the current loop vertex, by steps taken on the hexagon
    let mut strips = [0; 7];
    let mut on_loop = 0;
    while on_loop <= length {
        let squares = &squares[on_loop % length];
        let mut on_hexagon = 0;
        let mut vertex = start;
        while on_hexagon <= 6 {
            let on_loop_step = if on_loop > 0 {
                strips[on_hexagon]
            } else {
                u32::MAX
            };
            let on_hexagon_step = if on_hexagon > 0 {
                strips[on_hexagon - 1] | 1 << (on_loop + on_hexagon - 1)
            } else {
                u32::MAX
            };
            let strip = if on_loop_step < on_hexagon_step {
                on_loop_step
            } else {
                on_hexagon_step
            };
            // the first rung, which is also the last, is counted once
            if strip < u32::MAX {
                strips[on_hexagon] = strip + squares[vertex];
            }
            vertex = step_around(vertex, 1, forward);
            on_hexagon += 1;
        }
        on_loop += 1;
    }
    strips[6]
}

/// Returns the midpoint of an edge, in eighths of the cell.
const fn midpoint_in_eighths(edge: u8) -> [i32; 3] {
    let [x, y, z] = edge_midpoint(edge);
    [4 * x, 4 * y, 4 * z]
}

/// Returns twice the area vector of a closed polygon.
const fn area_vector(path: &[[i32; 3]], length: usize) -> [i32; 3] {
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
