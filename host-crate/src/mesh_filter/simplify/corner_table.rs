//! Triangle connectivity that supports edge contraction (a corner table).

use super::{
    NONE, SIMPLIFICATION,
    contraction::{Complex, EdgeRoles},
};
use crate::memory::{self, OutOfMemory};

/// Kind of a vertex, by the arrangement of its triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VertexKind {
    /// Interior: the triangles form a closed ring.
    Interior,
    /// Boundary: the triangles form a fan whose first and last edge belong to no other triangle.
    Boundary,
    /// Any other arrangement, or no triangles: the vertex is left unchanged.
    Fixed,
}

/// Triangles, with a linked list of corners at each vertex. A corner is three times the triangle
/// plus 0, 1 or 2.
pub(super) struct CornerTable {
    /// Vertex of each corner; [`NONE`] for removed triangles.
    corners: Vec<u32>,
    /// Next corner at the same vertex.
    next: Vec<u32>,
    /// First corner at each vertex.
    first: Vec<u32>,
    /// Most recent mark of each vertex.
    marks: Vec<u64>,
    mark: u64,
    /// Number of remaining triangles.
    pub triangles: usize,
}

/// Corners affected by the contraction of an edge.
#[derive(Default)]
pub(super) struct CornerStar {
    /// Corners at the kept vertex, and at the removed vertex.
    at: [Vec<u32>; 2],
}

impl CornerTable {
    pub fn new(triangles: &[[u32; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let corners = memory::try_copy(SIMPLIFICATION, triangles.as_flattened())?;
        let mut next = memory::try_filled(SIMPLIFICATION, corners.len(), NONE)?;
        let mut first = memory::try_filled(SIMPLIFICATION, vertices, NONE)?;
        // in reverse, so that lists ascend
        for corner in (0..corners.len()).rev() {
            let head = &mut first[corners[corner] as usize];
            next[corner] = std::mem::replace(head, corner as u32);
        }
        Ok(Self {
            corners,
            next,
            first,
            marks: memory::try_filled(SIMPLIFICATION, vertices, 0)?,
            mark: 0,
            triangles: triangles.len(),
        })
    }

    /// Returns the vertices of a corner's triangle, the corner's own first.
    pub fn corners_from(&self, corner: u32) -> [u32; 3] {
        let (triangle, offset) = (corner / 3 * 3, corner % 3);
        [0, 1, 2].map(|k| self.corners[(triangle + (offset + k) % 3) as usize])
    }

    /// Returns the vertices of a triangle, or `None` if it was removed.
    pub fn triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        let corners = [0, 1, 2].map(|k| self.corners[3 * triangle + k]);
        (corners[0] != NONE).then_some(corners)
    }

    /// Collects the corners at a vertex, and unlinks removed ones.
    pub fn corners_at(&mut self, vertex: u32, list: &mut Vec<u32>) {
        list.clear();
        let mut corner = self.first[vertex as usize];
        while corner != NONE {
            let next = self.next[corner as usize];
            if self.corners[corner as usize] != NONE {
                list.push(corner);
            } else if let Some(&last) = list.last() {
                self.next[last as usize] = next;
            } else {
                self.first[vertex as usize] = next;
            }
            corner = next;
        }
    }

    /// Collects the neighbours of a vertex, given its corners, each once.
    fn neighbours(&mut self, corners: &[u32], list: &mut Vec<u32>) {
        list.clear();
        self.mark += 1;
        for &corner in corners {
            for other in &self.corners_from(corner)[1..] {
                let mark = &mut self.marks[*other as usize];
                if *mark != self.mark {
                    *mark = self.mark;
                    list.push(*other);
                }
            }
        }
    }

    /// Returns the kind of a vertex, given its corners.
    pub fn kind(&self, corners: &[u32]) -> VertexKind {
        // the link of the vertex: one directed edge per triangle
        let mut links: Vec<[u32; 2]> = Vec::with_capacity(corners.len());
        for &corner in corners {
            let [own, from, to] = self.corners_from(corner);
            if own == from || from == to || to == own {
                return VertexKind::Fixed;
            }
            links.push([from, to]);
        }
        links.sort_unstable();
        let has_repeated =
            |links: &[[u32; 2]], end: usize| links.windows(2).any(|it| it[0][end] == it[1][end]);
        let mut ends: Vec<u32> = links.iter().map(|link| link[1]).collect();
        ends.sort_unstable();
        if links.is_empty() || has_repeated(&links, 0) || ends.windows(2).any(|it| it[0] == it[1]) {
            return VertexKind::Fixed;
        }
        let mut beginnings = links
            .iter()
            .filter(|link| ends.binary_search(&link[0]).is_err());
        let (kind, start) = match (beginnings.next(), beginnings.next()) {
            (None, _) => (VertexKind::Interior, links[0]),
            (Some(start), None) => (VertexKind::Boundary, *start),
            _ => return VertexKind::Fixed,
        };
        let mut link = start;
        for step in 1..=links.len() {
            match links.binary_search_by_key(&link[1], |it| it[0]) {
                Ok(found) if links[found] != start => link = links[found],
                // back at the start, or at the end of the fan
                _ if step == links.len() => return kind,
                _ => return VertexKind::Fixed,
            }
        }
        VertexKind::Fixed
    }
}

impl Complex for CornerTable {
    type VertexKind = VertexKind;
    type Star = CornerStar;

