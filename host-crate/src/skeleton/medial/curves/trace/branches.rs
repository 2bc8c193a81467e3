//! Branches to uncovered and to convex voxels.

use super::CurveTracer;
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    skeleton::medial::{
        curves::{coverage::Coverage, uncovered_queue::UncoveredQueue},
        paths::shortest_paths::shortest_path_to,
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
    /// root without touching the skeleton, adds the shortest path to the skeleton instead.
    pub(super) fn add_branch(&mut self, from: usize) -> Result<(), Cancelled> {
        let object = self.context.object;
        let mut path = vec![from as u32];
        let mut voxel = from;
        while !self.is_on_skeleton[voxel] {
            let adjacent = object
                .neighbours(voxel, NEIGHBOURS)
                .find(|&(_, other)| self.is_on_skeleton[other]);
            let Some(next) = adjacent.map(|(_, other)| other).or(self.predecessor(voxel)) else {
                // the shortest path reached the root without meeting the skeleton
                path = shortest_path_to(self.context, from, |voxel| self.is_on_skeleton[voxel])?;
                break;
            };
            path.push_or_unwind(next as u32);
            voxel = next;
        }
        self.links.add_path(&path);
        self.mark_on_skeleton(&path);
        let mut balls = self.balls(&path);
        if self.extends_ends {
            let positions: Vec<FixedPoint> = path
                .iter()
                .map(|&voxel| self.voxel_centre(voxel))
                .collect_or_unwind();
            balls.extend_or_unwind(self.end_balls(&positions));
        }
        self.coverage.add_balls(&balls);
        let covered = object.len() - self.coverage.uncovered_count();
        self.context
            .progress
            .report(Stage::Curves, covered, object.len())
    }

    /// Adds branches to the given voxels, farthest from the skeleton first, if they are long
    /// compared with the inscribed radius where they leave the skeleton.
    pub(super) fn add_detail_branches(&mut self, convex_voxels: &[u32]) -> Result<(), Cancelled> {
        if convex_voxels.is_empty() {
            return Ok(());
        }
        let object = self.context.object;
        let paths = self.paths;
        let mut lengths = zeroed_or_unwind::<u32>(object.len());
        paths.visit_from_root(object, |voxel, predecessor, _| {
            if !self.is_on_skeleton[voxel] {
                let step = paths
                    .length_units(voxel)
                    .wrapping_sub(paths.length_units(predecessor));
                lengths[voxel] = lengths[predecessor].wrapping_add(step);
            }
        });
        let mut pending = copy_or_unwind(convex_voxels);
        let length = |voxel: u32| lengths[voxel as usize];
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
            let branch_length = self.paths.length(voxel as usize) - self.paths.length(branch_point);
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

    /// Adds branches to uncovered voxels, farthest from the root first, until all voxels are
    /// covered. Returns `true` if any were added.
    pub(super) fn add_branches(&mut self) -> Result<bool, Cancelled> {
        if self.coverage.uncovered_count() == 0 {
            return Ok(false);
        }
        let paths = self.paths;
        let mut queue = UncoveredQueue::new(&self.coverage, |voxel| paths.length_units(voxel));
        while let Some(voxel) = queue.next(&self.coverage) {
            self.add_branch(voxel)?;
        }
        Ok(true)
    }
}
