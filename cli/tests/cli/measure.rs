//! Measurements: objects of `ferrovox info`, and distances of points.

use crate::{
    samples::{ball, nifti, nifti_of_type},
    support::Folder,
};
use serde_json::json;

/// Returns a folder with a segmentation of 12 × 10 × 8 voxels of 1 × 1 × 2, with x mirrored: label
/// 3 in a block of 4 × 3 × 2 voxels from (2, 1, 3) on, and label 7 in one voxel.
fn segmentation() -> Folder {
    let folder = Folder::new();
    let mut samples = vec![0_u8; 960];
    for z in 3..5 {
        for y in 1..4 {
            for x in 2..6 {
                samples[x + 12 * (y + 10 * z)] = 3;
            }
        }
    }
    samples[10 + 12 * (9 + 10 * 7)] = 7;
    let mut file = nifti_of_type(&samples, [12, 10, 8], 2, 8);
    for (k, value) in [(0, -1.0_f32), (10, 2.0), (3, 30.0)] {
        file[280 + 4 * k..][..4].copy_from_slice(&value.to_le_bytes());
    }
    folder.file("seg.nii", file);
    folder
}

#[test]
fn labels_are_measured() {
    let folder = segmentation();
    let report = folder
        .run("info seg.nii --labels -o labels.csv --json")
        .ok()
        .json();
    assert_eq!(
        report["labels"],
        json!([
            {
                "label": 3, "voxels": 24, "volume": 48.0, "box": [[2, 1, 3], [6, 4, 5]],
                "centroid": [26.5, 2.0, 7.0]
            },
            {
                "label": 7, "voxels": 1, "volume": 2.0, "box": [[10, 9, 7], [11, 10, 8]],
                "centroid": [20.0, 9.0, 14.0]
            }
        ])
    );
    assert_eq!(report["outputs"], json!(["labels.csv"]));
    let csv = std::fs::read_to_string(folder.path("labels.csv")).unwrap();
    assert_eq!(
        csv,
        "label,voxels,volume,first_x,first_y,first_z,end_x,end_y,end_z,centroid_x,centroid_y,centroid_z\n\
         3,24,48,2,1,3,6,4,5,26.5,2,7\n7,1,2,10,9,7,11,10,8,20,9,14\n"
    );
    let listed = folder.run("info seg.nii --labels 7,9 --json").ok().json();
    assert_eq!(listed["labels"][0]["label"], 7);
    assert_eq!(listed["labels"].as_array().unwrap().len(), 1);
    let one = folder.run("info seg.nii --label 3 --json").ok().json();
    assert_eq!(one["labels"][0]["box"], json!([[2, 1, 3], [6, 4, 5]]));
    let object = folder
        .run("info seg.nii --iso 2 --largest --json")
        .ok()
        .json();
    assert!(object["labels"][0]["label"].is_null());
    assert_eq!(
        (object["iso"].as_f64(), &object["labels"][0]["voxels"]),
        (Some(2.0), &json!(24))
    );
    let text = folder.run("info seg.nii --labels").ok().stdout;
    assert!(
        text.contains("label 3: 24 voxels, volume 48, box 2:6,1:4,3:5, centroid 26.5 2 7"),
        "{text}"
    );
    // the box is one that --crop takes
    let cropped = folder
        .run("info seg.nii --labels --crop 2:6,1:4,3:5 --json")
        .ok()
        .json();
    assert_eq!(cropped["labels"][0]["voxels"], 24);
    assert_eq!(cropped["labels"][0]["centroid"], json!([26.5, 2.0, 7.0]));
    folder.refuses(
        "info seg.nii --labels -o labels.xyz",
        &["labels.xyz", "tables are written as .csv and .json"],
    );
    assert_eq!(folder.run("info seg.nii -o a.csv").status, Some(2));
}

#[test]
fn samples_and_axes_are_described() {
    let folder = segmentation();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    let header = folder.run("info seg.nii --json").ok().json();
    assert_eq!(header["orientation"], "LAS");
    assert_eq!(header["extent"], json!([12.0, 10.0, 16.0]));
    assert!(header["segmentation"].is_null() && header["percentiles"].is_null());
    let labels = folder.run("info seg.nii --stats --json").ok().json();
    assert_eq!(labels["segmentation"], true);
    assert_eq!(labels["labels"].as_array().unwrap().len(), 2);
    let image = folder.run("info ball.nii --stats --json").ok().json();
    assert_eq!(image["segmentation"], false);
    let mesh = folder.run("mesh ball.nii --iso otsu --json").ok().json();
    assert_eq!(image["otsu"], mesh["iso"]);
    let median = image["percentiles"][3][1].as_f64().unwrap();
    let mut sorted = ball();
    sorted.sort_by(f32::total_cmp);
    assert!((median - f64::from(sorted[2047])).abs() < 0.01, "{median}");
    let counts = image["histogram"]["counts"].as_array().unwrap();
    let total: u64 = counts.iter().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(total, 4096);
    for (line, texts) in [
        (
            "info ball.nii --stats",
            [
                "direction  RAS: the axes point right, anterior, superior",
                "extent     16 x 16 x 16",
                "next       ferrovox mesh ball.nii --iso otsu",
            ],
        ),
        (
            "info seg.nii --stats",
            [
                "direction  LAS: the axes point left, anterior, superior",
                "labels     2; the samples look like labels",
                "next       ferrovox mesh seg.nii --labels all",
            ],
        ),
        (
            "info seg.nii",
            [
                "dims       12 x 10 x 8",
                "spacing    1 1 2",
                "next       ferrovox info seg.nii --stats",
            ],
        ),
    ] {
        let text = folder.run(line).ok().stdout;
        for expected in texts {
            assert!(text.contains(expected), "{expected:?} is not in {text}");
        }
    }
    // within the mask, all samples are equal
    folder.run("distance seg.nii --label 3 -o d.nii").ok();
    let masked = folder
        .run("info ball.nii --stats --crop 4:12,4:12,4:12 --json")
        .ok()
        .json();
    assert_eq!(masked["samples"], 512);
}

