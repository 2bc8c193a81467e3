//! A mesh whose edges can be contracted.

use crate::memory::{self, OutOfMemory};

/// No vertex, no corner.
pub(super) const NONE: u32 = u32::MAX;
/// What memory is for.
pub(super) const SIMPLIFICATION: &str = "the simplification of a mesh";

/// What the triangles at a vertex are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A ring.
    Inside,
    /// A fan, whose first and last edge have no other triangle.
    Boundary,
    /// Something else, or none: left as it is.
    Fixed,
}

/// Triangles, and at each vertex a chain of its corners. A corner is three times the triangle, plus
/// 0 to 2.
pub(super) struct Surface {
    /// The vertex of each corner; [`NONE`] for triangles that are gone.
    corners: Vec<u32>,
    /// The next corner at the same vertex.
    next: Vec<u32>,
    /// The first one at each vertex.
    first: Vec<u32>,
    /// The last mark of each vertex.
    marks: Vec<u64>,
    mark: u64,
    /// Triangles that are there.
    pub triangles: usize,
}

/// An edge that can be contracted, and what goes with it.
pub(super) struct Contraction {
    /// Corners at the vertex that stays, and at the one that goes.
    pub at: [Vec<u32>; 2],
}

impl Surface {
    pub fn new(triangles: &[[u32; 3]], vertices: usize) -> Result<Self, OutOfMemory> {
        let corners = memory::try_copy(SIMPLIFICATION, triangles.as_flattened())?;
        let mut next = memory::try_filled(SIMPLIFICATION, corners.len(), NONE)?;
        let mut first = memory::try_filled(SIMPLIFICATION, vertices, NONE)?;
        // from the last one on, so that chains ascend
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

    /// The vertices of a corner's triangle, its own first.
    pub fn corners_from(&self, corner: u32) -> [u32; 3] {
        let (triangle, place) = (corner / 3 * 3, corner % 3);
        [0, 1, 2].map(|k| self.corners[(triangle + (place + k) % 3) as usize])
    }

    /// The vertices of a triangle, unless it is gone.
    pub fn triangle(&self, triangle: usize) -> Option<[u32; 3]> {
        let three = [0, 1, 2].map(|k| self.corners[3 * triangle + k]);
        (three[0] != NONE).then_some(three)
    }

    /// The corners at a vertex. What is gone is taken out of its chain.
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

    /// The neighbours of a vertex whose corners are given, each once.
    pub fn neighbours(&mut self, corners: &[u32], list: &mut Vec<u32>) {
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

    /// What the triangles at a vertex are, whose corners are given.
    pub fn kind(&self, corners: &[u32]) -> Kind {
        // the way round: from the next vertex of each triangle to the one after it
        let mut ways: Vec<[u32; 2]> = Vec::with_capacity(corners.len());
        for &corner in corners {
            let [own, from, to] = self.corners_from(corner);
            if own == from || from == to || to == own {
                return Kind::Fixed;
            }
            ways.push([from, to]);
        }
        ways.sort_unstable();
        let twice =
            |ways: &[[u32; 2]], end: usize| ways.windows(2).any(|it| it[0][end] == it[1][end]);
        let mut ends: Vec<u32> = ways.iter().map(|way| way[1]).collect();
        ends.sort_unstable();
        if ways.is_empty() || twice(&ways, 0) || ends.windows(2).any(|it| it[0] == it[1]) {
            return Kind::Fixed;
        }
        let mut beginnings = ways
            .iter()
            .filter(|way| ends.binary_search(&way[0]).is_err());
        let (kind, start) = match (beginnings.next(), beginnings.next()) {
            (None, _) => (Kind::Inside, ways[0]),
            (Some(start), None) => (Kind::Boundary, *start),
            _ => return Kind::Fixed,
        };
        let mut way = start;
        for step in 1..=ways.len() {
            match ways.binary_search_by_key(&way[1], |it| it[0]) {
                Ok(found) if ways[found] != start => way = ways[found],
                // back, or at the end
                _ if step == ways.len() => return kind,
                _ => return Kind::Fixed,
            }
        }
        Kind::Fixed
    }

    /// The contraction of `gone` to `kept`, if the mesh stays the same but for that: what the two
    /// have around them in common is what the edge has around it, two vertices and nothing between
    /// these (the link condition of Dey, Edelsbrunner, Guha and Nekhayev, 1999).
    pub fn may_contract(&mut self, found: &mut Contraction, kept: u32, gone: u32) -> bool {
        let [at_kept, at_gone] = &mut found.at;
        self.corners_at(kept, at_kept);
        self.corners_at(gone, at_gone);
        self.mark += 2;
        let (of_kept, of_both) = (self.mark - 1, self.mark);
        for &corner in &*at_kept {
            for other in &self.corners_from(corner)[1..] {
                self.marks[*other as usize] = of_kept;
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
                if other != kept && self.marks[other as usize] == of_kept {
                    self.marks[other as usize] = of_both;
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

    /// Contracts what [`may_contract`](Self::may_contract) found.
    pub fn contract(&mut self, found: &Contraction, kept: u32, gone: u32) {
        for &corner in &found.at[1] {
            if self.corners_from(corner).contains(&kept) {
                let triangle = (corner / 3 * 3) as usize;
                self.corners[triangle..triangle + 3].fill(NONE);
                self.triangles -= 1;
            } else {
                self.corners[corner as usize] = kept;
            }
        }
        // what is gone in both chains stays in them until they are gone through
        if let Some(&last) = found.at[0].last() {
            self.next[last as usize] = self.first[gone as usize];
        }
        self.first[gone as usize] = NONE;
    }
}
