//! Selection of the voxel paths that become curves: a cycle basis, and branches to uncovered
//! voxels.

use super::{
    coverage::{Coverage, CoverageRule},
    endpoints::extension_points,
    intermediate_graph::IntermediateGraph,
    intersections::resolve_intersections,
    shorten::shorten_edges,
    uncovered_queue::UncoveredQueue,
    voxel_links::VoxelLinks,
};
use crate::{
    grid::Metric,
    memory::{
        CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, copy_or_unwind, stable_sort_or_unwind,
        zeroed_or_unwind,
    },
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        paths::shortest_paths::{ShortestPaths, extremal_voxel, farthest_voxel, shortest_path_to},
        progress::Stage,
        topology::{
            cocycle::Cocycle,
            homology_classes::{Basis, HomologyClass},
        },
        voxels::{
            neighbour_bits::{NEIGHBOURS, PREDECESSORS},
            object::{MIN_PARALLEL_ITEMS, Object},
            segment_voxels::{FixedPoint, to_voxels, voxel_centre},
        },
    },
};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    ops::Range,
};

/// Root of the shortest paths, and the paths.
pub struct PathsFromRoot {
    pub root: Root,
    pub paths: ShortestPaths,
}

/// Root voxel.
#[derive(Clone, Copy)]
pub struct Root {
    pub voxel: usize,
    /// `true` if the voxel is the centre of a ball-like component.
    is_ball_centre: bool,
}

impl Root {
    /// Selects the root: the centre of a ball-like component without tunnels, otherwise an extremal
    /// voxel.
    pub fn select(
        object: &Object,
        metric: &Metric,
        squared_distances: &[f64],
        tunnels: u64,
    ) -> Self {
        let middle = match tunnels {
            0 => ball_centre(object, metric, squared_distances),
            _ => None,
        };
        Self {
            voxel: middle.unwrap_or_else(|| extremal_voxel(object, metric)),
            is_ball_centre: middle.is_some(),
        }
    }
}

/// Curves before any coverage-driven branch: one cycle per homology class, in order of increasing
/// cost; without tunnels, the longest path or the centre of a ball.
pub struct InitialCurves {
    paths: ShortestPaths,
    links: VoxelLinks,
}

impl InitialCurves {
    pub fn new(
        context: &ComponentContext<'_>,
        cocycle: &mut Cocycle,
        start: PathsFromRoot,
        rule: CoverageRule,
    ) -> Result<Self, Cancelled> {
        let PathsFromRoot { root, paths } = start;
        let Root {
            voxel: root,
            is_ball_centre,
        } = root;
        let mut tracer = CurveTracer::new(context, &paths, VoxelLinks::default(), rule, false);
        tracer.mark_on_skeleton(&[root as u32]);
        if cocycle.rank() > 0 {
            tracer.add_cycles(cocycle)?;
            tracer.remove_trunk(root);
        } else if !is_ball_centre {
            tracer.add_branch(farthest_voxel_along(&paths, context.object.len()))?;
        } else {
            tracer.links = VoxelLinks::from_voxel(root);
        }
        let links = tracer.links;
        Ok(Self { paths, links })
    }
}

/// Traces the curves of a component: the initial curves, a path from the farthest uncovered voxel
/// until all voxels are covered, then branches to convex voxels if they are long enough. Edges that
/// are too long are shortened within their homology class. The classes of all cycles are
/// independent. With `extends_ends`, coverage assumes that ends are extended straight, as by
/// [`extend_ends`](super::endpoints::extend_ends).
///
/// # Errors
/// [`Cancelled`].
pub fn trace_curves(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    initial_curves: &InitialCurves,
    rule: CoverageRule,
    convex_voxels: &[u32],
    extends_ends: bool,
) -> Result<VoxelLinks, Cancelled> {
    let InitialCurves { paths, links } = initial_curves;
    let mut tracer = CurveTracer::new(context, paths, links.clone(), rule, extends_ends);
    tracer.reset_coverage()?;
    tracer.add_branches()?;
    tracer.add_detail_branches(convex_voxels)?;
    for _ in 0..MAX_ROUNDS {
        if !shorten_edges(context, cocycle, &mut tracer.links)? {
            break;
        }
        tracer.reset_coverage()?;
        if !tracer.add_branches()? {
            break;
        }
    }
    resolve_intersections(context, cocycle, &mut tracer.links);
    context.progress.finish_stage(Stage::Curves)?;
    Ok(tracer.links)
}

