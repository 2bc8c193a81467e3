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
    folder
        .run("distance box.npy --nonzero --signed=enclosed -o d.npy")
        .ok();
    let signed = distances(&folder, "d.npy");
    assert_eq!(signed[3 + 7 * (3 + 7 * 3)], -2.0);
    assert_eq!(signed[3 + 7 * (3 + 7)], 0.0);
    assert_eq!(signed[3 + 7 * 3], 1.0);
}

/// Returns the distance of each voxel to the nearest one with another value, negative where the
/// value is not 0.
fn opposite(samples: &[u8], dims: [usize; 3], spacing: [f64; 3]) -> Vec<f32> {
    let at: Vec<[usize; 3]> = voxels(dims).collect();
    let squared = |a: usize, b: usize| -> f64 {
        let along = |k: usize| at[a][k].abs_diff(at[b][k]) as f64 * spacing[k];
        (0..3).map(|k| along(k) * along(k)).sum()
    };
    let nearest = |voxel: usize| {
        let others = (0..samples.len()).filter(|&other| samples[other] != samples[voxel]);
        let min = others
            .map(|other| squared(voxel, other))
            .fold(f64::INFINITY, f64::min);
        let sign = if samples[voxel] == 0 { 1.0 } else { -1.0 };
        (sign * min.sqrt()) as f32
    };
    (0..samples.len()).map(nearest).collect()
}

#[test]
fn signed_masks_and_labels_measure_to_the_opposite_side() {
    let folder = Folder::new();
    let dims = [7, 6, 5];
    let label = |[x, y, z]: [usize; 3]| {
        let is_inside = x.abs_diff(3) + y.abs_diff(2) + z.abs_diff(2) < 4;
        u8::from(is_inside) * (1 + u8::from(x > 3))
    };
    let labels: Vec<u8> = voxels(dims).map(label).collect();
    let mask: Vec<u8> = labels.iter().map(|&label| u8::from(label != 0)).collect();
    folder.file("labels.npy", npy("|u1", "(5, 6, 7)", &labels));
    let signed = |options: &str| {
        let run = folder
            .run(&format!(
                "distance labels.npy {options} --spacing 1,2,1.5 -o d.npy --json"
            ))
            .ok();
        assert_eq!(run.json()["signed"], true, "{options}");
        let convention = run.json()["sign_convention"].as_str().map(str::to_owned);
        (distances(&folder, "d.npy"), convention.unwrap())
    };
    let expected = opposite(&mask, dims, [1.0, 2.0, 1.5]);
    for options in [
        "--nonzero --signed",
        "--nonzero --signed=opposite",
        "--nonzero --signed --memory 1M",
        "--nonzero --signed --method bucketed",
        "--iso 1 --signed=opposite",
    ] {
        let (found, convention) = signed(options);
        assert_eq!(found, expected, "{options}");
        assert_eq!(convention, "opposite", "{options}");
    }
    let (found, _) = signed("--labels --signed");
    assert_eq!(found, opposite(&labels, dims, [1.0, 2.0, 1.5]));
    let (surface, convention) = signed("--nonzero --signed=surface");
    assert_eq!(convention, "surface");
    assert_eq!(signed("--iso 1 --signed"), (surface.clone(), convention));
    assert!(surface.contains(&0.0));
    let text = folder
        .run("distance labels.npy --nonzero --signed -o d.npy")
        .ok();
    assert!(
        text.stdout.contains("signed by opposite"),
        "{}",
        text.stdout
    );
}

#[test]
fn unusable_sign_conventions_are_rejected() {
    let folder = Folder::new();
    folder.file("full.npy", npy("|u1", "(2, 2, 2)", &[1; 8]));
    folder.refuses(
        "distance full.npy --nonzero --signed -o d.npy",
        &["full.npy", "all voxels are inside"],
    );
    folder.refuses(
        "distance full.npy --nonzero --signed --memory 1M -o d.npy",
        &["full.npy", "all voxels are inside"],
    );
    for (options, facts) in [
        ("--labels --signed=surface", &["--signed=opposite"][..]),
        (
            "--iso 1 --sub-voxel --signed=opposite",
            &["--sub-voxel", "--signed alone"],
        ),
        (
            "--nonzero --signed=itk",
            &["itk", "opposite", "surface", "enclosed"],
        ),
    ] {
        let run = folder.run(&format!("distance full.npy {options} -o d.npy"));
        assert_eq!(run.status, Some(2), "{options}: {}", run.stderr);
        for fact in facts {
            assert!(run.stderr.contains(fact), "{options}: {}", run.stderr);
        }
    }
}

/// The border of the volume is not a border along an axis of one voxel, so a closed curve encloses
/// its interior.
#[test]
fn an_axis_of_one_voxel_has_no_border() {
    let folder = Folder::new();
    let ring = voxels([5, 5, 1]).map(|[x, y, _]| u8::from(x.abs_diff(2).max(y.abs_diff(2)) == 1));
    let ring: Vec<u8> = ring.collect();
    for (shape, name) in [("(1, 5, 5)", "z.npy"), ("(5, 1, 5)", "y.npy")] {
        folder.file(name, npy("|u1", shape, &ring));
        folder
            .run(&format!(
                "distance {name} --nonzero --signed=enclosed -o d.npy"
            ))
            .ok();
        let enclosed = distances(&folder, "d.npy");
        assert_eq!(
            (enclosed[12], enclosed[7], enclosed[2]),
            (-1.0, 0.0, 1.0),
            "{name}"
        );
        folder
            .run(&format!("distance {name} --nonzero --signed -o d.npy"))
            .ok();
        let signed = distances(&folder, "d.npy");
        assert_eq!(
            (signed[12], signed[7], signed[2]),
            (1.0, -1.0, 1.0),
            "{name}"
        );
    }
}
