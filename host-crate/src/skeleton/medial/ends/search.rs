//! Selection of the ends of a component from several fronts.

use super::{
    block_graph::BlockGraph,
    graph::{FrontGraph, VoxelGraph},
    input::EndSearchInput,
    protrusion::{Survey, Tip, is_elongated},
    region::find_region,
    rule::EndRule,
    tip_list::TipList,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::Stage,
};
use std::collections::BTreeSet;

/// Maximum number of fronts that start at the voxel farthest from the start of the one before.
const MAX_SWEEPS: usize = 4;
/// Growth of the length of such fronts below which no more are needed.
const MIN_GROWTH: f64 = 1.01;
/// Distance between voxels at the same end of a component, in extents of a node.
const SAME_END: f64 = 2.0;
/// Maximum number of refused tips that are measured from their base by fronts through voxels.
const MAX_VOXEL_LOOKS: usize = 8;
/// Maximum number of refused tips that are measured from their base by fronts through blocks of one
/// size.
const MAX_BLOCK_LOOKS: usize = 64;
/// Maximum number of voxels, or of blocks, that fronts through the component visit.
const MAX_NODES: usize = 1 << 18;
/// Maximum number of nodes that fronts from the bases of doubtful tips visit together, relative to
/// the number of nodes of the component.
const MAX_VISITS: usize = 3;

/// Ends of a component.
pub struct Ends {
    /// Accepted tips, longest protrusion first. Empty for a component whose curves follow from its
    /// topology: a ball, a disc, a closed shell, a ring.
    pub accepted: Vec<Tip>,
    /// Refused tips that protrude by at least one voxel more than noise, in order of descending
    /// significance.
    pub refused: Vec<Tip>,
}

/// Finds the ends of a component. At most [`MAX_SWEEPS`] + 2 fronts visit the whole component, and
/// local ones visit at most [`MAX_VISITS`] times as many nodes.
///
/// The fronts of thick components of more than [`MAX_NODES`] voxels visit connected parts of
/// blocks, whose construction takes time linear in the number of voxels. Tips that blocks measure
/// too coarsely are measured again by smaller blocks of their surroundings, and last by voxels.
/// Protrusions shorter than about two blocks can be missed.
///
/// # Errors
/// [`Cancelled`].
pub fn find_ends(input: &EndSearchInput<'_>, rule: EndRule) -> Result<Ends, Cancelled> {
    let extent = block_extent(input);
    let ends = if extent > 1 {
        let graph = BlockGraph::new(input, extent)?;
        let mut search = Search::new(input, &graph, rule);
        search.run_fronts()?;
        search.examine_doubtful_tips()?;
        search.examine_uncertain_tips()?;
        search.finish()?
    } else {
        let graph = VoxelGraph::new(input.object, input.metric);
        let mut search = Search::new(input, &graph, rule);
        search.run_fronts()?;
        search.examine_doubtful_tips()?;
        search.finish()?
    };
    input.progress.finish_stage(Stage::Ends)?;
    Ok(ends)
}

/// Returns the extent of the blocks that fronts visit, in units of the smallest spacing; 1 for
/// voxels. Blocks are at most as large as the component is thick on average.
fn block_extent(input: &EndSearchInput<'_>) -> usize {
    let count = input.object.len();
    if count <= MAX_NODES {
        return 1;
    }
    let step = count.div_ceil(MAX_NODES);
    let depths = input.squared_distances.iter().step_by(step);
    let samples = count.div_ceil(step) as f64;
    let mean_depth = depths.map(|&square| f64::from(square).sqrt()).sum::<f64>() / samples;
    let thickness = (2.0 * mean_depth).max(2.0);
    let needed = (count as f64 / MAX_NODES as f64).cbrt().ceil();
    needed.min(thickness) as usize
}

struct Search<'a, G> {
    input: &'a EndSearchInput<'a>,
    graph: &'a G,
    survey: Survey<'a, G>,
    tips: TipList<'a>,
    /// Candidates between which the last front ran that started at a farthest voxel.
    farthest_pair: [usize; 2],
    /// `true` if a front from a farthest voxel ends at an elongated tip.
    is_elongated: bool,
    /// `true` if a front from a farthest voxel meets itself behind a tunnel.
    has_loop: bool,
}

impl<'a, G: FrontGraph> Search<'a, G> {
    fn new(input: &'a EndSearchInput<'a>, graph: &'a G, rule: EndRule) -> Self {
        Self {
            input,
            graph,
            survey: Survey::new(graph, input.metric, input.has_tunnels),
            tips: TipList::new(input, rule),
            farthest_pair: [0; 2],
            is_elongated: false,
            has_loop: false,
        }
    }

