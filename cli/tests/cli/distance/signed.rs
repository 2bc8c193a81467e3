//! Signed distances and sub-voxel sites.

use super::{distances, folder, voxels};
use crate::{
    samples::{ball, npy},
    support::Folder,
};

#[test]
fn signed_distances_of_a_level_are_negative_inside() {
    let folder = folder();
    folder.run("distance ball.nii --level 50 -o plain.npy").ok();
    folder
        .run("distance ball.nii --level 50 --signed -o signed.npy")
        .ok();
    folder
        .run("distance ball.nii --level 50 --signed --inside below -o below.npy")
        .ok();
    let [plain, signed, below] =
        ["plain.npy", "signed.npy", "below.npy"].map(|name| distances(&folder, name));
    for (index, sample) in ball().into_iter().enumerate() {
        let (plain, signed) = (plain[index], signed[index]);
        assert_eq!(plain, signed.abs());
        assert!(signed <= 0.0 || sample < 50.0);
        assert!(signed >= 0.0 || sample >= 50.0);
        // The sites are the voxels next to the sphere of radius 5; their centres are within 0.87 of
        // it.
        let from_middle = (100.0 - sample) / 10.0;
        assert!(
            (signed - (from_middle - 5.0)).abs() < 1.8,
            "{signed} at {from_middle}"
        );
        assert!(below[index] <= 0.0 || sample >= 50.0);
    }
}

#[test]
fn sub_voxel_distances_approximate_the_sphere() {
    let folder = folder();
    let run = folder
        .run("distance ball.nii --level 50 --sub-voxel --signed --method brute-force -o d.npy --json")
        .ok();
    assert_eq!(run.json()["sub_voxel"], true);
    for (signed, sample) in distances(&folder, "d.npy").into_iter().zip(ball()) {
        let from_middle = (100.0 - sample) / 10.0;
        let exact = from_middle - 5.0;
        // The nearest crossing is at most half a voxel diagonal from the nearest point of the
        // sphere; the law of cosines bounds the difference.
        let largest = (exact * exact + 0.75 * from_middle / 5.0).sqrt() + 0.05;
        let range = exact.abs() - 0.05..largest;
        assert!(range.contains(&signed.abs()), "{signed} at {exact}");
        assert!(signed * exact >= 0.0, "{signed} at {exact}");
    }
}

#[test]
fn sub_voxel_default_method_is_exact() {
    let folder = folder();
    let compute = |name: &str, extra_options: &str| {
        let options = "distance ball.nii --level 50 --sub-voxel --signed --spacing 1,2,5";
        let run = folder
            .run(&format!("{options} -o {name} --json {extra_options}"))
            .ok();
        run.json()["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(compute("a.npy", ""), "bucketed");
    assert_eq!(compute("b.npy", "--method brute-force"), "brute-force");
    assert_eq!(distances(&folder, "a.npy"), distances(&folder, "b.npy"));
}

#[test]
fn signed_distances_are_negative_in_enclosed_voxels() {
    let folder = Folder::new();
    // A box around the centre voxel.
    let shell = voxels([7, 7, 7]).map(|at| {
        let largest = at.iter().map(|&k| k.abs_diff(3)).max();
        u8::from(largest == Some(2))
    });
    folder.file(
        "box.npy",
        npy("|u1", "(7, 7, 7)", &shell.collect::<Vec<_>>()),
    );
    folder.run("distance box.npy --mask --signed -o d.npy").ok();
    let signed = distances(&folder, "d.npy");
    assert_eq!(signed[3 + 7 * (3 + 7 * 3)], -2.0);
    assert_eq!(signed[3 + 7 * (3 + 7)], 0.0);
    assert_eq!(signed[3 + 7 * 3], 1.0);
}
