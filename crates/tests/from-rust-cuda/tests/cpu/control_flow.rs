//! Branches and loops.

use crate::{shape, MODES};
use cuda_std::{launch_on_cpu, View};
use ferrovox_from_rust_cuda as kernels;

#[test]
fn branches_of_all_shapes() {
    let x = [-5, 0, 1, 42, 1200];
    // sign; grade; 100 or 200 plus the digits after the first; `&&` and twice `||`; the constant
    let expected = [
        [-1, 0, 100, 2, 9],
        [0, 1, 100, 0, 7],
        [1, 1, 100, 1, 8],
        [1, 2, 201, 3, 9],
        [1, 3, 203, 0, 9],
    ];
    for mode in MODES {
        let mut out = [[9; 5]; 5];
        // SAFETY: each thread writes its own row.
        unsafe {
            launch_on_cpu::<kernels::branches>(
                shape(1, 8),
                mode,
                (View::from(&x[..]), out.as_mut_ptr()),
            )
        }
        .unwrap();
        assert_eq!(out, expected);
    }
}

#[test]
fn loops_and_iterators() {
    let n = [1, 10, 27, 35];
    let expected = [
        [0, -1, 0, 1, 0, 4, 0, 0],
        [45, -10, 6, 2, 4, 16, 205, 1 + 1 + 2 + 3 + 5 + 8],
        [
            351,
            -27,
            111,
            9,
            9,
            36,
            309,
            1 + 1 + 2 + 3 + 5 + 8 + 13 + 21,
        ],
        [
            595,
            -35,
            13,
            1,
            11,
            36,
            507,
            1 + 1 + 2 + 3 + 5 + 8 + 13 + 21 + 34,
        ],
    ];
    for mode in MODES {
        let mut out = [[9; 8]; 4];
        // SAFETY: each thread writes its own row.
        unsafe {
            launch_on_cpu::<kernels::loops>(
                shape(1, 8),
                mode,
                (View::from(&n[..]), out.as_mut_ptr()),
            )
        }
        .unwrap();
        assert_eq!(out, expected);
    }
}
