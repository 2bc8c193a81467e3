//! Invariance of skeletons under the number of threads, the order of work, other objects in the
//! volume, and label values.

use ferrovox::{
    graph::Skeleton,
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use proptest::prelude::*;
use std::num::NonZero;

const DIMS: [usize; 3] = [36, 30, 28];

/// Returns balls with one label each, which may touch and overlap.
fn volume(balls: &[([f64; 3], f64)], labels: &[u8], spacing: [f64; 3]) -> Volume<u8> {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    Volume::from_fn(DIMS, geometry, |x, y, z| {
        let at = [x as f64, y as f64, z as f64];
        let within = |&(middle, radius): &([f64; 3], f64)| {
            let squared_distance: f64 = (0..3).map(|k| (at[k] - middle[k]).powi(2)).sum();
            squared_distance <= radius * radius
        };
        let ball = balls.iter().position(within);
        ball.map_or(0, |ball| labels[ball % labels.len()])
    })
    .unwrap()
}

fn extract_with_threads(volume: &Volume<u8>, threads: usize, only: Option<i64>) -> Skeletons {
    let params = medial::Params {
        labels: only.map(|label| vec![label]),
        ..medial::Params::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| medial::extract(&[], volume.view(), &params, Monitor::new()).unwrap())
}

fn text(skeleton: &Skeleton) -> String {
    format!("{skeleton:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn skeleton_is_independent_of_threads_labels_and_neighbours(
        balls in prop::collection::vec((prop::array::uniform3(4.0f64..26.0), 1.5f64..7.0), 2..9),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [0.7, 0.9, 1.1]]),
    ) {
        let one = volume(&balls, &[3, 5, 9], spacing);
        let sequential = extract_with_threads(&one, 1, None);
        let many = std::thread::available_parallelism().map_or(4, NonZero::get).max(4);
        let parallel = extract_with_threads(&one, many, None);
        prop_assert_eq!(sequential.labels.len(), parallel.labels.len());
        for (a, b) in sequential.labels.iter().zip(&parallel.labels) {
            prop_assert_eq!(text(&a.skeleton), text(&b.skeleton));
            prop_assert_eq!(format!("{:?}", a.components), format!("{:?}", b.components));
        }
        // labels in another order, and each label without the others
        let relabelled = extract_with_threads(&volume(&balls, &[200, 17, 1], spacing), 2, None);
        for (label, new) in [(3, 200), (5, 17), (9, 1)] {
            let Some(expected) = sequential.get(label) else { continue };
            prop_assert_eq!(text(&expected.skeleton), text(&relabelled.get(new).unwrap().skeleton));
            let only = extract_with_threads(&one, 3, Some(label));
            prop_assert_eq!(text(&expected.skeleton), text(&only.get(label).unwrap().skeleton));
        }
    }
}
