//! What can be chosen about skeletons of real objects.

use crate::skeleton::SkeletonError;

/// What the skeletons of [`extract`](super::extract()) are to be.
///
/// `scale` and `constant` are the two numbers of TEASAR (Sato et al. 2000), as kimimaro takes them:
/// every voxel of an object lies within `scale · r + constant` of a point of its skeleton, where r
/// is the distance from that point to the object's surface. So a branch that is longer than this
/// has a curve, and a bump has none.
///
/// ```
/// use ferrovox::skeleton::medial::Params;
///
/// let params = Params { dust: 100, ..Params::default() };
/// assert_eq!((params.scale, params.constant), (1.5, 4.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The cover's part that grows with the radius. 0 or more.
    pub scale: f64,
    /// The cover's constant part, in the smallest spacing of the voxels. 0 or more.
    pub constant: f64,
    /// Components of fewer voxels get no skeleton; they are counted. With 0 or 1 all components get
    /// one.
    pub dust: u64,
    /// Branches also to where the surface is curved outwards most: to this part of its voxels, from
    /// 0 to 1, if they are longer than 1.3 times the radius where they leave the skeleton and 1.5
    /// of the smallest spacing, and farther from each other than this radius. None without it.
    pub detail: Option<f64>,
    /// The labels that get skeletons: all but 0 where none are named.
    pub labels: Option<Vec<i64>>,
    /// Whether curves are moved to where the force of the surface vanishes across them. Otherwise
    /// they lead through centres of voxels.
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
    /// Refuses numbers out of their range.
    ///
    /// # Errors
    /// [`SkeletonError::Cover`] and [`SkeletonError::Fraction`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        for (name, found) in [("scale", self.scale), ("constant", self.constant)] {
            if !(found.is_finite() && found >= 0.0) {
                return Err(SkeletonError::Cover { name, found });
            }
        }
        if let Some(found) = self.detail.filter(|part| !(0.0..=1.0).contains(part)) {
            let name = "detail";
            return Err(SkeletonError::Fraction { name, found });
        }
        Ok(())
    }
}
