//! Parameters of the medial method.

use super::tunnels::MAX_THICKNESS;
use crate::skeleton::SkeletonError;

/// Rule that decides which protrusions of an object get a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BranchRule {
    /// Protrusions that are long compared with their width: the default.
    ///
    /// The significance of a protrusion is its length, less two voxels for noise, divided by its
    /// width (the radius of a tube). The result hardly depends on the resolution or on noise of the
    /// surface. A ball, a disc and a closed shell have no ends and become a point.
    Significance {
        /// Minimum significance of a protrusion; not negative.
        min_significance: f64,
        /// Minimum length of a protrusion, in world units; not negative.
        min_length: f64,
    },
    /// Coverage as in TEASAR (Sato et al. 2000) and kimimaro: every voxel of an object lies within
    /// `scale · r + constant` of a skeleton point with inscribed radius r. Uncovered protrusions
    /// get a branch, whatever their shape.
    Coverage {
        /// Coverage radius as a multiple of the inscribed radius; not negative.
        scale: f64,
        /// Constant part of the coverage radius, in units of the smallest spacing; not negative.
        constant: f64,
    },
}

impl BranchRule {
    /// Significance rule with the default threshold of 1.25 and no minimum length.
    pub const SIGNIFICANCE: Self = Self::Significance {
        min_significance: 1.25,
        min_length: 0.0,
    };

    /// Coverage rule with the default parameters of TEASAR: a scale of 1.5 and a constant of 4.
    pub const COVERAGE: Self = Self::Coverage {
        scale: 1.5,
        constant: 4.0,
    };
}

impl Default for BranchRule {
    fn default() -> Self {
        Self::SIGNIFICANCE
    }
}

/// Parameters of [`extract`](super::extract()).
///
/// ```
/// use ferrovox::skeleton::medial::{BranchRule, Params};
///
/// let params = Params { dust: 100, ..Params::default() };
/// assert_eq!(params.branches, BranchRule::SIGNIFICANCE);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Rule that decides which protrusions get a branch.
    pub branches: BranchRule,
    /// Minimum number of voxels of a component that gets a skeleton; smaller components are only
    /// counted.
    pub dust: u64,
    /// Maximum thickness, in voxels, of tunnels that are filled first; at most 32; 0 fills none.
    ///
    /// A tunnel is thicker if a ball of one more voxel in diameter passes through. It is filled at
    /// its narrowest position only; gaps, pits and cavities stay. A tunnel through which another
    /// selected object passes stays open, and objects are not joined.
    pub fill_tunnels: u32,
    /// Minimum significance of protrusions that get an additional branch, as in
    /// [`BranchRule::Significance`], but smaller. `None` adds no branches.
    pub detail: Option<f64>,
    /// Labels that get a skeleton; `None` selects all except 0.
    pub labels: Option<Vec<i64>>,
    /// `true` if curves are centred: moved to where the force of the surface vanishes across them.
    /// Otherwise they run through voxel centres.
    pub centre: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            branches: BranchRule::default(),
            dust: 0,
            fill_tunnels: 0,
            detail: None,
            labels: None,
            centre: true,
        }
    }
}

impl Params {
    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// [`SkeletonError::Significance`], [`SkeletonError::Coverage`] and
    /// [`SkeletonError::TunnelThickness`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        let is_valid = |found: f64| found.is_finite() && found >= 0.0;
        match self.branches {
            BranchRule::Significance {
                min_significance,
                min_length,
            } => {
                for (name, found) in [
                    ("significance", min_significance),
                    ("length of protrusions", min_length),
                ] {
                    if !is_valid(found) {
                        return Err(SkeletonError::Significance { name, found });
                    }
                }
            }
            BranchRule::Coverage { scale, constant } => {
                for (name, found) in [("scale", scale), ("constant", constant)] {
                    if !is_valid(found) {
                        return Err(SkeletonError::Coverage { name, found });
                    }
                }
            }
        }
        if let Some(found) = self.detail.filter(|&found| !is_valid(found)) {
            let name = "detail";
            return Err(SkeletonError::Significance { name, found });
        }
        if self.fill_tunnels > MAX_THICKNESS {
            return Err(SkeletonError::TunnelThickness {
                found: self.fill_tunnels,
                max: MAX_THICKNESS,
            });
        }
        Ok(())
    }
}
