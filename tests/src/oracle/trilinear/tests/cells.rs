//! The kernels' patches of single cells.
//!
//! `FERROVOX_CELLS=1000000` sets the number of cells instead of some thousands.

use super::{
    draw::{KINDS, Kind},
    patch::{Patch, cross, oracle_values},
};
use crate::{
    noise::Noise,
    oracle::trilinear::{Refinement, Undecided, surface_components},
};
use ferrovox_kernels::isosurface::{
    table::{CASES, CORNERS, EDGES, FACES},
    topology::{Disambiguation, SliceDeterminant, case_index, is_ambiguous_case},
};

fn cells(default: usize) -> usize {
    let asked = std::env::var("FERROVOX_CELLS").ok();
    asked.map_or(default, |n| n.parse().expect("FERROVOX_CELLS is a number"))
}

/// Results for the cells of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    cells: usize,
    tubes: usize,
    critical: usize,
    unsteady: usize,
    wrong: usize,
}

/// Components, loops, the assignment of loops to components, the Euler characteristic of each
/// component; closed, oriented, with positive areas.
fn patches_have_the_topology_of_the_interpolant(kind: Kind) {
    patches_of_cases(kind, cells(20_000) / 5, |cell| cell % 256);
}

fn patches_of_cases(kind: Kind, cells: usize, case: impl Fn(usize) -> usize) {
    let mut noise = Noise(11 + kind as u64);
    let mut memory = Refinement::default();
    let mut count = Count::default();
    let mut first = None;
    for cell in 0..cells {
        let values = kind.draw(case(cell), &mut noise);
        let patch = Patch::new(&values, Disambiguation::Trilinear);
        count.cells += 1;
        count.tubes += usize::from(patch.shape.has_tube());
        if let Some(fault) = patch.fault(&values) {
            panic!("{values:?}: {fault}");
        }
        match surface_components(&oracle_values(&values, kind.shift()), &mut memory) {
            Err(Undecided::Critical) => count.critical += 1,
            Err(Undecided::Unsteady) => count.unsteady += 1,
            Ok(expected) if expected == patch.components() => {}
            Ok(expected) => {
                count.wrong += 1;
                first.get_or_insert((values, patch.shape, patch.components(), expected));
            }
        }
    }
    println!("{kind:?}: {count:?}");
    assert_eq!(count.wrong, 0, "the first of them: {first:#?}");
    assert!(count.tubes > 0 && count.unsteady * 1000 < count.cells);
    // a share of the cells is drawn this close to critical
    let max_critical = if kind == Kind::NearlyCritical {
        cells / 4
    } else {
        cells / 1000
    };
    assert!(count.critical <= max_critical, "{count:?}");
}

#[test]
fn uniform_cells() {
    patches_have_the_topology_of_the_interpolant(Kind::Uniform);
}

#[test]
fn cells_of_all_magnitudes() {
    patches_have_the_topology_of_the_interpolant(Kind::Logarithmic);
}

#[test]
fn cells_of_integers() {
    patches_have_the_topology_of_the_interpolant(Kind::Integers);
}

#[test]
fn binary_cells() {
    patches_have_the_topology_of_the_interpolant(Kind::Binary);
}

#[test]
fn nearly_critical_cells() {
    patches_have_the_topology_of_the_interpolant(Kind::NearlyCritical);
}

/// Corners alternate between below and above. All faces are ambiguous, and a tunnel joins two of
/// three loops.
#[test]
fn alternating_cells() {
    for kind in [Kind::Uniform, Kind::Integers, Kind::NearlyCritical] {
        patches_of_cases(kind, cells(20_000) / 40, |cell| [0x5a, 0xa5][cell % 2]);
    }
}

/// The discriminant vanishes; the presence of a tunnel depends on how it changes with the isovalue.
#[test]
fn cells_with_a_double_root() {
    let values = [0.0, 1.0, 0.0, -1.0, -1.0, 0.0, -1.0, 2.0];
    assert_eq!(SliceDeterminant::along_z(&values).discriminant(), 0.0);
    let mut memory = Refinement::default();
    for scale in [1.0, 3.0] {
        let values = values.map(|value| scale * value);
        let expected = surface_components(&oracle_values(&values, 0.001), &mut memory).unwrap();
        assert_eq!(
            Patch::new(&values, Disambiguation::Trilinear).components(),
            expected
        );
        assert!(expected.iter().any(|component| component.loops.len() == 2));
    }
}

