//! Selection of the voxel paths that become curves: a cycle basis, and branches to the ends or to
//! uncovered voxels.

mod branches;
mod cycles;

use super::{
    coverage::{Coverage, CoverageRule},
    endpoints::extension_points,
    intermediate_graph::IntermediateGraph,
    intersections::resolve_intersections,
    shorten::shorten_edges,
    voxel_links::VoxelLinks,
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::{
        context::ComponentContext,
        ends::Tip,
        paths::{
            goal_search::GoalSearch,
            path_lengths::{PathLengths, path_lengths_to},
            shortest_paths::{ShortestPaths, centroid, extremal_voxel, farthest_voxel},
        },
        progress::Stage,
        topology::cocycle::Cocycle,
        voxels::{
            object::{MIN_PARALLEL_ITEMS, Object},
            segment_voxels::{FixedPoint, to_voxels, voxel_centre},
        },
    },
};
use std::{cmp::Reverse, ops::Range};

/// Shortest paths to all voxels of a component, with the root at which they start.
pub struct PathsFromRoot {
    pub root: Root,
    pub paths: ShortestPaths,
}

/// Voxel at which the shortest paths start.
#[derive(Clone, Copy)]
pub struct Root {
    pub voxel: usize,
    /// `true` if the voxel is the only point of the initial curves, because the component is like a
    /// ball.
    is_centre: bool,
}

impl Root {
    /// Selects the root for known ends: the first one. Without ends it is the thickest voxel near
    /// the centroid, or an extremal voxel if there are tunnels.
    pub fn from_ends(
        object: &Object,
        metric: &Metric,
        squared_distances: &[f32],
        has_tunnels: bool,
        ends: &[Tip],
    ) -> Self {
        let voxel = match ends.first() {
            Some(end) => end.voxel as usize,
            None if has_tunnels => extremal_voxel(object, metric),
            None => central_voxel(object, metric, squared_distances),
        };
        let is_centre = ends.is_empty() && !has_tunnels;
        Self { voxel, is_centre }
    }

    /// Selects the root for branches by coverage: the centre of a ball-like component without
    /// tunnels, otherwise an extremal voxel.
    pub fn from_shape(
        object: &Object,
        metric: &Metric,
        squared_distances: &[f32],
        has_tunnels: bool,
    ) -> Self {
        let middle = if has_tunnels {
            None
        } else {
            ball_centre(object, metric, squared_distances)
        };
        Self {
            voxel: middle.unwrap_or_else(|| extremal_voxel(object, metric)),
            is_centre: middle.is_some(),
        }
    }
}

/// Branches that are added to the initial curves.
#[derive(Clone, Copy)]
pub struct Branches<'a> {
    /// Rule for branches to uncovered voxels, if any.
    pub coverage: Option<CoverageRule>,
    /// Tips of protrusions that get a branch. In addition to a coverage rule, only branches that
    /// are long compared with the radius of their stem are added.
    pub tips: &'a [u32],
}

/// Curves to which branches are added: a cycle basis of the homology or, without tunnels, the path
/// from the root to the farthest tip or voxel, or the central voxel.
pub struct InitialCurves {
    paths: ShortestPaths,
    /// Lengths of the paths; only with a coverage rule.
    lengths: Option<PathLengths>,
    links: VoxelLinks,
    /// Path from the root to the cycles, which are linked without it; empty without tunnels.
    trunk: Vec<u32>,
}

impl InitialCurves {
    pub fn new(
        context: &ComponentContext<'_>,
        cocycle: &mut Cocycle,
        start: PathsFromRoot,
        branches: Branches<'_>,
    ) -> Result<Self, Cancelled> {
        let PathsFromRoot { root, mut paths } = start;
        let Root {
            voxel: root,
            is_centre,
        } = root;
        let find_lengths =
            |paths: &ShortestPaths| PathLengths::new(paths, context.object, context.metric);
        let mut lengths = None;
        let mut tracer = CurveTracer::new(
            context,
            &paths,
            None,
            VoxelLinks::default(),
            branches.coverage,
            false,
        );
        tracer.mark_on_skeleton(&[root as u32]);
        let mut trunk = Vec::new();
        if cocycle.rank() > 0 {
            tracer.add_cycles(cocycle)?;
            trunk = tracer.remove_trunk(root);
        } else if is_centre {
            tracer.links = VoxelLinks::from_voxel(root);
        } else if branches.coverage.is_some() {
            let lengths = lengths.insert(find_lengths(&paths));
            tracer.add_branch(voxel_with_longest_path(lengths, context.object.len()))?;
        } else {
            let tips = tracer.farthest_first(branches.tips);
            tracer.add_branch(tips.first().map_or(root, |&tip| tip as usize))?;
        }
        let links = tracer.links;
        paths.drop_costs();
        if branches.coverage.is_some() {
            lengths.get_or_insert_with(|| find_lengths(&paths));
        }
        Ok(Self {
            paths,
            lengths,
            links,
            trunk,
        })
    }
}