/// Fraction of the inscribed radius within which the following voxels of a path are skipped.
const SKIPPED_FRACTION: f64 = 0.3;
/// Maximum number of passes of shortening and coverage.
const MAX_ROUNDS: usize = 20;

/// Minimum length of a detail branch, as a multiple of the inscribed radius plus a multiple of the
/// smallest spacing.
const MIN_DETAIL_LENGTH: [f64; 2] = [1.3, 1.5];

/// Returns the voxel with the longest path.
fn farthest_voxel_along(paths: &ShortestPaths, count: usize) -> usize {
    let range_max = |voxels: Range<usize>| {
        let keys = voxels.map(|voxel| (paths.length_units(voxel), Reverse(voxel)));
        keys.max()
    };
    let last = parallel::reduce(count, MIN_PARALLEL_ITEMS, range_max, Option::max).flatten();
    last.map_or(0, |(_, Reverse(voxel))| voxel)
}

/// Returns the centre of a component that is about as long as it is wide.
fn ball_centre(object: &Object, metric: &Metric, squared_distances: &[f64]) -> Option<usize> {
    // the first of the largest distances
    let order = |a: &usize, b: &usize| {
        squared_distances[*a]
            .total_cmp(&squared_distances[*b])
            .then(b.cmp(a))
    };
    let range_max = |voxels: Range<usize>| voxels.max_by(order);
    let larger = |a: Option<usize>, b: Option<usize>| a.into_iter().chain(b).max_by(order);
    let middle = parallel::reduce(
        squared_distances.len(),
        MIN_PARALLEL_ITEMS,
        range_max,
        larger,
    )??;
    let at = object.position(middle).map(f64::from);
    let farthest = farthest_voxel(object, metric, at, object.row_endpoints());
    let farthest_position = object.position(farthest);
    let length = metric.length([0, 1, 2].map(|axis| f64::from(farthest_position[axis]) - at[axis]));
    (length <= 1.05 * squared_distances[middle].sqrt() - 0.3).then_some(middle)
}

/// State of the tracing.
struct CurveTracer<'a> {
    context: &'a ComponentContext<'a>,
    rule: CoverageRule,
    paths: &'a ShortestPaths,
    /// `true` for voxels of the skeleton, and the list of these voxels.
    is_on_skeleton: Vec<bool>,
    skeleton_voxels: Vec<u32>,
    links: VoxelLinks,
    coverage: Coverage<'a>,
    extends_ends: bool,
}

impl<'a> CurveTracer<'a> {
    fn new(
        context: &'a ComponentContext<'a>,
        paths: &'a ShortestPaths,
        links: VoxelLinks,
        rule: CoverageRule,
        extends_ends: bool,
    ) -> Self {
        Self {
            context,
            rule,
            paths,
            is_on_skeleton: zeroed_or_unwind::<bool>(context.object.len()),
            skeleton_voxels: Vec::new(),
            links,
            coverage: Coverage::new(context.object, context.metric),
            extends_ends,
        }
    }

    /// Adds voxels to the skeleton.
    fn mark_on_skeleton(&mut self, voxels: &[u32]) {
        for &voxel in voxels {
            self.is_on_skeleton[voxel as usize] = true;
        }
        self.skeleton_voxels
            .extend_or_unwind(voxels.iter().copied());
    }

