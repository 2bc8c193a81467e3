//! What must not change a skeleton: how many threads there are, the order of work, other objects
//! beside it, and its label.

use ferrovox::{
    graph::Skeleton,
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use proptest::prelude::*;
use std::num::NonZero;

const DIMS: [usize; 3] = [36, 30, 28];

/// Balls of one label each, that may touch and cover each other.
fn volume(balls: &[([f64; 3], f64)], labels: &[u8], spacing: [f64; 3]) -> Volume<u8> {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
    Volume::from_fn(DIMS, geometry, |x, y, z| {
        let at = [x as f64, y as f64, z as f64];
        let within = |&(middle, radius): &([f64; 3], f64)| {
            let square: f64 = (0..3).map(|k| (at[k] - middle[k]).powi(2)).sum();
            square <= radius * radius
        };
        let found = balls.iter().position(within);
        found.map_or(0, |ball| labels[ball % labels.len()])
    })
    .unwrap()
}

fn made(volume: &Volume<u8>, threads: usize, only: Option<i64>) -> Skeletons {
    let params = medial::Params {
        labels: only.map(|label| vec![label]),
        ..medial::Params::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| medial::extract(&[], volume.view(), &params, Monitor::silent()).unwrap())
}

fn text(skeleton: &Skeleton) -> String {
    format!("{skeleton:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn threads_labels_and_neighbours_change_nothing(
        balls in prop::collection::vec((prop::array::uniform3(4.0f64..26.0), 1.5f64..7.0), 2..9),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [0.7, 0.9, 1.1]]),
    ) {
        let one = volume(&balls, &[3, 5, 9], spacing);
        let alone = made(&one, 1, None);
        let many = std::thread::available_parallelism().map_or(4, NonZero::get).max(4);
        let together = made(&one, many, None);
        prop_assert_eq!(alone.labels.len(), together.labels.len());
        for (a, b) in alone.labels.iter().zip(&together.labels) {
            prop_assert_eq!(text(&a.skeleton), text(&b.skeleton));
            prop_assert_eq!(format!("{:?}", a.components), format!("{:?}", b.components));
        }
        // labels in another order, and each without the others
        let other = made(&volume(&balls, &[200, 17, 1], spacing), 2, None);
        for (label, new) in [(3, 200), (5, 17), (9, 1)] {
            let Some(found) = alone.get(label) else { continue };
            prop_assert_eq!(text(&found.skeleton), text(&other.get(new).unwrap().skeleton));
            let only = made(&one, 3, Some(label));
            prop_assert_eq!(text(&found.skeleton), text(&only.get(label).unwrap().skeleton));
        }
    }
}
