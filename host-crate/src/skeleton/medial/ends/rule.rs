//! Requirements on ends.

use super::protrusion::{NOISE_VOXELS, Tip};

/// Fraction of the required significance from which a refused tip is doubtful.
const DOUBTFUL_FRACTION: f64 = 0.3;

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

    /// Returns `true` if another front through nodes of the given extent could accept a refused
    /// tip: a front that crosses a protrusion obliquely underestimates its length.
    pub fn is_doubtful(&self, tip: &Tip, node_extent: f64) -> bool {
        self.reaches(tip, node_extent, DOUBTFUL_FRACTION)
    }

    /// Returns `true` if a front through smaller nodes could accept a tip that was refused by a
    /// front through nodes of the given extent.
    pub fn is_uncertain(&self, tip: &Tip, node_extent: f64) -> bool {
        node_extent > 1.0 && self.reaches(tip, node_extent, 1.0)
    }

    /// Returns `true` if a tip can reach a fraction of the required significance. Lengths and
    /// widths of fronts through blocks are uncertain by the extent of a node beyond that of a
    /// voxel.
    fn reaches(&self, tip: &Tip, node_extent: f64, fraction: f64) -> bool {
        let uncertainty = node_extent - 1.0;
        let length = tip.length + uncertainty;
        let significance = if uncertainty > 0.0 {
            (length - NOISE_VOXELS) / (tip.width - uncertainty).max(1.0)
        } else {
            tip.significance
        };
        length >= self.min_length && significance >= fraction * self.min_significance
    }
}
