//! Cycle basis of a graph with respect to homology classes.

use super::homology_classes::{Basis, ClassTable, HomologyClass};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, unwrap_or_unwind, zeroed_or_unwind,
    },
    union_find::UnionFind,
};

/// Role of an edge in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Connects two components of the preceding edges.
    Tree,
    /// Closes a cycle whose class is independent of the preceding cycles.
    Independent,
    /// Closes a cycle whose class is a sum of preceding ones.
    Dependent,
}

/// Spanning forest of a graph, and the classes of its cycles.
pub struct CycleBasis {
    /// Role of each edge, in the order given. All tree edges are determined first, then cycles are
    /// closed in this order.
    pub roles: Vec<Role>,
    /// Representative node of each node's component.
    roots: Vec<usize>,
    /// Number of connected components.
    parts: usize,
    /// Class of the path from the representative node to each node along tree edges.
    path_classes: Vec<HomologyClass>,
    table: ClassTable,
    cycles: Basis,
}

impl CycleBasis {
    /// Builds the basis of a graph with `nodes` nodes from the nodes of each edge and the bits of
    /// its class.
    pub fn new<C: AsRef<[u32]>>(
        nodes: usize,
        edges: impl IntoIterator<Item = ([usize; 2], C)>,
    ) -> Self {
        let mut table = ClassTable::default();
        let mut sets = unwrap_or_unwind(UnionFind::<usize>::try_new(nodes));
        let mut parts = nodes;
        // tree edges, at both of their nodes
        let mut tree: Vec<Vec<(usize, HomologyClass)>> = filled_or_unwind(Vec::new(), nodes);
        let mut other_edges = Vec::new();
        let mut roles = Vec::new();
        for ([a, b], bits) in edges {
            let class = table.class_from_bits(bits.as_ref());
            if sets.join(a, b) {
                parts -= 1;
                tree[a].push_or_unwind((b, class));
                tree[b].push_or_unwind((a, class));
                roles.push_or_unwind(Role::Tree);
            } else {
                other_edges.push_or_unwind((roles.len(), [a, b], class));
                roles.push_or_unwind(Role::Dependent);
            }
        }
        let roots: Vec<usize> = (0..nodes).map(|node| sets.root(node)).collect_or_unwind();
        let mut graph = Self {
            roles,
            path_classes: path_classes(&roots, &tree, &mut table),
            roots,
            parts,
            table,
            cycles: Basis::default(),
        };
        for (edge, ends, class) in other_edges {
            let cycle = graph.cycle_class(ends, class);
            if graph.cycles.insert(&graph.table, cycle) {
                graph.roles[edge] = Role::Independent;
            }
        }
        graph
    }

    /// Returns the class of the cycle that an edge closes within its component.
    fn cycle_class(&mut self, [a, b]: [usize; 2], class: HomologyClass) -> HomologyClass {
        let both = self.table.sum(self.path_classes[a], self.path_classes[b]);
        self.table.sum(both, class)
    }

    /// Returns the rank of the cycles in the homology.
    pub fn rank(&self) -> usize {
        self.cycles.rank()
    }

    /// Returns `true` if an additional edge would connect two components or, in a connected graph,
    /// close a cycle of an independent class.
    pub fn is_needed(&mut self, [a, b]: [usize; 2], bits: &[u32]) -> bool {
        if self.parts > 1 {
            return self.roots[a] != self.roots[b];
        }
        let class = self.table.class_from_bits(bits);
        let cycle = self.cycle_class([a, b], class);
        self.cycles.is_independent(&self.table, cycle)
    }
}

/// Returns the class of the path from the representative node to each node along the edges of a
/// forest.
fn path_classes(
    roots: &[usize],
    joined: &[Vec<(usize, HomologyClass)>],
    table: &mut ClassTable,
) -> Vec<HomologyClass> {
    let mut path_classes = zeroed_or_unwind(roots.len());
    let mut stack: Vec<(usize, usize)> = (0..roots.len())
        .filter(|&node| roots[node] == node)
        .map(|node| (node, node))
        .collect_or_unwind();
    while let Some((node, before)) = stack.pop() {
        for &(next, class) in &joined[node] {
            if next != before {
                path_classes[next] = table.sum(path_classes[node], class);
                stack.push_or_unwind((next, node));
            }
        }
    }
    path_classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_are_classified_by_role() {
        // a triangle around a tunnel, and one edge twice
        let edges = [
            ([0, 1], vec![]),
            ([2, 1], vec![7]),
            ([2, 0], vec![]),
            ([0, 1], vec![]),
            ([3, 3], vec![7, 9]),
            ([3, 3], vec![9]),
        ];
        let mut graph = CycleBasis::new(5, edges);
        let expected = [
            Role::Tree,
            Role::Tree,
            Role::Independent,
            Role::Dependent,
            Role::Independent,
            Role::Dependent,
        ];
        assert_eq!((graph.roles.as_slice(), graph.rank()), (&expected[..], 2));
        assert!(graph.is_needed([0, 4], &[]) && graph.is_needed([3, 1], &[]));
        assert!(!graph.is_needed([0, 2], &[8]));
        let mut ring = CycleBasis::new(2, [([0, 1], [3]), ([1, 0], [4])]);
        assert_eq!(ring.rank(), 1);
        assert!(ring.is_needed([0, 1], &[]) && ring.is_needed([1, 1], &[4]));
        assert!(!ring.is_needed([0, 1], &[3]) && !ring.is_needed([0, 0], &[3, 4]));
    }

    proptest! {
        /// Components and rank do not depend on the order of edges, and dependent edges can be
        /// removed.
        #[test]
        fn dependent_edges_can_be_removed(
            edges in prop::collection::vec(((0usize..6, 0usize..6), 0u32..8), 0..20),
            order in any::<u64>(),
        ) {
            let bits = |mask: u32| (0..3).filter(|bit| mask >> bit & 1 == 1).collect::<Vec<u32>>();
            let mut edges: Vec<_> = edges.into_iter().map(|((a, b), mask)| ([a, b], bits(mask))).collect();
            let one = CycleBasis::new(6, edges.clone());
            let turn = order as usize % edges.len().max(1);
            edges.rotate_left(turn);
            let other = CycleBasis::new(6, edges.clone());
            prop_assert_eq!((one.parts, one.rank(), &one.roots), (other.parts, other.rank(), &other.roots));
            let count = |role| other.roles.iter().filter(|&&it| it == role).count();
            prop_assert_eq!((count(Role::Tree), count(Role::Independent)), (6 - other.parts, other.rank()));
            let kept = edges.iter().zip(&other.roles).filter(|(_, role)| **role != Role::Dependent);
            let rest = CycleBasis::new(6, kept.map(|(edge, _)| edge.clone()));
            prop_assert_eq!((rest.parts, rest.rank()), (other.parts, other.rank()));
            let mut other = other;
            for (ends, class) in &edges {
                prop_assert!(!other.is_needed(*ends, class));
            }
        }
    }
}
