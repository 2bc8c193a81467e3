//! Curves that pass a place twice meet there instead.

use super::graph::{Graph, Tip};
use crate::skeleton::whole::{
    cocycle::Cocycle, crossing::Place, draft::DraftEdge, known::Known, resample::is_same,
    twice::Twice,
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
    /// Has two edges meet at a place that both pass, and takes away the longest of the edges that then lead round for nothing.
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
        waiting.extend(nodes);
        let [one, other] = nodes;
        let way = match self.way(known, nodes) {
            Some(way) if one != other => way,
            _ => return,
        };
        let mut points = vec![self.nodes[one]];
        for &(edge, end) in &way {
            points.extend(&self.line(known, (edge, end)).places[1..]);
        }
        let ends = nodes.map(|node| self.nodes[node]);
        if !is_same(known, cocycle, &points, &ends) {
            return;
        }
        let mut longest = (0.0, way[0].0);
        for (edge, _) in way {
            let length = known.length(&self.edges[edge].points);
            if length > longest.0 {
                longest = (length, edge);
            }
        }
        let ends = self.edges[longest.1].nodes;
        self.remove_edge(longest.1);
        for tip in self.tips[other].clone() {
            let mut points = self.line(known, tip).places;
            let here = self.nodes[one];
            if points[0] != here {
                let long = [here, points[0], points[1]];
                if points[1] != here && is_same(known, cocycle, &long, &[here, points[1]]) {
                    points[0] = here;
                } else if points[1] != here {
                    points.insert(0, here);
                } else {
                    points.remove(0);
                }
            }
            self.replace(tip, one, points);
        }
        self.is_gone[other] = true;
        for node in ends {
            if !self.is_gone[node] {
                self.tidy(node, waiting);
            }
        }
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
        let whole: Vec<Place> = before.iter().chain(&after[1..]).copied().collect();
        if before.len() < 2 || after.len() < 2 || !is_same(known, cocycle, &line.places, &whole) {
            return None;
        }
        let node = self.add_node(after[0]);
        let end = self.edges[edge].nodes[1];
        self.tips[end].retain(|&tip| tip != (edge, 1));
        self.edges[edge].nodes[1] = node;
        self.edges[edge].points = before;
        self.is_changed[edge] = true;
        self.tips[node].push((edge, 1));
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
                    way.push((edge, end));
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
                    ways.insert(other, (next, Some(tip)));
                    queue.push(Reverse((next.to_bits(), other)));
                }
            }
        }
        None
    }
}
