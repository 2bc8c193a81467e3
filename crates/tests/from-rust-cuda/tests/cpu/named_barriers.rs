//! Named barriers.

use crate::{shape, MODES};
use cuda_std::{launch_on_cpu, View, ViewMut};
use ferrovox_from_rust_cuda as kernels;

#[test]
fn warps_synchronise_at_named_barriers() {
    let x: Vec<u32> = (0..9 * kernels::TILE as u32).map(|i| i * i).collect();
    let expected: Vec<u32> = x
        .chunks(kernels::TILE)
        .map(|tile| tile.iter().sum())
        .collect();
    for mode in MODES {
        for threads in [64, 96, 256] {
            let mut sums = vec![0; expected.len()];
            let arguments = (View::from(&x[..]), ViewMut::from(&mut sums[..]));
            // SAFETY: the sums are atomic, and there is one for each tile.
            unsafe { launch_on_cpu::<kernels::sum_tiles>(shape(1, threads), mode, arguments) }
                .unwrap();
            assert_eq!(sums, expected);
            assert_eq!(simt::untracked_memory(), []);
        }
    }
}
