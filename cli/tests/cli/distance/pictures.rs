//! Pictures of distance maps, and the comparison of methods.

use super::folder;
use serde_json::json;
use std::fs;

#[test]
fn picture_shows_the_requested_plane() {
    let folder = folder();
    folder
        .run("distance ball.nii --level 50 --spacing 1,2,4 -o d.nii --slice x=8 --png d.png --size 600")
        .ok();
    let picture = fs::read(folder.path("d.png")).unwrap();
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    // y points right, 32 long; z points up, 64 long.
    assert_eq!((side(16), side(20)), (300, 600));
    folder.refuses(
        "distance ball.nii --level 50 -o e.nii --slice z=16 --png d.png",
        &["--slice z=16", "16 x 16 x 16", "0 to 15"],
    );
}

#[test]
fn compare_reports_the_error_of_each_method() {
    let folder = folder();
    let run = folder
        .run("distance mask.nii --nonzero --compare pictures --json")
        .ok();
    let report = run.json();
    assert_eq!(
        (&report["exact"], &report["sites"]),
        (&json!("separable"), &json!(3))
    );
    let methods = report["methods"].as_array().unwrap();
    let error = |name: &str| {
        let row = methods.iter().find(|row| row["method"] == name).unwrap();
        assert!(folder.path(row["picture"].as_str().unwrap()).is_file());
        row["max_error"].as_f64().unwrap()
    };
    assert_eq!(error("separable"), 0.0);
    assert_eq!(error("cubes"), 0.0, "all voxels are near the sites");
    // Voxel (8, 0, 4) is 8, 4 and 4 from its nearest site.
    assert!(error("city-block") > 2.0);
    assert!(error("chessboard") > 1.0);
    assert!(error("center-point") < 0.5);
    let run = folder
        .run("distance mask.nii --nonzero --compare pictures")
        .ok();
    assert!(run.stdout.contains("| `city-block` |"), "{}", run.stdout);
    assert!(!folder.path("d.nii").exists());
}