    /// Returns the coverage ball of a position.
    fn ball(&self, position: FixedPoint) -> ([f64; 3], f64) {
        let radius = self.context.radius(position);
        (to_voxels(position), self.rule.radius(radius))
    }

    /// Returns coverage balls of a path; voxels close to the preceding ball, relative to its
    /// radius, are skipped.
    fn balls(&self, path: &[u32]) -> Vec<([f64; 3], f64)> {
        let mut balls = Vec::new();
        let mut next = 0.0;
        for (at, &voxel) in path.iter().enumerate() {
            let position = self.voxel_centre(voxel);
            if at > 0 {
                next -= self
                    .context
                    .distance(self.voxel_centre(path[at - 1]), position);
            }
            if next <= 0.0 || at + 1 == path.len() {
                balls.push_or_unwind(self.ball(position));
                next = SKIPPED_FRACTION * self.context.radius(position);
            }
        }
        balls
    }

    /// Returns the centre of a voxel.
    fn voxel_centre(&self, voxel: u32) -> FixedPoint {
        voxel_centre(self.context.object.position(voxel as usize))
    }

    /// Recomputes the coverage from the current links.
    fn reset_coverage(&mut self) -> Result<(), Cancelled> {
        self.coverage = Coverage::new(self.context.object, self.context.metric);
        for voxel in std::mem::take(&mut self.skeleton_voxels) {
            self.is_on_skeleton[voxel as usize] = false;
        }
        let voxels = self.links.voxels();
        self.mark_on_skeleton(&voxels);
        let graph = IntermediateGraph::from_links(self.context.object, &self.links);
        let degrees = graph.degrees();
        let mut edges = graph.edges;
        let balls = parallel::try_map_mut(&mut edges, |_, edge| {
            self.context.progress.check()?;
            let mut balls = self.balls(&edge.voxels);
            for node in edge.nodes {
                if self.extends_ends && degrees[node] == 1 {
                    balls.extend_or_unwind(self.end_balls(&edge.points));
                }
                edge.points.reverse();
            }
            Ok::<_, Cancelled>(balls)
        })?;
        let mut balls: Vec<_> = balls.into_iter().flatten().collect_or_unwind();
        balls.extend_or_unwind(
            self.links
                .isolated_voxel
                .map(|voxel| self.ball(self.voxel_centre(voxel))),
        );
        self.coverage.add_balls(&balls);
        Ok(())
    }

    /// Adds one cycle per independent class, and the paths from the cycles to the root.
    fn add_cycles(&mut self, cocycle: &mut Cocycle) -> Result<(), Cancelled> {
        let object = self.context.object;
        let paths = self.paths;
        let mut classes: Vec<HomologyClass> = zeroed_or_unwind(object.len());
        paths.visit_from_root(object, |voxel, before, bit| {
            let step = cocycle.step_class(voxel, bit);
            classes[voxel] = cocycle.table.sum(classes[before], step);
        });
        self.context.progress.check()?;
        let mut candidates = self.cycle_candidates(cocycle, &classes)?;
        stable_sort_or_unwind(&mut candidates, |a, b| {
            a.cost.total_cmp(&b.cost).then(a.ends.cmp(&b.ends))
        });
        let mut basis = Basis::default();
        for candidate in candidates {
            if basis.rank() as u64 == cocycle.rank() {
                break;
            }
            if basis.insert(&cocycle.table, candidate.class) {
                for end in candidate.ends {
                    self.add_path_to_skeleton(cocycle, &classes, end as usize);
                }
                self.links.add_path(&candidate.ends);
            }
        }
        Ok(())
    }