    /// Runs fronts through the component, each from the voxel farthest from the start of the one
    /// before, until they hardly become longer; and, if there are doubtful tips, one from the
    /// longest end. The first one starts at the voxel farthest from an arbitrary one.
    fn run_fronts(&mut self) -> Result<(), Cancelled> {
        self.survey.front.run(0, None, self.input.progress)?;
        let node = self.survey.front.farthest();
        let mut start = self
            .tips
            .add_unmeasured(self.graph.farthest_voxel(node, 0), 0.0);
        let mut length = 0.0;
        for sweep in 0..MAX_SWEEPS {
            self.start_front(start)?;
            let tip = self.survey.farthest_tip();
            self.is_elongated |= is_elongated(&tip);
            self.has_loop |= self.survey.has_loop();
            let distance = self.survey.front.farthest_distance();
            // never reaches the start
            let reach = (SAME_END * self.graph.node_extent()).min(0.5 * distance);
            let farthest = self.tips.add_unmeasured(tip.voxel, reach);
            self.farthest_pair = [start, farthest];
            self.tips.add_front(&self.survey);
            if sweep > 0 && distance <= MIN_GROWTH * length {
                break;
            }
            (start, length) = (farthest, distance);
        }
        let (rule, extent) = (self.tips.rule, self.graph.node_extent());
        let mut refused = self.tips.refused.iter();
        if refused.any(|tip| rule.is_doubtful(tip, extent))
            && let Some(start) = self.tips.next_start()
        {
            self.start_front(start)?;
            self.tips.add_front(&self.survey);
        }
        Ok(())
    }

    /// Runs a front from a candidate.
    fn start_front(&mut self, number: usize) -> Result<(), Cancelled> {
        let candidate = &mut self.tips.candidates[number];
        candidate.has_front = true;
        let node = self.graph.node_at(candidate.tip.voxel);
        self.survey.run(node, None, self.input.progress)
    }

    /// Measures the most doubtful tips again, from their base: a front that crosses a protrusion
    /// obliquely underestimates its length.
    fn examine_doubtful_tips(&mut self) -> Result<(), Cancelled> {
        let (rule, extent) = (self.tips.rule, self.graph.node_extent());
        let max_looks = if extent > 1.0 {
            MAX_BLOCK_LOOKS
        } else {
            MAX_VOXEL_LOOKS
        };
        let is_doubtful = |tip: &Tip| rule.is_doubtful(tip, extent);
        let looks = self.tips.plan_looks(self.graph, is_doubtful, max_looks);
        let max_visits = MAX_VISITS * self.graph.len();
        self.tips
            .measure_again(&mut self.survey, &looks, max_visits)
    }

    /// Returns the ends. A curve without a loop has two ends: if there is one, the voxel farthest
    /// from it is the other; if there are none, an elongated component ends at its farthest
    /// voxels. Small tunnels, which noise can cause, are no loops.
    fn finish(mut self) -> Result<Ends, Cancelled> {
        let refused = self.tips.take_refused();
        let rule = self.tips.rule;
        let tips = self.tips.candidates.iter().map(|candidate| candidate.tip);
        let mut accepted: Vec<Tip> = tips.filter(|tip| rule.accepts(tip)).collect_or_unwind();
        if accepted.is_empty() && self.is_elongated && !self.has_loop {
            let pair = self.farthest_pair.iter();
            let pair = pair.map(|&number| self.tips.candidates[number].tip);
            accepted = pair.collect_or_unwind();
        }
        stable_sort_or_unwind(&mut accepted, |a, b| b.length.total_cmp(&a.length));
        // a tip measured by several fronts can have moved to the voxel of another
        let mut voxels = BTreeSet::new();
        accepted.retain(|tip| voxels.insert(tip.voxel));
        if let [only] = accepted[..]
            && !self.has_loop
        {
            let (start, front) = (self.graph.node_at(only.voxel), &mut self.survey.front);
            front.run(start, None, self.input.progress)?;
            let voxel = self.graph.farthest_voxel(front.farthest(), start);
            accepted.push_or_unwind(Tip::unmeasured(voxel));
        }
        Ok(Ends { accepted, refused })
    }
}

impl<'a> Search<'a, BlockGraph<'a>> {
    /// Measures tips that blocks are too coarse for again, in graphs of their surroundings with
    /// blocks of half the extent, as long as there are such tips; last with voxels.
    fn examine_uncertain_tips(&mut self) -> Result<(), Cancelled> {
        let (input, rule) = (self.input, self.tips.rule);
        let mut extent = self.graph.node_extent() as usize;
        let mut finest: Option<BlockGraph<'_>> = None;
        while extent > 1 {
            let is_uncertain = |tip: &Tip| rule.is_uncertain(tip, extent as f64);
            let smaller = extent / 2;
            let max_looks = if smaller > 1 {
                MAX_BLOCK_LOOKS
            } else {
                MAX_VOXEL_LOOKS
            };
            let mut looks = self.tips.plan_looks(self.graph, is_uncertain, max_looks);
            let graph = finest.as_ref().unwrap_or(self.graph);
            let places = find_region(input, graph, &mut looks, smaller)?;
            if looks.is_empty() {
                break;
            }
            let graph = graph.within(input, smaller, &places)?;
            let mut survey = Survey::new(&graph, input.metric, input.has_tunnels);
            self.tips.measure_again(&mut survey, &looks, MAX_NODES)?;
            finest = Some(graph);
            extent = smaller;
        }
        Ok(())
    }
}