/// Traces the curves of a component, in this order: the initial curves; with a coverage rule,
/// branches to uncovered voxels, farthest first, until all voxels are covered; branches to tips.
/// Edges that are too long are then shortened within their homology class. The classes of all
/// cycles are independent. With `extends_ends`, coverage assumes that ends are extended straight,
/// as by [`extend_ends`](super::endpoints::extend_ends).
///
/// # Errors
/// [`Cancelled`].
pub fn trace_curves(
    context: &ComponentContext<'_>,
    cocycle: &mut Cocycle,
    initial_curves: &InitialCurves,
    branches: Branches<'_>,
    extends_ends: bool,
) -> Result<VoxelLinks, Cancelled> {
    let InitialCurves {
        paths,
        lengths,
        links,
        trunk,
    } = initial_curves;
    let rule = branches.coverage;
    let mut tracer = CurveTracer::new(
        context,
        paths,
        lengths.as_ref(),
        links.clone(),
        rule,
        extends_ends,
    );
    tracer.trunk = copy_or_unwind(trunk);
    tracer.reset()?;
    tracer.add_branches(branches.tips)?;
    if rule.is_some() {
        tracer.add_detail_branches(branches.tips)?;
    }
    for _ in 0..MAX_ROUNDS {
        if !shorten_edges(context, cocycle, &mut tracer.links)? {
            break;
        }
        tracer.reset()?;
        if !tracer.add_branches(branches.tips)? {
            break;
        }
    }
    resolve_intersections(context, cocycle, &mut tracer.links);
    context.progress.finish_stage(Stage::Curves)?;
    Ok(tracer.links)
}

/// Fraction of the inscribed radius within which the following voxels of a path are skipped.
const SKIPPED_FRACTION: f64 = 0.3;
/// Maximum number of passes that shorten edges and then restore branches.
const MAX_ROUNDS: usize = 20;

/// Returns the voxel with the longest path from the root; the smallest voxel index on ties.
fn voxel_with_longest_path(lengths: &PathLengths, count: usize) -> usize {
    let range_max = |voxels: Range<usize>| {
        let keys = voxels.map(|voxel| (lengths.length_units(voxel), Reverse(voxel)));
        keys.max()
    };
    let last = parallel::reduce(count, MIN_PARALLEL_ITEMS, range_max, Option::max).flatten();
    last.map_or(0, |(_, Reverse(voxel))| voxel)
}

/// Fraction of the maximum distance to the background from which a voxel can be the central one.
const CENTRAL_FRACTION: f64 = 0.9;

/// Returns the voxel closest to the centroid among those that are nearly as far from the background
/// as the thickest one; the smallest voxel index on ties.
fn central_voxel(object: &Object, metric: &Metric, squared_distances: &[f32]) -> usize {
    let centroid = centroid(object);
    let thickest = squared_distances.iter().copied().fold(0.0, f32::max);
    let limit = (CENTRAL_FRACTION * CENTRAL_FRACTION * f64::from(thickest)) as f32;
    let mut best = (f64::INFINITY, 0);
    for (voxel, _) in squared_distances
        .iter()
        .enumerate()
        .filter(|&(_, &square)| square >= limit)
    {
        let at = object.position(voxel);
        let offset = [0, 1, 2].map(|axis| f64::from(at[axis]) - centroid[axis]);
        let square = metric.squared_length(offset);
        if square < best.0 {
            best = (square, voxel);
        }
    }
    best.1
}

/// Returns the voxel farthest from the background if the component is ball-like: no voxel is much
/// farther from it than the background. Otherwise returns `None`.
fn ball_centre(object: &Object, metric: &Metric, squared_distances: &[f32]) -> Option<usize> {
    // by distance to the background; the smaller voxel index wins ties
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
    (length <= 1.05 * f64::from(squared_distances[middle]).sqrt() - 0.3).then_some(middle)
}

