//! The real volume of the repository, on every device.

use ferrovox::{
    grid::AnyVolume,
    io::{self, ReadOptions},
    isosurface::IsosurfaceParams,
    mesh,
};
use ferrovox_tests::{devices, extract::extract_volume_mesh};
use std::path::PathBuf;

/// Returns the path of the volume, next to the sources or as given by `FERROVOX_DATA`.
fn brain() -> PathBuf {
    let folder = std::env::var_os("FERROVOX_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../cli/data"),
        PathBuf::from,
    );
    folder.join("mni152_t1_1mm.nii.gz")
}

#[test]
fn the_brain_is_the_same_closed_manifold_everywhere() {
    let file =
        io::read_volume(brain(), &ReadOptions::default()).expect("the repository's own volume");
    let AnyVolume::U8(volume) = file.volume else {
        panic!("the volume is of u8")
    };
    assert_eq!(volume.dims(), [197, 233, 189]);
    let params = IsosurfaceParams {
        iso: 120.0,
        normals: true,
        ..Default::default()
    };
    let mut first = None;
    for test in devices::fast() {
        let extracted = extract_volume_mesh(&test.device, &volume, None, &params);
        let report = mesh::check(&extracted.mesh);
        assert!(
            report.is_manifold() && report.is_oriented(),
            "{}: {report:?}",
            test.label
        );
        // the border of the template is empty: the volume does not cut the surface
        assert!(report.is_closed(), "{}: {report:?}", test.label);
        assert_eq!(
            (report.degenerate_triangles, report.unreferenced_vertices),
            (0, 0)
        );
        assert_eq!(
            report.triangles as i64,
            2 * (report.vertices as i64 - report.euler_characteristic())
        );
        // within the box of the samples, in millimetres
        let (low, high) = extracted.mesh.bounds().expect("vertices");
        let corner = volume.geometry().index_to_world(nalgebra::Point3::origin());
        let opposite = volume
            .geometry()
            .index_to_world(nalgebra::Point3::new(196.0, 232.0, 188.0));
        for k in 0..3 {
            let (from, to) = (corner[k].min(opposite[k]), corner[k].max(opposite[k]));
            assert!(f64::from(low[k]) >= from && f64::from(high[k]) <= to);
        }
        // white matter of a brain: between a third of a litre and two litres
        assert!((3e5..2e6).contains(&report.volume), "{} mm³", report.volume);
        match &first {
            None => first = Some(extracted.mesh),
            Some(first) => assert!(extracted.mesh == *first, "{}", test.label),
        }
    }
}
