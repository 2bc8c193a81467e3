//! Selection of the branches of a component by significance or by coverage.

use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind},
    monitor::Cancelled,
    skeleton::medial::{
        curves::coverage::CoverageRule,
        ends::{EndRule, EndSearchInput, Ends, Tip, find_ends},
        params::{BranchRule, Params},
    },
};

/// Branches that a component needs: tips of protrusions, and a coverage rule.
pub struct ComponentEnds {
    /// Coverage rule, if branches are selected by coverage.
    pub rule: Option<CoverageRule>,
    /// Ends, longest protrusion first; empty with a coverage rule.
    pub ends: Vec<Tip>,
    /// Voxels that get a branch.
    pub tips: Vec<u32>,
    /// Most significant protrusion without a branch.
    pub uncovered: Option<Tip>,
}

impl ComponentEnds {
    /// Finds the ends that the parameters require. `spacing` is the smallest spacing in world
    /// units.
    pub fn find(
        input: &EndSearchInput<'_>,
        params: &Params,
        spacing: f64,
    ) -> Result<Self, Cancelled> {
        let voxels = |tips: &[Tip]| tips.iter().map(|tip| tip.voxel).collect_or_unwind();
        match params.branches {
            BranchRule::Significance {
                min_significance,
                min_length,
            } => {
                let min_length = min_length / spacing;
                let rule = EndRule {
                    min_significance,
                    min_length,
                };
                let Ends {
                    accepted,
                    mut refused,
                } = find_ends(input, rule)?;
                let mut tips: Vec<u32> = voxels(&accepted);
                if let Some(detail) = params.detail {
                    let is_detail =
                        |tip: &Tip| tip.significance >= detail && tip.length >= min_length;
                    let details = refused.iter().filter(|tip| is_detail(tip));
                    tips.extend_or_unwind(details.map(|tip| tip.voxel));
                    refused.retain(|tip| !is_detail(tip));
                }
                Ok(Self {
                    rule: None,
                    ends: accepted,
                    tips,
                    uncovered: refused.first().copied(),
                })
            }
            BranchRule::Coverage { scale, constant } => {
                let details = match params.detail {
                    Some(min_significance) => {
                        let rule = EndRule {
                            min_significance,
                            min_length: 0.0,
                        };
                        find_ends(input, rule)?.accepted
                    }
                    None => Vec::new(),
                };
                Ok(Self {
                    rule: Some(CoverageRule { scale, constant }),
                    ends: Vec::new(),
                    tips: voxels(&details),
                    uncovered: None,
                })
            }
        }
    }
}
