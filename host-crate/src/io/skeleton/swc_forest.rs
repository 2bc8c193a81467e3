//! The trees of an SWC file, and the graph that is made of them.

use crate::graph::{Edge, Node, NodeKind, Skeleton};
use crate::grid::Geometry;
use crate::io::FileProblem;
use crate::io::swc_problem::SwcProblem;
use crate::memory;
use nalgebra::Point3;

/// What memory is asked for.
pub(super) const WHAT: &str = "the points of a skeleton";

/// A line of the file.
pub(super) struct Record {
    pub line: u64,
    pub number: i64,
    /// -1 for none.
    pub parent: i64,
    pub position: Point3<f64>,
    pub radius: f64,
}

/// In place of a point that is not there.
const NONE: usize = usize::MAX;

/// Who is whose parent, by the places of points in the file.
pub(super) struct Forest {
    /// [`NONE`] for a root.
    parents: Vec<usize>,
    /// Where the children of each point begin in `children`, and where those of the last end.
    starts: Vec<usize>,
    /// Those of one point in the order of the file.
    children: Vec<usize>,
}

impl Forest {
    pub fn new(records: &[Record]) -> Result<Self, FileProblem> {
        let mut by_number = memory::try_collect(WHAT, 0..records.len())?;
        by_number.sort_unstable_by_key(|&place| (records[place].number, place));
        let mut pairs = by_number.windows(2);
        let twice = pairs.find(|pair| records[pair[0]].number == records[pair[1]].number);
        if let Some(&[first, second]) = twice {
            return Err(SwcProblem::Duplicate {
                number: records[first].number,
                first: records[first].line,
                second: records[second].line,
            }
            .into());
        }
        let mut parents = memory::try_filled(WHAT, records.len(), NONE)?;
        let mut starts = memory::try_zeroed(WHAT, records.len() + 1)?;
        for (parent, record) in parents.iter_mut().zip(records) {
            if record.parent == -1 {
                continue;
            }
            let found =
                by_number.binary_search_by_key(&record.parent, |&place| records[place].number);
            let found = found.map_err(|_| SwcProblem::MissingParent {
                number: record.number,
                line: record.line,
                parent: record.parent,
            })?;
            *parent = by_number[found];
            starts[*parent] += 1;
        }
        // from counts to the ends of the lists, which are then filled from behind
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let mut children = memory::try_zeroed(WHAT, before)?;
        for (place, &parent) in parents.iter().enumerate().rev() {
            if parent != NONE {
                starts[parent] -= 1;
                children[starts[parent]] = place;
            }
        }
        Ok(Self {
            parents,
            starts,
            children,
        })
    }

    fn children(&self, place: usize) -> &[usize] {
        &self.children[self.starts[place]..self.starts[place + 1]]
    }

    fn roots(&self) -> impl Iterator<Item = usize> {
        let parents = self.parents.iter().enumerate();
        parents.filter_map(|(place, &parent)| (parent == NONE).then_some(place))
    }

    /// Fails if there are points that no root leads to.
    pub fn check_cycles(&self, records: &[Record]) -> Result<(), FileProblem> {
        let mut reached = memory::try_zeroed::<bool>(WHAT, records.len())?;
        let mut waiting = Vec::new();
        for root in self.roots() {
            reached[root] = true;
            memory::try_extend(WHAT, &mut waiting, &[root])?;
            while let Some(place) = waiting.pop() {
                for &child in self.children(place) {
                    reached[child] = true;
                }
                memory::try_extend(WHAT, &mut waiting, self.children(place))?;
            }
        }
        let Some(mut place) = reached.iter().position(|reached| !reached) else {
            return Ok(());
        };
        // after as many steps as there are points one is in the circle for sure
        for _ in 0..records.len() {
            place = self.parents[place];
        }
        let (start, mut first) = (place, place);
        loop {
            place = self.parents[place];
            first = first.min(place);
            if place == start {
                break;
            }
        }
        Err(SwcProblem::Cycle {
            number: records[first].number,
            line: records[first].line,
        }
        .into())
    }

    /// The graph: of roots, forks and ends nodes are made, of what is between them edges away from
    /// the root.
    pub fn skeleton(&self, records: &[Record]) -> Result<Skeleton, FileProblem> {
        let mut skeleton = Skeleton {
            geometry: Geometry::default(),
            ..Skeleton::default()
        };
        let add = |skeleton: &mut Skeleton, place: usize, component: u32| {
            let ends = self.children(place).len() + usize::from(self.parents[place] != NONE);
            memory::try_reserve_amortized(WHAT, &mut skeleton.nodes, 1)?;
            skeleton.nodes.push(Node {
                kind: if ends < 2 {
                    NodeKind::End
                } else {
                    NodeKind::Junction
                },
                position: records[place].position,
                eigenvalues: None,
                radius: records[place].radius,
                component,
            });
            Ok::<_, FileProblem>(skeleton.nodes.len() - 1)
        };
        // nodes whose edges are still to be made: the place, and the number of the node
        let mut waiting = Vec::new();
        for (tree, root) in self.roots().enumerate() {
            let tree = u32::try_from(tree).map_err(|_| SwcProblem::TooManyTrees)?;
            let node = add(&mut skeleton, root, tree)?;
            memory::try_extend(WHAT, &mut waiting, &[(root, node)])?;
            while let Some((place, node)) = waiting.pop() {
                for &child in self.children(place) {
                    let (mut last, mut count) = (child, 2);
                    while let &[next] = self.children(last) {
                        (last, count) = (next, count + 1);
                    }
                    let end = add(&mut skeleton, last, tree)?;
                    memory::try_extend(WHAT, &mut waiting, &[(last, end)])?;
                    let mut edge = Edge {
                        nodes: [node, end],
                        points: Vec::new(),
                        radii: Vec::new(),
                        level: 0,
                    };
                    memory::try_reserve(WHAT, &mut edge.points, count)?;
                    memory::try_reserve(WHAT, &mut edge.radii, count)?;
                    let (mut at, mut along) = (place, Some(child));
                    loop {
                        edge.points.push(records[at].position);
                        edge.radii.push(records[at].radius);
                        let Some(next) = along else { break };
                        at = next;
                        along = (next != last).then(|| self.children(next)[0]);
                    }
                    memory::try_reserve_amortized(WHAT, &mut skeleton.edges, 1)?;
                    skeleton.edges.push(edge);
                }
            }
        }
        Ok(skeleton)
    }
}
