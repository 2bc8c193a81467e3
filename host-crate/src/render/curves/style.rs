//! How skeletons are drawn.

use super::ColourBy;

/// How a skeleton is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkeletonStyle {
    /// How much of the object's picture is left behind the skeleton: from 0, without an object, to 1.
    pub solid: f32,
    /// How wide curves are, in pixels.
    pub width: f32,
    /// What curves are coloured by: where nothing is said, the label of several, and the radius of
    /// one.
    pub colours: Option<ColourBy>,
    /// Curves are tubes of the radius at each point, in the light, in place of lines.
    pub tubes: bool,
    /// Whether colours are explained at the picture's edge. Pictures with a side of less than 160
    /// pixels have no room for it.
    pub legend: bool,
}

impl Default for SkeletonStyle {
    fn default() -> Self {
        Self {
            solid: 0.4,
            width: 3.0,
            colours: None,
            tubes: false,
            legend: true,
        }
    }
}