    /// Returns the cheapest candidate for each class that a closed path has which consists of two
    /// shortest paths and one additional step.
    fn cycle_candidates(
        &self,
        cocycle: &mut Cocycle,
        classes: &[HomologyClass],
    ) -> Result<Vec<Candidate>, Cancelled> {
        let paths = self.paths;
        let object = self.context.object;
        let mut cheapest: HashMap<HomologyClass, Candidate> = HashMap::new();
        // closed paths are contractible except at few steps
        let shared = &*cocycle;
        let closing_steps =
            parallel::collect(object.len(), MIN_PARALLEL_ITEMS, |voxels, closing_steps| {
                for voxel in voxels {
                    let class = classes[voxel];
                    let has_classes = shared.has_classes(voxel);
                    for (bit, other) in object.neighbours(voxel, PREDECESSORS) {
                        let other_class = classes[other];
                        if class == other_class && !has_classes {
                            continue;
                        }
                        let step = shared.step_class(voxel, bit);
                        if !shared.table.is_sum(class, other_class, step) {
                            closing_steps.push_or_unwind(([other as u32, voxel as u32], bit, step));
                        }
                    }
                }
            });
        for (ends, bit, step) in closing_steps {
            let [other, voxel] = ends.map(|end| end as usize);
            let path = cocycle.table.sum(classes[voxel], classes[other]);
            let class = cocycle.table.sum(path, step);
            let cost = paths.cycle_cost(self.context.edge_weights, voxel, other, bit);
            let candidate = Candidate { cost, class, ends };
            match cheapest.get_mut(&class) {
                Some(best) if best.cost <= cost => {}
                Some(best) => *best = candidate,
                None => {
                    cheapest.push_or_unwind((class, candidate));
                }
            }
        }
        Ok(cheapest.into_values().collect_or_unwind())
    }

