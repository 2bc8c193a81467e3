//! Selection of the ends of a component from several fronts.

use super::{
    input::EndSearchInput,
    local_look::local_tip,
    protrusion::{FrontTip, NOISE_VOXELS, Survey, Tip, is_elongated},
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, stable_sort_or_unwind},
    monitor::Cancelled,
    skeleton::medial::progress::Stage,
};

/// Maximum number of fronts that visit the component. Each takes about half as long as the shortest
/// paths.
const MAX_FRONTS: usize = 3;
/// Maximum number of refused tips that are examined from their base.
const MAX_LOOKS: usize = 8;
/// Fraction of the required significance from which a refused tip is doubtful.
const DOUBTFUL_FRACTION: f64 = 0.3;
/// Distance between two tips that are always the same, in units of the smallest spacing.
const SAME_DISTANCE: f64 = 2.0;

/// Requirements on an end, in units of the smallest spacing.
#[derive(Clone, Copy, Debug)]
pub struct EndRule {
    /// Minimum significance.
    pub min_significance: f64,
    /// Minimum length of the protrusion.
    pub min_length: f64,
}

impl EndRule {
    /// Returns `true` if a tip is an end.
    pub fn accepts(&self, tip: &Tip) -> bool {
        tip.significance >= self.min_significance && tip.length >= self.min_length
    }

    /// Returns `true` if another front could accept a refused tip.
    fn is_doubtful(&self, tip: &Tip) -> bool {
        tip.length >= self.min_length
            && tip.significance >= DOUBTFUL_FRACTION * self.min_significance
    }
}

/// Ends of a component.
pub struct Ends {
    /// Accepted tips, longest protrusion first. Empty for a component whose curves follow from its
    /// topology: a ball, a disc, a closed shell, a ring.
    pub accepted: Vec<Tip>,
    /// Refused tips that protrude by at least one voxel more than noise, in order of descending
    /// significance.
    pub refused: Vec<Tip>,
}

/// Finds the ends of a component. Takes time linear in the number of voxels: at most
/// [`MAX_FRONTS`] fronts through the component, and at most [`MAX_LOOKS`] local ones, which visit
/// at most twice the voxels of the component together.
///
/// # Errors
/// [`Cancelled`].
pub fn find_ends(input: &EndSearchInput<'_>, rule: EndRule) -> Result<Ends, Cancelled> {
    let mut search = Search {
        input,
        rule,
        survey: Survey::new(input.object, input.metric, input.has_tunnels),
        candidates: Vec::new(),
        refused: Vec::new(),
        is_elongated: false,
        has_loop: false,
    };
    search.run_fronts()?;
    search.examine_doubtful_tips()?;
    let ends = search.finish()?;
    input.progress.finish_stage(Stage::Ends)?;
    Ok(ends)
}

/// Tip that is an end, or the farthest voxel of one of the first two fronts.
struct Candidate {
    tip: Tip,
    /// `true` if a front started at the tip.
    has_front: bool,
}

impl Candidate {
    /// Creates a candidate that no front has measured yet.
    fn unmeasured(voxel: u32) -> Self {
        let tip = Tip {
            voxel,
            base: voxel,
            length: 0.0,
            width: 0.0,
            significance: 0.0,
        };
        Self {
            tip,
            has_front: false,
        }
    }
}

struct Search<'a> {
    input: &'a EndSearchInput<'a>,
    rule: EndRule,
    survey: Survey<'a>,
    candidates: Vec<Candidate>,
    refused: Vec<Tip>,
    /// `true` if the first or the second front ends at an elongated tip.
    is_elongated: bool,
    /// `true` if the first or the second front meets itself behind a tunnel.
    has_loop: bool,
}

impl<'a> Search<'a> {
    /// Runs a front from the farthest voxel of a preliminary one, from the voxel farthest from
    /// that, and, if there are doubtful tips, from the longest end.
    fn run_fronts(&mut self) -> Result<(), Cancelled> {
        self.survey.front.run(0, None, self.input.progress)?;
        let mut farthest = self.survey.front.farthest();
        for number in 0..2 {
            if number == 0 {
                self.candidates
                    .push_or_unwind(Candidate::unmeasured(farthest));
            }
            self.start_front(number)?;
            let tip = self.survey.farthest_tip();
            self.is_elongated |= is_elongated(&tip);
            self.has_loop |= self.survey.has_loop();
            farthest = tip.voxel;
            if number == 0 {
                self.candidates
                    .push_or_unwind(Candidate::unmeasured(farthest));
            }
            self.add_tips();
        }
        for _ in 2..MAX_FRONTS {
            if !self.refused.iter().any(|tip| self.rule.is_doubtful(tip)) {
                break;
            }
            let Some(start) = self.next_start() else {
                break;
            };
            self.start_front(start)?;
            self.add_tips();
        }
        Ok(())
    }

