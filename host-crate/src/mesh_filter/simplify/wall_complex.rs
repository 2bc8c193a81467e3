//! Triangles of walls between labels, with the triangles at each vertex.

use super::corner_table::{NONE, SIMPLIFICATION};
use crate::memory::{self, OutOfMemory};

/// Position of a vertex relative to the lines where walls meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WallVertexKind {
    /// All triangles belong to one wall.
    Wall,
    /// Walls meet in a line through the vertex.
    Line,
    /// Several lines end in the vertex, or a caller fixed it.
    Fixed,
}

/// A vertex that shares an edge with another.
#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    pub vertex: u32,
    /// Inside and outside label of the first triangle at the edge.
    sides: [u32; 2],
    triangles: u32,
    /// `true` if the edge is part of a line where walls meet.
    pub is_on_line: bool,
}

/// Triangles that change if an edge is contracted.
#[derive(Default)]
pub(super) struct EdgeStar {
    /// Triangles with both ends, which vanish.
    shared: Vec<u32>,
    /// Triangles with the kept end only, then those with the removed end only.
    pub changed: [Vec<u32>; 2],
    around: [Vec<Neighbour>; 2],
}

/// A complex of triangles that separate labels, in which more than two triangles may share an edge.
/// The corners at a vertex form a linked list.
pub(super) struct WallComplex<'a> {
    corners: Vec<[u32; 3]>,
    /// Inside and outside label of each triangle.
    pub sides: &'a [[u32; 2]],
    is_removed: Vec<bool>,
    first: Vec<u32>,
    next: Vec<u32>,
    /// Number of remaining triangles.
    pub triangles: usize,
}

impl<'a> WallComplex<'a> {
    pub fn new(
        triangles: &[[u32; 3]],
        sides: &'a [[u32; 2]],
        vertices: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut first = memory::try_filled(SIMPLIFICATION, vertices, NONE)?;
        let mut next = memory::try_filled(SIMPLIFICATION, triangles.len() * 3, NONE)?;
        for corner in (0..next.len()).rev() {
            let vertex = triangles[corner / 3][corner % 3] as usize;
            next[corner] = first[vertex];
            first[vertex] = corner as u32;
        }
        Ok(Self {
            corners: memory::try_copy(SIMPLIFICATION, triangles)?,
            sides,
            is_removed: memory::try_filled(SIMPLIFICATION, triangles.len(), false)?,
            first,
            next,
            triangles: triangles.len(),
        })
    }

