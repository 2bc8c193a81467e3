//! `ferrovox info`.

use crate::{
    samples::{ball, little_endian, nifti, npy},
    support::{Folder, data},
};

#[test]
fn real_volume_is_described() {
    let folder = Folder::new();
    let path = data("mni152_t1_1mm.nii.gz");
    let path = path.to_str().unwrap();
    let report = folder
        .run(&format!("info {path} --stats --json"))
        .ok()
        .json();
    assert_eq!(report["dims"], serde_json::json!([197, 233, 189]));
    assert_eq!(report["spacing"], serde_json::json!([1.0, 1.0, 1.0]));
    assert_eq!(report["stored_type"], "u8");
    assert_eq!(report["compression"], "gzip");
    assert_eq!(report["non_finite_samples"], 0);
    assert_eq!(
        (report["min"].as_f64(), report["max"].as_f64()),
        (Some(0.0), Some(255.0))
    );
    let text = folder.run(&format!("info {path} --stats")).ok().stdout;
    assert!(
        text.contains("197 x 233 x 189") && text.contains("0 to 255"),
        "{text}"
    );
}

#[test]
fn headerless_files_are_read_in_both_byte_orders() {
    let folder = Folder::new();
    let big: Vec<u8> = [1u16, 2, 300, 4, 5, 6]
        .iter()
        .flat_map(|sample| sample.to_be_bytes())
        .collect();
    let with_prefix = [&[9, 9, 9][..], &big].concat();
    folder.file("a.dat", &with_prefix);
    let args = "info a.dat --dims 3x2x1 --type uint16 --endian big --offset 3 --spacing 0.5,0.5,2 --origin -1,2,3 --json --stats";
    let report = folder.run(args).ok().json();
    assert_eq!(report["format"], "raw");
    assert_eq!(report["max"].as_f64(), Some(300.0));
    assert_eq!(report["mean"].as_f64(), Some(53.0));
    assert_eq!(report["spacing"], serde_json::json!([0.5, 0.5, 2.0]));
    assert_eq!(report["origin"], serde_json::json!([-1.0, 2.0, 3.0]));
}

#[test]
fn spacing_and_origin_override_the_file() {
    let folder = Folder::new();
    folder.file("a.npy", npy("<f4", "(16, 16, 16)", &little_endian(&ball())));
    let report = folder.run("info a.npy --spacing 2 --json").ok().json();
    assert_eq!(report["spacing"], serde_json::json!([2.0, 2.0, 2.0]));
    let report = folder.run("info a.npy --origin 4,5,6 --json").ok().json();
    assert_eq!(report["origin"], serde_json::json!([4.0, 5.0, 6.0]));
    assert_eq!(report["spacing"], serde_json::json!([1.0, 1.0, 1.0]));
}

#[test]
fn one_volume_of_several_is_selected() {
    let folder = Folder::new();
    let two = [little_endian(&ball()), little_endian(&vec![7.0; 4096])].concat();
    let mut file = nifti(&[], [16, 16, 16]);
    file[40..42].copy_from_slice(&4u16.to_le_bytes());
    file[48..50].copy_from_slice(&2u16.to_le_bytes());
    file.extend_from_slice(&two);
    folder.file("two.nii", file);
    let text = folder.run("info two.nii").ok().stdout;
    assert!(
        text.contains(
            "volumes    2 (all axes: 16 x 16 x 16 x 2); --volume-index 0 to 1 selects one"
        ),
        "{text}"
    );
    let report = folder.run("info two.nii --json").ok().json();
    assert_eq!(report["sizes"], serde_json::json!([16, 16, 16, 2]));
    assert_eq!(report["dims"], serde_json::json!([16, 16, 16]));
    assert_eq!(report["volumes"], 2);
    assert!(report["volume_index"].is_null() && report["min"].is_null());
    folder.refuses("info two.nii --stats", &["two.nii", "2 volumes", "0 to 1"]);
    folder.refuses("info two.nii --volume-index 2", &["two.nii", "no volume 2"]);
    let report = folder
        .run("info two.nii --volume-index 1 --stats --json")
        .ok()
        .json();
    assert_eq!(
        (report["min"].as_f64(), report["max"].as_f64()),
        (Some(7.0), Some(7.0))
    );
}

/// Text has no 17 digits, no signed zeros and no rounding errors; JSON has the exact numbers.
#[test]
fn numbers_are_printed_with_six_digits() {
    let folder = Folder::new();
    let mut file = nifti(&ball(), [16, 16, 16]);
    let tiny = 2.1714e-16_f32;
    let rows = [
        [-1.0, tiny, -0.0, 90.123_46],
        [0.0, 1.0 / 3.0, 0.0, -0.0],
        [0.0, 0.0, 1.0, 5.0],
    ];
    for (k, value) in rows.as_flattened().iter().enumerate() {
        file[280 + 4 * k..][..4].copy_from_slice(&value.to_le_bytes());
    }
    folder.file("a.nii", file);
    let text = folder.run("info a.nii --stats").ok().stdout;
    for line in [
        "spacing    1 0.333333 1\n",
        "origin     90.1235 0 5\n",
        "axes       -1 0 0 / 0 0.333333 0 / 0 0 1\n",
        "range      -29.9038 to 91.3397, mean ",
    ] {
        assert!(text.contains(line), "{line:?} is not in {text}");
    }
    let report = folder.run("info a.nii --json").ok().json();
    let step = report["axes"][0][1].as_f64().unwrap();
    assert!((step / f64::from(tiny) - 1.0).abs() < 1e-12, "{step}");
}

