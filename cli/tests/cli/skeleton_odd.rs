//! `ferrovox skeleton` on degenerate inputs: single voxels, full and empty volumes, many
//! components, invalid grids.

use crate::{
    samples::{nifti, nrrd},
    support::Folder,
};
use serde_json::{Value, json};

/// Creates a folder with a mask volume of spacing 1.
fn folder(dims: [usize; 3], is_set: impl Fn(usize, usize, usize) -> bool) -> Folder {
    let folder = Folder::new();
    let [nx, ny, nz] = dims;
    let mut samples = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                samples.push(u8::from(is_set(x, y, z)));
            }
        }
    }
    let fields = format!("type: uint8\nsizes: {nx} {ny} {nz}\nspacings: 1 1 1\nencoding: raw");
    folder.file("a.nrrd", nrrd(&fields, &samples));
    folder
}

/// Returns the report of a certified run, after checking that `--labels all` gives the same.
fn certified_report(folder: &Folder) -> Value {
    let report = |args: &str| {
        let line = format!("skeleton a.nrrd {args} --json --require-certified -o a.swc -o a.vtp");
        let mut report = folder.run(&line).ok().json();
        for key in ["timings", "labels_selected"] {
            report[key] = Value::Null;
        }
        report
    };
    let expected = report("");
    assert_eq!(expected["certified"], true);
    assert_eq!(report("--labels all"), expected);
    expected
}

#[test]
fn single_voxel_has_one_node() {
    let found = certified_report(&folder([5, 4, 3], |x, y, z| (x, y, z) == (1, 2, 1)));
    assert_eq!([&found["nodes"], &found["edges"]], [1, 0]);
    assert_eq!(
        found["labels"][0]["components"][0]["first_voxel"],
        json!([1, 2, 1])
    );
    // a volume of a single voxel
    let found = certified_report(&folder([1, 1, 1], |_, _, _| true));
    assert_eq!(
        [&found["nodes"], &found["length"]],
        [&json!(1), &json!(0.0)]
    );
}

#[test]
fn voxels_that_share_a_corner_are_one_component() {
    let diagonal = |count: usize| {
        certified_report(&folder([8, 8, 8], move |x, y, z| {
            x == y && y == z && (1..=count).contains(&x)
        }))
    };
    // two voxels are not elongated enough for a curve
    let found = diagonal(2);
    assert_eq!([&found["components"], &found["edges"]], [1, 0]);
    let found = diagonal(5);
    assert_eq!([&found["components"], &found["edges"]], [1, 1]);
    let length = found["length"].as_f64().unwrap();
    assert!((length - 4.0 * 3f64.sqrt()).abs() < 1e-9, "{length}");
}

#[test]
fn object_can_fill_the_volume() {
    let full = folder([24, 6, 5], |_, _, _| true);
    let found = certified_report(&full);
    assert_eq!(found["components"], 1);
    assert!(found["length"].as_f64().unwrap() > 17.0);
    // with an isovalue, a full volume is an error
    full.refuses(
        "skeleton a.nrrd --iso 1 -o b.swc",
        &["all of the volume is object", "give a higher --iso"],
    );
    let flat = certified_report(&folder([40, 3, 1], |_, _, _| true));
    assert_eq!(flat["cycles"], 0);
}

#[test]
fn empty_volumes_are_rejected() {
    let nothing = folder([3, 4, 5], |_, _, _| false);
    nothing.refuses(
        "skeleton a.nrrd -o a.swc",
        &["a.nrrd: there is no object: every sample is 0"],
    );
    nothing.refuses(
        "skeleton a.nrrd --labels all -o {label}.swc",
        &["a.nrrd: there is no object"],
    );
    nothing.file(
        "b.nrrd",
        nrrd("type: uint8\nsizes: 3 0 5\nencoding: raw", &[]),
    );
    let run = nothing.run("skeleton b.nrrd --labels all -o {label}.swc");
    assert_eq!(run.status, Some(1), "{}", run.stderr);
}

#[test]
fn invalid_spacing_is_rejected_or_replaced() {
    let folder = Folder::new();
    for spacings in ["0 1 1", "1 1 inf"] {
        let fields = format!("type: uint8\nsizes: 3 3 3\nspacings: {spacings}\nencoding: raw");
        folder.file("a.nrrd", nrrd(&fields, &[1; 27]));
        folder.refuses(
            "skeleton a.nrrd --labels all -o {label}.swc",
            &["a.nrrd: ", "spacing"],
        );
    }
    // NRRD writes an unknown spacing as nan
    let fields = "type: uint8\nsizes: 3 3 3\nspacings: nan nan nan\nencoding: raw";
    folder.file("a.nrrd", nrrd(fields, &[1; 27]));
    let report = folder.run("skeleton a.nrrd --labels all --json").ok();
    assert_eq!(report.json()["spacing"], json!([1.0, 1.0, 1.0]));
    // without an sform, an invalid spacing is replaced by 1, with a warning
    for (spacing, written) in [(0.0, "0"), (f32::NAN, "NaN"), (f32::NEG_INFINITY, "-inf")] {
        let mut file = nifti(&[1.0; 27], [3, 3, 3]);
        file[254] = 0;
        file[80..84].copy_from_slice(&spacing.to_le_bytes());
        folder.file("a.nii", file);
        let run = folder.run("skeleton a.nii --labels all --json").ok();
        let warning = format!("pixdim[1] is {written}, which is no spacing: it is taken as 1");
        assert!(run.stderr.contains(&warning), "{}", run.stderr);
        assert_eq!(run.json()["spacing"], json!([1.0, 1.0, 1.0]));
    }
    for spacing in ["0", "nan", "1,-1,1"] {
        folder.file(
            "a.nrrd",
            nrrd("type: uint8\nsizes: 3 3 3\nencoding: raw", &[1; 27]),
        );
        folder.refuses(
            &format!("skeleton a.nrrd --spacing {spacing} -o b.swc"),
            &["a.nrrd: ", "spacing"],
        );
    }
}

/// A million components of one voxel each.
#[test]
fn a_million_components_take_seconds() {
    let specks = folder([200; 3], |x, y, z| (x | y | z) % 2 == 0);
    let run = |args: &str| {
        let start = std::time::Instant::now();
        let report = specks.run(&format!("skeleton a.nrrd --json {args}")).ok();
        let taken = start.elapsed();
        eprintln!("{args}: {taken:?}");
        (report.json(), report.stdout.len())
    };
    let (report, size) = run("-o a.swc");
    assert_eq!([&report["components"], &report["nodes"]], [1_000_000; 2]);
    assert_eq!(report["certified"], true);
    let label = &report["labels"][0];
    assert_eq!(label["components"].as_array().unwrap().len(), 1000);
    assert_eq!(label["unlisted"]["components"], 999_000);
    assert!(size < 1_000_000, "{size}");
    let (report, _) = run("--dust 2 -o b.swc");
    assert_eq!(report["components"], 0);
    let dust = &report["labels"][0]["dust"];
    assert_eq!(*dust, json!({"components": 1_000_000, "voxels": 1_000_000}));
}
