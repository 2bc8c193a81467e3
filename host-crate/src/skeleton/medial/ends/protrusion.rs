//! Length, width and significance of the tips of a front.

use super::{
    front::{Front, Goal, UNREACHED},
    graph::{FrontGraph, UNITS},
    merge_tree::{Maximum, MergeTree, Section},
};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind},
    monitor::Cancelled,
    skeleton::medial::progress::ComponentProgress,
};

/// Part of a protrusion that noise of the surface can cause, in nodes along its direction.
pub const NOISE_VOXELS: f64 = 2.0;

/// Minimum length of a protrusion that is measured, in extents of a node.
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

impl Tip {
    /// Creates a tip that no front has measured.
    pub fn unmeasured(voxel: u32) -> Self {
        Self {
            voxel,
            base: voxel,
            length: 0.0,
            width: 0.0,
            significance: 0.0,
        }
    }
}

/// Tip of a front, with its index in the merge tree.
pub struct FrontTip {
    pub tip: Tip,
    /// Node of the tip.
    pub node: u32,
    pub maximum: u32,
}

/// Front with its merge tree; the memory is reused for several fronts.
pub struct Survey<'a, G> {
    graph: &'a G,
    metric: &'a Metric,
    has_tunnels: bool,
    pub front: Front<'a, G>,
    tree: MergeTree<'a, G>,
}

impl<'a, G: FrontGraph> Survey<'a, G> {
    /// Creates a survey without a front. `has_tunnels` must be `true` if the component has tunnels.
    pub fn new(graph: &'a G, metric: &'a Metric, has_tunnels: bool) -> Self {
        Self {
            graph,
            metric,
            has_tunnels,
            front: Front::new(graph),
            tree: MergeTree::new(graph, metric, has_tunnels),
        }
    }

