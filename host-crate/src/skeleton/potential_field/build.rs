//! Construction of the skeleton graph, one hierarchy level at a time.

use super::{
    Hierarchy,
    clusters::{Candidate, clusters},
    context::Context,
    critical::Search,
    seeds,
    trace::{GrowingSkeleton, REACH_DISTANCE, Seed, find_bridges, trace_streamlines},
};
use crate::{
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind, with_capacity_or_unwind,
        zeroed_or_unwind,
    },
    monitor::Stopwatch,
    skeleton::{Node, NodeKind, Skeleton, SkeletonError},
};
use nalgebra::Point3;

/// Distance from a saddle at which streamlines start, in units of the smallest spacing. If another
/// critical point is closer than twice this distance, they start half way to it. Closer to the
/// saddle the force may consist of rounding errors only.
const START_DISTANCE: f64 = 0.25;

/// Distance from the skeleton, in voxels, within which voxels of low divergence belong to the
/// skeleton and start no curve.
const SKELETON_DISTANCE: f64 = 2.5;

/// Minimum distance, in voxels, between a seed and the skeleton.
const MIN_BRANCH: f64 = 1.0;

impl Context<'_> {
    /// Builds the skeleton level by level, and returns it with the number of bridges: curves
    /// between parts that the force field leaves disconnected.
    pub fn build_graph(
        &self,
        search: &Search,
        stopwatch: &mut Stopwatch,
    ) -> Result<(Skeleton, usize), SkeletonError> {
        let mut growth = GrowingSkeleton::new(self.solid.geometry);
        for point in &search.points {
            growth.add_node(point.kind, point.position, Some(point.eigenvalues));
        }
        let (metric, _) = Metric::snapped(&self.solid.geometry);
        let mut starts = Vec::new();
        for (node, point) in search.points.iter().enumerate() {
            let step = match growth.nearest_node(node, 2.0 * START_DISTANCE) {
                Some(distance) => 0.5 * distance,
                None => START_DISTANCE,
            };
            for direction in point.unstable_directions.iter().flatten() {
                let away = metric.to_voxels(step * direction);
                starts.push_or_unwind((node, point.position + away));
                starts.push_or_unwind((node, point.position - away));
            }
        }
        self.grow_from_nodes(&mut growth, &starts, 0)?;
        stopwatch.lap("core");
        if self.params.hierarchy >= Hierarchy::Divergence {
            let converging = seeds::low_divergence_voxels(self.stream, self.field, self.params)?;
            // a region of low divergence that extends beyond the core leads to an endpoint, where
            // the curve starts
            let is_near_skeleton = |candidate: &Candidate| {
                growth.is_within_voxels(&candidate.point(), SKELETON_DISTANCE)
            };
            let found = clusters(&converging, is_near_skeleton);
            let endpoints = found.iter().filter_map(|cluster| cluster.farthest);
            self.grow_from_seeds(
                &mut growth,
                endpoints
                    .map(|candidate| candidate.point())
                    .collect_or_unwind(),
                1,
            )?;
            let lowest = found.iter().map(|cluster| cluster.lowest.point());
            self.grow_from_seeds(&mut growth, lowest.collect_or_unwind(), 1)?;
            stopwatch.lap("divergence");
        }
        if self.params.hierarchy >= Hierarchy::Curvature {
            let seeds = self.protruding_voxels(growth.skeleton())?;
            self.grow_protrusions(&mut growth, &seeds)?;
            stopwatch.lap("curvature");
        }
        let bridges = self.join_parts(&mut growth)?;
        stopwatch.lap("joins");
        let mut skeleton = growth.into_skeleton();
        self.assign_components(&mut skeleton);
        Ok((skeleton, bridges))
    }

    /// Adds the streamlines that start next to the given nodes. They end where they meet the
    /// existing skeleton or, in order, each other.
    fn grow_from_nodes(
        &self,
        growth: &mut GrowingSkeleton,
        starts: &[(usize, Point3<f64>)],
        level: u8,
    ) -> Result<(), SkeletonError> {
        let positions: Vec<_> = starts.iter().map(|&(_, at)| at).collect_or_unwind();
        let exponent = self.params.exponent;
        let paths = trace_streamlines(
            self.stream,
            self.sources,
            exponent,
            &positions,
            |index, points| {
                let last = points.last().expect("a path has points");
                growth.hit(starts[index].0, last).is_some() || !self.is_in_solid(last)
            },
        )?;
        for (&(node, _), path) in starts.iter().zip(&paths) {
            growth.add_path(node, self.part_in_solid(path), level);
        }
        Ok(())
    }

    /// Returns the initial part of a path that lies in the solid. With the inverse-square law
    /// (exponent 2) there are no attracting points, and streamlines leave the solid between surface
    /// voxels.
    fn part_in_solid<'p>(&self, path: &'p [Point3<f64>]) -> &'p [Point3<f64>] {
        let inside = path.iter().take_while(|at| self.is_in_solid(at)).count();
        &path[..inside]
    }

    /// Adds the streamlines that start at the seeds, except those within [`MIN_BRANCH`] of the
    /// skeleton.
    fn grow_from_seeds(
        &self,
        growth: &mut GrowingSkeleton,
        seeds: Vec<Point3<f64>>,
        level: u8,
    ) -> Result<(), SkeletonError> {
        let is_new = |seed: &Point3<f64>| !growth.is_within_voxels(seed, MIN_BRANCH);
        let seeds: Vec<_> = seeds.into_iter().filter(is_new).collect_or_unwind();
        let starts: Vec<_> = seeds
            .into_iter()
            .map(|seed| (growth.add_node(NodeKind::End, seed, None), seed))
            .collect_or_unwind();
        self.grow_from_nodes(growth, &starts, level)
    }

    /// Adds the curvature-level streamlines of sufficient [significance](super::Params), the most
    /// significant ones first. A seed is skipped if a previous one is nearer than the radius of the
    /// solid where its streamline meets the skeleton.
    fn grow_protrusions(
        &self,
        growth: &mut GrowingSkeleton,
        seeds: &[Point3<f64>],
    ) -> Result<(), SkeletonError> {
        let exponent = self.params.exponent;
        let paths = trace_streamlines(self.stream, self.sources, exponent, seeds, |_, points| {
            let last = points.last().expect("a path has points");
            growth.is_near(last, REACH_DISTANCE)
        })?;
        let ends = paths
            .iter()
            .map(|path| path.last().expect("a path has points"));
        let end_radii = self.radii.at(ends)?;
        let axes = self.solid.geometry.axes();
        let significance = paths.iter().zip(&end_radii).map(|(path, radius)| {
            let steps = path.windows(2).map(|two| (axes * (two[1] - two[0])).norm());
            (steps.sum::<f64>() - radius) / radius
        });
        let mut order: Vec<(usize, f64)> = significance.enumerate().collect_or_unwind();
        order.retain(|&(_, significance)| significance >= self.params.significance);
        stable_sort_or_unwind(&mut order, |a, b| b.1.total_cmp(&a.1));
        let mut kept: Vec<usize> = Vec::new();
        for (index, _) in order {
            let endpoint = paths[index][0];
            let is_near =
                |&other: &usize| (axes * (paths[other][0] - endpoint)).norm() < end_radii[index];
            if !kept.iter().any(is_near) {
                kept.push_or_unwind(index);
                let node = growth.add_node(NodeKind::End, endpoint, None);
                growth.add_path(node, self.part_in_solid(&paths[index]), 2);
            }
        }
        Ok(())
    }

    /// Connects the parts of the skeleton within each component of the solid, and returns the
    /// number of curves added.
    fn join_parts(&self, growth: &mut GrowingSkeleton) -> Result<usize, SkeletonError> {
        let skeleton = growth.skeleton();
        let parts = skeleton.components();
        let mut component_of = with_capacity_or_unwind(parts.count);
        let mut part_counts = zeroed_or_unwind::<u32>(self.components.count());
        for (node, &part) in skeleton.nodes.iter().zip(&parts.labels) {
            // parts are numbered in the order of their first nodes
            if part == component_of.len() {
                let component = self.containing_component(&node.position) as usize;
                component_of.push_or_unwind(component);
                part_counts[component] += 1;
            }
        }
        if part_counts.iter().all(|&count| count <= 1) {
            return Ok(0);
        }
        let nodes = skeleton.nodes.iter().zip(&parts.labels);
        let nodes = nodes.map(|(node, &part)| (node.position, part));
        let points = skeleton.edges.iter().flat_map(|edge| {
            let part = parts.labels[edge.nodes[0]];
            let inner = edge.points.iter().skip(1).rev().skip(1);
            inner.map(move |&at| (at, part))
        });
        let is_divided = |&(_, part): &(_, usize)| part_counts[component_of[part]] > 1;
        let seeds: Vec<Seed> = nodes
            .chain(points)
            .filter(is_divided)
            .filter_map(|(point, part)| {
                let voxel = self.containing_voxel(&point)?;
                Some(Seed { point, voxel, part })
            })
            .collect_or_unwind();
        let axes = self.solid.geometry.axes();
        let paths = find_bridges(self.components, &seeds, *axes, |points| {
            self.radii.at(points.iter())
        })?;
        let count = paths.len();
        for path in paths {
            growth.add_bridge(path, 0);
        }
        Ok(count)
    }

    /// Sets the component of each node, and adds a node at the centre of each component without
    /// nodes.
    fn assign_components(&self, skeleton: &mut Skeleton) {
        let mut has_node = zeroed_or_unwind::<bool>(self.components.count());
        for node in &mut skeleton.nodes {
            node.component = self.containing_component(&node.position);
            has_node[node.component as usize] = true;
        }
        let centres = self.components.central_voxels();
        for (component, centre) in (0..).zip(centres) {
            if !has_node[component as usize] {
                skeleton.nodes.push_or_unwind(Node {
                    kind: NodeKind::End,
                    position: Point3::from(centre.map(f64::from)),
                    eigenvalues: None,
                    radius: 0.0,
                    component,
                });
            }
        }
    }
}