/// A sparse file of 1.1 GB: the header is read, but no sample.
#[test]
fn only_the_header_is_read() {
    let folder = Folder::new();
    folder.file("large.raw", "");
    let file = std::fs::File::options()
        .write(true)
        .open(folder.path("large.raw"))
        .unwrap();
    if file.set_len(1_100_000_000).is_err() {
        test_cases::report_skip(format_args!("no sparse files here"));
        return;
    }
    let line = "info large.raw --dims 2000x2000x275 --type u8 --json";
    let start = std::time::Instant::now();
    let report = folder.run(line).ok().json();
    assert!(start.elapsed().as_secs_f64() < 4.0, "the samples were read");
    assert_eq!(report["samples"], 1_100_000_000_u64);
    assert!(report["max"].is_null());
    // The statistics need less memory than the file has bytes.
    let script = format!("ulimit -v 1000000; exec \"$FERROVOX\" {line} --stats");
    if let Some(run) = folder.shell(&script) {
        assert_eq!(run.ok().json()["max"].as_f64(), Some(0.0));
    }
}

#[test]
fn samples_with_several_components_need_a_selection() {
    let folder = Folder::new();
    let colours: Vec<u8> = (0..24).collect();
    let header = b"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 3 2 2 2\nkinds: RGB-color domain domain domain\nencoding: raw\n\n";
    folder.file("rgb.nrrd", [&header[..], &colours].concat());
    let report = folder.run("info rgb.nrrd --json").ok().json();
    assert_eq!(report["components"], 3);
    assert!(report["component"].is_null());
    let text = folder.run("info rgb.nrrd").ok().stdout;
    assert!(text.contains("3; --component 0 to 2 selects one"), "{text}");
    let failed = folder.run("info rgb.nrrd --stats");
    assert_eq!(
        failed.stderr.trim(),
        "ferrovox: error: rgb.nrrd: each sample has 3 components; select one with --component from 0 to 2"
    );
    let report = folder
        .run("info rgb.nrrd --stats --component 2 --json")
        .ok()
        .json();
    assert_eq!(report["component"], 2);
    assert_eq!(
        (report["min"].as_f64(), report["max"].as_f64()),
        (Some(2.0), Some(23.0))
    );
    folder
        .run("mesh rgb.nrrd --component 1 --iso 10 -o a.ply")
        .ok();
}

/// The axes of an array have the stated meaning in C and in Fortran order, for every command.
#[test]
fn axes_of_an_array_are_shown_and_selected() {
    let folder = Folder::new();
    let c_order = npy("|u1", "(4, 3, 2)", &(0..24).collect::<Vec<u8>>());
    let mut fortran_order = c_order.clone();
    let at = c_order
        .windows(5)
        .position(|word| word == b"False")
        .unwrap();
    fortran_order[at..at + 5].copy_from_slice(b"True ");
    folder.file("c.npy", &c_order);
    folder.file("f.npy", &fortran_order);
    for (args, axes, order, dims, warnings) in [
        ("c.npy", "zyx", "C", [2, 3, 4], 0),
        ("f.npy", "zyx", "Fortran", [2, 3, 4], 1),
        ("f.npy --axes zyx", "zyx", "Fortran", [2, 3, 4], 0),
        ("f.npy --axes xyz", "xyz", "Fortran", [4, 3, 2], 0),
        ("c.npy --axes xyz", "xyz", "C", [4, 3, 2], 0),
    ] {
        let report = folder.run(&format!("info {args} --json")).ok().json();
        assert_eq!(report["array_axes"], axes, "{args}");
        assert_eq!(report["array_order"], order, "{args}");
        assert_eq!(report["dims"], serde_json::json!(dims), "{args}");
        let found = report["warnings"].as_array().unwrap();
        assert_eq!(found.len(), warnings, "{args}: {found:?}");
        let text = folder.run(&format!("info {args}")).ok().stdout;
        let fact = format!("array axes {axes}, in {order} order");
        assert!(text.contains(&fact), "{text}");
    }
    let other = folder.run("info c.npy --axes yxz");
    assert_eq!(other.status, Some(2), "{}", other.stderr);
    assert!(
        other
            .stderr
            .contains("invalid value 'yxz' for '--axes <AXES>'"),
        "{}",
        other.stderr
    );
    for args in [
        "mesh f.npy --axes xyz --iso 5 --json --device cpu",
        "distance f.npy --axes xyz --nonzero --json --device cpu",
        "render f.npy --axes xyz --iso 5 --json --device cpu --size 16x16 -o a.png",
        "skeleton f.npy --axes xyz --iso 5 --json",
    ] {
        let report = folder.run(args).ok().json();
        assert_eq!(report["dims"], serde_json::json!([4, 3, 2]), "{args}");
    }
}
