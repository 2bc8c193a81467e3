//! Verification of the properties that the curves of a component must have.
//!
//! Each property is checked by a method of [`Certifier`] and reported as a [`Violation`], in the
//! component's frame; `assemble` converts violations to the volume, and
//! `pipeline::skeleton::LocatedViolation` adds a name, a position and a message. `docs/skeleton.md`
//! and the help of `ferrovox skeleton` list the properties.

use super::{
    context::ComponentContext,
    curves::{
        coverage::{Coverage, CoverageRule},
        intermediate_graph::{GraphPoint, IntermediateGraph},
        self_overlap::{self, SelfOverlap},
    },
    paths::{
        class_paths::{max_alternative_length, shortest_path_below},
        length_bound::LengthBound,
    },
    progress::Stage,
    report::Violation,
    topology::{
        betti_numbers::BettiNumbers,
        cocycle::{Cocycle, path_class},
        cycle_basis::CycleBasis,
        homology_classes::HomologyClass,
    },
    voxels::segment_voxels::{to_voxels, traverse_segment, voxel_at},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind},
    monitor::Cancelled,
    parallel,
    union_find::UnionFind,
};
use nalgebra::Point3;

/// Inputs of the verification: a component and the requirements on its curves.
pub struct Certifier<'a> {
    pub context: &'a ComponentContext<'a>,
    /// Number of triangles on which the cocycle does not vanish.
    pub open_triangles: u64,
    pub betti_numbers: BettiNumbers,
    /// Coverage rule, or `None` if coverage is not required.
    pub rule: Option<CoverageRule>,
}

/// Result of the verification.
pub struct Certificate {
    /// Violated properties: edge indices within the component, positions in voxels of its frame,
    /// lengths in units of the smallest spacing.
    pub violations: Vec<Violation>,
    /// Rank of the cycles in the first homology; 0 if a segment leaves the component.
    pub rank: u64,
    /// Inscribed radius at each node, in units of the smallest spacing.
    pub node_radii: Vec<f64>,
    /// Inscribed radius at each point of each edge, in units of the smallest spacing.
    pub radii: Vec<Vec<f64>>,
}

