//! `ferrovox skeleton` on single objects.

use crate::{
    samples::{ball, nifti},
    support::Folder,
};
use serde_json::json;

/// Creates a folder with the volumes of a ball (level 50) and of a bar of 20 x 5 x 5 voxels (label
/// 3).
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.nii", nifti(&ball(), [16; 3]));
    let mut bar = vec![0.0; 24 * 9 * 9];
    for z in 2..7 {
        for y in 2..7 {
            bar[(z * 9 + y) * 24 + 2..][..20].fill(3.0);
        }
    }
    folder.file("bar.nii", nifti(&bar, [24, 9, 9]));
    folder
}

#[test]
fn empty_objects_and_invalid_parameters_are_rejected() {
    let folder = folder();
    let refused = |args: &str, facts: &[&str]| {
        folder
            .run(&format!("skeleton {args} -o out.swc"))
            .refused(facts);
        assert!(!folder.path("out.swc").exists(), "{args}");
    };
    refused(
        "ball.nii --threshold 200",
        &[
            "ball.nii: there is no object",
            "no sample is 200 or more",
            "samples are from -29.",
            "give a lower",
        ],
    );
    refused(
        "ball.nii --threshold -50",
        &["all of the volume is object", "give a higher"],
    );
    refused(
        "ball.nii --threshold 1e300",
        &["the isovalue is", "range of f32"],
    );
    refused(
        "bar.nii --label 4",
        &["no sample is 4", "from 0 to 3", "another --label"],
    );
    // labels are not rounded to f32
    refused("bar.nii --label 16777217", &["no sample is 16777217"]);
    refused(
        "bar.nii --method potential-field --exponent 1.5",
        &["the exponent is 1.5", "from 2 to 9"],
    );
    refused(
        "bar.nii --method potential-field --exponent nan",
        &["the exponent is NaN"],
    );
    refused(
        "bar.nii --method potential-field --divergence 2",
        &["the fraction for divergence is 2"],
    );
    refused(
        "bar.nii --method potential-field --significance -1",
        &["--significance is -1", "0 or more"],
    );
    refused("bar.nii --detail -1", &["--detail is -1", "0 or more"]);
    refused(
        "bar.nii --significance -1",
        &["--significance is -1", "0 or more"],
    );
    refused("bar.nii --min-protrusion nan", &["--min-protrusion is NaN"]);
    refused("bar.nii --scale -1", &["--scale is -1", "0 or more"]);
    refused("bar.nii --const nan", &["--const is NaN"]);
    refused("none.nii --threshold 5", &["none.nii", "no such file"]);
    folder.file("zero.nii", nifti(&[0.0; 60], [3, 4, 5]));
    refused(
        "zero.nii",
        &["zero.nii: there is no object: every sample is 0"],
    );
}

#[test]
fn outputs_are_checked_before_the_input_is_read() {
    let folder = folder();
    let refused = |args: &str, facts: &[&str]| folder.run(args).refused(facts);
    refused(
        "skeleton none.nii -o a.swc -o a.xyz",
        &[
            "a.xyz",
            "skeletons are written as .swc, .obj, .vtp, .json, .graphml, .csv, .nodes.csv or .skel",
        ],
    );
    refused(
        "skeleton none.nii -o no/a.swc",
        &["no/a.swc", "there is no folder no"],
    );
    refused(
        "skeleton none.nii -o a.swc --png a.jpg",
        &["a.jpg", "pictures are written as .png"],
    );
    refused(
        "skeleton none.nii --method potential-field -o a.swc --field a.nii",
        &["a.nii", "fields are written as .npy"],
    );
}

#[test]
fn bar_has_one_curve_in_all_formats() {
    let folder = folder();
    let run = folder
        .run("skeleton bar.nii --label 3 --method potential-field -o a.swc -o a.obj -o a.vtp -o a.json -o a.skel --png a.png --device cpu --json")
        .ok();
    assert_eq!(run.stderr, "");
    let report = run.json();
    for (field, value) in [
        ("input", json!("bar.nii")),
        ("label", json!(3.0)),
        ("components", json!(1)),
        ("cycles", json!(0)),
        ("device", json!("cpu")),
    ] {
        assert_eq!(report[field], value, "{field}");
    }
    assert_eq!(report["critical_points"]["balanced"], true);
    assert_eq!(report["critical_points"]["euler_solid"], 1);
    let voxels = &report["voxel_classes"];
    let count = |class: &str| voxels[class].as_u64().unwrap();
    assert_eq!(count("surface"), 20 * 25 - 18 * 9);
    assert_eq!(count("boundary"), 18 * 9 - 16);
    assert_eq!(count("interior"), 16);
    for name in ["a.swc", "a.obj", "a.vtp", "a.json", "a.skel", "a.png"] {
        assert!(folder.path(name).exists(), "{name}");
    }
    let merged = folder
        .run("skeleton ball.nii --threshold 50 --merge --prune 1 -o b.swc")
        .ok();
    assert!(
        merged.stdout.contains("certified     yes"),
        "{}",
        merged.stdout
    );
}

#[test]
fn number_of_devices_does_not_change_the_skeleton() {
    let folder = folder();
    let written = |device: &str| {
        let run = folder.run(&format!(
            "skeleton ball.nii --threshold 1 --method potential-field --significance 0.3 -o a.skel --json --device {device}"
        ));
        let report = run.ok().json();
        (std::fs::read(folder.path("a.skel")).unwrap(), report)
    };
    let (expected, _) = written("cpu");
    let (found, report) = written("cpu,cpu,cpu");
    assert!(!found.is_empty() && found == expected);
    assert_eq!(report["device"], "cpu, cpu, cpu");
}

#[test]
fn force_field_has_one_vector_per_voxel() {
    let folder = folder();
    let run = folder.run(
        "skeleton bar.nii --method potential-field --field f.npy --exponent 4 --json --device cpu",
    );
    let report = run.ok().json();
    assert_eq!(report["field"], "f.npy");
    assert_eq!(report["outputs"], json!(["f.npy"]));
    let bytes = std::fs::read(folder.path("f.npy")).unwrap();
    let text = String::from_utf8_lossy(&bytes[..128]);
    assert!(
        text.contains("<f4") && text.contains("(9, 9, 24, 3)"),
        "{text}"
    );
    let count = 24 * 9 * 9;
    let numbers = bytes[bytes.len() - 12 * count..].as_chunks::<4>().0;
    let numbers: Vec<f32> = numbers.iter().copied().map(f32::from_le_bytes).collect();
    let vector = |x: usize, y: usize, z: usize| {
        let first = 3 * ((z * 9 + y) * 24 + x);
        [numbers[first], numbers[first + 1], numbers[first + 2]]
    };
    // inwards next to the face at x = 2; zero on the surface and outside
    let [x, y, z] = vector(3, 4, 4);
    assert!(x > 0.1 && y.abs() < 1e-6 && z.abs() < 1e-6, "{x} {y} {z}");
    assert_eq!((vector(2, 4, 4), vector(0, 0, 0)), ([0.0; 3], [0.0; 3]));
    let with_force = numbers
        .chunks(3)
        .filter(|vector| vector.iter().any(|&it| it != 0.0));
    let voxels = &report["voxel_classes"];
    let inside = voxels["boundary"].as_u64().unwrap() + voxels["interior"].as_u64().unwrap();
    // the force can vanish at the centre
    assert!(with_force.count() as u64 >= inside - 2);
}