    /// Returns the end with the longest protrusion from which no front has started.
    fn next_start(&self) -> Option<usize> {
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

    /// Runs a front from a candidate.
    fn start_front(&mut self, number: usize) -> Result<(), Cancelled> {
        let candidate = &mut self.candidates[number];
        candidate.has_front = true;
        self.survey
            .run(candidate.tip.voxel, None, self.input.progress)
    }

    /// Adds the tips of the last front to the candidates or to the refused tips; of several
    /// measurements of one tip, the most significant counts.
    fn add_tips(&mut self) {
        let survey = &self.survey;
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

    /// Measures the most doubtful tips again, from their base: a front that crosses a protrusion
    /// obliquely underestimates its length.
    fn examine_doubtful_tips(&mut self) -> Result<(), Cancelled> {
        let mut refused = std::mem::take(&mut self.refused);
        refused.retain(|tip| tip.length >= NOISE_VOXELS + 1.0);
        sort_by_significance(&mut refused);
        let (mut looks, mut visited) = (0, 0);
        for tip in &mut refused {
            if looks == MAX_LOOKS || visited > self.input.object.len() {
                break;
            }
            if !self.rule.is_doubtful(tip) || self.is_accepted(tip) {
                continue;
            }
            looks += 1;
            let local = local_tip(self.input, &mut self.survey, tip)?;
            visited += self.survey.front.order().len();
            if let Some(local) = local.filter(|local| local.significance > tip.significance) {
                *tip = local;
            }
            if self.rule.accepts(tip) && !self.is_accepted(tip) {
                self.candidates.push_or_unwind(Candidate {
                    tip: *tip,
                    has_front: false,
                });
            }
        }
        self.refused = refused;
        Ok(())
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

    /// Returns the ends. A curve without a loop has two ends: if there is one, the voxel farthest
    /// from it is the other; if there are none, an elongated component ends at its farthest
    /// voxels. Small tunnels, which noise can cause, are no loops.
    fn finish(mut self) -> Result<Ends, Cancelled> {
        let rule = self.rule;
        let mut refused = std::mem::take(&mut self.refused);
        refused.retain(|tip| !rule.accepts(tip) && !self.is_accepted(tip));
        sort_by_significance(&mut refused);
        let tips = self.candidates.iter().map(|candidate| candidate.tip);
        let mut accepted: Vec<Tip> = tips
            .clone()
            .filter(|tip| rule.accepts(tip))
            .collect_or_unwind();
        if !self.has_loop {
            match accepted[..] {
                [] if self.is_elongated => accepted = tips.take(2).collect_or_unwind(),
                [only] => {
                    let survey = &mut self.survey;
                    survey.front.run(only.voxel, None, self.input.progress)?;
                    let other = Candidate::unmeasured(survey.front.farthest());
                    accepted.push_or_unwind(other.tip);
                }
                _ => {}
            }
        }
        stable_sort_or_unwind(&mut accepted, |a, b| b.length.total_cmp(&a.length));
        Ok(Ends { accepted, refused })
    }
}

fn sort_by_significance(tips: &mut [Tip]) {
    stable_sort_or_unwind(tips, |a, b| b.significance.total_cmp(&a.significance));
}

/// Returns `true` if a tip of a survey is the same as a known one: closer than twice the smaller
/// width, also within the object, or closer than twice its own width, with the known one in its
/// protrusion.
fn is_same_tip(
    input: &EndSearchInput<'_>,
    survey: &Survey<'_>,
    front_tip: &FrontTip,
    known: &Tip,
) -> bool {
    let tip = &front_tip.tip;
    let distance = input.distance(tip.voxel, known.voxel);
    let reach = 2.0 * tip.width.min(known.width) + SAME_DISTANCE;
    (distance <= reach && survey.is_connected(known.voxel, front_tip, reach))
        || (distance <= 2.0 * tip.width + SAME_DISTANCE
            && survey.is_in_protrusion(known.voxel, front_tip))
}
