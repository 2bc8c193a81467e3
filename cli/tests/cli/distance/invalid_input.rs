//! Invalid inputs of `ferrovox distance`, which are reported before anything is written.

use crate::{
    samples::{little_endian, nifti, nifti_of_type, npy, nrrd},
    support::Folder,
};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file(
        "mask.nii",
        nifti(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [2, 2, 2]),
    );
    folder.file("points.xyz", "1 1 1\n");
    folder
}

#[test]
fn invalid_spacing_options_are_rejected() {
    let folder = folder();
    for (spacing, axis, value) in [
        ("0", "x", "0"),
        ("-1", "x", "-1"),
        ("1,0,1", "y", "0"),
        ("1,1,-0.5", "z", "-0.5"),
        ("1,nan,1", "y", "NaN"),
        ("1,1,inf", "z", "inf"),
        ("1e999,1,1", "x", "inf"),
    ] {
        let message =
            format!("the spacing along {axis} is {value}; it must be a positive finite number");
        for sites in [
            "mask.nii --nonzero",
            "mask.nii --labels",
            "mask.nii --level 0.5 --sub-voxel",
            "points.xyz --points --grid 3x3x3",
            "points.xyz --points --like mask.nii",
        ] {
            folder.refuses(
                &format!("distance {sites} --spacing {spacing} -o d.nii"),
                &[&message],
            );
        }
        folder.refuses(
            &format!("mesh mask.nii --iso 0.5 --spacing {spacing} -o m.ply"),
            &["mask.nii", &message],
        );
    }
}

#[test]
fn invalid_spacings_of_files_are_rejected_or_replaced() {
    let folder = folder();
    let bytes = [0, 1, 0, 0, 0, 0, 0, 0];
    for (spacings, axis, value) in [
        ("0 1 1", 0, "0"),
        ("1 -2 1", 1, "-2"),
        ("1 1 inf", 2, "inf"),
    ] {
        let fields = format!("type: uint8\nsizes: 2 2 2\nencoding: raw\nspacings: {spacings}");
        folder.file("s.nrrd", nrrd(&fields, &bytes));
        let header = format!(
            "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = {spacings}\nElementDataFile = LOCAL\n"
        );
        let mut file = header.into_bytes();
        file.extend_from_slice(&bytes);
        folder.file("s.mha", file);
        for name in ["s.nrrd", "s.mha"] {
            let line = format!("distance {name} --nonzero -o d.nii");
            if value == "-2" {
                let run = folder.run(&line).ok();
                let warning =
                    format!("has -2 for axis {axis}: the axis is taken to run the other way");
                assert!(run.stderr.contains(&warning), "{}", run.stderr);
                std::fs::remove_file(folder.path("d.nii")).unwrap();
            } else {
                let message_part = format!("of axis {axis} is {value}");
                folder.refuses(&line, &[name, &message_part, "finite number other than 0"]);
            }
        }
    }
    // An axis of length 0.
    let fields = "type: uint8\nsizes: 2 2 2\nencoding: raw\nspace: right-anterior-superior\nspace directions: (1,0,0) (0,0,0) (0,0,1)";
    folder.file("s.nrrd", nrrd(fields, &bytes));
    folder.refuses(
        "distance s.nrrd --nonzero -o d.nii",
        &["s.nrrd", "spacing along y is 0", "positive"],
    );
    // The spacing of a NIfTI file applies if it has no usable affine.
    let mut file = nifti_of_type(&bytes, [2, 2, 2], 2, 8);
    file[254] = 0;
    file[76 + 8..76 + 12].copy_from_slice(&f32::NAN.to_le_bytes());
    folder.file("s.nii", file);
    for sites in ["s.nii --nonzero", "points.xyz --points --like s.nii"] {
        let run = folder
            .run(&format!("distance {sites} -o {}-d.nii", sites.len()))
            .ok();
        let warning = "pixdim[2] is NaN, which is no spacing: it is taken as 1";
        assert!(run.stderr.contains(warning), "{}", run.stderr);
    }
}