    /// Adds the path from a voxel to the skeleton. Stops at a voxel next to the skeleton if the
    /// step to it does not change the homology class.
    fn add_path_to_skeleton(
        &mut self,
        cocycle: &mut Cocycle,
        classes: &[HomologyClass],
        from: usize,
    ) {
        let object = self.context.object;
        let mut path = Vec::new();
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            path.push_or_unwind(voxel as u32);
            let mut adjacent = None;
            for (bit, other) in object.neighbours(voxel, NEIGHBOURS) {
                if self.is_on_skeleton[other] {
                    let both = cocycle.table.sum(classes[voxel], classes[other]);
                    if cocycle.table.sum(both, cocycle.step_class(voxel, bit)) == 0 {
                        adjacent = Some(other);
                        break;
                    }
                }
            }
            let before = self.predecessor(voxel);
            let Some(next) = adjacent.or(before) else {
                break;
            };
            self.links.add_path(&[voxel as u32, next as u32]);
            voxel = next;
        }
        self.mark_on_skeleton(&path);
    }

    /// Returns the predecessor of a voxel on the path from the root.
    fn predecessor(&self, voxel: usize) -> Option<usize> {
        let bit = self.paths.predecessor_bit(voxel)?;
        Some(self.context.object.neighbour(voxel, bit))
    }

    /// Removes the path from the root to the cycles; coverage decides whether it is needed.
    fn remove_trunk(&mut self, root: usize) {
        let mut linked: HashMap<u32, Vec<u32>> = HashMap::new();
        for &[a, b] in &self.links.pairs {
            linked.reserve_or_unwind(2);
            linked.entry(a).or_default().push_or_unwind(b);
            linked.entry(b).or_default().push_or_unwind(a);
        }
        let mut trunk = HashSet::new();
        let mut voxel = root as u32;
        let mut last = None;
        while let Some(next) = linked.get(&voxel)
            && next.len() == if last.is_none() { 1 } else { 2 }
            && let Some(&ahead) = next.iter().find(|&&other| Some(other) != last)
        {
            trunk.push_or_unwind(voxel);
            last = Some(voxel);
            voxel = ahead;
        }
        let links = &mut self.links.pairs;
        links.retain(|link| link.iter().all(|voxel| !trunk.contains(voxel)));
    }

    /// Adds the path from a voxel to the skeleton, or to a voxel that touches it, as a branch.
    fn add_branch(&mut self, from: usize) -> Result<(), Cancelled> {
        let object = self.context.object;
        let mut path = vec![from as u32];
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            let adjacent = object
                .neighbours(voxel, NEIGHBOURS)
                .find(|&(_, other)| self.is_on_skeleton[other]);
            let Some(next) = adjacent.map(|(_, other)| other).or(self.predecessor(voxel)) else {
                // the shortest path reached the root without meeting the skeleton
                path = shortest_path_to(self.context, from, |voxel| self.is_on_skeleton[voxel])?;
                break;
            };
            path.push_or_unwind(next as u32);
            voxel = next;
        }
        self.links.add_path(&path);
        self.mark_on_skeleton(&path);
        let mut balls = self.balls(&path);
        if self.extends_ends {
            let positions: Vec<FixedPoint> = path
                .iter()
                .map(|&voxel| self.voxel_centre(voxel))
                .collect_or_unwind();
            balls.extend_or_unwind(self.end_balls(&positions));
        }
        self.coverage.add_balls(&balls);
        let covered = object.len() - self.coverage.uncovered_count();
        self.context
            .progress
            .report(Stage::Curves, covered, object.len())
    }

    /// Returns the coverage balls of the straight extension at the start of a curve.
    fn end_balls(&self, positions: &[FixedPoint]) -> impl Iterator<Item = ([f64; 3], f64)> {
        let positions = extension_points(self.context, positions).into_iter();
        positions.map(|position| self.ball(position))
    }

    /// Adds branches to the given voxels, farthest from the skeleton first, if they are long
    /// compared with the inscribed radius where they leave the skeleton.
    fn add_detail_branches(&mut self, convex_voxels: &[u32]) -> Result<(), Cancelled> {
        if convex_voxels.is_empty() {
            return Ok(());
        }
        let object = self.context.object;
        let paths = self.paths;
        let mut lengths = zeroed_or_unwind::<u32>(object.len());
        paths.visit_from_root(object, |voxel, predecessor, _| {
            if !self.is_on_skeleton[voxel] {
                let step = paths
                    .length_units(voxel)
                    .wrapping_sub(paths.length_units(predecessor));
                lengths[voxel] = lengths[predecessor].wrapping_add(step);
            }
        });
        let mut pending = copy_or_unwind(convex_voxels);
        let length = |voxel: u32| lengths[voxel as usize];
        pending.sort_unstable_by_key(|&voxel| (Reverse(length(voxel)), voxel));
        // suppresses voxels within the local thickness of a previous branch
        let mut suppressed = Coverage::new(object, self.context.metric);
        for voxel in pending {
            if suppressed.is_covered(voxel as usize) {
                continue;
            }
            let mut branch_point = voxel as usize;
            while let Some(predecessor) = self
                .predecessor(branch_point)
                .filter(|_| !self.is_on_skeleton[branch_point])
            {
                branch_point = predecessor;
            }
            let branch_length = self.paths.length(voxel as usize) - self.paths.length(branch_point);
            let radius = self.context.radius(self.voxel_centre(branch_point as u32));
            if self.is_on_skeleton[branch_point]
                && branch_length > MIN_DETAIL_LENGTH[0] * radius + MIN_DETAIL_LENGTH[1]
            {
                self.add_branch(voxel as usize)?;
                suppressed.add_ball(object.position(voxel as usize).map(f64::from), radius + 0.5);
            }
        }
        Ok(())
    }

    /// Adds branches to uncovered voxels, longest paths first, and returns `true` if any were
    /// added.
    fn add_branches(&mut self) -> Result<bool, Cancelled> {
        if self.coverage.uncovered_count() == 0 {
            return Ok(false);
        }
        let paths = self.paths;
        let mut queue = UncoveredQueue::new(&self.coverage, |voxel| paths.length_units(voxel));
        while let Some(voxel) = queue.next(&self.coverage) {
            self.add_branch(voxel)?;
        }
        Ok(true)
    }
}

/// Step that closes a cycle.
struct Candidate {
    cost: f64,
    class: HomologyClass,
    ends: [u32; 2],
}
