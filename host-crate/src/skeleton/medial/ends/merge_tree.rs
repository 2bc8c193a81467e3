//! Merge tree of a front: its local maxima, their saddles, and the sections of the front.

use super::front::{Front, UNITS};
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        progress::{ComponentProgress, REPORT_INTERVAL},
        voxels::{neighbour_bits::NEIGHBOURS, object::Object},
    },
};

/// Maximum or part of voxels that belong to none.
const NONE: u32 = u32::MAX;

/// Thickness of a section, in units of the front: the smallest spacing.
pub const SECTION_UNITS: u32 = UNITS as u32;

/// Minimum share of the second largest part of a section that counts as split.
const SPLIT_SHARE: f64 = 0.2;

/// Voxels of one maximum within a range of distances of [`SECTION_UNITS`].
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Distance of the section divided by [`SECTION_UNITS`].
    pub index: u32,
    /// Root of twice the mean squared distance to the centroid, in units of the smallest spacing:
    /// the radius of a disc, 0.82 times the half width of a strip.
    pub width: f32,
    /// `true` if the voxels form at least two parts with a share of [`SPLIT_SHARE`] each.
    pub is_split: bool,
}

/// Local maximum of the distance.
pub struct Maximum {
    /// Voxel of the maximum.
    pub voxel: u32,
    /// Farther maximum that this one meets at its saddle; itself for the global maximum.
    parent: u32,
    /// Voxel at which the maximum meets its parent, or `None` for the global maximum.
    pub saddle: Option<u32>,
    /// Sections from the maximum to its saddle, without those of the maxima that it absorbed.
    pub sections: Vec<Section>,
    current: SectionSums,
    /// Parts of the current section, for components with tunnels.
    parts: Vec<u32>,
}

/// Sums over the voxels of a section, relative to the position of its maximum.
#[derive(Clone, Copy, Default)]
struct SectionSums {
    index: u32,
    count: u32,
    positions: [f64; 3],
    squares: f64,
}

/// State of a voxel, kept together for locality: the neighbours of a voxel are visited at random.
#[derive(Clone, Copy)]
struct VoxelState {
    /// Number of the front that visited the voxel last; the other fields are those of this front.
    front: u32,
    /// Maximum that the voxel belonged to when it was visited.
    maximum: u32,
    /// Index of the section.
    section: u32,
    /// Part of the section, for components with tunnels.
    part: u32,
}

/// Merge tree of the superlevel sets of a front's distances.
pub struct MergeTree<'a> {
    object: &'a Object,
    metric: &'a Metric,
    has_tunnels: bool,
    /// Number of the current front, from 1.
    front: u32,
    states: Vec<VoxelState>,
    maxima: Vec<Maximum>,
    /// Union-find forest of the maxima; the roots are the farthest ones.
    roots: Vec<u32>,
    parts: Parts,
}

/// Connected parts of sections, as a union-find forest with the number of voxels at the roots.
#[derive(Default)]
struct Parts {
    roots: Vec<u32>,
    counts: Vec<u32>,
}

impl Parts {
    fn add(&mut self) -> u32 {
        let part = self.roots.len() as u32;
        self.roots.push_or_unwind(part);
        self.counts.push_or_unwind(0);
        part
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (kept, other) = (a.min(b), a.max(b));
        if kept != other {
            self.roots[other as usize] = kept;
            self.counts[kept as usize] += self.counts[other as usize];
        }
        kept
    }

    /// Returns `true` if the second largest of the parts has at least [`SPLIT_SHARE`] of the
    /// voxels.
    fn is_split(&mut self, parts: &[u32]) -> bool {
        if parts.len() < 2 {
            return false;
        }
        let roots = parts.iter().map(|&part| find_root(&mut self.roots, part));
        let mut roots: Vec<u32> = roots.collect_or_unwind();
        roots.sort_unstable();
        roots.dedup();
        let (mut sum, mut largest) = (0, [0; 2]);
        for root in roots {
            let count = self.counts[root as usize];
            sum += count;
            if count > largest[0] {
                largest = [count, largest[0]];
            } else {
                largest[1] = largest[1].max(count);
            }
        }
        f64::from(largest[1]) >= SPLIT_SHARE * f64::from(sum)
    }
}

fn find_root(roots: &mut [u32], mut index: u32) -> u32 {
    while roots[index as usize] != index {
        let next = roots[index as usize];
        roots[index as usize] = roots[next as usize];
        index = roots[index as usize];
    }
    index
}

impl<'a> MergeTree<'a> {
    /// Creates an empty tree. `has_tunnels` requests the detection of split sections.
    pub fn new(object: &'a Object, metric: &'a Metric, has_tunnels: bool) -> Self {
        let not_visited = VoxelState {
            front: 0,
            maximum: NONE,
            section: 0,
            part: NONE,
        };
        Self {
            object,
            metric,
            has_tunnels,
            front: 0,
            states: filled_or_unwind(not_visited, object.len()),
            maxima: Vec::new(),
            roots: Vec::new(),
            parts: Parts::default(),
        }
    }

