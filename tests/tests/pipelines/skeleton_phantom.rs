//! The phantom that stands in for Zhao et al.'s (2016) human.

use ferrovox::{
    device::{Device, Stream},
    grid::DeviceMask,
    skeleton::{
        components,
        potential_field::{ClassCounts, SurfaceNeighbours, classify},
    },
    synthetic::{HUMAN_HEIGHT, human},
};

/// Zhao et al.'s (2016) volumes (their width and depth), and its surface voxels.
const DOCUMENT: [(usize, u64); 5] = [
    (16, 10_971),
    (32, 22_254),
    (64, 45_464),
    (128, 101_619),
    (256, 206_010),
];

/// The classes of the phantom, which must be one piece, and its Euler number: where voxels are
/// wide, its legs and arms may touch.
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
fn the_phantom_has_about_as_many_surface_voxels() {
    let stream = Device::cpu().stream().unwrap();
    for (width, document) in &DOCUMENT[..2] {
        let (counts, euler) = counts(&stream, *width);
        println!("{width}: {counts:?}, Euler number {euler}, Zhao et al.'s (2016) {document}");
        let ratio = counts.surface as f64 / *document as f64;
        assert!((0.7..1.1).contains(&ratio), "{width}: {counts:?}");
    }
}

/// The table of `synthetic::human`.
#[test]
#[ignore = "takes a while where it is not optimised"]
fn the_phantom_at_all_sizes() {
    let stream = Device::best().stream().unwrap();
    for (width, document) in DOCUMENT {
        let (counts, euler) = counts(&stream, width);
        println!("{width}: {counts:?}, Euler number {euler}, Zhao et al.'s (2016) {document}");
    }
}
