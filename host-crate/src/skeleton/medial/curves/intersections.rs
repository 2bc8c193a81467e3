//! Intersections of links between voxels.

use super::{shorten::remove_dependent_links, voxel_links::VoxelLinks};
use crate::{
    memory::{ExtendOrUnwind, ReserveOrUnwind, collect_into_or_unwind, with_capacity_or_unwind},
    skeleton::medial::{context::ComponentContext, topology::cocycle::Cocycle},
};
use std::collections::{HashMap, HashSet};

/// Reroutes links that intersect another at its midpoint, where no voxel centre lies, through a
/// voxel of that link. All voxels involved are adjacent to each other, so homology classes are
/// preserved.
pub fn resolve_intersections(
    context: &ComponentContext<'_>,
    cocycle: &Cocycle,
    links: &mut VoxelLinks,
) {
    let object = context.object;
    // rerouted diagonals become shorter links, which can intersect again
    for _ in 0..3 {
        let mut link_by_midpoint: HashMap<[i32; 3], [u32; 2]> = HashMap::new();
        let mut kept = with_capacity_or_unwind(links.pairs.len());
        let mut rerouted = Vec::new();
        for &[a, b] in &links.pairs {
            let (from, to) = (object.position(a as usize), object.position(b as usize));
            link_by_midpoint.reserve_or_unwind(1);
            let [via, _] = *link_by_midpoint
                .entry([0, 1, 2].map(|axis| from[axis] + to[axis]))
                .or_insert([a, b]);
            if via == a || via == b {
                kept.push_or_unwind([a, b]);
            } else {
                rerouted.extend_or_unwind([[a, via], [via, b]]);
            }
        }
        if rerouted.is_empty() {
            return;
        }
        let ascending = |&[a, b]: &[u32; 2]| [a.min(b), a.max(b)];
        let mut seen: HashSet<[u32; 2]> = collect_into_or_unwind(kept.iter().map(ascending));
        seen.reserve_or_unwind(rerouted.len());
        rerouted.retain(|link| seen.insert(ascending(link)));
        kept.extend_or_unwind(rerouted);
        links.pairs = remove_dependent_links(cocycle, &kept);
    }
}

#[cfg(test)]
mod tests {
    use crate::skeleton::medial::test_objects::skeletons;

    /// Two diagonals of a cube that intersect between voxels, with a rod at each of their ends.
    #[test]
    fn intersecting_diagonals_are_rerouted() {
        let found = skeletons([16, 16, 2], [1.0; 3], |[x, y, z]| {
            z == 0.0 && (x == y || x + y == 15.0)
        });
        assert!(found.is_certified(), "{:?}", found.labels[0].components);
        assert_eq!(found.labels[0].skeleton.cycles(), 0);
    }
}
