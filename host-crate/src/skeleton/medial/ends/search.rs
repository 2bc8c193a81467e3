//! Selection of the ends of a component from several fronts.

use super::{
    block_graph::BlockGraph,
    graph::{FrontGraph, VoxelGraph},
    input::EndSearchInput,
    protrusion::{Survey, Tip, is_elongated},
    rule::EndRule,
    tip_list::TipList,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::Stage,
};

/// Maximum number of fronts that visit the component.
const MAX_FRONTS: usize = 3;
/// Maximum number of refused tips that are measured from their base by fronts through voxels.
const MAX_VOXEL_LOOKS: usize = 8;
/// Maximum number of refused tips that are measured from their base by fronts through blocks of one
/// size.
const MAX_BLOCK_LOOKS: usize = 64;
/// Maximum number of voxels, or of blocks, that fronts through the component visit.
const MAX_NODES: usize = 1 << 18;
/// Maximum number of voxels or smaller blocks by which uncertain tips are measured, of which fronts
/// visit at most [`MAX_NODES`].
const MAX_SMALL_NODES: usize = 1 << 24;

/// Ends of a component.
pub struct Ends {
    /// Accepted tips, longest protrusion first. Empty for a component whose curves follow from its
    /// topology: a ball, a disc, a closed shell, a ring.
    pub accepted: Vec<Tip>,
    /// Refused tips that protrude by at least one voxel more than noise, in order of descending
    /// significance.
    pub refused: Vec<Tip>,
}

/// Finds the ends of a component. At most [`MAX_FRONTS`] fronts visit the whole component, and
/// local ones visit at most as many nodes.
///
/// The fronts of thick components of more than [`MAX_NODES`] voxels visit connected parts of
/// blocks, whose construction takes time linear in the number of voxels. Tips that blocks measure
/// too coarsely are measured again by smaller blocks, and last by voxels, as long as there are at
/// most [`MAX_SMALL_NODES`]. Protrusions shorter than about two blocks can be missed.
///
/// # Errors
/// [`Cancelled`].
pub fn find_ends(input: &EndSearchInput<'_>, rule: EndRule) -> Result<Ends, Cancelled> {
    let extent = block_extent(input);
    let ends = if extent > 1 {
        Search::new(input, &block_graph(input, extent)?, rule).run()?
    } else {
        Search::new(input, &voxel_graph(input), rule).run()?
    };
    input.progress.finish_stage(Stage::Ends)?;
    Ok(ends)
}

fn block_graph<'a>(
    input: &'a EndSearchInput<'a>,
    extent: usize,
) -> Result<BlockGraph<'a>, Cancelled> {
    BlockGraph::new(input, extent)
}

fn voxel_graph<'a>(input: &'a EndSearchInput<'a>) -> VoxelGraph<'a> {
    VoxelGraph::new(input.object, input.metric)
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
    /// `true` if the first or the second front ends at an elongated tip.
    is_elongated: bool,
    /// `true` if the first or the second front meets itself behind a tunnel.
    has_loop: bool,
}

impl<'a, G: FrontGraph> Search<'a, G> {
    fn new(input: &'a EndSearchInput<'a>, graph: &'a G, rule: EndRule) -> Self {
        Self {
            input,
            graph,
            survey: Survey::new(graph, input.metric, input.has_tunnels),
            tips: TipList::new(input, rule),
            is_elongated: false,
            has_loop: false,
        }
    }

    fn run(mut self) -> Result<Ends, Cancelled> {
        self.run_fronts()?;
        self.examine_doubtful_tips()?;
        self.examine_uncertain_tips()?;
        self.finish()
    }

    /// Runs a front from the farthest voxel of a preliminary one, from the voxel farthest from
    /// that, and, if there are doubtful tips, from the longest end.
    fn run_fronts(&mut self) -> Result<(), Cancelled> {
        self.survey.front.run(0, None, self.input.progress)?;
        let node = self.survey.front.farthest();
        self.tips
            .push_unmeasured(self.graph.farthest_voxel(node, 0));
        for number in 0..2 {
            self.start_front(number)?;
            let tip = self.survey.farthest_tip();
            self.is_elongated |= is_elongated(&tip);
            self.has_loop |= self.survey.has_loop();
            if number == 0 {
                self.tips.push_unmeasured(tip.voxel);
            }
            self.tips.add_front(&self.survey);
        }
        let (rule, extent) = (self.tips.rule, self.graph.node_extent());
        for _ in 2..MAX_FRONTS {
            let mut refused = self.tips.refused.iter();
            if !refused.any(|tip| rule.is_doubtful(tip, extent)) {
                break;
            }
            let Some(start) = self.tips.next_start() else {
                break;
            };
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
        let max_visits = MAX_FRONTS * self.graph.len();
        self.tips.measure_again(
            &mut self.survey,
            self.graph,
            is_doubtful,
            max_looks,
            max_visits,
        )
    }

    /// Measures tips that blocks are too coarse for again, with blocks of half the extent, as long
    /// as there are such tips and not too many blocks; last with voxels.
    fn examine_uncertain_tips(&mut self) -> Result<(), Cancelled> {
        let (input, rule) = (self.input, self.tips.rule);
        let has_tunnels = input.has_tunnels;
        let mut extent = self.graph.node_extent() as usize;
        while extent > 1 {
            let is_uncertain = |tip: &Tip| rule.is_uncertain(tip, extent as f64);
            let smaller = extent / 2;
            if !self.tips.any_refused(is_uncertain)
                || input.object.len() / smaller.pow(3) > MAX_SMALL_NODES
            {
                break;
            }
            if smaller > 1 {
                let graph = block_graph(input, smaller)?;
                let mut survey = Survey::new(&graph, input.metric, has_tunnels);
                self.tips.measure_again(
                    &mut survey,
                    self.graph,
                    is_uncertain,
                    MAX_BLOCK_LOOKS,
                    MAX_NODES,
                )?;
            } else {
                let graph = voxel_graph(input);
                let mut survey = Survey::new(&graph, input.metric, has_tunnels);
                self.tips.measure_again(
                    &mut survey,
                    self.graph,
                    is_uncertain,
                    MAX_VOXEL_LOOKS,
                    MAX_NODES,
                )?;
            }
            extent = smaller;
        }
        Ok(())
    }

    /// Returns the ends. A curve without a loop has two ends: if there is one, the voxel farthest
    /// from it is the other; if there are none, an elongated component ends at its farthest
    /// voxels. Small tunnels, which noise can cause, are no loops.
    fn finish(mut self) -> Result<Ends, Cancelled> {
        let refused = self.tips.take_refused();
        let rule = self.tips.rule;
        let tips = self.tips.candidates.iter().map(|candidate| candidate.tip);
        let mut accepted: Vec<Tip> = tips
            .clone()
            .filter(|tip| rule.accepts(tip))
            .collect_or_unwind();
        if !self.has_loop {
            match accepted[..] {
                [] if self.is_elongated => accepted = tips.take(2).collect_or_unwind(),
                [only] => {
                    let (start, front) = (self.graph.node_at(only.voxel), &mut self.survey.front);
                    front.run(start, None, self.input.progress)?;
                    let voxel = self.graph.farthest_voxel(front.farthest(), start);
                    accepted.push_or_unwind(Tip::unmeasured(voxel));
                }
                _ => {}
            }
        }
        stable_sort_or_unwind(&mut accepted, |a, b| b.length.total_cmp(&a.length));
        Ok(Ends { accepted, refused })
    }
}
