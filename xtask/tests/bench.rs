//! Tests of `cargo xtask bench` with small sizes on the CPU: its records, and every peer script
//! with whatever other systems are installed. `FERROVOX_PEERS_PYTHON` selects a Python with these
//! systems. Each benchmark has to be built: a default run tests only the one that builds fastest.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs a benchmark and returns its records.
fn bench(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let python = std::env::var("FERROVOX_PEERS_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["bench", "--profile", "dev"])
        .args(arguments)
        .args([
            "--device", "cpu", "--runs", "2", "--label", "test", "--peers",
        ])
        .args(["--python", &python, "--nvcc", "/no/such/nvcc"])
        .arg("--out-dir")
        .arg(folder)
        .output()
        .expect("xtask runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let subject = arguments[0];
    let text =
        std::fs::read_to_string(folder.join(format!("{subject}-test.json"))).expect("a file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let records = file["records"].as_array().expect("records").clone();
    let table =
        std::fs::read_to_string(folder.join(format!("{subject}-test.csv"))).expect("a file");
    assert!(table.lines().count() > records.len(), "{table}");
    for record in &records {
        assert_eq!(record["subject"], subject, "{record}");
        assert!(
            record["absent"].is_string() != record["median_ms"].is_f64(),
            "a record needs a measurement or a reason: {record}"
        );
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    println!("{stdout}");
    records
}

/// Returns the records of a system: those of a measure, and those without a measurement.
fn select<'a>(records: &'a [Value], system: &str, measure: &str) -> Vec<&'a Value> {
    let is = |record: &&Value| {
        record["system"] == system && (record["measure"] == measure || record["absent"].is_string())
    };
    records.iter().filter(is).collect()
}

#[test]
fn mesh_benchmark_includes_other_systems() {
    if test_cases::skip_slow_test("bench mesh") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let records = bench(folder.path(), &["mesh", "--sizes", "16,32"]);
    let ours = select(&records, "ferrovox", "extract");
    let sizes: Vec<_> = ours.iter().map(|record| record["size"].as_str()).collect();
    assert_eq!(sizes, [Some("16^3"), Some("32^3")]);
    let triangles: Vec<_> = ours
        .iter()
        .map(|record| record["triangles"].as_f64())
        .collect();
    assert_eq!(triangles, [Some(13176.0), Some(58152.0)]);
    for record in ours {
        assert!(record["fraction_of_copy"].as_f64() > Some(0.0), "{record}");
        assert!(
            record["peak_bytes"].as_u64() > record["bytes"].as_u64(),
            "{record}"
        );
    }
    for system in ["warp", "vtk", "skimage", "mcubes"] {
        let theirs = select(&records, system, "extract");
        assert!(!theirs.is_empty(), "no record of {system}");
        // absent altogether: a system that is there must do both sizes
        if theirs[0]["size"] == "" {
            assert_eq!(theirs.len(), 1);
            continue;
        }
        assert_eq!(theirs.len(), 2, "{theirs:?}");
        // other rules for ambiguous faces and for samples on the isovalue, the same field
        let count = theirs[1]["triangles"]
            .as_f64()
            .expect("a number of triangles");
        assert!(
            (count / 58152.0 - 1.0).abs() < 0.01,
            "{system}: {count} triangles"
        );
    }
}

#[test]
fn scan_benchmark_includes_other_systems() {
    if test_cases::skip_slow_test("bench scan") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let records = bench(
        folder.path(),
        &[
            "scan",
            "--sizes",
            "1000,2^16",
            "--types",
            "u32,u8:u64",
            "--no-table",
        ],
    );
    let ours = select(&records, "ferrovox", "scan");
    let sizes: Vec<_> = ours
        .iter()
        .map(|record| {
            (
                record["type"].as_str(),
                record["elements"].as_u64(),
                record["bytes"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        sizes,
        [
            (Some("u32"), Some(1000), Some(8000)),
            (Some("u8:u64"), Some(1000), Some(9000)),
            (Some("u32"), Some(1 << 16), Some(8 << 16)),
            (Some("u8:u64"), Some(1 << 16), Some(9 << 16)),
        ]
    );
    let cub = select(&records, "cub", "scan");
    assert_eq!(cub[0]["absent"], "/no/such/nvcc cannot be run");
    assert!(!select(&records, "cupy", "scan").is_empty());
}

#[test]
fn distance_benchmark_includes_other_systems() {
    if test_cases::skip_slow_test("bench distance") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let records = bench(
        folder.path(),
        &[
            "distance",
            "--sizes",
            "16,20x7x40",
            "--fields",
            "shell,random:10%",
            "--max-distance",
            "none,3",
        ],
    );
    let ours = select(&records, "ferrovox", "map");
    let sizes: Vec<_> = ours
        .iter()
        .map(|record| {
            (
                record["size"].as_str(),
                record["field"].as_str(),
                record["bytes"].as_u64(),
            )
        })
        .collect();
    // rows have whole words
    assert_eq!(
        sizes,
        [
            (Some("16^3"), Some("shell"), Some(4 * 256 + 4 * 4096)),
            (Some("16^3"), Some("random:10%"), Some(4 * 256 + 4 * 4096)),
            (Some("20x7x40"), Some("shell"), Some(4 * 280 + 4 * 5600)),
            (
                Some("20x7x40"),
                Some("random:10%"),
                Some(4 * 280 + 4 * 5600)
            ),
        ]
    );
    assert_eq!(select(&records, "ferrovox", "map to 3").len(), 4);
    assert_eq!(select(&records, "ferrovox", "pack").len(), 4);
    for system in ["cupy", "edt", "scipy"] {
        let theirs = select(&records, system, "map");
        assert!(!theirs.is_empty(), "no record of {system}");
        // an installed system must run every case
        if theirs[0]["size"] != "" {
            assert_eq!(theirs.len(), 4, "{theirs:?}");
        }
    }
}

#[test]
fn occupancy_benchmark_sweeps_block_sizes_and_shared_memory() {
    if test_cases::skip_slow_test("bench occupancy") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let records = bench(
        folder.path(),
        &[
            "occupancy",
            "--side",
            "8",
            "--kernel",
            "scan_sum_u32,mesh:all",
            "--over",
            "blocks,shared",
            "--blocks",
            "1,32,96",
            "--shared",
            "0,4096",
        ],
    );
    let of_scan: Vec<_> = select(&records, "ferrovox", "scan_sum_u32")
        .iter()
        .map(|record| record["method"].as_str().expect("a method").to_owned())
        .collect();
    let expected = [
        "blocks 1",
        "blocks 32",
        "blocks 96",
        "shared 0",
        "shared 4096",
    ];
    assert_eq!(of_scan, expected);
    // a launch in rounds uses 64 threads although 96 were requested
    let rounds = select(&records, "ferrovox", "emit_word_vertices_and_normals_f32");
    assert_eq!(rounds[2]["method"], "blocks 64", "{rounds:?}");
    assert_eq!(rounds.len(), 5, "{rounds:?}");
    assert!(records.len() >= 30);

    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let sweeps: Value = serde_json::from_str(&read("sweep-test.json")).expect("JSON");
    let sweeps = sweeps["sweeps"].as_array().expect("sweeps");
    let scan = &sweeps[0];
    assert_eq!(scan["kernel"], "scan_sum_u32");
    assert_eq!(
        scan["calculator_block"], 1,
        "blocks on the CPU have one thread"
    );
    assert!(scan["points"][0]["median_ms"].as_f64() > Some(0.0));
    assert_eq!(
        scan["points"][0]["occupancy"],
        Value::Null,
        "occupancy is undefined on the CPU"
    );
    let table = read("sweep-test.csv");
    assert_eq!(table.lines().count(), records.len() + 1);
    let unknown = table
        .lines()
        .filter(|row| row.contains(",unknown,unknown,unknown,"));
    assert_eq!(unknown.count(), records.len(), "{table}");
    let picture = read("sweep-test-scan_sum_u32-blocks-cpu.svg");
    assert!(picture.contains("threads per block") && picture.contains("polyline"));
    assert!(
        !picture.contains("occupancy"),
        "the plot must not contain an occupancy curve on the CPU"
    );
    let page = read("sweep-test.html");
    for fact in [
        "scan_sum_u32 over blocks",
        "registers per thread",
        "PTX: instructions",
        "<svg",
        "The minimum is",
    ] {
        assert!(page.contains(fact), "{fact}");
    }
}

#[test]
fn an_unknown_kernel_is_an_error() {
    if test_cases::skip_slow_test("bench occupancy") {
        return;
    }
    let run = |kernel: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args([
                "bench",
                "--profile",
                "dev",
                "occupancy",
                "--device",
                "cpu",
                "--kernel",
                kernel,
            ])
            .output()
            .expect("xtask runs");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let error = run("fill_spere");
    assert!(error.contains("did you mean fill_sphere"), "{error}");
}

#[test]
fn an_unknown_subject_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["bench", "meshes"])
        .output()
        .expect("xtask runs");
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("possible values: mesh, scan, distance, ")
    );
}

#[test]
fn field_benchmark_covers_variants_and_exponents() {
    if test_cases::skip_slow_test("bench field") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let options = ["--targets", "500", "--sources", "600"];
    let variants = ["--variants", "all", "--exponents", "2,3.5"];
    let records = bench(
        folder.path(),
        &[&["field"], &options[..], &variants].concat(),
    );
    assert_eq!(records.len(), 4 * 2 * 2);
    for record in &records {
        assert_eq!(record["elements"], 500 * 600);
        assert_eq!(record["size"], "500 x 600");
        let note = record["note"].as_str().unwrap_or_default();
        assert!(note.contains("pairs/s") && note.contains("axis"), "{note}");
    }
}

#[test]
fn paper_benchmark_has_the_columns_of_the_published_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let records = bench(
        folder.path(),
        &["paper", "--sizes", "32", "--sample", "2^18"],
    );
    let methods = |measure: &str| -> Vec<&str> {
        let is = |record: &&Value| record["measure"] == measure;
        let all = records.iter().filter(is);
        all.map(|record| record["method"].as_str().unwrap_or_default())
            .collect()
    };
    assert_eq!(methods("serial"), ["simple"]);
    assert_eq!(
        methods("table 2"),
        ["simple", "constant", "shared", "tuned"]
    );
    let note = records[1]["note"].as_str().unwrap_or_default();
    assert!(note.contains("(5.0x, 5.3x), extrapolated from"), "{note}");
}