    /// Returns the vertices of a triangle, unless it was removed.
    pub fn triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        (!self.is_removed[triangle]).then_some(self.corners[triangle])
    }

    /// Returns the vertices of a triangle that was not removed.
    pub fn vertices(&self, triangle: u32) -> [u32; 3] {
        self.corners[triangle as usize]
    }

    fn triangles_at(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let mut corner = self.first[vertex as usize];
        std::iter::from_fn(move || {
            while corner != NONE {
                let triangle = corner / 3;
                corner = self.next[corner as usize];
                if !self.is_removed[triangle as usize] {
                    return Some(triangle);
                }
            }
            None
        })
    }

    /// Lists the neighbours of a vertex.
    pub fn neighbours(&self, vertex: u32, around: &mut Vec<Neighbour>) {
        around.clear();
        for triangle in self.triangles_at(vertex) {
            let sides = self.sides[triangle as usize];
            for other in self.vertices(triangle) {
                if other == vertex {
                    continue;
                }
                match around.iter_mut().find(|it| it.vertex == other) {
                    Some(neighbour) => {
                        neighbour.triangles += 1;
                        neighbour.is_on_line |= neighbour.sides != sides;
                    }
                    None => around.push(Neighbour {
                        vertex: other,
                        sides,
                        triangles: 1,
                        is_on_line: false,
                    }),
                }
            }
        }
        for neighbour in around {
            neighbour.is_on_line |= neighbour.triangles != 2;
        }
    }

    /// Classifies a vertex by its neighbours.
    pub fn classify(around: &[Neighbour]) -> WallVertexKind {
        match around.iter().filter(|it| it.is_on_line).count() {
            0 => WallVertexKind::Wall,
            2 => WallVertexKind::Line,
            _ => WallVertexKind::Fixed,
        }
    }

    /// Returns `true` if an edge is part of a line where walls meet.
    pub fn is_on_line(&self, [a, b]: [u32; 2]) -> bool {
        let mut sides = None;
        let (mut count, mut differ) = (0, false);
        for triangle in self.triangles_at(a) {
            if self.vertices(triangle).contains(&b) {
                let own = self.sides[triangle as usize];
                differ |= *sides.get_or_insert(own) != own;
                count += 1;
            }
        }
        differ || count != 2
    }

    /// Returns `true` if the contraction of the edge from `removed` to `kept` preserves the surface
    /// of each label as a manifold, and each wall and line (an extension of the link condition of
    /// Dey, Edelsbrunner, Guha and Nekhayev 1999): no vertex is adjacent to both ends except across
    /// a triangle at the edge, no two triangles coincide, no triangle vanishes between two lines,
    /// and no label has both ends without the edge. Fills in `star`.
    pub fn may_contract(&self, star: &mut EdgeStar, kept: u32, removed: u32) -> bool {
        star.shared.clear();
        for (list, [own, other]) in star
            .changed
            .iter_mut()
            .zip([[kept, removed], [removed, kept]])
        {
            list.clear();
            for triangle in self.triangles_at(own) {
                if !self.vertices(triangle).contains(&other) {
                    list.push(triangle);
                } else if own == kept {
                    star.shared.push(triangle);
                }
            }
        }
        self.neighbours(kept, &mut star.around[0]);
        self.neighbours(removed, &mut star.around[1]);
        let [kept_around, removed_around] = &star.around;
        let mut common = 0;
        for one in kept_around {
            let Some(other) = removed_around.iter().find(|it| it.vertex == one.vertex) else {
                continue;
            };
            common += 1;
            if one.is_on_line && other.is_on_line {
                return false;
            }
        }
        if common != star.shared.len() {
            return false;
        }
        let [kept_only, removed_only] = &star.changed;
        let coincides = |triangle: &u32| {
            let others = self.vertices(*triangle);
            kept_only.iter().any(|it| {
                let vertices = self.vertices(*it);
                others
                    .iter()
                    .all(|other| *other == removed || vertices.contains(other))
            })
        };
        if removed_only.iter().any(coincides) {
            return false;
        }
        let has_label = |list: &[u32], label: u32| {
            list.iter()
                .any(|&it| self.sides[it as usize].contains(&label))
        };
        let touches = |triangle: &u32| {
            self.sides[*triangle as usize].iter().any(|&label| {
                label != 0 && has_label(removed_only, label) && !has_label(&star.shared, label)
            })
        };
        !kept_only.iter().any(touches)
    }

    /// Contracts an edge that [`may_contract`](Self::may_contract) allowed.
    pub fn contract(&mut self, star: &EdgeStar, kept: u32, removed: u32) {
        for &triangle in &star.shared {
            self.is_removed[triangle as usize] = true;
        }
        self.triangles -= star.shared.len();
        for &triangle in &star.changed[1] {
            for vertex in &mut self.corners[triangle as usize] {
                if *vertex == removed {
                    *vertex = kept;
                }
            }
        }
        // joins both lists, without the corners of triangles that vanished
        let mut end = NONE;
        for list in [kept, removed] {
            let mut corner = std::mem::replace(&mut self.first[list as usize], NONE);
            while corner != NONE {
                let next = self.next[corner as usize];
                if !self.is_removed[corner as usize / 3] {
                    self.next[corner as usize] = end;
                    end = corner;
                }
                corner = next;
            }
        }
        self.first[kept as usize] = end;
    }
}
