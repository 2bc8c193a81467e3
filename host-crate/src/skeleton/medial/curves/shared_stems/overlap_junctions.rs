//! Curves that pass a place twice meet there instead.

use super::editable_graph::{Graph, Tip};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind, stable_sort_or_unwind,
        with_capacity_or_unwind,
    },
    skeleton::medial::{
        context::Known,
        curves::{
            intermediate_graph::DraftEdge,
            resample::{class_of, is_same},
            self_overlap::Twice,
        },
        paths::segment_voxels::Place,
        topology::{
            cocycle::Cocycle,
            cycle_basis::{CycleClasses, Role},
        },
    },
};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

/// A way between places that are one is looked for up to this many nodes.
const MOST_NODES: usize = 1000;
/// A place that is so near to a node is that node; in the smallest spacing.
const AT_NODE: f64 = 0.05;

impl Graph {
    /// Has two edges meet at a place that both pass, and takes away the longest of the edges that
    /// then lead round for nothing, or, where they lead round a tunnel, one that others make
    /// needless.
    pub fn meet(
        &mut self,
        known: &Known<'_>,
        cocycle: &Cocycle,
        place: Twice,
        waiting: &mut Vec<usize>,
    ) {
        let lines = place.edges.map(|edge| self.line(known, (edge, 0)));
        let along = [0, 1].map(|k| lines[k].sums[place.segments[k]] + place.along[k]);
        // of one edge the later place first
        let first = usize::from(along[1] > along[0]);
        let mut nodes = [0; 2];
        for k in [first, 1 - first] {
            let edge = place.edges[k];
            match self.node_at(known, cocycle, edge, along[k]) {
                Some(node) => nodes[k] = node,
                None => return,
            }
        }
        waiting.extend_or_unwind(nodes);
        let [one, other] = nodes;
        if one == other {
            return;
        }
        // a way from one place to the other that leads round nothing
        let round = self.way(known, nodes).filter(|way| {
            let mut points = vec![self.nodes[one]];
            for &(edge, end) in way {
                points.extend_or_unwind(self.line(known, (edge, end)).places[1..].iter().copied());
            }
            is_same(known, cocycle, &points, &nodes.map(|node| self.nodes[node]))
        });
        let length = |&(edge, _): &Tip| known.length(&self.edges[edge].points);
        let longest = round.and_then(|way| {
            way.into_iter()
                .max_by(|a, b| length(a).total_cmp(&length(b)))
        });
        let mut ends = Vec::new();
        if let Some((edge, _)) = longest {
            ends.extend_or_unwind(self.edges[edge].nodes);
            self.remove_edge(edge);
        }
        for tip in copy_or_unwind(&self.tips[other]) {
            let mut points = self.line(known, tip).places;
            let here = self.nodes[one];
            if points[0] != here {
                let long = [here, points[0], points[1]];
                if points[1] != here && is_same(known, cocycle, &long, &[here, points[1]]) {
                    points[0] = here;
                } else if points[1] != here {
                    points.reserve_or_unwind(1);
                    points.insert(0, here);
                } else {
                    points.remove(0);
                }
            }
            self.replace(tip, one, points);
        }
        self.is_gone[other] = true;
        if longest.is_none()
            && let Some(edge) = self.dependent(known, cocycle)
        {
            ends.extend_or_unwind(self.edges[edge].nodes);
            self.remove_edge(edge);
        }
        for node in ends {
            if !self.is_gone[node] {
                self.tidy(node, waiting);
            }
        }
    }

    /// An edge without which there are the same classes of cycles: the first, if short edges are
    /// taken before long ones. None if a curve leaves the component.
    fn dependent(&self, known: &Known<'_>, cocycle: &Cocycle) -> Option<usize> {
        let mut order: Vec<(f64, usize)> = (0..self.edges.len())
            .filter(|&edge| !self.edges[edge].points.is_empty())
            .map(|edge| (known.length(&self.edges[edge].points), edge))
            .collect_or_unwind();
        stable_sort_or_unwind(&mut order, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut edges = with_capacity_or_unwind(order.len());
        for &(_, edge) in &order {
            let DraftEdge { nodes, points, .. } = &self.edges[edge];
            edges.push_or_unwind((*nodes, class_of(known, cocycle, points)?));
        }
        let CycleClasses { roles, .. } = CycleClasses::of(self.nodes.len(), edges);
        let first = roles.iter().position(|&role| role == Role::Dependent)?;
        Some(order[first].1)
    }

    /// The node at a length along an edge, which is made.
    fn node_at(
        &mut self,
        known: &Known<'_>,
        cocycle: &Cocycle,
        edge: usize,
        along: f64,
    ) -> Option<usize> {
        let line = self.line(known, (edge, 0));
        if along < AT_NODE {
            return Some(self.edges[edge].nodes[0]);
        }
        if along > line.length() - AT_NODE {
            return Some(self.edges[edge].nodes[1]);
        }
        let (before, after) = line.cut(along);
        let whole: Vec<Place> = before
            .iter()
            .chain(&after[1..])
            .copied()
            .collect_or_unwind();
        if before.len() < 2 || after.len() < 2 || !is_same(known, cocycle, &line.places, &whole) {
            return None;
        }
        let node = self.add_node(after[0]);
        let end = self.edges[edge].nodes[1];
        self.tips[end].retain(|&tip| tip != (edge, 1));
        self.edges[edge].nodes[1] = node;
        self.edges[edge].points = before;
        self.is_changed[edge] = true;
        self.tips[node].push_or_unwind((edge, 1));
        self.add_edge(DraftEdge {
            nodes: [node, end],
            points: after,
            voxels: Vec::new(),
        });
        Some(node)
    }

    /// The shortest way from one node to another: its edges with the ends from which they are gone.
    fn way(&self, known: &Known<'_>, [from, to]: [usize; 2]) -> Option<Vec<Tip>> {
        let mut ways: HashMap<usize, (f64, Option<Tip>)> = HashMap::from([(from, (0.0, None))]);
        let mut queue = BinaryHeap::from([Reverse((0u64, from))]);
        while let Some(Reverse((key, node))) = queue.pop() {
            if node == to {
                let mut way = Vec::new();
                let mut at = to;
                while let Some(&(_, Some((edge, end)))) = ways.get(&at) {
                    way.push_or_unwind((edge, end));
                    at = self.edges[edge].nodes[end];
                }
                way.reverse();
                return Some(way);
            }
            let length = f64::from_bits(key);
            if length > ways[&node].0 || ways.len() > MOST_NODES {
                continue;
            }
            for &tip in &self.tips[node] {
                let next = length + known.length(&self.edges[tip.0].points);
                let other = self.beyond(tip);
                if ways.get(&other).is_none_or(|&(least, _)| next < least) {
                    ways.push_or_unwind((other, (next, Some(tip))));
                    queue.push_or_unwind(Reverse((next.to_bits(), other)));
                }
            }
        }
        None
    }
}
