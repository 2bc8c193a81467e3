//! A cell cut into boxes, these into tetrahedra, and the surface in them.

use super::{Piece, Saddle, saddles::interpolated};

/// The coordinates at which a cell is cut along each axis, 0 and 1 among them.
pub type Lines = [Vec<f64>; 3];

/// Cuts into `parts` parts, from 16 on graded towards the faces, and through saddles.
pub fn lines(parts: usize, saddles: &[Saddle]) -> Lines {
    let mut regular: Vec<f64> = (0..=parts).map(|i| i as f64 / parts as f64).collect();
    let graded = if parts < 16 {
        &[][..]
    } else {
        &[1.0 / 64.0, 1.0 / 512.0, 1.0 / 8192.0]
    };
    for &near in graded {
        regular.extend([near, 1.0 - near]);
    }
    [0, 1, 2].map(|axis| {
        let mut lines = regular.clone();
        lines.extend(saddles.iter().map(|s| s.place[axis]));
        lines.sort_by(f64::total_cmp);
        lines.dedup_by(|a, b| *a - *b < 1e-13);
        if let Some(last) = lines.last_mut() {
            *last = 1.0;
        }
        lines
    })
}

/// The six tetrahedra of a box, as chains of corners from the first to the last.
const TETRAHEDRA: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 1, 5, 7],
    [0, 2, 3, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 4, 6, 7],
];

/// No number yet.
const NONE: u32 = u32::MAX;

/// Sets that are joined.
#[derive(Default)]
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let parent = self.0[member as usize];
            self.0[member as usize] = self.0[parent as usize];
            member = parent;
        }
        member
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// What is known of a vertex of the surface, and of the surface's parts that are counted at it.
#[derive(Clone, Copy, Default)]
struct Vertex {
    /// Twice the sides less twice the faces.
    twice: i64,
    /// The edge of the cell that it is on, as a bit.
    edge: u16,
    on_border: bool,
}

/// A refined cell. It is used again and again, since its memory is large.
#[derive(Default)]
pub struct Refinement {
    values: [f64; 8],
    lines: Lines,
    /// The vertex on each edge of the tetrahedra: seven to a node of the lines.
    numbers: Vec<u32>,
    /// Those that are not [`NONE`].
    used: Vec<usize>,
    vertices: Vec<Vertex>,
    pieces: Sets,
    loops: Sets,
}

impl Refinement {
    /// The pieces of the surface where the interpolant of `values` vanishes, in order, of a cell
    /// that is cut at `lines`.
    pub fn pieces(&mut self, values: &[f64; 8], lines: Lines) -> Vec<Piece> {
        self.values = *values;
        self.lines = lines;
        for &slot in &self.used {
            self.numbers[slot] = NONE;
        }
        self.used.clear();
        self.vertices.clear();
        self.pieces.0.clear();
        self.loops.0.clear();
        let counts = [0, 1, 2].map(|axis| self.lines[axis].len());
        let slots = counts.iter().product::<usize>() * 7;
        if self.numbers.len() < slots {
            self.numbers.resize(slots, NONE);
        }
        self.divide([0; 3], counts.map(|count| count - 1));
        self.collect()
    }

    /// Looks at the boxes between two nodes.
    fn divide(&mut self, low: [usize; 3], high: [usize; 3]) {
        let mut below = 0;
        for corner in 0..8 {
            let node = [0, 1, 2].map(|k| {
                if corner >> k & 1 == 1 {
                    high[k]
                } else {
                    low[k]
                }
            });
            let place = [0, 1, 2].map(|k| self.lines[k][node[k]]);
            below |= usize::from(interpolated(&self.values, place) < 0.0) << corner;
        }
        if below == 0 || below == 255 {
            return;
        }
        // the longest side is halved
        let axis = (0..3).max_by_key(|&k| high[k] - low[k]).unwrap_or(0);
        if high[axis] - low[axis] == 1 {
            return self.cut(low, below);
        }
        let middle = low[axis].midpoint(high[axis]);
        let (mut end, mut start) = (high, low);
        (end[axis], start[axis]) = (middle, middle);
        self.divide(low, end);
        self.divide(start, high);
    }

