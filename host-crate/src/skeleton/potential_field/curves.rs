//! The curves of a skeleton, level by level.

use super::{
    Hierarchy,
    clusters::{Candidate, clusters, thin_by_distance},
    context::Context,
    critical::Search,
    seeds,
    trace::{Growth, REACHED, Seed, bridges, paths},
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

/// How far from a saddle, in the smallest spacing, a curve begins, where no other critical point is
/// nearer than twice that: else half way to it. The force nearer to the saddle may be nothing but
/// rounding.
const FIRST_STEP: f64 = 0.25;

/// A curve of level 2 is kept if it is longer than the radius where it meets the skeleton, by this
/// factor.
const PROTRUDES: f64 = 1.3;

/// Curves of level 2 begin no nearer to one another than this, in voxels: the size of what the
/// curvature was measured in.
const TIP_DISTANCE: f64 = 8.0;

/// Voxels this near to the skeleton, in voxels, belong to it.
const BESIDE: f64 = 2.5;

/// A curve of level 1 or 2 that would begin this near to the skeleton, in voxels, is left out.
const MIN_BRANCH: f64 = 1.0;

impl Context<'_> {
    /// The skeleton, level by level, and how many curves join what the force leaves apart.
    pub fn build_graph(
        &self,
        search: &Search,
        stopwatch: &mut Stopwatch,
    ) -> Result<(Skeleton, usize), SkeletonError> {
        let mut growth = Growth::new(self.solid.geometry);
        for point in &search.points {
            growth.add_node(point.kind, point.position, Some(point.eigenvalues));
        }
        let (metric, _) = Metric::snapped(&self.solid.geometry);
        let mut starts = Vec::new();
        for (node, point) in search.points.iter().enumerate() {
            let step = match growth.nearest_node(node, 2.0 * FIRST_STEP) {
                Some(distance) => 0.5 * distance,
                None => FIRST_STEP,
            };
            for direction in point.leaving.iter().flatten() {
                let away = metric.to_voxels(step * direction);
                starts.push_or_unwind((node, point.position + away));
                starts.push_or_unwind((node, point.position - away));
            }
        }
        self.grow(&mut growth, &starts, 0)?;
        stopwatch.lap("core");
        if self.params.hierarchy >= Hierarchy::Divergence {
            let low = seeds::converging(self.stream, self.field, self.params)?;
            // where such voxels go on beyond the core they lead to a tip, and the curve begins
            // there
            let beside = |one: &Candidate| growth.is_beside(&one.point(), BESIDE);
            let found = clusters(&low, beside);
            let tips = found.iter().filter_map(|cluster| cluster.farthest);
            self.grow_from(
                &mut growth,
                tips.map(|one| one.point()).collect_or_unwind(),
                1,
            )?;
            let lowest = found.iter().map(|cluster| cluster.lowest.point());
            self.grow_from(&mut growth, lowest.collect_or_unwind(), 1)?;
            stopwatch.lap("level 1");
        }
        if self.params.hierarchy >= Hierarchy::Curvature {
            let mut curved = seeds::curved(self.stream, self.solid, self.classes, self.params)?;
            stable_sort_or_unwind(&mut curved, |a, b| a.value.total_cmp(&b.value));
            let seeds = thin_by_distance(curved.iter().map(Candidate::point), TIP_DISTANCE);
            self.grow_tips(&mut growth, &seeds)?;
            stopwatch.lap("level 2");
        }
        let bridges = self.join_pieces(&mut growth)?;
        stopwatch.lap("joins");
        let mut skeleton = growth.done();
        self.name_components(&mut skeleton);
        Ok((skeleton, bridges))
    }

    /// Adds the ways that begin at some points, each beside a node. They end where they meet what
    /// was there before, and then one another.
    fn grow(
        &self,
        growth: &mut Growth,
        starts: &[(usize, Point3<f64>)],
        level: u8,
    ) -> Result<(), SkeletonError> {
        let places: Vec<_> = starts.iter().map(|&(_, at)| at).collect_or_unwind();
        let exponent = self.params.exponent;
        let ways = paths(
            self.stream,
            self.sources,
            exponent,
            &places,
            |path, points| {
                let last = points.last().expect("a way has points");
                growth.met(starts[path].0, last).is_some() || !self.is_of_solid(last)
            },
        )?;
        for (&(node, _), way) in starts.iter().zip(&ways) {
            growth.add_path(node, self.inside_of(way), level);
        }
        Ok(())
    }

    /// A way as far as it is in the solid: with Newton's law nothing attracts inside, and ways lead
    /// out between the surface voxels.
    fn inside_of<'w>(&self, way: &'w [Point3<f64>]) -> &'w [Point3<f64>] {
        let inside = way.iter().take_while(|at| self.is_of_solid(at)).count();
        &way[..inside]
    }

    /// Adds the ways that begin at seeds which are not beside the skeleton already.
    fn grow_from(
        &self,
        growth: &mut Growth,
        seeds: Vec<Point3<f64>>,
        level: u8,
    ) -> Result<(), SkeletonError> {
        let is_new = |seed: &Point3<f64>| !growth.is_beside(seed, MIN_BRANCH);
        let seeds: Vec<_> = seeds.into_iter().filter(is_new).collect_or_unwind();
        let starts: Vec<_> = seeds
            .into_iter()
            .map(|seed| (growth.add_node(NodeKind::End, seed, None), seed))
            .collect_or_unwind();
        self.grow(growth, &starts, level)
    }

    /// Adds the ways of level 2 that begin at seeds, those alone that are clearly longer than the
    /// solid is thick where they meet the skeleton: others show nothing but that there is a
    /// surface. Those that protrude most come first, and are as far from one another as the solid
    /// is thick.
    fn grow_tips(&self, growth: &mut Growth, seeds: &[Point3<f64>]) -> Result<(), SkeletonError> {
        let exponent = self.params.exponent;
        let ways = paths(self.stream, self.sources, exponent, seeds, |_, points| {
            let last = points.last().expect("a way has points");
            growth.is_near(last, REACHED)
        })?;
        let ends = ways.iter().map(|way| way.last().expect("a way has points"));
        let thick = self.radii.at(ends)?;
        let axes = self.solid.geometry.axes();
        let protrudes = ways.iter().zip(&thick).map(|(way, radius)| {
            let steps = way.windows(2).map(|two| (axes * (two[1] - two[0])).norm());
            steps.sum::<f64>() / radius
        });
        let mut order: Vec<(usize, f64)> = protrudes.enumerate().collect_or_unwind();
        order.retain(|&(_, by)| by > PROTRUDES);
        stable_sort_or_unwind(&mut order, |a, b| b.1.total_cmp(&a.1));
        let mut kept: Vec<usize> = Vec::new();
        for (number, _) in order {
            let tip = ways[number][0];
            let is_near = |&other: &usize| (axes * (ways[other][0] - tip)).norm() < thick[number];
            if !kept.iter().any(is_near) {
                kept.push_or_unwind(number);
                let node = growth.add_node(NodeKind::End, tip, None);
                growth.add_path(node, self.inside_of(&ways[number]), 2);
            }
        }
        Ok(())
    }

    /// Joins the pieces of the skeleton that are in one component of the solid, and returns how
    /// many curves that took.
    fn join_pieces(&self, growth: &mut Growth) -> Result<usize, SkeletonError> {
        let skeleton = growth.skeleton();
        let pieces = skeleton.components();
        let mut component_of = with_capacity_or_unwind(pieces.count);
        let mut has = zeroed_or_unwind::<u32>(self.pieces.count());
        for (node, &piece) in skeleton.nodes.iter().zip(&pieces.labels) {
            // pieces are numbered in the order of their first nodes
            if piece == component_of.len() {
                let component = self.piece_of(&node.position) as usize;
                component_of.push_or_unwind(component);
                has[component] += 1;
            }
        }
        if has.iter().all(|&count| count <= 1) {
            return Ok(0);
        }
        let nodes = skeleton.nodes.iter().zip(&pieces.labels);
        let nodes = nodes.map(|(node, &piece)| (node.position, piece));
        let points = skeleton.edges.iter().flat_map(|edge| {
            let piece = pieces.labels[edge.nodes[0]];
            let inner = edge.points.iter().skip(1).rev().skip(1);
            inner.map(move |&at| (at, piece))
        });
        let has_others = |&(_, piece): &(_, usize)| has[component_of[piece]] > 1;
        let seeds: Vec<Seed> = nodes
            .chain(points)
            .filter(has_others)
            .filter_map(|(point, piece)| {
                let voxel = self.voxel_of(&point)?;
                Some(Seed {
                    point,
                    voxel,
                    piece,
                })
            })
            .collect_or_unwind();
        let axes = self.solid.geometry.axes();
        let found = bridges(self.pieces, &seeds, *axes, |points| {
            self.radii.at(points.iter())
        })?;
        let count = found.len();
        for way in found {
            growth.join(way, 0);
        }
        Ok(count)
    }

    /// Sets the component of each node, and adds a node in the middle of each component that has
    /// none.
    fn name_components(&self, skeleton: &mut Skeleton) {
        let mut has_node = zeroed_or_unwind::<bool>(self.pieces.count());
        for node in &mut skeleton.nodes {
            node.component = self.piece_of(&node.position);
            has_node[node.component as usize] = true;
        }
        let middles = self.pieces.central_voxels();
        for (component, middle) in (0..).zip(middles) {
            if !has_node[component as usize] {
                skeleton.nodes.push_or_unwind(Node {
                    kind: NodeKind::End,
                    position: Point3::from(middle.map(f64::from)),
                    eigenvalues: None,
                    radius: 0.0,
                    component,
                });
            }
        }
    }
}