#[test]
fn distances_of_points_are_tabulated() {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    folder.file(
        "p.xyz",
        "7.5 7.5 7.5\n7.5 7.5 15\n9.5 7.5 7.5\n-20 7.5 7.5\n",
    );
    let expected = [5.0, 2.5, 3.0, 22.5];
    let run = folder.run("distance ball.nii --iso 50 --at p.xyz --to triangles -o d.csv --json");
    let report = run.ok().json();
    let points = report["points"].as_array().unwrap();
    for (point, expected) in points.iter().zip(expected) {
        let distance = point["distance"].as_f64().unwrap();
        assert!((distance - expected).abs() < 0.15, "{distance} {expected}");
    }
    let sides: Vec<_> = points
        .iter()
        .map(|it| it["side"].as_str().unwrap())
        .collect();
    assert_eq!(sides, ["inside", "outside", "inside", "outside"]);
    let csv = std::fs::read_to_string(folder.path("d.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "point,x,y,z,distance,nearest_x,nearest_y,nearest_z,side"
    );
    assert!(
        lines[1].starts_with("0,7.5,7.5,7.5,") && lines[1].ends_with(",inside"),
        "{csv}"
    );
    assert_eq!(lines.len(), 5);

    // to voxels, as in the map at a voxel centre
    folder.file("q.xyz", "1 2 3\n8 8 8\n14 7 7\n");
    let report = folder
        .run("distance ball.nii --iso 50 --at q.xyz --json")
        .ok()
        .json();
    folder.run("distance ball.nii --iso 50 -o map.nii").ok();
    let map = ferrovox::io::read_volume(folder.path("map.nii"), &Default::default()).unwrap();
    let (map, _) = map.volume.into_f32();
    for (point, voxel) in
        report["points"]
            .as_array()
            .unwrap()
            .iter()
            .zip([[1, 2, 3], [8, 8, 8], [14, 7, 7]])
    {
        let distance = point["distance"].as_f64().unwrap();
        assert_eq!(distance as f32, map.get(voxel).unwrap());
    }
    for options in [
        "--signed",
        "--nearest n.npy",
        "--max-distance 3",
        "--labels",
    ] {
        let run = folder.run(&format!("distance ball.nii --at q.xyz {options} -o a.csv"));
        assert_eq!(run.status, Some(2), "{options}: {}", run.stderr);
    }
    folder.refuses(
        "distance ball.nii --iso 500 --at q.xyz -o a.csv",
        &["ball.nii: there is nothing to measure distances to"],
    );
}

#[test]
fn distances_to_a_mesh_are_exact() {
    let folder = Folder::new();
    // the surface of a cube from 0 to 4, whose top is open
    let corners = "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 4 4 0\nv 0 0 4\nv 4 0 4\nv 0 4 4\nv 4 4 4\n";
    let faces = "f 1 3 4 2\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    folder.file("open.obj", format!("{corners}{faces}"));
    folder.file("closed.obj", format!("{corners}{faces}f 5 6 8 7\n"));
    folder.file("p.csv", "x,y,z\n2,2,1\n7,8,2\n2,2,3.5\n-1,2,2\n");
    let points = |line: &str| folder.run(line).ok().json()["points"].clone();
    let closed = points("distance closed.obj --at p.csv -o d.csv --json");
    for (point, (distance, nearest, side)) in closed.as_array().unwrap().iter().zip([
        (1.0, json!([2.0, 2.0, 0.0]), "inside"),
        (5.0, json!([4.0, 4.0, 2.0]), "outside"),
        (0.5, json!([2.0, 2.0, 4.0]), "inside"),
        (1.0, json!([0.0, 2.0, 2.0]), "outside"),
    ]) {
        assert_eq!(point["distance"], distance);
        assert_eq!(
            (&point["nearest"], &point["side"]),
            (&nearest, &json!(side))
        );
    }
    let csv = std::fs::read_to_string(folder.path("d.csv")).unwrap();
    assert!(csv.contains("1,7,8,2,5,4,4,2,outside"), "{csv}");
    let open = points("distance open.obj --at p.csv --to triangles --json");
    // the top is missing: the walls are nearest
    assert_eq!(open[2]["distance"], 2.0);
    assert_eq!(
        (&open[0]["side"], &open[1]["side"]),
        (&json!("inside"), &json!("outside"))
    );
    for options in [
        "--iso 5",
        "--nonzero",
        "--to voxels",
        "--largest",
        "--spacing 2",
    ] {
        let run = folder.run(&format!(
            "distance closed.obj --at p.csv {options} -o d.csv"
        ));
        assert_eq!(run.status, Some(2), "{options}: {}", run.stderr);
    }
    folder.file("empty.obj", "v 0 0 0\n");
    folder.refuses(
        "distance empty.obj --at p.csv -o d.csv",
        &["empty.obj: there is nothing to measure"],
    );
}
