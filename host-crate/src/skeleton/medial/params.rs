//! Parameters of the medial method.

use crate::skeleton::SkeletonError;

/// Parameters of [`extract`](super::extract()).
///
/// `scale` and `constant` are the two parameters of TEASAR (Sato et al. 2000), as in kimimaro:
/// every voxel of an object lies within `scale · r + constant` of a skeleton point with inscribed
/// radius r. A protrusion longer than that gets a branch, a shorter one does not.
///
/// ```
/// use ferrovox::skeleton::medial::Params;
///
/// let params = Params { dust: 100, ..Params::default() };
/// assert_eq!((params.scale, params.constant), (1.5, 4.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Coverage radius as a multiple of the inscribed radius; not negative.
    pub scale: f64,
    /// Constant part of the coverage radius, in units of the smallest spacing; not negative.
    pub constant: f64,
    /// Minimum number of voxels of a component that gets a skeleton; smaller components are only
    /// counted.
    pub dust: u64,
    /// Fraction of the surface voxels, from 0 to 1, to which additional branches are traced: those
    /// where the surface is most convex. A branch is kept if it is longer than 1.3 times the
    /// inscribed radius where it leaves the skeleton plus 1.5 times the smallest spacing, and if
    /// its end is farther than this radius from the ends of other such branches. `None` adds no
    /// branches.
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
            scale: 1.5,
            constant: 4.0,
            dust: 0,
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
    /// [`SkeletonError::Coverage`] and [`SkeletonError::Fraction`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        for (name, found) in [("scale", self.scale), ("constant", self.constant)] {
            if !(found.is_finite() && found >= 0.0) {
                return Err(SkeletonError::Coverage { name, found });
            }
        }
        if let Some(found) = self.detail.filter(|part| !(0.0..=1.0).contains(part)) {
            let name = "detail";
            return Err(SkeletonError::Fraction { name, found });
        }
        Ok(())
    }
}