    fn triangle_count(&self) -> usize {
        self.triangles
    }

    fn roles(&self, [a, b]: [u32; 2], kinds: [VertexKind; 2]) -> Option<EdgeRoles> {
        let (kept, removed, moves) = match kinds {
            [VertexKind::Interior, VertexKind::Interior] => (a, b, true),
            [VertexKind::Boundary, VertexKind::Interior] => (a, b, false),
            [VertexKind::Interior, VertexKind::Boundary] => (b, a, false),
            _ => return None,
        };
        Some(EdgeRoles {
            kept,
            removed,
            moves,
        })
    }

    /// The common neighbours of both vertices must be exactly the two vertices opposite to the
    /// edge, with no edge between these (link condition, Dey, Edelsbrunner, Guha and Nekhayev
    /// 1999).
    fn may_contract(&mut self, found: &mut CornerStar, kept: u32, removed: u32) -> bool {
        let [at_kept, at_gone] = &mut found.at;
        self.corners_at(kept, at_kept);
        self.corners_at(removed, at_gone);
        self.mark += 2;
        let (kept_mark, common_mark) = (self.mark - 1, self.mark);
        for &corner in &*at_kept {
            for other in &self.corners_from(corner)[1..] {
                self.marks[*other as usize] = kept_mark;
            }
        }
        let (mut opposite, mut shared, mut common) = ([NONE; 2], 0, 0);
        for &corner in &*at_gone {
            let [_, from, to] = self.corners_from(corner);
            if from == kept || to == kept {
                if shared < 2 {
                    opposite[shared] = if from == kept { to } else { from };
                }
                shared += 1;
            }
            for other in [from, to] {
                if other != kept && self.marks[other as usize] == kept_mark {
                    self.marks[other as usize] = common_mark;
                    common += 1;
                }
            }
        }
        if shared != 2 || common != 2 {
            return false;
        }
        let has_between = |corners: &[u32]| {
            corners.iter().any(|&corner| {
                let [_, from, to] = self.corners_from(corner);
                opposite == [from, to] || opposite == [to, from]
            })
        };
        !(has_between(at_kept) && has_between(at_gone))
    }

    fn contract(&mut self, found: &CornerStar, kept: u32, removed: u32) {
        for &corner in &found.at[1] {
            if self.corners_from(corner).contains(&kept) {
                let triangle = (corner / 3 * 3) as usize;
                self.corners[triangle..triangle + 3].fill(NONE);
                self.triangles -= 1;
            } else {
                self.corners[corner as usize] = kept;
            }
        }
        // removed corners stay in the lists until these are traversed
        if let Some(&last) = found.at[0].last() {
            self.next[last as usize] = self.first[removed as usize];
        }
        self.first[removed as usize] = NONE;
    }

    fn list_neighbours(&mut self, star: &mut CornerStar, vertex: u32, list: &mut Vec<u32>) {
        let [corners, _] = &mut star.at;
        self.corners_at(vertex, corners);
        self.neighbours(corners, list);
    }

    fn any_changed(
        &self,
        star: &CornerStar,
        ends: [u32; 2],
        test: impl Fn([u32; 3]) -> bool,
    ) -> bool {
        star.at.iter().flatten().any(|&corner| {
            let vertices @ [_, from, to] = self.corners_from(corner);
            !ends.contains(&from) && !ends.contains(&to) && test(vertices)
        })
    }
}
