//! `ferrovox skeleton` on label volumes, with certificates and methods.

use crate::{
    samples::{little_endian, nrrd},
    support::Folder,
};
use serde_json::json;

const DIMS: [usize; 3] = [44, 24, 9];

/// Creates a volume with label 3, a T with a bar of 40 x 5 x 5 and a branch of length 14, label 7,
/// a ring and a single voxel, and label 250, a rod.
fn labels() -> Vec<u8> {
    let mut samples = Vec::new();
    for z in 0..DIMS[2] {
        for y in 0..DIMS[1] {
            for x in 0..DIMS[0] {
                samples.push(match (x, y, z) {
                    (2..42, 2..7, 2..7) | (20..25, 7..18, 2..7) => 3,
                    (2..12, 10, 4) | (2..12, 20, 4) | (2, 10..21, 4) | (11, 10..21, 4) => 7,
                    (15, 22, 8) => 7,
                    (30..40, 12, 3) => 250,
                    _ => 0,
                });
            }
        }
    }
    samples
}

fn folder() -> Folder {
    let folder = Folder::new();
    let file = nrrd(
        "type: uint8\nsizes: 44 24 9\nspacings: 0.5 0.5 0.5\nencoding: raw",
        &labels(),
    );
    folder.file("labels.nrrd", file);
    folder
}

