//! Options of `ferrovox distance` that are rejected.

use super::{folder, squared_distances};
use crate::samples::{little_endian, npy};

#[test]
fn non_integer_or_too_large_squared_distances_are_rejected() {
    let folder = folder();
    folder.refuses(
        "distance mask.nii --nonzero --spacing 0.5,1,1 --dtype u16 -o d.nii",
        &["mask.nii", "0.5, 1 and 1", "--dtype f32"],
    );
    folder.refuses(
        "distance mask.nii --nonzero --max-distance 2.3 --dtype u32 -o d.nii",
        &["2.3", "is not an integer"],
    );
    let largest = squared_distances([100; 3]).into_iter().max().unwrap();
    folder.refuses(
        "distance mask.nii --nonzero --spacing 100 --dtype u16 -o d.nii",
        &[
            &format!("mask.nii: squared distances are up to {largest}, which does not fit in u16"),
            "--dtype u32",
            "--max-distance up to 255",
        ],
    );
    // They fit if truncated.
    folder
        .run("distance mask.nii --nonzero --spacing 100 --dtype u16 --max-distance 200 -o d.nii")
        .ok();
}

#[test]
fn input_files_are_not_overwritten() {
    let folder = folder();
    folder.file("points.xyz", "1 1 1\n");
    let before = folder.content();
    for (command, name) in [
        ("mask.nii --nonzero -o mask.nii", "mask.nii"),
        ("mask.nii --nonzero -o ./mask.nii", "mask.nii"),
        ("mask.nii --nonzero -o d.nii --nearest mask.nii", "mask.nii"),
        ("mask.nii --nonzero -o d.nii --nearest d.nii", "d.nii"),
        (
            "points.xyz --points --like ball.nii -o ball.nii",
            "ball.nii",
        ),
    ] {
        folder.refuses(&format!("distance {command}"), &[name, "same file"]);
    }
    assert_eq!(folder.content(), before);
}

#[test]
fn input_without_sites_is_rejected() {
    let folder = folder();
    folder.file(
        "none.npy",
        npy("<f4", "(2, 2, 2)", &little_endian(&[0.0; 8])),
    );
    folder.refuses(
        "distance none.npy --nonzero -o d.npy",
        &["none.npy", "no sites"],
    );
    folder.refuses(
        "distance ball.nii --level 1000 -o d.npy",
        &["ball.nii", "no sites", "level"],
    );
    folder.refuses(
        "distance ball.nii --level 1000 --compare d",
        &["ball.nii", "no sites"],
    );
}

#[test]
fn invalid_options_are_rejected() {
    let folder = folder();
    folder.refuses(
        "distance mask.nii --nonzero --max-distance 0 -o d.npy",
        &["maximum distance is 0", "greater than 0"],
    );
    folder.refuses(
        "distance ball.nii --level 1e39 -o d.npy",
        &["ball.nii", "the isovalue is 1000000", "finite"],
    );
    folder.refuses(
        "distance mask.nii --nonzero --method city-block --nearest s.npy -o d.npy",
        &["city-block", "nearest"],
    );
    folder.refuses(
        "distance gone.nii --nonzero -o d.xyz",
        &["d.xyz", "\"xyz\"", ".mha"],
    );
    folder.refuses(
        "distance gone.nii --nonzero -o missing/d.npy",
        &["no folder missing"],
    );
    folder.refuses(
        "distance gone.nii --nonzero -o d.npy --nearest n.txt",
        &["n.txt", ".nrrd"],
    );
    folder.refuses(
        "distance gone.nii --nonzero -o d.npy --slice z=0 --png d.jpg",
        &["d.jpg", ".png"],
    );
}

#[test]
fn too_small_memory_limit_reports_the_minimum() {
    let folder = folder();
    let limited = |bytes: u64| {
        format!("distance mask.nii --nonzero --method cubes --memory {bytes} -o d.npy")
    };
    let run = folder.run(&limited(100));
    run.refused(&[
        "mask.nii: a memory budget of 100 bytes is too small",
        "are needed",
    ]);
    let before_needed = run.stderr.split(" bytes are needed").next().unwrap();
    let min_bytes = before_needed.rsplit(' ').next().unwrap().parse().unwrap();
    folder.run(&limited(min_bytes)).ok();
    folder.refuses(&limited(min_bytes - 1), &["too small"]);
}
