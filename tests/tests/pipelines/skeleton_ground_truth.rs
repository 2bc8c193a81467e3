//! Skeletons of reference objects, checked by an oracle that shares no code with the library's
//! certificate.

use ferrovox::{
    graph::{Edge, Skeleton},
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, BranchRule, Skeletons},
};
use ferrovox_tests::{
    oracle::{Object, Rules, Verdict, check},
    reference_objects::{Betti, Grid, ReferenceObject, large, random, simple, solid},
};
use test_cases::skip_slow_test;

pub fn extract_skeletons(voxels: &Volume<u8>, branches: BranchRule) -> Skeletons {
    let params = medial::Params {
        branches,
        ..medial::Params::default()
    };
    medial::extract(&[], voxels.view(), &params, Monitor::new()).unwrap()
}

/// Returns the properties that are not checked for every object: centredness requires reference
/// axes, and coverage the coverage rule.
fn unchecked_properties(branches: BranchRule) -> &'static [&'static str] {
    match branches {
        BranchRule::Coverage { .. } => &["centred"],
        BranchRule::Significance { .. } => &["centred", "cover"],
    }
}

/// Returns the skeleton with merged chains, if that changes more than the directions of curves.
fn with_merged_chains(skeleton: &Skeleton) -> Option<Skeleton> {
    let mut with_merged_chains = skeleton.clone();
    with_merged_chains.merge_chains();
    let is_same = |(a, b): (&Edge, &Edge)| {
        let reversed = || b.points.iter().rev();
        a.points == b.points || a.points.iter().eq(reversed())
    };
    let mut edges = skeleton.edges.iter().zip(&with_merged_chains.edges);
    let is_whole = skeleton.nodes.len() == with_merged_chains.nodes.len()
        && skeleton.edges.len() == with_merged_chains.edges.len()
        && edges.all(is_same);
    (!is_whole).then_some(with_merged_chains)
}

/// Summarises a verdict as far as merging chains must not change it.
fn verdict_summary(verdict: &Verdict) -> impl PartialEq + use<> {
    let properties = verdict.properties();
    let faults = properties.map(|(name, property)| (name, property.faults, property.undecided));
    (verdict.components, verdict.cycles, verdict.tunnels, faults)
}

/// Checks the skeletons of all labels with branches by significance and by coverage: each must be
/// correct and certified, with merged chains too. Returns the verdicts of the latter, or a
/// description of the first violation.
pub fn check_against_ground_truth(reference: &ReferenceObject) -> Result<Vec<Verdict>, String> {
    check_rule(reference, BranchRule::SIGNIFICANCE)?;
    check_rule(reference, BranchRule::COVERAGE)
}

