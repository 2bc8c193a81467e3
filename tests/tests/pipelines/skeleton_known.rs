//! Skeletons of objects whose right skeleton is known, held to it by a checker that shares nothing
//! with the library's certificate.

use ferrovox::{
    graph::{Edge, Skeleton},
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use ferrovox_tests::{
    oracle::{Object, Rules, Verdict, check},
    reference_objects::{Betti, Grid, ReferenceObject, large, random, simple, solid},
};
use test_cases::skip_slow_test;

pub fn made_of(voxels: &Volume<u8>) -> Skeletons {
    medial::extract(
        &[],
        voxels.view(),
        &medial::Params::default(),
        Monitor::silent(),
    )
    .unwrap()
}

/// What is not judged for every object: centredness needs known axes.
const NOT_JUDGED: [&str; 1] = ["centred"];

/// A skeleton with merged chains, if that changes more than the directions of its curves.
fn merged(skeleton: &Skeleton) -> Option<Skeleton> {
    let mut merged = skeleton.clone();
    merged.merge_chains();
    let is_same = |(one, other): (&Edge, &Edge)| {
        let back = || other.points.iter().rev();
        one.points == other.points || one.points.iter().eq(back())
    };
    let mut edges = skeleton.edges.iter().zip(&merged.edges);
    let is_whole = skeleton.nodes.len() == merged.nodes.len()
        && skeleton.edges.len() == merged.edges.len()
        && edges.all(is_same);
    (!is_whole).then_some(merged)
}

/// What a certificate says, as far as the checker judges it.
fn judged_of(verdict: &Verdict) -> impl PartialEq + use<> {
    let properties = verdict.properties();
    let faults = properties.map(|(name, property)| (name, property.faults, property.undecided));
    (verdict.components, verdict.cycles, verdict.tunnels, faults)
}

/// The verdicts on the skeletons of all labels, each of which must hold and be certified, with
/// merged chains too; or what does not.
pub fn judgement(known: &ReferenceObject) -> Result<Vec<Verdict>, String> {
    let made = made_of(&known.voxels);
    let mut verdicts = Vec::new();
    for from_label in &made.labels {
        let label = u8::try_from(from_label.label).unwrap();
        let wrong = |what: String| {
            let ReferenceObject { name, seed, .. } = known;
            Err(format!("{name}, seed {seed}, label {label}: {what}"))
        };
        let object = Object::from_label(&known.voxels, label);
        from_label.skeleton.validate().unwrap();
        let verdict = check(
            &object,
            &from_label.skeleton,
            &Rules::default(),
            &known.axes,
        );
        let holds = verdict
            .properties()
            .iter()
            .all(|(name, property)| NOT_JUDGED.contains(name) || property.holds());
        if !holds {
            return wrong(format!(
                "certified: {}, but\n{verdict}",
                from_label.is_certified()
            ));
        }
        if !from_label.is_certified() {
            let parts = from_label.components.iter();
            let failures: Vec<_> = parts.flat_map(|part| &part.failures).collect();
            return wrong(format!(
                "holds, but is not certified: {failures:?}\n{verdict}"
            ));
        }
        if let Some(merged) = merged(&from_label.skeleton) {
            let of_merged = check(&object, &merged, &Rules::default(), &known.axes);
            if judged_of(&of_merged) != judged_of(&verdict) {
                return wrong(format!("merged chains change\n{verdict}\nto\n{of_merged}"));
            }
        }
        let mut parts = from_label.components.iter();
        if let Some(part) = parts.find(|part| !part.is_centred && !known.axes.is_empty()) {
            return wrong(format!("has not been centred: {part:?}"));
        }
        let mut tunnels: Vec<u64> = from_label
            .components
            .iter()
            .map(|one| one.tunnels)
            .collect();
        let mut counted: Vec<u64> = verdict.betti.iter().map(|one| one.tunnels).collect();
        tunnels.sort_unstable();
        counted.sort_unstable();
        if tunnels != counted {
            return wrong(format!(
                "the report has {tunnels:?} tunnels in components with {counted:?}"
            ));
        }
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

/// The same, where nothing may be wrong.
pub fn judged(known: &ReferenceObject) -> Vec<Verdict> {
    match judgement(known) {
        Ok(verdicts) => verdicts,
        Err(wrong) => panic!("{wrong}"),
    }
}

/// The only verdict, with Betti numbers and ends as known.
fn assert_right(known: &ReferenceObject) -> Verdict {
    let name = &known.name;
    let verdict = judged(known).swap_remove(0);
    assert_eq!(Some(verdict.object()), known.betti, "{name}");
    if let Some(ends) = known.ends {
        assert_eq!(verdict.ends, ends, "{name}\n{verdict}");
    }
    verdict
}

/// And its length is that of the axes but for a tenth and the tips, in the mean it is as near to
/// them as it must be, and nowhere farther than `most`.
fn assert_centred(known: &ReferenceObject, most: f64) {
    let verdict = assert_right(known);
    let name = &known.name;
    let deviation = verdict.deviation.unwrap();
    let spacing = known.spacings();
    assert!(
        verdict.centred.holds(),
        "{name}, spacing {spacing:?}: {deviation:?}"
    );
    assert!(
        deviation.max <= most,
        "{name}, spacing {spacing:?}: {deviation:?} of {most}"
    );
    let (least, most) = (
        0.9 * known.length(),
        1.1 * known.length() + known.length_allowance,
    );
    let length = verdict.length;
    assert!(
        (least..=most).contains(&length),
        "{name}, spacing {spacing:?}: length {length} of {least} to {most}"
    );
}

#[test]
fn tubes_that_meet() {
    assert_right(&simple::t_of_tubes(Grid::unit()));
    assert_right(&simple::thin_branch(Grid::unit()));
    for seed in 0..6 {
        let known = simple::arms(3, 2.5, 30.0, seed, Grid::unit());
        assert_right(&known.with(1, 0, 0));
    }
}

#[test]
fn tubes_that_meet_have_curves_in_their_middle() {
    assert_centred(&simple::t_of_tubes(Grid::unit()), 4.0);
    assert_centred(&simple::thin_branch(Grid::unit()), 4.0);
    for seed in 0..6 {
        let known = simple::arms(3, 2.5, 30.0, seed, Grid::unit());
        assert_centred(&known.with(1, 0, 0), 2.5);
    }
}

#[test]
fn rods_at_any_spacing() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let verdict = assert_right(&simple::rod(direction, 6.0, 48.0, Grid::spaced(spacing)));
            assert!(
                verdict.length > 40.0,
                "{spacing:?} {direction:?}: {verdict}"
            );
        }
    }
}