    /// Builds the tree of a front, which replaces the previous one. Where two maxima meet, the one
    /// with the smaller distance ends (elder rule). Takes nearly linear time in the number of
    /// voxels that the front reached.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn build(
        &mut self,
        front: &Front<'_>,
        progress: &ComponentProgress<'_>,
    ) -> Result<(), Cancelled> {
        self.maxima.clear();
        self.roots.clear();
        self.parts = Parts::default();
        self.front += 1;
        for (count, &voxel) in front.order().iter().rev().enumerate() {
            if count.is_multiple_of(REPORT_INTERVAL) {
                progress.check()?;
            }
            self.visit(front, voxel);
        }
        for maximum in 0..self.maxima.len() {
            self.finish_section(maximum);
        }
        Ok(())
    }

    /// Adds a voxel: to the farthest maximum among its visited neighbours, otherwise as a maximum.
    #[inline(always)]
    fn visit(&mut self, front: &Front<'_>, voxel: u32) {
        let section = front.distance(voxel as usize) / SECTION_UNITS;
        let (mut own, mut part, mut last) = (NONE, NONE, NONE);
        for (_, other) in self.object.neighbours(voxel as usize, NEIGHBOURS) {
            let state = self.states[other];
            if state.front != self.front {
                continue;
            }
            if state.maximum != last {
                last = state.maximum;
                own = self.merge(own, state.maximum, voxel);
            }
            if self.has_tunnels && state.section == section {
                let found = find_root(&mut self.parts.roots, state.part);
                part = if part == NONE {
                    found
                } else {
                    self.parts.join(part, found)
                };
            }
        }
        if own == NONE {
            own = self.maxima.len() as u32;
            self.roots.push_or_unwind(own);
            self.maxima.push_or_unwind(Maximum {
                voxel,
                parent: own,
                saddle: None,
                sections: Vec::new(),
                current: SectionSums::default(),
                parts: Vec::new(),
            });
        }
        let part = if self.has_tunnels && part == NONE {
            self.parts.add()
        } else {
            part
        };
        self.states[voxel as usize] = VoxelState {
            front: self.front,
            maximum: own,
            section,
            part,
        };
        self.add_to_section(own as usize, voxel, section, part);
    }

    /// Merges the maximum of a neighbour into that of a voxel, and returns the remaining one.
    #[inline(always)]
    fn merge(&mut self, own: u32, other: u32, voxel: u32) -> u32 {
        let root = find_root(&mut self.roots, other);
        if own == NONE || root == own {
            return root;
        }
        // maxima are numbered by descending distance
        let (elder, younger) = (own.min(root), own.max(root));
        self.roots[younger as usize] = elder;
        self.finish_section(younger as usize);
        let ended = &mut self.maxima[younger as usize];
        ended.parent = elder;
        ended.saddle = Some(voxel);
        elder
    }

    /// Adds a voxel to the section of a maximum, and to its part if the component has tunnels.
    #[inline(always)]
    fn add_to_section(&mut self, number: usize, voxel: u32, index: u32, part: u32) {
        let current = &self.maxima[number].current;
        if current.count > 0 && current.index != index {
            self.finish_section(number);
        }
        let from = self.object.position(self.maxima[number].voxel as usize);
        let at = self.object.position(voxel as usize);
        let offset = self
            .metric
            .to_world([0, 1, 2].map(|axis| f64::from(at[axis] - from[axis])));
        let maximum = &mut self.maxima[number];
        maximum.current.index = index;
        maximum.current.count += 1;
        for (sum, along) in maximum.current.positions.iter_mut().zip(offset) {
            *sum += along;
            maximum.current.squares += along * along;
        }
        if self.has_tunnels {
            if !maximum.parts.contains(&part) {
                maximum.parts.push_or_unwind(part);
            }
            self.parts.counts[part as usize] += 1;
        }
    }

    /// Appends the current section of a maximum to its list.
    fn finish_section(&mut self, maximum: usize) {
        let maximum = &mut self.maxima[maximum];
        let SectionSums {
            index,
            count,
            positions,
            squares,
        } = std::mem::take(&mut maximum.current);
        if count == 0 {
            return;
        }
        let count = f64::from(count);
        let centre: f64 = positions.iter().map(|sum| (sum / count).powi(2)).sum();
        let mean_square = (squares / count - centre).max(0.0);
        let is_split = self.parts.is_split(&maximum.parts);
        maximum.parts.clear();
        maximum.sections.push_or_unwind(Section {
            index,
            width: (2.0 * mean_square).sqrt() as f32,
            is_split,
        });
    }

    /// Returns the maxima in order of descending distance; the first one is the global maximum.
    pub fn maxima(&self) -> &[Maximum] {
        &self.maxima
    }

    /// Returns `true` if a reached voxel and a maximum are connected by voxels of at least the
    /// given distance, in units of the front, even if the maximum ended in a farther one.
    pub fn is_connected(
        &self,
        front: &Front<'_>,
        voxel: u32,
        maximum: u32,
        min_distance: f64,
    ) -> bool {
        let is_above = |voxel: u32| f64::from(front.distance(voxel as usize)) >= min_distance;
        let elder = |mut maximum: u32| {
            while self.maxima[maximum as usize].saddle.is_some_and(is_above) {
                maximum = self.maxima[maximum as usize].parent;
            }
            maximum
        };
        is_above(voxel) && elder(self.states[voxel as usize].maximum) == elder(maximum)
    }

    /// Returns `true` if a reached voxel is connected with a maximum by voxels of at least the
    /// given distance, in units of the front, without a voxel of a farther maximum.
    pub fn is_in_region(
        &self,
        front: &Front<'_>,
        voxel: u32,
        maximum: u32,
        min_distance: f64,
    ) -> bool {
        let is_above = |voxel: u32| f64::from(front.distance(voxel as usize)) >= min_distance;
        if !is_above(voxel) {
            return false;
        }
        let mut current = self.states[voxel as usize].maximum;
        while current != maximum {
            let Maximum { parent, saddle, .. } = self.maxima[current as usize];
            if !saddle.is_some_and(is_above) {
                return false;
            }
            current = parent;
        }
        true
    }
}
