//! Tips of all fronts, each of them once.

use super::{
    graph::FrontGraph,
    input::EndSearchInput,
    local_look::{Look, local_tip},
    protrusion::{FrontTip, NOISE_VOXELS, Survey, Tip},
    rule::EndRule,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
    monitor::Cancelled,
};

/// Distance between two tips that are always the same, in extents of a node.
const SAME_DISTANCE: f64 = 2.0;

/// Distance from the base of a tip within which a local front may start, in units of the smallest
/// spacing, in addition to twice the width of the protrusion.
const START_MARGIN: f64 = 2.0;

/// Tip that is an end, or the farthest voxel of one of the first two fronts.
pub struct Candidate {
    pub tip: Tip,
    /// `true` if a front started at the tip.
    pub has_front: bool,
}

/// Tips of a component.
pub struct TipList<'a> {
    input: &'a EndSearchInput<'a>,
    pub rule: EndRule,
    pub candidates: Vec<Candidate>,
    pub refused: Vec<Tip>,
}

impl<'a> TipList<'a> {
    /// Creates an empty list.
    pub fn new(input: &'a EndSearchInput<'a>, rule: EndRule) -> Self {
        Self {
            input,
            rule,
            candidates: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Adds a candidate that no front has measured yet, unless there is a candidate within a
    /// distance. Returns the number of the candidate.
    pub fn add_unmeasured(&mut self, voxel: u32, reach: f64) -> usize {
        let distance = |known: &Candidate| self.input.distance(known.tip.voxel, voxel);
        let mut candidates = self.candidates.iter();
        if let Some(number) = candidates.position(|known| distance(known) <= reach) {
            return number;
        }
        self.candidates.push_or_unwind(Candidate {
            tip: Tip::unmeasured(voxel),
            has_front: false,
        });
        self.candidates.len() - 1
    }

    /// Returns the end with the longest protrusion from which no front has started.
    pub fn next_start(&self) -> Option<usize> {
        let is_open = |&number: &usize| {
            let candidate = &self.candidates[number];
            !candidate.has_front && self.rule.accepts(&candidate.tip)
        };
        let length = |number: usize| self.candidates[number].tip.length;
        // of equally long ones, the first
        (0..self.candidates.len())
            .rev()
            .filter(is_open)
            .max_by(|&a, &b| length(a).total_cmp(&length(b)))
    }

    /// Adds the tips of a front to the candidates or to the refused tips; of several measurements
    /// of one tip, the most significant counts.
    pub fn add_front<G: FrontGraph>(&mut self, survey: &Survey<'_, G>) {
        for front_tip in survey.tips(|tip| self.rule.accepts(tip)) {
            let tip = front_tip.tip;
            let is_same = |other: &Tip| is_same_tip(self.input, survey, &front_tip, other);
            let known = self.candidates.iter_mut().find(|known| is_same(&known.tip));
            if let Some(known) = known {
                if tip.significance > known.tip.significance {
                    // a front has started at the former voxel
                    let voxel = if known.has_front {
                        known.tip.voxel
                    } else {
                        tip.voxel
                    };
                    known.tip = Tip { voxel, ..tip };
                }
            } else if self.rule.accepts(&tip) {
                self.candidates.push_or_unwind(Candidate {
                    tip,
                    has_front: false,
                });
            } else if let Some(known) = self.refused.iter_mut().find(|known| is_same(known)) {
                if tip.significance > known.significance {
                    *known = tip;
                }
            } else {
                self.refused.push_or_unwind(tip);
            }
        }
    }

    /// Plans looks at the most significant refused tips that fulfil a condition and are not close
    /// to an end, from the thickest place of a graph near their bases; at most `max_looks`.
    pub fn plan_looks(
        &mut self,
        places: &impl FrontGraph,
        is_wanted: impl Fn(&Tip) -> bool,
        max_looks: usize,
    ) -> Vec<Look> {
        self.refused.retain(|tip| tip.length >= NOISE_VOXELS + 1.0);
        sort_by_significance(&mut self.refused);
        let wanted = self.refused.iter().enumerate();
        let wanted = wanted.filter(|(_, tip)| is_wanted(tip) && !self.is_accepted(tip));
        let look = |(number, tip): (usize, &Tip)| {
            let radius = 2.0 * tip.width + START_MARGIN;
            Look {
                number,
                tip: *tip,
                from: places.thickest_voxel(self.input, tip.base, radius),
            }
        };
        wanted.take(max_looks).map(look).collect_or_unwind()
    }

    /// Measures refused tips again by planned looks, which visit at most `max_visits` nodes
    /// together.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn measure_again<G: FrontGraph>(
        &mut self,
        survey: &mut Survey<'_, G>,
        looks: &[Look],
        max_visits: usize,
    ) -> Result<(), Cancelled> {
        let mut visits = 0;
        for look in looks {
            if visits >= max_visits {
                break;
            }
            if self.is_accepted(&look.tip) {
                continue;
            }
            let found = local_tip(self.input, survey, look, max_visits - visits)?;
            visits += survey.front.order().len();
            let tip = &mut self.refused[look.number];
            if let Some(found) = found.filter(|found| found.significance > tip.significance) {
                *tip = found;
            }
            let tip = *tip;
            if self.rule.accepts(&tip) && !self.is_accepted(&tip) {
                self.candidates.push_or_unwind(Candidate {
                    tip,
                    has_front: false,
                });
            }
        }
        Ok(())
    }

    /// Returns the refused tips that are not close to an end, in order of descending significance.
    pub fn take_refused(&mut self) -> Vec<Tip> {
        let mut refused = std::mem::take(&mut self.refused);
        refused.retain(|tip| !self.rule.accepts(tip) && !self.is_accepted(tip));
        sort_by_significance(&mut refused);
        refused
    }

    /// Returns `true` if a tip is close to an end.
    fn is_accepted(&self, tip: &Tip) -> bool {
        let mut ends = self.candidates.iter().map(|candidate| &candidate.tip);
        ends.any(|end| {
            self.rule.accepts(end)
                && self.input.distance(end.voxel, tip.voxel)
                    <= 2.0 * end.width.min(tip.width) + SAME_DISTANCE
        })
    }
}

fn sort_by_significance(tips: &mut [Tip]) {
    stable_sort_or_unwind(tips, |a, b| b.significance.total_cmp(&a.significance));
}

/// Returns `true` if a tip of a survey is the same as a known one: closer than twice the smaller
/// width, also within the object, or closer than twice its own width, with the known one in its
/// protrusion.
fn is_same_tip<G: FrontGraph>(
    input: &EndSearchInput<'_>,
    survey: &Survey<'_, G>,
    front_tip: &FrontTip,
    known: &Tip,
) -> bool {
    let tip = &front_tip.tip;
    let distance = input.distance(tip.voxel, known.voxel);
    let same_distance = SAME_DISTANCE * survey.graph().node_extent();
    let reach = 2.0 * tip.width.min(known.width) + same_distance;
    (distance <= reach && survey.is_connected(known.voxel, front_tip, reach))
        || (distance <= 2.0 * tip.width + same_distance
            && survey.is_in_protrusion(known.voxel, front_tip))
}
