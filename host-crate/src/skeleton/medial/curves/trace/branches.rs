//! Branches to uncovered voxels and to tips.

use super::CurveTracer;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        curves::{coverage::Coverage, uncovered_queue::UncoveredQueue},
        paths::marked_ancestors::MarkedAncestors,
        progress::Stage,
        voxels::{neighbour_bits::NEIGHBOURS, segment_voxels::FixedPoint},
    },
};
use std::cmp::Reverse;

/// Minimum length of a detail branch, as a multiple of the inscribed radius plus a multiple of the
/// smallest spacing.
const MIN_DETAIL_LENGTH: [f64; 2] = [1.3, 1.5];

impl CurveTracer<'_> {
    /// Adds a branch that starts at a voxel: follows its shortest path towards the root up to the
    /// first voxel that touches the skeleton, and joins the skeleton there. If the path reaches the
    /// root without touching the skeleton, adds the path from the root to the cycles first.
    pub(super) fn add_branch(&mut self, from: usize) -> Result<(), Cancelled> {
        let path = match self.path_to_skeleton(from) {
            Some(path) => path,
            None => {
                self.add_trunk();
                match self.path_to_skeleton(from) {
                    Some(path) => path,
                    None => self
                        .search
                        .find_path(from, |voxel| self.is_on_skeleton[voxel])?,
                }
            }
        };
        self.add_curve(&path);
        let object = self.context.object;
        let covered = object.len() - self.coverage.uncovered_count();
        self.context
            .progress
            .report(Stage::Curves, covered, object.len())
    }

    /// Adds the path from the root to the cycles, up to the first voxel that touches the skeleton:
    /// a branch may have met the path before the cycles, and the rest would close another cycle.
    fn add_trunk(&mut self) {
        let object = self.context.object;
        let mut path = Vec::new();
        for voxel in std::mem::take(&mut self.trunk) {
            path.push_or_unwind(voxel);
            let adjacent = object
                .neighbours(voxel as usize, NEIGHBOURS)
                .find(|&(_, other)| self.is_on_skeleton[other]);
            if let Some((_, other)) = adjacent {
                path.push_or_unwind(other as u32);
                self.add_curve(&path);
                return;
            }
        }
    }

    /// Returns the shortest path from a voxel towards the root up to the skeleton, or `None` if it
    /// reaches the root without touching the skeleton.
    fn path_to_skeleton(&self, from: usize) -> Option<Vec<u32>> {
        let object = self.context.object;
        let mut path = vec![from as u32];
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            let adjacent = object
                .neighbours(voxel, NEIGHBOURS)
                .find(|&(_, other)| self.is_on_skeleton[other]);
            let adjacent = adjacent.map(|(_, other)| other);
            voxel = adjacent.or_else(|| self.predecessor(voxel))?;
            path.push_or_unwind(voxel as u32);
        }
        Some(path)
    }

    /// Adds a path to the skeleton, with the voxels that it covers. It can be extended straight at
    /// its first voxel.
    fn add_curve(&mut self, path: &[u32]) {
        self.links.add_path(path);
        self.mark_on_skeleton(path);
        let Some(rule) = self.rule else {
            return;
        };
        let mut balls = self.balls(rule, path);
        if self.extends_ends {
            let positions: Vec<FixedPoint> = path
                .iter()
                .map(|&voxel| self.voxel_centre(voxel))
                .collect_or_unwind();
            balls.extend_or_unwind(self.end_balls(rule, &positions));
        }
        self.coverage.add_balls(&balls);
    }

    /// Adds branches to the given voxels, farthest from the skeleton first, if they are long
    /// compared with the inscribed radius where they leave the skeleton.
    pub(super) fn add_detail_branches(&mut self, tips: &[u32]) -> Result<(), Cancelled> {
        if tips.is_empty() {
            return Ok(());
        }
        let object = self.context.object;
        let Some(lengths) = self.lengths else {
            return Ok(());
        };
        let paths = self.paths;
        // length of the shortest path from the skeleton
        let is_on_skeleton = &self.is_on_skeleton;
        let branch_points = MarkedAncestors::new(paths, object, |voxel, _| is_on_skeleton[voxel]);
        let length = |voxel: u32| {
            let branch_point = branch_points.get(voxel as usize);
            let units = lengths.length_units(voxel as usize);
            units.wrapping_sub(lengths.length_units(branch_point))
        };
        let mut pending = copy_or_unwind(tips);
        pending.sort_unstable_by_key(|&voxel| (Reverse(length(voxel)), voxel));
        // voxels within the local radius of the end of a previous branch
        let mut suppressed = Coverage::new(object, self.context.metric);
        for voxel in pending {
            if suppressed.is_covered(voxel as usize) {
                continue;
            }
            let mut branch_point = voxel as usize;
            while let Some(predecessor) = self
                .predecessor(branch_point)
                .filter(|_| !self.is_on_skeleton[branch_point])
            {
                branch_point = predecessor;
            }
            let branch_length = lengths.length(voxel as usize) - lengths.length(branch_point);
            let radius = self.context.radius(self.voxel_centre(branch_point as u32));
            if self.is_on_skeleton[branch_point]
                && branch_length > MIN_DETAIL_LENGTH[0] * radius + MIN_DETAIL_LENGTH[1]
            {
                self.add_branch(voxel as usize)?;
                suppressed.add_ball(object.position(voxel as usize).map(f64::from), radius + 0.5);
            }
        }
        Ok(())
    }

    /// Adds branches, farthest from the root first: to uncovered voxels until all are covered, or,
    /// without a coverage rule, to the given tips. Returns `true` if any were added.
    pub(super) fn add_branches(&mut self, tips: &[u32]) -> Result<bool, Cancelled> {
        let Some(lengths) = self.lengths else {
            let is_missing = |&&tip: &&u32| !self.is_on_skeleton[tip as usize];
            let missing: Vec<u32> = tips.iter().filter(is_missing).copied().collect_or_unwind();
            for tip in self.farthest_first(&missing) {
                if !self.is_on_skeleton[tip as usize] {
                    self.add_branch(tip as usize)?;
                }
            }
            return Ok(!missing.is_empty());
        };
        if self.coverage.uncovered_count() == 0 {
            return Ok(false);
        }
        let mut queue = UncoveredQueue::new(&self.coverage, |voxel| lengths.length_units(voxel));
        while let Some(voxel) = queue.next(&self.coverage) {
            self.add_branch(voxel)?;
        }
        Ok(true)
    }
}
