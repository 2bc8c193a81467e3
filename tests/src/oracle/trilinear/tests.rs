//! The oracle reproduces known cases, and the kernels' patches agree with it.

mod cells;
mod draw;
mod patch;

use super::*;

fn component(loops: &[u16], euler: i64) -> SurfaceComponent {
    SurfaceComponent {
        loops: loops.to_vec(),
        euler,
    }
}

fn components(values: [f64; 8]) -> Result<Vec<SurfaceComponent>, Undecided> {
    surface_components(&values, &mut Refinement::default())
}

/// Returns the edges at a corner of the cell, as bits.
fn round_corner(corner: usize) -> u16 {
    let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
    1 << (y | z << 1) | 1 << (4 + (x | z << 1)) | 1 << (8 + (x | y << 1))
}

#[test]
fn single_corner_is_cut_off_by_a_disc() {
    for corner in 0..8 {
        let mut values = [1.0; 8];
        values[corner] = -0.3;
        assert_eq!(
            components(values).unwrap(),
            [component(&[round_corner(corner)], 1)]
        );
    }
    assert_eq!(components([1.0; 8]).unwrap(), []);
}

/// Two opposite corners below the isovalue: separate if weak, joined by a tunnel if strong.
#[test]
fn opposite_corners_are_separate_or_joined_by_a_tunnel() {
    let components_for = |below: f64| {
        let mut values = [1.0; 8];
        (values[0], values[7]) = (below, below);
        components(values).unwrap()
    };
    let loops = [round_corner(0), round_corner(7)];
    assert_eq!(
        components_for(-1.0),
        [component(&loops[..1], 1), component(&loops[1..], 1)]
    );
    assert_eq!(components_for(-20.0), [component(&loops, 0)]);
}

#[test]
fn ambiguous_face_is_decided_by_its_saddle() {
    let components_for =
        |below: f64| components([below, 1.0, 1.0, below, 3.0, 3.0, 3.0, 3.0]).unwrap();
    assert_eq!(components_for(-0.5).len(), 2);
    let both = round_corner(0) | round_corner(3);
    assert_eq!(components_for(-1.5), [component(&[both], 1)]);
}

#[test]
fn gradient_vanishes_at_saddles() {
    let mut noise = crate::noise::Noise(1);
    let mut count = 0;
    for _ in 0..1000 {
        let values = [0; 8].map(|_| noise.between(-1.0, 1.0));
        for saddle in saddles(&values) {
            // along the axes of its face, or all axes
            for axis in (0..3).filter(|&k| saddle.position[k] > 0.0 && saddle.position[k] < 1.0) {
                let [mut low, mut high] = [saddle.position; 2];
                (low[axis], high[axis]) = (0.0, 1.0);
                let [low, high] = [low, high].map(|at| interpolated(&values, at));
                assert!((low - high).abs() < 1e-6, "{values:?}: {saddle:?}");
            }
            count += 1;
        }
    }
    assert!(count > 1000);
}

/// A saddle at 0 is undecided, regardless of the refinements.
#[test]
fn nearly_critical_cells_are_undecided() {
    let values = [-1.0, 1.0, 1.0, -1.0 - 1e-8, 3.0, 3.0, 3.0, 3.0];
    assert_eq!(components(values), Err(Undecided::Critical));
}