    /// The surface in the box above a node, whose corners are below where bits are set.
    fn cut(&mut self, low: [usize; 3], below: usize) {
        // the vertices on the box's edges and diagonals, as far as they are known
        let mut known = [[NONE; 8]; 8];
        for corners in TETRAHEDRA {
            let mut numbers = [[NONE; 4]; 4];
            let mut first = NONE;
            for i in 0..4 {
                for j in i + 1..4 {
                    let [from, to] = [corners[i], corners[j]];
                    if (below >> from ^ below >> to) & 1 == 0 {
                        continue;
                    }
                    if known[from][to] == NONE {
                        known[from][to] = self.number(low, from, to);
                    }
                    let number = known[from][to];
                    (numbers[i][j], numbers[j][i]) = (number, number);
                    if first == NONE {
                        first = number;
                    } else {
                        self.pieces.join(first, number);
                    }
                }
            }
            if first == NONE {
                continue;
            }
            let mut twice = -2;
            for left_out in 0..4 {
                let [i, j, k] = [0, 1, 2].map(|n| n + usize::from(n >= left_out));
                let sides = match [numbers[i][j], numbers[j][k], numbers[k][i]] {
                    [NONE, NONE, NONE] => continue,
                    [a, b, NONE] | [a, NONE, b] | [NONE, a, b] => [a, b],
                    [..] => unreachable!("a triangle has one corner alone"),
                };
                // a side is shared by two tetrahedra, or on the border
                twice += 1;
                if self.is_on_border(low, [corners[i], corners[j], corners[k]]) {
                    twice += 1;
                    self.loops.join(sides[0], sides[1]);
                    for vertex in sides {
                        self.vertices[vertex as usize].on_border = true;
                    }
                }
            }
            self.vertices[first as usize].twice += twice;
        }
    }

    fn is_on_border(&self, low: [usize; 3], corners: [usize; 3]) -> bool {
        let all = corners.iter().fold(7, |all, corner| all & corner);
        let any = corners.iter().fold(0, |any, corner| any | corner);
        (0..3).any(|k| {
            low[k] == 0 && any >> k & 1 == 0
                || low[k] + 2 == self.lines[k].len() && all >> k & 1 == 1
        })
    }

    /// The vertex between two corners of a box. All bits of `from` are in `to`.
    fn number(&mut self, low: [usize; 3], from: usize, to: usize) -> u32 {
        let node = [0, 1, 2].map(|k| low[k] + (from >> k & 1));
        let counts = [0, 1, 2].map(|k| self.lines[k].len());
        let way = from ^ to;
        let slot = (node[0] + counts[0] * (node[1] + counts[1] * node[2])) * 7 + way - 1;
        if self.numbers[slot] == NONE {
            let number = self.vertices.len() as u32;
            self.numbers[slot] = number;
            self.used.push(slot);
            self.pieces.0.push(number);
            self.loops.0.push(number);
            self.vertices.push(Vertex {
                edge: edge_of(node, counts, way),
                ..Vertex::default()
            });
        }
        self.numbers[slot]
    }

    fn collect(&mut self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut loops: Vec<(usize, u16)> = Vec::new();
        // a set is known by its least member, which comes first: its place in the list
        let mut places = vec![[0; 2]; self.vertices.len()];
        for number in 0..self.vertices.len() as u32 {
            let vertex = self.vertices[number as usize];
            let root = self.pieces.root(number);
            if root == number {
                places[number as usize][0] = pieces.len();
                pieces.push(Piece {
                    loops: Vec::new(),
                    euler: 0,
                });
            }
            let piece = places[root as usize][0];
            // twice the characteristic, for now
            pieces[piece].euler += 2 - vertex.twice;
            if vertex.on_border {
                let root = self.loops.root(number);
                if root == number {
                    places[number as usize][1] = loops.len();
                    loops.push((piece, 0));
                }
                loops[places[root as usize][1]].1 |= vertex.edge;
            }
        }
        for (piece, edges) in loops {
            pieces[piece].loops.push(edges);
        }
        for piece in &mut pieces {
            piece.loops.sort_unstable();
            piece.euler /= 2;
        }
        pieces.sort();
        pieces
    }
}

/// The edge of the cell that leads from a node in the direction `way`, as a bit; 0 where there is
/// none.
fn edge_of(node: [usize; 3], counts: [usize; 3], way: usize) -> u16 {
    let (axis, others) = match way {
        1 => (0, [1, 2]),
        2 => (1, [0, 2]),
        4 => (2, [0, 1]),
        _ => return 0,
    };
    let mut number = 4 * axis;
    for (bit, k) in others.into_iter().enumerate() {
        if node[k] + 1 == counts[k] {
            number |= 1 << bit;
        } else if node[k] > 0 {
            return 0;
        }
    }
    1 << number
}