    /// Returns the graph of the front.
    pub fn graph(&self) -> &'a G {
        self.graph
    }

    /// Runs a front from a node, to all nodes or up to a margin beyond a goal.
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
        let distance = |node: u32| self.front.distance(node);
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
                tips.push_or_unwind(FrontTip {
                    tip,
                    node: maximum.node,
                    maximum: number as u32,
                });
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
            tips.push_or_unwind(FrontTip {
                tip,
                node: maxima[0].node,
                maximum: 0,
            });
        }
        tips
    }

    /// Measures a maximum down to a saddle. Returns `None` if it protrudes too little, or if the
    /// front stopped next to it, so that it may not be a maximum.
    fn measure(&self, maximum: &Maximum, saddle: u32) -> Option<Tip> {
        let [top, bottom] = [maximum.node, saddle].map(|node| self.front.distance(node));
        let extent = self.graph.node_extent();
        let section_units = self.tree.section_units();
        if f64::from(top - bottom) < MIN_LENGTH * extent * UNITS
            || self.front.is_truncated_at(maximum.node)
        {
            return None;
        }
        let is_above = |section: &&Section| (section.index + 1) * section_units > bottom;
        let sections: Vec<Section> = maximum
            .sections
            .iter()
            .filter(is_above)
            .copied()
            .collect_or_unwind();
        let mut length = f64::from(top - bottom) / UNITS + 0.5 * extent;
        let mut base = saddle;
        let mut width = median_width(&sections);
        if let Some((count, width_above)) = self.first_split(&sections) {
            let split = f64::from((sections[count].index + 1) * section_units);
            let length_above = (f64::from(top) - split).max(0.0) / UNITS + 0.5 * extent;
            if length_above < length {
                (length, width, base) = (length_above, width_above, maximum.node);
            }
        }
        let along = self.extent_along(base, maximum.node);
        let noise = NOISE_VOXELS * (extent + (along - extent) * noise_share(width / extent));
        Some(Tip {
            voxel: self.graph.farthest_voxel(maximum.node, base),
            base: self.graph.farthest_voxel(base, base),
            length,
            width,
            significance: (length - noise) / width.max(extent),
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
                let extent = self.graph.node_extent();
                let width = median_width(&sections[..start]).max(extent);
                let length = run[0].index - run[run.len() - 1].index + 1;
                if f64::from(length) * extent >= width {
                    return Some((start, width));
                }
            }
            start += run.len();
        }
        None
    }

    /// Returns the extent of a node in the direction from one node to another: that of a voxel, or
    /// of as many as a block has along an axis.
    fn extent_along(&self, from: u32, to: u32) -> f64 {
        let extent = self.graph.node_extent();
        let [from, to] = [from, to].map(|node| self.graph.position(node));
        let offset = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let length = self.metric.length(offset);
        if length == 0.0 {
            return extent;
        }
        // scalar products with the axes of the grid
        let products = self.metric.slopes(offset).map(|product| product / length);
        let sides = self.graph.node_sides();
        let squared: f64 = (products.iter().zip(sides))
            .map(|(along, side)| (along * side).powi(2))
            .sum();
        squared.sqrt()
    }

    /// Measures the global maximum, up to half of the longest distance, and returns the tip of the
    /// greatest elongation. A shorter part must be a protrusion, in which two voxels are noise; in
    /// half of the component it is one.
    pub fn farthest_tip(&self) -> Tip {
        let maximum = &self.tree.maxima()[0];
        let top = self.front.distance(maximum.node);
        let start = self.front.order()[0];
        let along = self.extent_along(start, maximum.node);
        let (extent, section_units) = (self.graph.node_extent(), self.tree.section_units());
        let voxel = self.graph.farthest_voxel(maximum.node, start);
        let mut best = Tip {
            width: extent,
            ..Tip::unmeasured(voxel)
        };
        let sections = &maximum.sections;
        let count = self
            .first_split(sections)
            .map_or(sections.len(), |(count, _)| count);
        let mut widths = Vec::new();
        for section in &sections[..count] {
            if (section.index + 1) * section_units <= top / 2 {
                break;
            }
            let bottom = (section.index * section_units).max(top / 2);
            let at = widths.partition_point(|&other: &f32| other < section.width);
            widths.reserve_or_unwind(1);
            widths.insert(at, section.width);
            let length = f64::from(top - bottom) / UNITS + 0.5 * extent;
            let width = f64::from(widths[widths.len() / 2]);
            let significance = if bottom == top / 2 {
                (length - along) / width.max(0.5 * extent)
            } else {
                (length - NOISE_VOXELS * along) / width.max(extent)
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
        let top = f64::from(self.front.distance(front_tip.node));
        let bottom = top - depth * UNITS;
        let (node, maximum) = (self.graph.node_at(voxel), front_tip.maximum);
        self.front.distance(node) != UNREACHED
            && self.tree.is_connected(&self.front, node, maximum, bottom)
    }

    /// Returns `true` if the front reached a voxel in the part of a tip beyond its base.
    pub fn is_in_protrusion(&self, voxel: u32, front_tip: &FrontTip) -> bool {
        let top = f64::from(self.front.distance(front_tip.node));
        let bottom = top - (front_tip.tip.length - 0.5 * self.graph.node_extent()) * UNITS;
        let (node, maximum) = (self.graph.node_at(voxel), front_tip.maximum);
        self.front.distance(node) != UNREACHED
            && self.tree.is_in_region(&self.front, node, maximum, bottom)
    }
}

/// Returns the share of the noise of elongated voxels in a protrusion of a width in extents of a
/// node. A voxel that noise adds is as long as a voxel, but rarely has neighbours: a protrusion
/// whose cross-section consists of many voxels is hardly longer by noise.
fn noise_share(width: f64) -> f64 {
    const WIDTH_OF_HALF: f64 = 1.8;
    const MIN_SHARE: f64 = 0.35;
    (1.0 / (1.0 + (width / WIDTH_OF_HALF).powi(2))).max(MIN_SHARE)
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
