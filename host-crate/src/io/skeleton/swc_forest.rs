//! Trees of an SWC file and their conversion into a graph.

use crate::graph::{Edge, Node, NodeKind, Skeleton};
use crate::grid::Geometry;
use crate::io::FileProblem;
use crate::io::SwcProblem;
use crate::memory;
use nalgebra::Point3;

/// Purpose of the allocations, quoted in the error.
pub(super) const PURPOSE: &str = "the points of a skeleton";

/// Point of a line of the file.
pub(super) struct Record {
    pub line: u64,
    pub number: i64,
    /// Number of the parent; -1 for a root.
    pub parent: i64,
    pub position: Point3<f64>,
    pub radius: f64,
}

/// Index that stands for a missing point.
const NONE: usize = usize::MAX;

/// Parent-child relations, by the indices of the points in the file.
pub(super) struct Forest {
    /// Parent of each point; [`NONE`] for a root.
    parents: Vec<usize>,
    /// Start of each point's range in `children`, and the end of the last range.
    starts: Vec<usize>,
    /// Children of all points, grouped by parent, in the order of the file.
    children: Vec<usize>,
}

impl Forest {
    /// Links every point to its parent.
    pub fn new(records: &[Record]) -> Result<Self, FileProblem> {
        let mut by_number = memory::try_collect(PURPOSE, 0..records.len())?;
        by_number.sort_unstable_by_key(|&index| (records[index].number, index));
        let mut pairs = by_number.windows(2);
        let duplicate = pairs.find(|pair| records[pair[0]].number == records[pair[1]].number);
        if let Some(&[first, second]) = duplicate {
            return Err(SwcProblem::Duplicate {
                number: records[first].number,
                first: records[first].line,
                second: records[second].line,
            }
            .into());
        }
        let mut parents = memory::try_filled(PURPOSE, records.len(), NONE)?;
        let mut starts = memory::try_zeroed(PURPOSE, records.len() + 1)?;
        for (parent, record) in parents.iter_mut().zip(records) {
            if record.parent == -1 {
                continue;
            }
            let found =
                by_number.binary_search_by_key(&record.parent, |&index| records[index].number);
            let found = found.map_err(|_| SwcProblem::MissingParent {
                number: record.number,
                line: record.line,
                parent: record.parent,
            })?;
            *parent = by_number[found];
            starts[*parent] += 1;
        }
        // The running sum turns counts into ends of ranges, which are then filled from the back.
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut children = memory::try_zeroed(PURPOSE, sum)?;
        for (index, &parent) in parents.iter().enumerate().rev() {
            if parent != NONE {
                starts[parent] -= 1;
                children[starts[parent]] = index;
            }
        }
        Ok(Self {
            parents,
            starts,
            children,
        })
    }

    fn children(&self, index: usize) -> &[usize] {
        &self.children[self.starts[index]..self.starts[index + 1]]
    }

    fn roots(&self) -> impl Iterator<Item = usize> {
        let parents = self.parents.iter().enumerate();
        parents.filter_map(|(index, &parent)| (parent == NONE).then_some(index))
    }

    /// Fails if the parents form a cycle.
    pub fn check_cycles(&self, records: &[Record]) -> Result<(), FileProblem> {
        let mut reached = memory::try_zeroed::<bool>(PURPOSE, records.len())?;
        let mut stack = Vec::new();
        for root in self.roots() {
            reached[root] = true;
            memory::try_extend(PURPOSE, &mut stack, &[root])?;
            while let Some(index) = stack.pop() {
                for &child in self.children(index) {
                    reached[child] = true;
                }
                memory::try_extend(PURPOSE, &mut stack, self.children(index))?;
            }
        }
        let Some(mut index) = reached.iter().position(|reached| !reached) else {
            return Ok(());
        };
        // After as many steps as there are points, the walk is inside a cycle.
        for _ in 0..records.len() {
            index = self.parents[index];
        }
        let (start, mut first) = (index, index);
        loop {
            index = self.parents[index];
            first = first.min(index);
            if index == start {
                break;
            }
        }
        Err(SwcProblem::Cycle {
            number: records[first].number,
            line: records[first].line,
        }
        .into())
    }

    /// Converts the trees into a graph. Roots, forks and endpoints become nodes; the chains between
    /// them become edges, directed away from the root.
    pub fn to_skeleton(&self, records: &[Record]) -> Result<Skeleton, FileProblem> {
        let mut skeleton = Skeleton {
            geometry: Geometry::default(),
            ..Skeleton::default()
        };
        let add_node = |skeleton: &mut Skeleton, index: usize, component: u32| {
            let degree = self.children(index).len() + usize::from(self.parents[index] != NONE);
            memory::try_reserve_amortized(PURPOSE, &mut skeleton.nodes, 1)?;
            skeleton.nodes.push(Node {
                kind: if degree < 2 {
                    NodeKind::End
                } else {
                    NodeKind::Junction
                },
                position: records[index].position,
                eigenvalues: None,
                radius: records[index].radius,
                component,
            });
            Ok::<_, FileProblem>(skeleton.nodes.len() - 1)
        };
        // Points that became nodes and whose edges are missing, with the index of the node.
        let mut stack = Vec::new();
        for (tree, root) in self.roots().enumerate() {
            let tree = u32::try_from(tree).map_err(|_| SwcProblem::TooManyTrees)?;
            let node = add_node(&mut skeleton, root, tree)?;
            memory::try_extend(PURPOSE, &mut stack, &[(root, node)])?;
            while let Some((index, node)) = stack.pop() {
                for &child in self.children(index) {
                    let (mut last, mut count) = (child, 2);
                    while let &[next] = self.children(last) {
                        (last, count) = (next, count + 1);
                    }
                    let end = add_node(&mut skeleton, last, tree)?;
                    memory::try_extend(PURPOSE, &mut stack, &[(last, end)])?;
                    let mut edge = Edge {
                        nodes: [node, end],
                        points: Vec::new(),
                        radii: Vec::new(),
                        section_areas: Vec::new(),
                        level: 0,
                    };
                    memory::try_reserve(PURPOSE, &mut edge.points, count)?;
                    memory::try_reserve(PURPOSE, &mut edge.radii, count)?;
                    let (mut current, mut following) = (index, Some(child));
                    loop {
                        edge.points.push(records[current].position);
                        edge.radii.push(records[current].radius);
                        let Some(next) = following else { break };
                        current = next;
                        following = (next != last).then(|| self.children(next)[0]);
                    }
                    memory::try_reserve_amortized(PURPOSE, &mut skeleton.edges, 1)?;
                    skeleton.edges.push(edge);
                }
            }
        }
        Ok(skeleton)
    }
}
