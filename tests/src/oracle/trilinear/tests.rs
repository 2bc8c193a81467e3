//! The oracle finds what is known, and the kernels' patches agree with it.

mod cells;
mod draw;
mod patch;

use super::*;

fn piece(loops: &[u16], euler: i64) -> Piece {
    Piece {
        loops: loops.to_vec(),
        euler,
    }
}

fn found(values: [f64; 8]) -> Result<Vec<Piece>, Undecided> {
    pieces(&values, &mut Refinement::default())
}

/// The edges at a corner of the cell, as bits.
fn round_corner(corner: usize) -> u16 {
    let [x, y, z] = [corner & 1, corner >> 1 & 1, corner >> 2];
    1 << (y | z << 1) | 1 << (4 + (x | z << 1)) | 1 << (8 + (x | y << 1))
}

#[test]
fn a_corner_is_cut_off_by_a_disc() {
    for corner in 0..8 {
        let mut values = [1.0; 8];
        values[corner] = -0.3;
        assert_eq!(found(values).unwrap(), [piece(&[round_corner(corner)], 1)]);
    }
    assert_eq!(found([1.0; 8]).unwrap(), []);
}

/// Two opposite corners below: apart where they are weak, joined by a tunnel where they are strong.
#[test]
fn opposite_corners_are_apart_or_joined() {
    let of = |below: f64| {
        let mut values = [1.0; 8];
        (values[0], values[7]) = (below, below);
        found(values).unwrap()
    };
    let loops = [round_corner(0), round_corner(7)];
    assert_eq!(of(-1.0), [piece(&loops[..1], 1), piece(&loops[1..], 1)]);
    assert_eq!(of(-20.0), [piece(&loops, 0)]);
}

#[test]
fn a_face_is_decided_by_its_saddle() {
    let of = |below: f64| found([below, 1.0, 1.0, below, 3.0, 3.0, 3.0, 3.0]).unwrap();
    assert_eq!(of(-0.5).len(), 2);
    let both = round_corner(0) | round_corner(3);
    assert_eq!(of(-1.5), [piece(&[both], 1)]);
}

#[test]
fn saddles_are_where_there_is_no_slope() {
    let mut noise = crate::noise::Noise(1);
    let mut count = 0;
    for _ in 0..1000 {
        let values = [0; 8].map(|_| noise.between(-1.0, 1.0));
        for saddle in saddles(&values) {
            // along the axes of its face, or all of them
            for axis in (0..3).filter(|&k| saddle.place[k] > 0.0 && saddle.place[k] < 1.0) {
                let [mut low, mut high] = [saddle.place; 2];
                (low[axis], high[axis]) = (0.0, 1.0);
                let [low, high] = [low, high].map(|at| interpolated(&values, at));
                assert!((low - high).abs() < 1e-6, "{values:?}: {saddle:?}");
            }
            count += 1;
        }
    }
    assert!(count > 1000);
}

/// A saddle at 0 is left undecided, whatever the refinements say.
#[test]
fn nearly_critical_cells_are_undecided() {
    let values = [-1.0, 1.0, 1.0, -1.0 - 1e-8, 3.0, 3.0, 3.0, 3.0];
    assert_eq!(found(values), Err(Undecided::Critical));
}
