//! Length, width and significance of the tips of a front.

use super::{
    front::{Front, Goal, UNITS, UNREACHED},
    merge_tree::{Maximum, MergeTree, SECTION_UNITS, Section},
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind},
    monitor::Cancelled,
    skeleton::medial::{progress::ComponentProgress, voxels::object::Object},
};

/// Part of a protrusion that noise of the surface can cause, in voxels along its direction.
pub const NOISE_VOXELS: f64 = 2.0;

/// Minimum length of a protrusion that is measured, in units of the smallest spacing.
const MIN_LENGTH: f64 = 2.0;

/// Local maximum of the distance from an end, with the protrusion that it belongs to. Lengths are
/// in units of the smallest spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// Voxel of the maximum.
    pub voxel: u32,
    /// Voxel where the protrusion begins: the saddle of the maximum.
    pub base: u32,
    /// Length of the protrusion: the persistence of the maximum, plus half a voxel.
    pub length: f64,
    /// Median width of the sections of the protrusion: the radius of a tube, 0.82 times the half
    /// width of a sheet.
    pub width: f64,
    /// Length less [`NOISE_VOXELS`], relative to the width.
    pub significance: f64,
}

/// Tip of a front, with its index in the merge tree.
pub struct FrontTip {
    pub tip: Tip,
    pub maximum: u32,
}

/// Front with its merge tree; the memory is reused for several fronts.
pub struct Survey<'a> {
    object: &'a Object,
    metric: &'a Metric,
    has_tunnels: bool,
    pub front: Front<'a>,
    tree: MergeTree<'a>,
}

impl<'a> Survey<'a> {
    /// Creates a survey without a front. `has_tunnels` must be `true` if the component has tunnels.
    pub fn new(object: &'a Object, metric: &'a Metric, has_tunnels: bool) -> Self {
        Self {
            object,
            metric,
            has_tunnels,
            front: Front::new(object, metric),
            tree: MergeTree::new(object, metric, has_tunnels),
        }
    }