#[test]
fn non_positive_bounds_are_rejected() {
    let folder = folder();
    for sites in [
        "mask.nii --nonzero",
        "mask.nii --nonzero --dtype u16",
        "mask.nii --nonzero --method cubes",
        "mask.nii --nonzero --method city-block",
        "mask.nii --labels",
        "mask.nii --level 0.5",
        "mask.nii --level 0.5 --sub-voxel",
        "points.xyz --points --grid 3x3x3",
    ] {
        for bound in ["0", "-0.0", "-3"] {
            folder.refuses(
                &format!("distance {sites} --max-distance {bound} -o d.nii"),
                &["maximum distance is", "greater than 0"],
            );
        }
    }
    for bound in ["nan", "inf", "-inf"] {
        let run = folder.run(&format!(
            "distance mask.nii --nonzero --max-distance {bound} -o d.nii"
        ));
        assert_eq!(run.status, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("give a number"), "{}", run.stderr);
    }
}

#[test]
fn input_without_sites_is_rejected() {
    let folder = folder();
    folder.file(
        "none.npy",
        npy("<f4", "(2, 2, 2)", &little_endian(&[0.0; 8])),
    );
    folder.file(
        "nan.npy",
        npy("<f4", "(2, 2, 2)", &little_endian(&[f32::NAN; 8])),
    );
    folder.file("empty.xyz", "");
    for (command, name) in [
        ("none.npy --nonzero", "none.npy"),
        ("none.npy --nonzero --dtype u16", "none.npy"),
        ("none.npy --nonzero --signed", "none.npy"),
        ("none.npy --nonzero --nearest n.npy", "none.npy"),
        ("none.npy --nonzero --slice z=0 --png p.png", "none.npy"),
        ("none.npy --level 3", "none.npy"),
        ("none.npy --level 3 --sub-voxel", "none.npy"),
        // Everything is inside, so no voxel has a neighbour outside.
        ("none.npy --level -3", "none.npy"),
        ("nan.npy --level 0 --inside below", "nan.npy"),
        ("empty.xyz --points --grid 2x2x2", "empty.xyz"),
    ] {
        folder.refuses(&format!("distance {command} -o d.npy"), &[name, "no sites"]);
    }
}

#[test]
fn non_finite_points_are_rejected() {
    let folder = folder();
    for (text, shown) in [("nan 0 0", "NaN"), ("0 inf 0", "inf"), ("0 0 -inf", "-inf")] {
        folder.file("p.xyz", format!("1 1 1\n{text}\n"));
        for method in ["cubes", "brute-force"] {
            folder.refuses(
                &format!("distance p.xyz --points --grid 3x3x3 --method {method} -o d.npy"),
                &["p.xyz: point 1 is at", shown, "finite"],
            );
        }
    }
    let points = little_endian(&[1.0, 1.0, 1.0, f32::NAN, 2.0, 3.0]);
    folder.file("p.npy", npy("<f4", "(2, 3)", &points));
    folder.refuses(
        "distance p.npy --points --grid 3x3x3 -o d.npy",
        &["p.npy: point 1 is at [NaN, 2", "finite"],
    );
}

#[test]
fn strict_rejects_points_outside_the_volume() {
    let folder = folder();
    folder.file("p.xyz", "1 1 1\n-0.6 0 0\n9 9 9\n");
    let command = "distance p.xyz --points --grid 3x3x3 -o d.npy";
    folder.refuses(
        &format!("{command} --strict"),
        &["p.xyz: 2 of 3 points are outside the volume of 3 x 3 x 3 voxels, first point 1 at [-0.6", "omit --strict to use them as sites"],
    );
    let run = folder.run(command).ok();
    assert!(
        run.stderr.contains("2 of 3 points are outside"),
        "{}",
        run.stderr
    );
    // The border of the volume is half a voxel beyond the outer centres.
    folder.file("p.xyz", "-0.5 0 2.5\n");
    let run = folder.run(&format!("{command} --strict --json")).ok();
    assert_eq!(
        (run.stderr.as_str(), &run.json()["sites_outside"]),
        ("", &0.into())
    );
}
