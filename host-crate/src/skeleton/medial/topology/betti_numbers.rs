//! Betti numbers of a component.

use super::background::Background;
use crate::{
    parallel,
    skeleton::medial::voxels::object::{MIN_PARALLEL_ITEMS, Object},
};
use std::ops::{Add, Range};

/// Betti numbers of the union of a component's closed voxel cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BettiNumbers {
    /// Number of tunnels, b1.
    pub tunnels: u64,
    /// Number of cavities, b2.
    pub cavities: u64,
}

impl BettiNumbers {
    /// Computes the Betti numbers of an object, in time linear in its runs along x.
    pub fn new(object: &Object) -> Self {
        // Euler number: 1 - tunnels + cavities
        let word_sum = |words: Range<usize>| {
            let each = words.map(|word| object.neighbourhood(word).euler_number());
            each.sum::<i64>()
        };
        let euler = parallel::reduce(object.words().len(), MIN_PARALLEL_ITEMS, word_sum, i64::add);
        let euler = euler.unwrap_or(0);
        let cavities = Background::new(object).cavities();
        Self {
            tunnels: (1 + cavities as i64 - euler) as u64,
            cavities,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::medial::{
        progress::ComponentProgress,
        voxels::{frame::Frame, object_tests::runs_from_positions},
    };
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Counts the components of the background in the padded box, without the outer one, by a
    /// search.
    fn cavities_by_search(voxels: &HashSet<[i32; 3]>, dims: [i32; 3]) -> u64 {
        let mut seen = voxels.clone();
        let mut count = 0u64;
        let is_in_box = |at: [i32; 3]| (0..3).all(|axis| (-1..=dims[axis]).contains(&at[axis]));
        for number in 0..dims.iter().map(|side| side + 2).product() {
            let [nx, ny] = [dims[0] + 2, dims[1] + 2];
            let start = [number % nx - 1, number / nx % ny - 1, number / nx / ny - 1];
            if !seen.insert(start) {
                continue;
            }
            count += 1;
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                for (axis, step) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
                    let mut next = at;
                    next[axis] += step;
                    if is_in_box(next) && seen.insert(next) {
                        stack.push(next);
                    }
                }
            }
        }
        count - 1
    }

    /// Computes the Euler number from the set of cells of all closed cubes.
    fn euler_by_cells(voxels: &HashSet<[i32; 3]>) -> i64 {
        let mut cells = HashSet::new();
        for voxel in voxels {
            for cell in 0..27 {
                let offset = [cell % 3, cell / 3 % 3, cell / 9];
                cells.insert([0, 1, 2].map(|axis| 2 * voxel[axis] + offset[axis] - 1));
            }
        }
        // odd coordinates lie between voxels
        let sign = |cell: &[i32; 3]| match cell.iter().filter(|&x| x % 2 != 0).count() {
            1 | 3 => 1,
            _ => -1,
        };
        cells.iter().map(sign).sum()
    }

    fn check(voxels: &HashSet<[i32; 3]>, dims: [i32; 3]) {
        let runs = runs_from_positions(voxels.iter().map(|at| at.map(|x| x as u32)));
        let object = Object::new(
            &runs,
            &Frame::unpermuted(&runs),
            &ComponentProgress::disabled(),
        )
        .unwrap();
        let cavities = cavities_by_search(voxels, dims);
        let tunnels = 1 + cavities as i64 - euler_by_cells(voxels);
        // the numbers assume a connected object; others are smaller
        let found = BettiNumbers::new(&object);
        assert_eq!((found.tunnels as i64, found.cavities), (tunnels, cavities));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

        #[test]
        fn betti_numbers_match_a_search(seed in any::<u64>(), fill in 0.05f64..0.98, dims in prop::sample::select(vec![[5, 6, 7], [130, 4, 4], [4, 70, 3], [1, 9, 9], [66, 1, 5], [70, 5, 5]])) {
            let mut state = seed;
            let mut voxels = HashSet::new();
            for at in 0..dims.iter().product::<i32>() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                if ((state >> 40) as f64) < fill * (1u64 << 24) as f64 {
                    voxels.insert([at % dims[0], at / dims[0] % dims[1], at / dims[0] / dims[1]]);
                }
            }
            prop_assume!(!voxels.is_empty());
            check(&voxels, dims);
        }
    }

    #[test]
    fn single_voxel_and_shell_have_known_betti_numbers() {
        check(&HashSet::from([[0; 3]]), [1; 3]);
        let boundary = |n: i32| (0..n * n * n).map(move |at| [at % n, at / n % n, at / n / n]);
        let is_shell = |at: &[i32; 3]| at.iter().any(|&x| x == 0 || x == 69);
        check(&boundary(70).filter(is_shell).collect(), [70; 3]);
    }
}