/// Curves traced so far, and the voxels that they cover.
struct CurveTracer<'a> {
    context: &'a ComponentContext<'a>,
    rule: Option<CoverageRule>,
    paths: &'a ShortestPaths,
    /// Lengths of the paths; only with a coverage rule.
    lengths: Option<&'a PathLengths>,
    /// `true` for voxels of the skeleton; one entry per voxel.
    is_on_skeleton: Vec<bool>,
    /// Voxels of the skeleton.
    skeleton_voxels: Vec<u32>,
    links: VoxelLinks,
    coverage: Coverage<'a>,
    extends_ends: bool,
    search: GoalSearch<'a>,
    /// Path from the root to the cycles, if it is not part of the links.
    trunk: Vec<u32>,
}

impl<'a> CurveTracer<'a> {
    fn new(
        context: &'a ComponentContext<'a>,
        paths: &'a ShortestPaths,
        lengths: Option<&'a PathLengths>,
        links: VoxelLinks,
        rule: Option<CoverageRule>,
        extends_ends: bool,
    ) -> Self {
        Self {
            context,
            rule,
            paths,
            lengths,
            is_on_skeleton: zeroed_or_unwind::<bool>(context.object.len()),
            skeleton_voxels: Vec::new(),
            links,
            coverage: Coverage::new(context.object, context.metric),
            extends_ends,
            search: GoalSearch::new(context),
            trunk: Vec::new(),
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
    fn ball(&self, rule: CoverageRule, position: FixedPoint) -> ([f64; 3], f64) {
        let radius = self.context.radius(position);
        (to_voxels(position), rule.radius(radius))
    }

    /// Returns coverage balls of a path; voxels close to the preceding ball, relative to its
    /// radius, are skipped.
    fn balls(&self, rule: CoverageRule, path: &[u32]) -> Vec<([f64; 3], f64)> {
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
                balls.push_or_unwind(self.ball(rule, position));
                next = SKIPPED_FRACTION * self.context.radius(position);
            }
        }
        balls
    }

    /// Returns the centre of a voxel.
    fn voxel_centre(&self, voxel: u32) -> FixedPoint {
        voxel_centre(self.context.object.position(voxel as usize))
    }

    /// Recomputes the skeleton voxels and the coverage from the current links.
    fn reset(&mut self) -> Result<(), Cancelled> {
        for voxel in std::mem::take(&mut self.skeleton_voxels) {
            self.is_on_skeleton[voxel as usize] = false;
        }
        let voxels = self.links.voxels();
        self.mark_on_skeleton(&voxels);
        let Some(rule) = self.rule else {
            return Ok(());
        };
        self.coverage = Coverage::new(self.context.object, self.context.metric);
        let graph = IntermediateGraph::from_links(self.context.object, &self.links);
        let degrees = graph.degrees();
        let mut edges = graph.edges;
        let balls = parallel::try_map_mut(&mut edges, |_, edge| {
            self.context.progress.check()?;
            let mut balls = self.balls(rule, &edge.voxels);
            for node in edge.nodes {
                if self.extends_ends && degrees[node] == 1 {
                    balls.extend_or_unwind(self.end_balls(rule, &edge.points));
                }
                edge.points.reverse();
            }
            Ok::<_, Cancelled>(balls)
        })?;
        let mut balls: Vec<_> = balls.into_iter().flatten().collect_or_unwind();
        balls.extend_or_unwind(
            self.links
                .isolated_voxel
                .map(|voxel| self.ball(rule, self.voxel_centre(voxel))),
        );
        self.coverage.add_balls(&balls);
        Ok(())
    }

    /// Returns voxels in order of the length of their path, longest first; of equally long ones the
    /// smallest voxel index first.
    fn farthest_first(&self, voxels: &[u32]) -> Vec<u32> {
        let ComponentContext { object, metric, .. } = *self.context;
        let lengths = path_lengths_to(voxels, self.paths, object, metric);
        let mut keys: Vec<_> = lengths
            .into_iter()
            .zip(voxels)
            .map(|(length, &voxel)| (Reverse(length), voxel))
            .collect_or_unwind();
        keys.sort_unstable();
        keys.into_iter().map(|(_, voxel)| voxel).collect_or_unwind()
    }

    /// Returns the predecessor of a voxel on the path from the root.
    fn predecessor(&self, voxel: usize) -> Option<usize> {
        let bit = self.paths.predecessor_bit(voxel)?;
        Some(self.context.object.neighbour(voxel, bit))
    }

    /// Returns the coverage balls of the straight extension at the start of a curve.
    fn end_balls(
        &self,
        rule: CoverageRule,
        positions: &[FixedPoint],
    ) -> impl Iterator<Item = ([f64; 3], f64)> {
        let positions = extension_points(self.context, positions).into_iter();
        positions.map(move |position| self.ball(rule, position))
    }
}