#[test]
fn rods_at_any_spacing_have_curves_in_their_middle() {
    for spacing in Grid::SPACINGS {
        for direction in simple::DIRECTIONS {
            let rod = simple::rod(direction, 6.0, 48.0, Grid::spaced(spacing));
            assert_centred(&rod, 0.5 * rod.spacings()[0]);
        }
    }
}

#[test]
fn rings_and_curves_one_voxel_wide() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for radius in [0.5, 1.5, 3.0] {
            assert_right(&simple::ring(normal, 14.0, radius, Grid::unit()));
        }
    }
    assert_right(&simple::knot(9.0, 0.5, Grid::unit()));
    assert_right(&simple::knot(7.0, 2.0, Grid::unit()));
    assert_right(&simple::helix(3.0, 9.0, 8.0, 0.5, Grid::unit()));
    assert_right(&solid::diagonal(20));
}

#[test]
fn rings_have_curves_in_their_middle() {
    for normal in [[0.0, 0.0, 1.0], [1.0, 2.0, 3.0]] {
        for radius in [1.5, 3.0] {
            assert_centred(&simple::ring(normal, 14.0, radius, Grid::unit()), radius);
        }
    }
    assert_centred(&simple::knot(7.0, 2.0, Grid::unit()), 2.0);
}

#[test]
fn shells_plates_and_boxes_with_holes() {
    for known in [
        solid::tunnel_and_cavity(),
        solid::shell(12.0, 9.0),
        solid::shell(6.0, 5.0),
        solid::plate(1, 3),
        solid::plate(4, 2),
        solid::bent_sheet(),
        solid::through_the_border(24),
    ] {
        assert_right(&known);
    }
}

#[test]
fn single_voxels_and_those_that_touch() {
    for known in [
        solid::single(),
        solid::touching_at_a_corner(),
        solid::touching_at_an_edge(),
        solid::ring_of_corners(),
        solid::full(1),
        solid::full(9),
    ] {
        assert_right(&known);
    }
    // a component of one voxel keeps its point, exactly there
    let made = made_of(&solid::single().voxels);
    let skeleton = &made.labels[0].skeleton;
    assert_eq!((skeleton.nodes.len(), skeleton.edges.len()), (1, 0));
    assert_eq!(skeleton.nodes[0].position.coords.as_slice(), [1.0; 3]);
}

#[test]
fn bones_with_holes() {
    assert_right(&large::digits(1));
}

#[test]
fn a_net_like_vessels() {
    if skip_slow_test("a net like vessels") {
        return;
    }
    let known = large::vessels(1);
    let verdict = assert_right(&known);
    assert_eq!((verdict.components, verdict.cycles), (110, 67));
}

#[test]
fn an_atlas_in_one_pass() {
    if skip_slow_test("an atlas") {
        return;
    }
    let verdicts = judged(&large::atlas(1));
    assert_eq!(verdicts.len(), 116);
}

#[test]
fn dust_by_the_hundred_thousand() {
    let dust = random::dust([50, 50, 40]);
    assert_eq!(dust.betti, Some(Betti::new(100_000, 0, 0)));
    let made = made_of(&dust.voxels);
    let [from_label] = &made.labels[..] else {
        panic!("one label");
    };
    assert_eq!(from_label.skeleton.nodes.len(), 100_000);
    assert!(from_label.skeleton.edges.is_empty() && from_label.is_certified());
}

#[test]
fn noise_of_any_density() {
    for (seed, per_cent) in [(1, 3), (2, 10), (3, 25), (4, 50), (5, 80), (6, 97)] {
        judged(&random::noise([23, 19, 17], per_cent, seed));
    }
}

/// Where the volume lies changes where the skeleton lies, and nothing else.
#[test]
fn another_place_in_the_world() {
    let known = simple::thin_branch(Grid::unit());
    let here = made_of(&known.voxels);
    let turned = Grid::unit().turned([1.0, 2.0, 3.0], 0.7).axes;
    let geometry = Geometry::new(turned, [40.0, -3.0, 17.5].into()).unwrap();
    let there = made_of(&known.voxels.clone().with_geometry(geometry));
    let [here, there] = [&here, &there].map(|made| &made.labels[0].skeleton);
    assert_eq!(here.edges.len(), there.edges.len());
    assert!((here.length() - there.length()).abs() < 1e-6 * here.length());
    for (a, b) in here.nodes.iter().zip(&there.nodes) {
        assert!((a.position - b.position).norm() < 1e-3);
    }
}