fn check_rule(reference: &ReferenceObject, branches: BranchRule) -> Result<Vec<Verdict>, String> {
    let skeletons = extract_skeletons(&reference.voxels, branches);
    let mut verdicts = Vec::new();
    for label_skeleton in &skeletons.labels {
        let label = u8::try_from(label_skeleton.label).unwrap();
        let wrong = |what: String| {
            let ReferenceObject { name, seed, .. } = reference;
            Err(format!(
                "{name}, {branches:?}, seed {seed}, label {label}: {what}"
            ))
        };
        let object = Object::from_label(&reference.voxels, label);
        label_skeleton.skeleton.validate().unwrap();
        let verdict = check(
            &object,
            &label_skeleton.skeleton,
            &Rules::default(),
            &reference.axes,
        );
        let holds = verdict.properties().iter().all(|(name, property)| {
            unchecked_properties(branches).contains(name) || property.holds()
        });
        if !holds {
            return wrong(format!(
                "certified: {}, but\n{verdict}",
                label_skeleton.is_certified()
            ));
        }
        if !label_skeleton.is_certified() {
            let parts = label_skeleton.components.iter();
            let violations: Vec<_> = parts.flat_map(|part| &part.violations).collect();
            return wrong(format!(
                "is correct, but not certified: {violations:?}\n{verdict}"
            ));
        }
        if let Some(with_merged_chains) = with_merged_chains(&label_skeleton.skeleton) {
            let merged_verdict = check(
                &object,
                &with_merged_chains,
                &Rules::default(),
                &reference.axes,
            );
            if verdict_summary(&merged_verdict) != verdict_summary(&verdict) {
                return wrong(format!(
                    "merged chains change\n{verdict}\nto\n{merged_verdict}"
                ));
            }
        }
        let mut parts = label_skeleton.components.iter();
        if let Some(part) = parts.find(|part| !part.is_centred && !reference.axes.is_empty()) {
            return wrong(format!("has not been centred: {part:?}"));
        }
        let mut tunnels: Vec<u64> = label_skeleton
            .components
            .iter()
            .map(|one| one.tunnels)
            .collect();
        let mut counted: Vec<u64> = verdict.betti.iter().map(|one| one.tunnels).collect();
        tunnels.sort_unstable();
        counted.sort_unstable();
        if tunnels != counted {
            return wrong(format!(
                "the report states {tunnels:?} tunnels; counted {counted:?}"
            ));
        }
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// Checks the skeletons of all labels and panics on a violation.
pub fn assert_correct(reference: &ReferenceObject) -> Vec<Verdict> {
    match check_against_ground_truth(reference) {
        Ok(verdicts) => verdicts,
        Err(wrong) => panic!("{wrong}"),
    }
}

/// Checks the skeleton of an object with one label, including its Betti numbers and endpoints, and
/// returns the verdict.
fn assert_ground_truth(reference: &ReferenceObject) -> Verdict {
    let name = &reference.name;
    let verdict = assert_correct(reference).swap_remove(0);
    assert_eq!(Some(verdict.object()), reference.betti, "{name}");
    if let Some(ends) = reference.ends {
        assert_eq!(verdict.ends, ends, "{name}\n{verdict}");
    }
    verdict
}

/// Checks in addition that the length matches that of the axes, the mean distance from them is
/// within the oracle's tolerance, and the maximum distance is at most `max_distance`.
fn assert_centred(reference: &ReferenceObject, max_distance: f64) {
    let verdict = assert_ground_truth(reference);
    let name = &reference.name;
    let deviation = verdict.deviation.unwrap();
    let spacing = reference.spacings();
    assert!(
        verdict.centred.holds(),
        "{name}, spacing {spacing:?}: {deviation:?}"
    );
    assert!(
        deviation.max <= max_distance,
        "{name}, spacing {spacing:?}: {deviation:?} of {max_distance}"
    );
    let (min_length, max_length) = (
        0.9 * reference.length(),
        1.1 * reference.length() + reference.length_allowance,
    );
    let length = verdict.length;
    assert!(
        (min_length..=max_length).contains(&length),
        "{name}, spacing {spacing:?}: length {length} of {min_length} to {max_length}"
    );
}

#[test]
fn joined_tubes_are_correct() {
    assert_ground_truth(&simple::t_of_tubes(Grid::unit()));
    assert_ground_truth(&simple::thin_branch(Grid::unit()));
    for seed in 0..6 {
        let reference = simple::arms(3, 2.5, 30.0, seed, Grid::unit());
        assert_ground_truth(&reference.with_betti(1, 0, 0));
    }
}

#[test]
fn joined_tubes_are_centred() {
    assert_centred(&simple::t_of_tubes(Grid::unit()), 4.0);
    assert_centred(&simple::thin_branch(Grid::unit()), 4.0);
    for seed in 0..6 {
        let reference = simple::arms(3, 2.5, 30.0, seed, Grid::unit());
        assert_centred(&reference.with_betti(1, 0, 0), 2.5);
    }
}

#[test]
fn rods_at_any_spacing_are_correct() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let verdict =
                assert_ground_truth(&simple::rod(direction, 6.0, 48.0, Grid::spaced(spacing)));
            assert!(
                verdict.length > 40.0,
                "{spacing:?} {direction:?}: {verdict}"
            );
        }
    }
}

#[test]
fn rods_at_any_spacing_are_centred() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let rod = simple::rod(direction, 6.0, 48.0, Grid::spaced(spacing));
            assert_centred(&rod, 0.5 * rod.spacings()[0]);
        }
    }
}

