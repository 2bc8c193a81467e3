//! Guarantees of label surfaces for random volumes, on every device.

use super::{Field, all_params, check_guarantees, walls};
use ferrovox::{grid::Geometry, label_surface::LabelSurfaceParams, mesh::LabelledMesh};
use ferrovox_tests::{devices, noise::Noise};

/// The number of volumes is 1000, or that in `FERROVOX_LABEL_VOLUMES`.
#[test]
fn each_label_is_a_closed_manifold() {
    let device = ferrovox::device::Device::cpu();
    let given = std::env::var("FERROVOX_LABEL_VOLUMES").ok();
    let count = given.map_or(1000, |it| it.parse().expect("a number of volumes"));
    for seed in 0..count {
        let field = Field::random(seed);
        // each seed with one set of parameters, every eighth with all
        for (index, params) in all_params().into_iter().enumerate() {
            if seed % 8 == 0 || seed % 4 == index as u64 {
                let what = format!("seed {seed}, {:?}, {params:?}", field.dims);
                check_guarantees(&field, &walls(&field, &device, &params), &what);
            }
        }
    }
}

/// Rows of more than one word, and of exactly one.
#[test]
fn rows_of_several_words_are_extracted() {
    let device = ferrovox::device::Device::cpu();
    for nx in [31, 32, 33, 63, 64, 70] {
        let mut noise = Noise(nx as u64);
        let field = Field {
            dims: [nx, 3, 2],
            labels: (0..nx * 6).map(|_| noise.below(3) as i64).collect(),
            geometry: Geometry::default(),
        };
        for params in all_params() {
            check_guarantees(&field, &walls(&field, &device, &params), &format!("{nx}"));
        }
    }
}

#[test]
fn every_device_computes_the_same_bits() {
    for seed in 1000..1006 {
        let field = Field::random(seed);
        for params in [LabelSurfaceParams::raw(), LabelSurfaceParams::default()] {
            let mut first: Option<LabelledMesh> = None;
            for device in devices::all() {
                let made = walls(&field, &device.device, &params);
                let first = first.get_or_insert_with(|| made.clone());
                assert_eq!(&made, first, "{} seed {seed}", device.label);
            }
        }
    }
}

#[test]
fn label_indices_of_any_width_work() {
    let device = ferrovox::device::Device::cpu();
    for count in [255, 256, 65_535, 65_536] {
        let labels: Vec<i64> = (1..=count).map(|label| label * 3 - 7).collect();
        let labels: Vec<i64> = labels.into_iter().filter(|&label| label != 0).collect();
        let dims = [labels.len(), 1, 1];
        let geometry = Geometry::default();
        let field = Field {
            dims,
            labels,
            geometry,
        };
        let walls = walls(&field, &device, &LabelSurfaceParams::raw());
        assert_eq!(walls.labels.len(), count as usize);
        assert!(walls.triangle_counts().iter().all(|&count| count == 12));
        let part = walls.label_mesh(*walls.labels.last().unwrap()).unwrap();
        assert_eq!(part.unbalanced_edges(), Ok(0));
    }
}
