//! Tests of voxel objects against lists of positions.

use super::{
    frame::Frame,
    neighbour_bits::{NEIGHBOURS, OFFSETS},
    object::Object,
    row_words::nth_set_bit,
    runs::Run,
};
use crate::{grid::Metric, skeleton::medial::progress::ComponentProgress};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn nth_set_bit_matches_enumeration() {
    for bits in [
        1,
        1 << 63,
        u64::MAX,
        0xf0,
        0x8000_0000_0000_0001,
        0x5555_aaaa_0ff0_1234,
    ] {
        let all: Vec<u32> = (0..64).filter(|at| bits >> at & 1 == 1).collect();
        for (before, &at) in (0..).zip(&all) {
            assert_eq!(nth_set_bit(bits, before), at, "{bits:x}");
        }
    }
}

/// Checks the voxels and neighbours of an object against the positions of its runs.
fn check(runs: &[Run], frame: &Frame) {
    let object = Object::new(runs, frame, &ComponentProgress::disabled()).unwrap();
    let mut positions = Vec::new();
    for run in runs {
        for x in run.start..run.end {
            positions.push(frame.frame_voxel([x.into(), run.y.into(), run.z.into()]));
        }
    }
    positions.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
    assert_eq!(object.len(), positions.len());
    let number: BTreeMap<[i32; 3], usize> = (0..)
        .zip(&positions)
        .map(|(at, &position)| (position, at))
        .collect();
    for (voxel, &position) in positions.iter().enumerate() {
        assert_eq!(object.position(voxel), position);
        assert_eq!(object.voxel_at(position), Some(voxel));
        let expected: Vec<(usize, usize)> = (0..27)
            .filter_map(|bit| {
                let there = [0, 1, 2].map(|axis| position[axis] + OFFSETS[bit][axis]);
                let found = number.get(&there).copied();
                assert_eq!(object.neighbour_at(voxel, bit), found);
                assert_eq!(object.voxel_at(there), found);
                found.map(|other| (bit, other))
            })
            .collect();
        let neighbour_mask = expected.iter().fold(0, |set, &(bit, _)| set | 1 << bit);
        assert_eq!(object.neighbour_mask(voxel), neighbour_mask);
        for mask in [NEIGHBOURS, 0o111_000_777, 1 << 26] {
            let some = expected.iter().filter(|&&(bit, _)| mask >> bit & 1 == 1);
            let some: Vec<_> = some.copied().collect();
            assert_eq!(object.neighbours(voxel, mask).collect::<Vec<_>>(), some);
        }
    }
    for row in 0..object.row_count() {
        let voxels = &positions[object.row_voxels(row)];
        let [y, z] = object.row_position(row);
        assert!(voxels.iter().all(|position| position[1..] == [y, z]));
        let (first, last) = (voxels[0][0], voxels[voxels.len() - 1][0]);
        for (low, high) in [
            (first, last),
            (first + 1, last - 70),
            (-9, first + 64),
            (last, last + 99),
            (i32::MIN, i32::MAX),
        ] {
            let some = voxels
                .iter()
                .filter(|position| (low..=high).contains(&position[0]));
            let words = object.masked_words(row, low, high);
            let masked = words.map(|(word, bits)| (object.words()[word].bits & bits).count_ones());
            assert_eq!(masked.sum::<u32>() as usize, some.count());
        }
    }
}

/// Returns the runs of a set of positions.
pub fn runs_from_positions(positions: impl Iterator<Item = [u32; 3]>) -> Vec<Run> {
    let mut positions: Vec<[u32; 3]> = positions.collect();
    positions.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
    positions.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for [x, y, z] in positions {
        match runs.last_mut() {
            Some(last) if last.end == x && [last.y, last.z] == [y, z] => last.end += 1,
            _ => runs.push(Run {
                start: x,
                end: x + 1,
                y,
                z,
                label: 1,
            }),
        }
    }
    runs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

    #[test]
    fn objects_match_their_position_lists(
        positions in prop::collection::vec((0u32..4, 0u32..5, 0u32..4), 1..60),
        stretch in prop::sample::select(vec![[1u32, 1, 1], [1, 40, 1], [60, 1, 1], [1, 1, 900], [3, 77, 1 << 20]]),
        far in 0u32..130,
        spacing in prop::sample::select(vec![[1.0; 3], [2.0, 1.0, 1.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [2.0, 3.0, 1.0]]),
    ) {
        let positions = positions.into_iter().map(|(x, y, z)| [x * stretch[0] + far, y * stretch[1], z * stretch[2]]);
        let runs = runs_from_positions(positions);
        let geometry = crate::grid::Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let frame = Frame::canonical(&runs, &Metric::rounded(&geometry).0);
        check(&runs, &frame);
    }
}

/// Memory is proportional to the number of voxels, not to the bounding box.
#[test]
fn sparse_object_in_a_huge_bounding_box() {
    let run = |at: u32| Run {
        start: at,
        end: at + 1,
        y: at,
        z: at,
        label: 1,
    };
    let runs: Vec<Run> = (0..3000).map(|at| run(at * 1000)).collect();
    check(&runs, &Frame::unpermuted(&runs));
}