    /// Runs a front from a voxel, to all voxels or up to a margin beyond a goal.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn run(
        &mut self,
        from: u32,
        goal: Option<Goal>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        self.front.run(from, goal, progress)?;
        self.tree.build(&self.front, progress)
    }

    /// Measures all local maxima that protrude by at least [`MIN_LENGTH`] beyond their saddle, and
    /// the global maximum beyond the first saddle at which it absorbed a tip that `is_end` accepts.
    pub fn tips(&self, is_end: impl Fn(&Tip) -> bool) -> Vec<FrontTip> {
        let maxima = self.tree.maxima();
        let mut tips = Vec::new();
        let mut first_saddle: Option<u32> = None;
        let distance = |voxel: u32| self.front.distance(voxel as usize);
        for (number, maximum) in maxima.iter().enumerate().skip(1) {
            let Some(saddle) = maximum.saddle else {
                continue;
            };
            if let Some(tip) = self.measure(maximum, saddle) {
                if is_end(&tip)
                    && first_saddle.is_none_or(|first| distance(first) < distance(saddle))
                {
                    first_saddle = Some(saddle);
                }
                let maximum = number as u32;
                tips.push_or_unwind(FrontTip { tip, maximum });
            }
        }
        let global = first_saddle.and_then(|saddle| self.measure(&maxima[0], saddle));
        if let Some(tip) = global {
            // no saddle limits how far the global maximum protrudes
            let profile = self.farthest_tip();
            let tip = if is_end(&tip) || !is_elongated(&profile) {
                tip
            } else {
                profile
            };
            tips.push_or_unwind(FrontTip { tip, maximum: 0 });
        }
        tips
    }

    /// Measures a maximum down to a saddle. Returns `None` if it protrudes too little, or if the
    /// front stopped next to it, so that it may not be a maximum.
    fn measure(&self, maximum: &Maximum, saddle: u32) -> Option<Tip> {
        let [top, bottom] =
            [maximum.voxel, saddle].map(|voxel| self.front.distance(voxel as usize));
        if f64::from(top - bottom) < MIN_LENGTH * UNITS || self.front.is_truncated_at(maximum.voxel)
        {
            return None;
        }
        let is_above = |section: &&Section| (section.index + 1) * SECTION_UNITS > bottom;
        let sections: Vec<Section> = maximum
            .sections
            .iter()
            .filter(is_above)
            .copied()
            .collect_or_unwind();
        let mut length = f64::from(top - bottom) / UNITS + 0.5;
        let mut base = saddle;
        let mut width = median_width(&sections);
        if let Some((count, width_above)) = self.first_split(&sections) {
            let split = f64::from((sections[count].index + 1) * SECTION_UNITS);
            let length_above = (f64::from(top) - split).max(0.0) / UNITS + 0.5;
            if length_above < length {
                (length, width, base) = (length_above, width_above, maximum.voxel);
            }
        }
        let noise = NOISE_VOXELS * self.voxel_extent(base, maximum.voxel);
        Some(Tip {
            voxel: maximum.voxel,
            base,
            length,
            width,
            significance: (length - noise) / width.max(1.0),
        })
    }

    /// Returns the number of sections before the front falls into two parts for a distance of at
    /// least its width, and their median width: two fronts that meet on a loop are not a
    /// protrusion.
    fn first_split(&self, sections: &[Section]) -> Option<(usize, f64)> {
        if !self.has_tunnels {
            return None;
        }
        let mut start = 0;
        for run in sections.chunk_by(|a, b| a.is_split == b.is_split) {
            if run[0].is_split {
                let width = median_width(&sections[..start]).max(1.0);
                let length = run[0].index - run[run.len() - 1].index + 1;
                if f64::from(length) >= width {
                    return Some((start, width));
                }
            }
            start += run.len();
        }
        None
    }

    /// Returns the extent of a voxel in the direction from one voxel to another.
    fn voxel_extent(&self, from: u32, to: u32) -> f64 {
        let [from, to] = [from, to].map(|voxel| self.object.position(voxel as usize));
        let offset = [0, 1, 2].map(|axis| f64::from(to[axis] - from[axis]));
        let length = self.metric.length(offset);
        if length == 0.0 {
            return 1.0;
        }
        // scalar products with the axes of the grid
        let products = self.metric.slopes(offset).map(|product| product / length);
        products
            .iter()
            .map(|along| along * along)
            .sum::<f64>()
            .sqrt()
    }

    /// Measures the global maximum, up to half of the longest distance, and returns the tip of the
    /// greatest elongation. A shorter part must be a protrusion, in which two voxels are noise; in
    /// half of the component it is one.
    pub fn farthest_tip(&self) -> Tip {
        let maximum = &self.tree.maxima()[0];
        let top = self.front.distance(maximum.voxel as usize);
        let extent = self.voxel_extent(self.front.order()[0], maximum.voxel);
        let mut best = Tip {
            voxel: maximum.voxel,
            base: maximum.voxel,
            length: 0.0,
            width: 1.0,
            significance: 0.0,
        };
        let sections = &maximum.sections;
        let count = self
            .first_split(sections)
            .map_or(sections.len(), |(count, _)| count);
        let mut widths = Vec::new();
        for section in &sections[..count] {
            if (section.index + 1) * SECTION_UNITS <= top / 2 {
                break;
            }
            let bottom = (section.index * SECTION_UNITS).max(top / 2);
            let at = widths.partition_point(|&other: &f32| other < section.width);
            widths.reserve_or_unwind(1);
            widths.insert(at, section.width);
            let length = f64::from(top - bottom) / UNITS + 0.5;
            let width = f64::from(widths[widths.len() / 2]);
            let significance = if bottom == top / 2 {
                (length - extent) / width.max(0.5)
            } else {
                (length - NOISE_VOXELS * extent) / width.max(1.0)
            };
            if significance > best.significance {
                best = Tip {
                    length,
                    width,
                    significance,
                    ..best
                };
            }
        }
        best
    }

    /// Returns `true` if the front meets itself behind a tunnel that is at least as large as the
    /// front is wide.
    pub fn has_loop(&self) -> bool {
        self.first_split(&self.tree.maxima()[0].sections).is_some()
    }

    /// Returns `true` if the front reached a voxel that is connected with a tip by voxels at most
    /// `depth` nearer than the tip, in units of the smallest spacing. Tips of protrusions side by
    /// side are not, however close they are.
    pub fn is_connected(&self, voxel: u32, front_tip: &FrontTip, depth: f64) -> bool {
        let FrontTip { tip, maximum } = front_tip;
        let top = f64::from(self.front.distance(tip.voxel as usize));
        let bottom = top - depth * UNITS;
        self.front.distance(voxel as usize) != UNREACHED
            && self.tree.is_connected(&self.front, voxel, *maximum, bottom)
    }

    /// Returns `true` if the front reached a voxel in the part of a tip beyond its base.
    pub fn is_in_protrusion(&self, voxel: u32, front_tip: &FrontTip) -> bool {
        let FrontTip { tip, maximum } = front_tip;
        let top = f64::from(self.front.distance(tip.voxel as usize));
        let bottom = top - (tip.length - 0.5) * UNITS;
        self.front.distance(voxel as usize) != UNREACHED
            && self.tree.is_in_region(&self.front, voxel, *maximum, bottom)
    }
}

/// Minimum elongation of a component with two ends: a closed shell has 1.6 at most, a plate of 80
/// by 60 voxels 1.7 or more.
const MIN_ELONGATION: f64 = 1.68;

/// Returns `true` if the farthest tip of a front is the end of an elongated object.
pub fn is_elongated(farthest_tip: &Tip) -> bool {
    farthest_tip.significance >= MIN_ELONGATION
}

/// Returns the median width of sections, or 0 without any.
fn median_width(sections: &[Section]) -> f64 {
    let mut widths: Vec<f32> = sections
        .iter()
        .map(|section| section.width)
        .collect_or_unwind();
    widths.sort_unstable_by(f32::total_cmp);
    widths
        .get(widths.len() / 2)
        .map_or(0.0, |&width| f64::from(width))
}
