//! Style of skeletons in pictures.

use crate::render::ColourBy;

/// Style of skeletons in pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkeletonStyle {
    /// Opacity of the object behind the skeleton, from 0 (no object) to 1.
    pub solid: f32,
    /// Width of curves, in pixels.
    pub width: f32,
    /// Quantity that determines the colours of curves; `None` for the radius if there is one
    /// skeleton, and the label if there are several.
    pub colours: Option<ColourBy>,
    /// `true` to draw shaded tubes with the radius at each point instead of lines.
    pub tubes: bool,
    /// `true` to draw a legend at the edge of the picture. Pictures with a side of less than 160
    /// pixels have none.
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
