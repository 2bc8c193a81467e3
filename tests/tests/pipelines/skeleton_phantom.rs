//! The phantom that replaces the human model of Zhao et al. (2016).

use ferrovox::{
    device::{Device, Stream},
    grid::DeviceMask,
    skeleton::{
        components,
        potential_field::{ClassCounts, SurfaceNeighbours, classify},
    },
    synthetic::{HUMAN_HEIGHT, human},
};

/// Width and depth of the volumes of Zhao et al. (2016), and their numbers of surface voxels.
const PUBLISHED: [(usize, u64); 5] = [
    (16, 10_971),
    (32, 22_254),
    (64, 45_464),
    (128, 101_619),
    (256, 206_010),
];

/// Returns the class counts of the phantom, which must be one component, and its Euler
/// characteristic; at low resolution, its legs and arms may touch.
fn counts(stream: &Stream, width: usize) -> (ClassCounts, i64) {
    let volume = human(stream, [width, width, HUMAN_HEIGHT]).unwrap();
    let solid = DeviceMask::above(stream, &volume, 0.0).unwrap();
    let parts = components(stream, &solid).unwrap();
    assert_eq!(parts.count(), 1, "{width}");
    let counts = classify(stream, &solid, SurfaceNeighbours::Corners)
        .unwrap()
        .counts;
    (counts, parts.euler_numbers()[0])
}

#[test]
fn phantom_has_about_as_many_surface_voxels_as_the_model() {
    let stream = Device::cpu().stream().unwrap();
    for (width, document) in &PUBLISHED[..2] {
        let (counts, euler) = counts(&stream, *width);
        println!("{width}: {counts:?}, Euler number {euler}, Zhao et al.'s (2016) {document}");
        let ratio = counts.surface as f64 / *document as f64;
        assert!((0.7..1.1).contains(&ratio), "{width}: {counts:?}");
    }
}

/// The table of `synthetic::human`.
#[test]
#[ignore = "slow without optimisation"]
fn phantom_matches_its_table_at_all_sizes() {
    let stream = Device::best().stream().unwrap();
    for (width, document) in PUBLISHED {
        let (counts, euler) = counts(&stream, width);
        println!("{width}: {counts:?}, Euler number {euler}, Zhao et al.'s (2016) {document}");
    }
}