#[test]
fn all_labels_are_extracted_in_one_pass() {
    let folder = folder();
    std::fs::create_dir(folder.path("out")).unwrap();
    let run = folder
        .run("skeleton labels.nrrd --labels all --dust 2 -o out/{label}.swc -o all.json -o all.vtp --json")
        .ok();
    let report = run.json();
    for (field, value) in [
        ("certified", json!(true)),
        ("method", json!("medial")),
        ("labels_selected", json!("all")),
        ("components", json!(3)),
        ("cycles", json!(1)),
        ("cut_cycles", json!(1)),
        ("device", json!("cpu")),
        (
            "outputs",
            json!([
                "out/3.swc",
                "out/7.swc",
                "out/250.swc",
                "all.json",
                "all.vtp"
            ]),
        ),
    ] {
        assert_eq!(report[field], value, "{field}");
    }
    let labels = report["labels"].as_array().unwrap();
    let numbers: Vec<_> = labels.iter().map(|it| it["label"].clone()).collect();
    assert_eq!(numbers, [3, 7, 250]);
    assert_eq!(labels[1]["dust"], json!({"components": 1, "voxels": 1}));
    let ring = &labels[1]["components"][0];
    assert_eq!([&ring["tunnels"], &ring["cycle_rank"]], [1, 1]);
    assert_eq!(ring["first_voxel"], json!([2, 10, 4]));
    // the branch of the T has an edge
    assert_eq!(labels[0]["edges"], 3);
    for name in ["out/3.swc", "out/7.swc", "out/250.swc"] {
        assert!(folder.path(name).exists(), "{name}");
    }
    let file = std::fs::read_to_string(folder.path("all.json")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!(file["labels"][2]["label"], 250);
    assert_eq!(file["labels"][0]["length"], labels[0]["length"]);

    // a label extracted alone has the same skeleton
    let whole = std::fs::read(folder.path("out/7.swc")).unwrap();
    for (args, name) in [
        ("--labels 7 --dust 2", "{label}.swc"),
        ("--label 7 --dust 2", "one.swc"),
    ] {
        folder
            .run(&format!("skeleton labels.nrrd {args} -o {name}"))
            .ok();
        let written = folder.path(&name.replace("{label}", "7"));
        assert_eq!(std::fs::read(written).unwrap(), whole, "{args}");
    }
}

#[test]
fn thin_tunnels_of_labels_are_filled() {
    // the tunnel of the ring has 8 x 9 voxels
    let folder = folder();
    for (thickness, filled) in [(7, 0), (8, 1)] {
        let run = format!("skeleton labels.nrrd --labels 7 --dust 2 --fill-tunnels {thickness}");
        let report = folder.run(&format!("{run} -o a.swc --json")).ok().json();
        assert_eq!(report["fill_tunnels"], thickness);
        assert_eq!(report["cycles"], 1 - filled);
        let ring = &report["labels"][0]["components"][0];
        assert_eq!(
            [&ring["tunnels"], &ring["filled_tunnels"]],
            [1 - filled, filled]
        );
        let text = folder.run(&format!("{run} -o a.swc")).ok().stdout;
        assert_eq!(
            text.contains("filled        1 tunnel\n"),
            filled == 1,
            "{text}"
        );
    }
    folder.refuses(
        "skeleton labels.nrrd --labels all --fill-tunnels 33 -o a.swc",
        &["33 voxels; choose at most 32"],
    );
}

#[test]
fn missing_labels_are_rejected() {
    let folder = folder();
    folder.refuses(
        "skeleton labels.nrrd --labels 3,9 -o {label}.swc",
        &["labels.nrrd: no voxel has the label 9", "3, 7, 250"],
    );
    folder.refuses(
        "skeleton labels.nrrd --labels all -o no/{label}.swc",
        &["no/{label}.swc", "there is no folder no"],
    );
    folder.refuses(
        "skeleton labels.nrrd --labels all -o {label}/a.swc",
        &["3/a.swc", "there is no folder 3"],
    );
    folder.refuses(
        "skeleton labels.nrrd --labels all -o {label}.swc -o 250.swc",
        &["250.swc", "which is written too"],
    );
}

#[test]
fn non_integer_labels_are_rejected() {
    let folder = Folder::new();
    for (value, text) in [(2.5, "2.5"), (f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
        let samples = [0.0, 1.0, value, 0.0];
        let file = nrrd(
            "type: float\nsizes: 4 1 1\nencoding: raw",
            &little_endian(&samples),
        );
        folder.file("a.nrrd", file);
        let facts = [
            "a.nrrd: the sample at voxel (2, 0, 0)",
            text,
            "labels must be integers",
            "--iso or --label",
        ];
        folder.refuses("skeleton a.nrrd --labels all -o {label}.swc", &facts);
        folder.refuses("skeleton a.nrrd --labels 1 -o a.swc", &facts);
    }
    // integers stored as floats are valid labels
    let samples = [0.0, 1.0, 20.0, -3.0];
    let file = nrrd(
        "type: float\nsizes: 4 1 1\nencoding: raw",
        &little_endian(&samples),
    );
    folder.file("a.nrrd", file);
    folder
        .run("skeleton a.nrrd --labels all -o {label}.swc")
        .ok();
    assert!(folder.path("-3.swc").exists());
}

/// Pruning leaves voxels uncovered, so the skeleton is no longer certified.
#[test]
fn uncertified_skeletons_are_a_warning_or_an_error() {
    let folder = folder();
    let line = "skeleton labels.nrrd --label 3 -o a.swc --require-certified";
    let run = folder.run(line).ok();
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("certified     yes"), "{}", run.stdout);

    let pruned = "skeleton labels.nrrd --label 3 --prune 9 -o b.swc";
    let run = folder.run(pruned).ok();
    assert!(
        run.stderr.contains("ferrovox: warning: labels.nrrd: ")
            && run.stderr.contains("not certified"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("certified     no"), "{}", run.stdout);
    let written = std::fs::read(folder.path("b.swc")).unwrap();
    std::fs::remove_file(folder.path("b.swc")).unwrap();

    let run = folder.run(&format!("{pruned} --require-certified"));
    assert_eq!(run.status, Some(1));
    assert!(
        run.stderr
            .contains("ferrovox: error: labels.nrrd: the skeleton is not certified")
    );
    assert!(run.stdout.contains("certified     no"), "{}", run.stdout);
    assert_eq!(std::fs::read(folder.path("b.swc")).unwrap(), written);

    let run = folder.run(&format!("{pruned} --require-certified --json --quiet"));
    assert_eq!(run.status, Some(1));
    let report = run.json();
    assert_eq!(
        [&report["certified"], &report["labels"][0]["certified"]],
        [false, false]
    );
    assert!(
        report["error"]
            .as_str()
            .unwrap()
            .contains("--require-certified")
    );
    assert_eq!(report["outputs"], json!(["b.swc"]));
    assert!(
        run.stderr.starts_with("ferrovox: error: "),
        "{}",
        run.stderr
    );
}

/// Returns the JSON report of a run on label 3.
fn report(folder: &Folder, options: &str) -> serde_json::Value {
    let line = format!("skeleton labels.nrrd --label 3 --json --device cpu {options}");
    folder.run(&line).ok().json()
}

/// The former option `--levels` selects the same methods as `--method` and `--detail`.
#[test]
fn former_levels_are_aliases_of_methods() {
    let folder = folder();
    let comparable = |options: &str| {
        let mut report = report(&folder, options);
        report["timings"] = json!(null);
        report
    };
    for (levels, options) in [
        ("--levels whole", ""),
        ("--levels 1", "--method medial"),
        ("--levels 2", "--detail 0.6"),
        ("--levels detail", "--detail 0.6"),
        ("--levels 0", "--method potential-field"),
        ("--levels core", "--method potential-field --hierarchy core"),
        (
            "--levels core --divergence 0.2",
            "--method potential-field --hierarchy divergence",
        ),
    ] {
        assert_eq!(comparable(levels), comparable(options), "{levels}");
    }
}

#[test]
fn hierarchy_levels_add_curves() {
    let folder = folder();
    let report = |options: &str| report(&folder, &format!("--method potential-field {options}"));
    let core = report("");
    assert_eq!(core["method"], "potential-field");
    assert_eq!(core["hierarchy"], "core");
    assert_eq!(core["certified"], json!(null));
    assert_eq!(
        [&core["divergence"], &core["significance"]],
        [&json!(null); 2]
    );
    let divergence = report("--divergence 0.3");
    assert_eq!(divergence["hierarchy"], "divergence");
    assert_eq!(
        [&divergence["divergence"], &divergence["significance"]],
        [&json!(0.3), &json!(null)]
    );
    let curvature = report("--hierarchy curvature");
    assert_eq!(
        [&curvature["divergence"], &curvature["significance"]],
        [0.2, 0.3]
    );
    assert_eq!(report("--significance 0.3")["hierarchy"], "curvature");
    let [core, divergence, curvature] =
        [core, divergence, curvature].map(|report| report["length"].as_f64().unwrap());
    assert!(core < divergence && divergence <= curvature);
}

#[test]
fn rules_for_branches_are_reported() {
    let folder = folder();
    let length = |report: &serde_json::Value| report["length"].as_f64().unwrap();
    let default = report(&folder, "");
    for (key, value) in [
        ("method", json!("medial")),
        ("significance", json!(1.25)),
        ("min_protrusion", json!(0.0)),
        ("scale", json!(null)),
        ("const", json!(null)),
        ("detail", json!(null)),
    ] {
        assert_eq!(default[key], value, "{key}");
    }
    let detail = report(&folder, "--detail 0.1 --significance 3");
    assert_eq!([&detail["detail"], &detail["significance"]], [0.1, 3.0]);
    assert_eq!(detail["certified"], true);
    let long = report(&folder, "--min-protrusion 1000");
    assert_eq!(long["min_protrusion"], 1000.0);
    assert!(length(&long) <= length(&default));
    let wide = report(&folder, "--scale 9 --const 9");
    assert_eq!([&wide["scale"], &wide["const"]], [9.0, 9.0]);
    assert_eq!(wide["significance"], json!(null));
    assert!(length(&wide) < length(&report(&folder, "--scale 1.5")));
    let run = folder.run("skeleton labels.nrrd --label 3 --json --scale 2 --significance 1");
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("--significance"), "{}", run.stderr);
}

#[test]
fn options_of_the_other_method_are_rejected() {
    let folder = folder();
    for (options, text) in [
        ("--exponent 4", "add --method potential-field"),
        ("--divergence 0.1", "add --method potential-field"),
        (
            "--method potential-field --dust 3",
            "--dust applies to the medial method only",
        ),
        (
            "--method potential-field --hierarchy divergence --significance 0.1",
            "add --hierarchy curvature",
        ),
        (
            "--method potential-field --hierarchy core --divergence 0.1",
            "omit --hierarchy core",
        ),
    ] {
        let run = folder.run(&format!(
            "skeleton labels.nrrd --label 3 {options} -o a.swc"
        ));
        assert_eq!(run.status, Some(2), "{options}");
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
}

/// The ring and the single voxel of label 7 are 2 voxels of 0.5 apart in z, and 3 in x and y.
#[test]
fn gaps_are_joined_and_short_branches_pruned_relative_to_their_width() {
    let folder = folder();
    let joined = "skeleton labels.nrrd --label 7 --json --quiet -o a.graphml -o a.csv";
    let report = folder.run(&format!("{joined} --join 0.5")).ok().json();
    assert_eq!([&report["joined"], &report["components"]], [0, 2]);
    assert_eq!(report["certified"], true);
    let report = folder.run(&format!("{joined} --join 10")).ok().json();
    assert_eq!([&report["joined"], &report["components"]], [1, 1]);
    assert_eq!(report["certified"], false);
    assert_eq!(report["join_distance"], 10.0);
    for name in ["a.graphml", "a.csv"] {
        assert!(folder.path(name).exists(), "{name}");
    }
    let run = folder
        .run("skeleton labels.nrrd --label 7 --join 10 -o a.nodes.csv")
        .ok();
    assert!(run.stderr.contains("1 gaps were joined"), "{}", run.stderr);
    assert!(run.stdout.contains("1 gaps joined"), "{}", run.stdout);
    // the branch of the T is 7 units long, its root has a radius of 1.5
    for (option, criterion, removed) in [
        ("--prune-by-radius 9", "length-by-radius", 1),
        ("--prune-by-radius 2", "length-by-radius", 0),
        ("--prune-significance 20", "significance", 1),
        ("--prune-significance 1", "significance", 0),
    ] {
        let line = format!("skeleton labels.nrrd --label 3 --json --quiet {option}");
        let report = folder.run(&line).ok().json();
        assert_eq!(report["pruned"], removed, "{option}");
        assert_eq!(report["prune_criterion"], criterion, "{option}");
    }
    let run = folder.run("skeleton labels.nrrd --label 3 --prune 1 --prune-by-radius 2 -o a.swc");
    assert_eq!(run.status, Some(2));
}