impl Certifier<'_> {
    /// Verifies all properties of a graph.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn certify(
        &self,
        graph: &IntermediateGraph,
        cocycle: &mut Cocycle,
    ) -> Result<Certificate, Cancelled> {
        let progress = self.context.progress;
        let nodes = &graph.nodes;
        let node_radii: Vec<f64> = parallel::collect(nodes.len(), 1 << 6, |range, radii| {
            radii.extend_or_unwind(nodes[range].iter().map(|&at| self.context.radius(at)));
        });
        let radii: Vec<Vec<f64>> = parallel::map(graph.edges.len(), |edge| {
            let edge = &graph.edges[edge];
            let mut radii: Vec<f64> = edge
                .points
                .iter()
                .map(|&at| self.context.radius(at))
                .collect_or_unwind();
            let last = radii.len() - 1;
            radii[0] = node_radii[edge.nodes[0]];
            radii[last] = node_radii[edge.nodes[1]];
            radii
        });
        progress.report(Stage::Certificate, 1, 4)?;
        let mut violations = Vec::new();
        self.check_connectivity(graph, &mut violations);
        let classes = self.check_inside(graph, cocycle, &mut violations);
        let rank = self.check_homology(graph, cocycle, classes.as_deref(), &mut violations);
        progress.check()?;
        self.check_coverage(graph, &node_radii, &radii, &mut violations);
        progress.report(Stage::Certificate, 2, 4)?;
        self.check_overlaps(graph, &mut violations);
        progress.report(Stage::Certificate, 3, 4)?;
        if let Some(classes) = classes {
            self.check_lengths(graph, cocycle, &classes, &radii, &mut violations)?;
        }
        progress.finish_stage(Stage::Certificate)?;
        Ok(Certificate {
            violations,
            rank,
            node_radii,
            radii,
        })
    }

    /// Checks that the graph is connected and has as many cycles as the component has tunnels.
    fn check_connectivity(&self, graph: &IntermediateGraph, violations: &mut Vec<Violation>) {
        let mut sets = unwrap_or_unwind(UnionFind::<usize>::try_new(graph.nodes.len()));
        let mut parts = graph.nodes.len();
        for edge in &graph.edges {
            parts -= usize::from(sets.join(edge.nodes[0], edge.nodes[1]));
        }
        if parts != 1 {
            violations.push_or_unwind(Violation::Disconnected {
                parts: parts as u64,
            });
        }
        let cycles = (graph.edges.len() + parts - graph.nodes.len()) as u64;
        let tunnels = self.betti_numbers.tunnels;
        if cycles != tunnels {
            violations.push_or_unwind(Violation::CycleCount { cycles, tunnels });
        }
    }

    /// Checks that all segments stay inside the component, and returns the homology class of each
    /// edge as a path between the voxels of its nodes, or `None` if a segment leaves the component.
    fn check_inside(
        &self,
        graph: &IntermediateGraph,
        cocycle: &mut Cocycle,
        violations: &mut Vec<Violation>,
    ) -> Option<Vec<HomologyClass>> {
        let before = violations.len();
        let mut classes = with_capacity_or_unwind(graph.edges.len());
        let mut path = Vec::new();
        for (number, edge) in graph.edges.iter().enumerate() {
            path.clear();
            let ends = edge
                .nodes
                .map(|node| voxel_at(self.context.object, graph.nodes[node]));
            path.extend_or_unwind(ends[0].map(|voxel| voxel as u32));
            for (segment, ends) in edge.points.windows(2).enumerate() {
                if !traverse_segment(self.context.object, ends[0], ends[1], &mut path) {
                    violations.push_or_unwind(Violation::Outside {
                        edge: number,
                        segment,
                        position: Point3::from(to_voxels(ends[0])),
                    });
                    break;
                }
            }
            path.extend_or_unwind(ends[1].map(|voxel| voxel as u32));
            if violations.len() == before {
                classes.push_or_unwind(path_class(cocycle, &path));
            }
        }
        (violations.len() == before).then_some(classes)
    }

    /// Checks that the cycles are a basis of the homology, and returns their rank.
    fn check_homology(
        &self,
        graph: &IntermediateGraph,
        cocycle: &Cocycle,
        classes: Option<&[HomologyClass]>,
        violations: &mut Vec<Violation>,
    ) -> u64 {
        if self.open_triangles > 0 {
            violations.push_or_unwind(Violation::Cocycle {
                triangles: self.open_triangles,
            });
        }
        let Some(classes) = classes else {
            return 0;
        };
        let edges = graph.edges.iter().zip(classes);
        let edges = edges.map(|(edge, &class)| (edge.nodes, cocycle.table.bits(class)));
        let rank = CycleBasis::new(graph.nodes.len(), edges).rank() as u64;
        let tunnels = self.betti_numbers.tunnels;
        if rank != tunnels {
            violations.push_or_unwind(Violation::HomologyRank { rank, tunnels });
        }
        rank
    }

    /// Checks that all voxels are covered, if there is a coverage rule.
    fn check_coverage(
        &self,
        graph: &IntermediateGraph,
        node_radii: &[f64],
        radii: &[Vec<f64>],
        violations: &mut Vec<Violation>,
    ) {
        let Some(rule) = self.rule else {
            return;
        };
        let mut coverage = Coverage::new(self.context.object, self.context.metric);
        coverage.add_graph(self.context, rule, graph, |point, _| match point {
            GraphPoint::Node(node) => node_radii[node],
            GraphPoint::Inner(edge, at) => radii[edge][at],
        });
        if coverage.uncovered_count() > 0 {
            let first = coverage.uncovered().next().unwrap_or(0);
            violations.push_or_unwind(Violation::Uncovered {
                voxels: coverage.uncovered_count() as u64,
                position: Point3::from(self.context.object.position(first).map(f64::from)),
            });
        }
    }

    /// Checks that there are no segments of length zero and no self-overlaps.
    fn check_overlaps(&self, graph: &IntermediateGraph, violations: &mut Vec<Violation>) {
        for (number, edge) in graph.edges.iter().enumerate() {
            for (segment, ends) in edge.points.windows(2).enumerate() {
                if ends[0] == ends[1] {
                    violations.push_or_unwind(Violation::ZeroLength {
                        edge: number,
                        segment,
                    });
                }
            }
        }
        if let Some(SelfOverlap {
            edges, segments, ..
        }) = self_overlap::find_first(self.context, graph)
        {
            violations.push_or_unwind(Violation::SelfOverlap {
                edge: edges[1],
                position: Point3::from(to_voxels(graph.edges[edges[0]].points[segments[0]])),
            });
        }
    }

    /// Checks that no edge is longer than twice the shortest path of its homology class plus the
    /// maximum inscribed radius along the edge.
    fn check_lengths(
        &self,
        graph: &IntermediateGraph,
        cocycle: &mut Cocycle,
        classes: &[HomologyClass],
        radii: &[Vec<f64>],
        violations: &mut Vec<Violation>,
    ) -> Result<(), Cancelled> {
        let mut length_bound = LengthBound::new(self.context);
        for (number, edge) in graph.edges.iter().enumerate() {
            let length = self.context.length(&edge.points);
            let radius = radii[number].iter().fold(0.0, |a: f64, &b| a.max(b));
            let ends = edge
                .nodes
                .map(|node| voxel_at(self.context.object, graph.nodes[node]));
            let [Some(from), Some(to)] = ends else {
                continue;
            };
            let [a, b] = edge.nodes.map(|node| graph.nodes[node]);
            let straight = self.context.distance(a, b);
            if straight >= max_alternative_length(length, radius) {
                continue;
            }
            let found = shortest_path_below(
                self.context,
                cocycle,
                &mut length_bound,
                [from, to],
                classes[number],
                max_alternative_length(length, radius),
            )?;
            if let Some((shortest, _)) = found {
                violations.push_or_unwind(Violation::TooLong {
                    edge: number,
                    length,
                    shortest: shortest.max(straight),
                });
            }
        }
        Ok(())
    }
}