#[test]
fn separated_patches_match_the_case_table() {
    let mut noise = Noise(12);
    for (number, table) in CASES.iter().enumerate() {
        let values = Kind::Uniform.draw(number, &mut noise);
        let expected: Vec<[usize; 3]> = table.edges[..table.triangles as usize]
            .iter()
            .map(|edges| edges.map(usize::from))
            .collect();
        assert_eq!(case_index(&values), number as u32);
        assert_eq!(
            Patch::new(&values, Disambiguation::Separated).triangles,
            expected
        );
        if !is_ambiguous_case(number as u32) {
            assert_eq!(
                Patch::new(&values, Disambiguation::Trilinear).triangles,
                expected
            );
        }
    }
}

/// Returns the corner of the adjacent cell across a face that coincides with a corner of this one.
fn mirrored_corner(corner: usize, axis: usize) -> usize {
    let mut position = CORNERS[corner];
    position[axis] = 0;
    CORNERS.iter().position(|c| *c == position).unwrap()
}

#[test]
fn patches_do_not_intersect_themselves() {
    let mut noise = Noise(14);
    for number in 0..cells(50_000) {
        let kind = KINDS[number / 256 % KINDS.len()];
        let values = kind.draw(number % 256, &mut noise);
        if let Some([a, b]) = Patch::new(&values, Disambiguation::Trilinear).crossing(&values) {
            panic!("{kind:?} {values:?}: triangles {a:?} and {b:?}");
        }
    }
}

/// Two cells whose common face has the same four values have the same borders there, with opposite
/// orientation.
#[test]
fn neighbours_agree_on_the_face_between_them() {
    let mut noise = Noise(13);
    let mut ambiguous = 0;
    for number in 0..cells(20_000) {
        let kind = KINDS[number / 256 % KINDS.len()];
        let cell = kind.draw(number % 256, &mut noise);
        let mut neighbour = kind.draw(noise.below(256) as usize, &mut noise);
        let axis = number % 3;
        let is_far = |corner: usize| CORNERS[corner][axis] == 1;
        for corner in (0..8).filter(|&corner| is_far(corner)) {
            neighbour[mirrored_corner(corner, axis)] = cell[corner];
        }
        let border = |values: &[f64; 8], far: bool| {
            let sides = Patch::new(values, Disambiguation::Trilinear).border();
            let lies = |edge: usize| {
                let [a, b] = EDGES[edge].map(|corner| is_far(corner as usize));
                a == far && b == far
            };
            let mut sides: Vec<[usize; 2]> = sides
                .into_iter()
                .filter(|s| s.iter().all(|&e| lies(e)))
                .collect();
            sides.sort_unstable();
            sides
        };
        let twin = |edge: usize| {
            let ends = EDGES[edge].map(|corner| mirrored_corner(corner as usize, axis));
            let is_twin = |e: &[u32; 2]| ends.iter().all(|&end| e.contains(&(end as u32)));
            EDGES.iter().position(is_twin).unwrap()
        };
        let mut expected: Vec<[usize; 2]> = border(&cell, true)
            .iter()
            .map(|&[a, b]| [twin(b), twin(a)])
            .collect();
        expected.sort_unstable();
        ambiguous += usize::from(expected.len() == 2);
        assert_eq!(
            border(&neighbour, false),
            expected,
            "{cell:?} {neighbour:?} {axis}"
        );
    }
    assert!(ambiguous > 1000);
    // corners of faces are counterclockwise as seen from outside
    for face in FACES {
        let [p, q, r, _] = face.map(|corner| CORNERS[corner as usize].map(f64::from));
        let outward = cross(
            [0, 1, 2].map(|k| q[k] - p[k]),
            [0, 1, 2].map(|k| r[k] - p[k]),
        );
        let from_centre: f64 = (0..3).map(|k| outward[k] * (p[k] - 0.5)).sum();
        assert!(from_centre > 0.0);
    }
}