#[test]
fn rings_and_curves_one_voxel_wide_are_correct() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for radius in [0.5, 1.5, 3.0] {
            assert_ground_truth(&simple::ring(normal, 14.0, radius, Grid::unit()));
        }
    }
    assert_ground_truth(&simple::knot(9.0, 0.5, Grid::unit()));
    assert_ground_truth(&simple::knot(7.0, 2.0, Grid::unit()));
    assert_ground_truth(&simple::helix(3.0, 9.0, 8.0, 0.5, Grid::unit()));
    assert_ground_truth(&solid::diagonal(20));
}

#[test]
fn rings_are_centred() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for radius in [1.5, 3.0] {
            assert_centred(&simple::ring(normal, 14.0, radius, Grid::unit()), radius);
        }
    }
    assert_centred(&simple::knot(7.0, 2.0, Grid::unit()), 2.0);
}

#[test]
fn shells_plates_and_boxes_with_holes_are_correct() {
    for reference in [
        solid::tunnel_and_cavity(),
        solid::shell(12.0, 9.0),
        solid::shell(6.0, 5.0),
        solid::plate(1, 3),
        solid::plate(4, 2),
        solid::bent_sheet(),
        solid::through_the_border(24),
    ] {
        assert_ground_truth(&reference);
    }
}

#[test]
fn single_and_touching_voxels_are_correct() {
    for reference in [
        solid::single(),
        solid::touching_at_a_corner(),
        solid::touching_at_an_edge(),
        solid::ring_of_corners(),
        solid::full(1),
        solid::full(9),
    ] {
        assert_ground_truth(&reference);
    }
    // a component of one voxel keeps its point, exactly at the centre
    let skeletons = extract_skeletons(&solid::single().voxels, BranchRule::default());
    let skeleton = &skeletons.labels[0].skeleton;
    assert_eq!((skeleton.nodes.len(), skeleton.edges.len()), (1, 0));
    assert_eq!(skeleton.nodes[0].position.coords.as_slice(), [1.0; 3]);
}

#[test]
fn bones_with_holes_are_correct() {
    assert_ground_truth(&large::digits(1));
}

#[test]
fn vascular_network_is_correct() {
    if skip_slow_test("a net like vessels") {
        return;
    }
    let reference = large::vessels(1);
    let verdict = assert_ground_truth(&reference);
    assert_eq!((verdict.components, verdict.cycles), (110, 67));
}

#[test]
fn atlas_labels_are_correct() {
    if skip_slow_test("an atlas") {
        return;
    }
    let verdicts = assert_correct(&large::atlas(1));
    assert_eq!(verdicts.len(), 116);
}

#[test]
fn many_isolated_voxels_are_correct() {
    let dust = random::dust([50, 50, 40]);
    assert_eq!(dust.betti, Some(Betti::new(100_000, 0, 0)));
    let skeletons = extract_skeletons(&dust.voxels, BranchRule::default());
    let [label_skeleton] = &skeletons.labels[..] else {
        panic!("one label");
    };
    assert_eq!(label_skeleton.skeleton.nodes.len(), 100_000);
    assert!(label_skeleton.skeleton.edges.is_empty() && label_skeleton.is_certified());
}

#[test]
fn noise_of_any_density_is_correct() {
    for (seed, per_cent) in [(1, 3), (2, 10), (3, 25), (4, 50), (5, 80), (6, 97)] {
        assert_correct(&random::noise([23, 19, 17], per_cent, seed));
    }
}

/// The position of the volume in the world changes the position of the skeleton only.
#[test]
fn world_position_does_not_change_the_skeleton() {
    let reference = simple::thin_branch(Grid::unit());
    let original = extract_skeletons(&reference.voxels, BranchRule::default());
    let turned = Grid::unit().rotated([1.0, 2.0, 3.0], 0.7).axes;
    let geometry = Geometry::new(turned, [40.0, -3.0, 17.5].into()).unwrap();
    let moved = extract_skeletons(
        &reference.voxels.clone().with_geometry(geometry),
        BranchRule::default(),
    );
    let [original, moved] = [&original, &moved].map(|skeletons| &skeletons.labels[0].skeleton);
    assert_eq!(original.edges.len(), moved.edges.len());
    assert!((original.length() - moved.length()).abs() < 1e-6 * original.length());
    for (a, b) in original.nodes.iter().zip(&moved.nodes) {
        assert!((a.position - b.position).norm() < 1e-3);
    }
}
