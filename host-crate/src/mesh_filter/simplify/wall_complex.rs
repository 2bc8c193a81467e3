//! Triangles of walls between labels, with the triangles at each vertex.

use super::{
    NONE, SIMPLIFICATION,
    contraction::{Complex, EdgeRoles},
};
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
    changed: [Vec<u32>; 2],
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
    /// Vertex that each vertex was merged into; itself if it remains.
    pub merged_into: Vec<u32>,
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
            merged_into: memory::try_collect(SIMPLIFICATION, 0..vertices as u32)?,
            triangles: triangles.len(),
        })
    }

    /// Returns the vertices of a triangle, unless it was removed.
    pub fn triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        (!self.is_removed[triangle]).then_some(self.corners[triangle])
    }

    /// Returns the vertices of a triangle that was not removed.
    fn vertices(&self, triangle: u32) -> [u32; 3] {
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
    fn is_on_line(&self, [a, b]: [u32; 2]) -> bool {
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
}

impl Complex for WallComplex<'_> {
    type VertexKind = WallVertexKind;
    type Star = EdgeStar;

    fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// A vertex of a line moves only along it, and a fixed vertex does not.
    fn roles(&self, [a, b]: [u32; 2], kinds: [WallVertexKind; 2]) -> Option<EdgeRoles> {
        let (kept, removed) = if kinds[0] >= kinds[1] { (a, b) } else { (b, a) };
        let [low, high] = [kinds[0].min(kinds[1]), kinds[0].max(kinds[1])];
        let leaves_line = low == WallVertexKind::Line && !self.is_on_line([a, b]);
        if low == WallVertexKind::Fixed || leaves_line {
            return None;
        }
        Some(EdgeRoles {
            kept,
            removed,
            moves: low == high,
        })
    }

    /// The surface of each label remains a manifold, and each wall and line remains, by an
    /// extension of the link condition (Dey, Edelsbrunner, Guha and Nekhayev 1999): no vertex is
    /// adjacent to both ends except across a triangle at the edge, no two triangles coincide, no
    /// triangle vanishes between two lines, and no label has both ends without the edge.
    fn may_contract(&mut self, star: &mut EdgeStar, kept: u32, removed: u32) -> bool {
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

    fn contract(&mut self, star: &EdgeStar, kept: u32, removed: u32) {
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
        self.merged_into[removed as usize] = kept;
    }

    fn list_neighbours(&mut self, star: &mut EdgeStar, vertex: u32, list: &mut Vec<u32>) {
        let [around, _] = &mut star.around;
        self.neighbours(vertex, around);
        list.clear();
        list.extend(around.iter().map(|it| it.vertex));
    }

    fn any_changed(&self, star: &EdgeStar, _: [u32; 2], test: impl Fn([u32; 3]) -> bool) -> bool {
        let mut changed = star.changed.iter().flatten();
        changed.any(|&triangle| test(self.vertices(triangle)))
    }
}
