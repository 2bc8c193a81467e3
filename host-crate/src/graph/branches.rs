//! Measures of branches: lengths, radii, orders.

use super::{Chain, Skeleton};
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, zeroed_or_unwind};

/// Kind of a branch by its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// Branch between two leaves: the only one of its component.
    EndEnd,
    /// Branch between a leaf and a junction.
    EndJunction,
    /// Branch between two junctions, or from a junction to itself.
    JunctionJunction,
    /// Closed ring without junctions.
    Ring,
}

impl BranchKind {
    /// Returns the kind's name in files: `end-end`, `end-junction`, `junction-junction` or `ring`.
    pub fn name(self) -> &'static str {
        match self {
            Self::EndEnd => "end-end",
            Self::EndJunction => "end-junction",
            Self::JunctionJunction => "junction-junction",
            Self::Ring => "ring",
        }
    }
}

/// Branch of a skeleton with its measures; lengths and radii are in world units.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Edges and nodes of the branch.
    pub chain: Chain,
    /// Kind of the branch.
    pub kind: BranchKind,
    /// Length along the curve.
    pub length: f64,
    /// Straight distance between the two ends.
    pub distance: f64,
    /// Mean radius, weighted by length.
    pub mean_radius: f64,
    /// Smallest radius of a point.
    pub min_radius: f64,
    /// Largest radius of a point.
    pub max_radius: f64,
    /// Mean area of the cross-sections, over the points where they are defined.
    pub mean_section_area: Option<f64>,
    /// Order of the branch (Strahler 1957): 1 for terminal branches; a branch that drains two
    /// branches of the same highest order has the next one. The root of a component is its widest
    /// node. `None` for branches on cycles, and for those that drain them.
    pub strahler_order: Option<u32>,
}

impl Branch {
    /// Returns the length divided by the distance of the ends, or `None` for rings.
    pub fn tortuosity(&self) -> Option<f64> {
        (self.distance > 0.0).then(|| self.length / self.distance)
    }
}

impl Skeleton {
    /// Returns the branches with their measures, in the order of [`Skeleton::chains`].
    pub fn branches(&self) -> Vec<Branch> {
        let chains = self.chains();
        let orders = self.strahler_orders(&chains);
        let degrees = self.degrees();
        let branches = chains.into_iter().zip(orders);
        branches
            .map(|(chain, order)| self.measure_branch(chain, order, &degrees))
            .collect_or_unwind()
    }

    fn measure_branch(&self, chain: Chain, order: Option<u32>, degrees: &[usize]) -> Branch {
        let [first, last] = chain.ends();
        let leaves = [first, last]
            .iter()
            .filter(|&&end| degrees[end] == 1)
            .count();
        let kind = match leaves {
            2 => BranchKind::EndEnd,
            1 => BranchKind::EndJunction,
            _ if first == last && degrees[first] == 2 => BranchKind::Ring,
            _ => BranchKind::JunctionJunction,
        };
        let curve = self.chain_edge(&chain);
        let axes = self.geometry.axes();
        let steps = curve.points.windows(2).zip(curve.radii.windows(2));
        let (mut length, mut weighted) = (0.0, 0.0);
        for (points, radii) in steps {
            let step = (axes * (points[1] - points[0])).norm();
            length += step;
            weighted += step * 0.5 * (radii[0] + radii[1]);
        }
        let radii = curve.radii.iter().copied();
        let areas = curve.section_areas.iter().flatten();
        let (area, count) = areas.fold((0.0, 0u32), |(sum, count), area| (sum + area, count + 1));
        Branch {
            kind,
            length,
            distance: (self.node_in_world(last) - self.node_in_world(first)).norm(),
            mean_radius: if length > 0.0 {
                weighted / length
            } else {
                curve.radii[0]
            },
            min_radius: radii.clone().fold(f64::INFINITY, f64::min),
            max_radius: radii.fold(0.0, f64::max),
            mean_section_area: (count > 0).then(|| area / f64::from(count)),
            strahler_order: order,
            chain,
        }
    }

    /// Returns the Strahler order of each chain, computed by removing terminal chains from the
    /// leaves towards the widest node of each component.
    fn strahler_orders(&self, chains: &[Chain]) -> Vec<Option<u32>> {
        let mut incident = filled_or_unwind(Vec::new(), self.nodes.len());
        for (number, chain) in chains.iter().enumerate() {
            for end in chain.ends() {
                incident[end].push_or_unwind(number);
            }
        }
        let mut open: Vec<usize> = incident.iter().map(Vec::len).collect_or_unwind();
        let is_root = self.root_flags();
        let mut drained = zeroed_or_unwind::<[u32; 2]>(self.nodes.len());
        let mut orders: Vec<Option<u32>> = filled_or_unwind(None, chains.len());
        let mut pending: Vec<usize> = (0..self.nodes.len())
            .filter(|&node| open[node] == 1 && !is_root[node])
            .collect_or_unwind();
        while let Some(node) = pending.pop() {
            let chain = incident[node]
                .iter()
                .find(|&&chain| orders[chain].is_none());
            let Some(&chain) = chain else { continue };
            // the highest order of the drained chains, and their number
            let order = match drained[node] {
                [0, _] => 1,
                [order, 1] => order,
                [order, _] => order + 1,
            };
            orders[chain] = Some(order);
            let [first, last] = chains[chain].ends();
            let other = if first == node { last } else { first };
            let [highest, count] = &mut drained[other];
            match order.cmp(highest) {
                std::cmp::Ordering::Greater => (*highest, *count) = (order, 1),
                std::cmp::Ordering::Equal => *count += 1,
                std::cmp::Ordering::Less => {}
            }
            open[node] -= 1;
            open[other] -= 1;
            if open[other] == 1 && !is_root[other] {
                pending.push_or_unwind(other);
            }
        }
        orders
    }

    /// Returns `true` for the widest node of each component; of equally wide ones, the first.
    fn root_flags(&self) -> Vec<bool> {
        let components = self.components();
        let mut widest: Vec<Option<usize>> = filled_or_unwind(None, components.count);
        for (node, &component) in components.labels.iter().enumerate() {
            let radius = self.nodes[node].radius;
            if widest[component].is_none_or(|other| radius > self.nodes[other].radius) {
                widest[component] = Some(node);
            }
        }
        let mut flags = zeroed_or_unwind::<bool>(self.nodes.len());
        widest
            .into_iter()
            .flatten()
            .for_each(|node| flags[node] = true);
        flags
    }
}
