//! Tests of `ferrovox occupancy`.

use crate::support::Folder;
use serde_json::{Value, json};

/// Runs the command and returns its JSON object.
fn report_for(args: &str) -> Value {
    Folder::new()
        .run(&format!("occupancy {args} --json"))
        .ok()
        .json()
}

/// Returns the names of the limiting resources.
fn limiters(report: &Value) -> Vec<&str> {
    let limiters = report["limiters"].as_array().unwrap().iter();
    limiters
        .map(|limiter| limiter["name"].as_str().unwrap())
        .collect()
}

#[test]
fn known_corner_cases_are_exact() {
    for (args, blocks, warps, occupancy, limited_by) in [
        (
            "--cc 8.0 --regs 92 --block 224",
            2,
            14,
            0.21875,
            &["registers"][..],
        ),
        (
            "--cc 8.6 --regs 16 --block 128 --dynamic 51200",
            1,
            4,
            4.0 / 48.0,
            &["shared_memory"],
        ),
        (
            "--cc 9.0 --regs 32 --block 64",
            32,
            64,
            1.0,
            &["warps", "blocks", "registers"],
        ),
        (
            "--cc 9.0 --regs 33 --block 1024",
            1,
            32,
            0.5,
            &["registers"],
        ),
        (
            "--cc 9.0 --regs 92 --smem 0 --block 224",
            2,
            14,
            0.21875,
            &["registers"],
        ),
        (
            "--cc 12.0 --regs 32 --block 32",
            24,
            24,
            0.5,
            &["blocks", "barriers"],
        ),
    ] {
        let report = report_for(args);
        assert_eq!(report["active_blocks"], blocks, "{args}");
        assert_eq!(report["active_warps"], warps, "{args}");
        assert_eq!(report["occupancy"], json!(occupancy), "{args}");
        assert_eq!(limiters(&report), limited_by, "{args}");
        assert_eq!(report["waves"], Value::Null, "{args}");
    }
}

#[test]
fn slack_of_a_limiter_is_reported() {
    let report = report_for("--cc 9.0 --regs 43 --block 256");
    let registers = &report["limiters"][0];
    assert_eq!(
        (&registers["name"], &registers["blocks"]),
        (&json!("registers"), &json!(5))
    );
    let slack = &registers["slack"];
    assert_eq!(slack["spare"], 5);
    assert_eq!(
        (&slack["reduction"], &slack["reduced_to"]),
        (&json!(3), &json!(40))
    );
    assert_eq!(slack["active_blocks_after"], 6);
    assert_eq!(report["resources"].as_array().unwrap().len(), 5);
    let text = Folder::new()
        .run("occupancy --cc 9.0 --regs 43 --block 256")
        .ok()
        .stdout;
    assert!(
        text.contains("3 fewer (40) for 6 blocks; 5 to spare"),
        "{text}"
    );
}

#[test]
fn percentages_of_zhao_et_al_are_reproduced() {
    for (args, percent) in [
        ("--regs 16 --block 192", 93.75),
        ("--regs 16 --block 193", 87.5),
        ("--regs 16 --block 320", 93.75),
        ("--regs 16 --block 321", 68.75),
        ("--regs 42 --smem 1548 --block 192 --model paper", 37.5),
    ] {
        let report = report_for(&format!("{args} --device FX-5800"));
        assert_eq!(report["occupancy"], json!(percent / 100.0), "{args}");
    }
    let gtx = Folder::new()
        .command(&["occupancy", "--device", "GTX 580", "--regs", "42"])
        .output()
        .unwrap();
    let text = String::from_utf8(gtx.stdout).unwrap();
    assert!(
        text.contains("GTX 580, capability 2.0, 16 multiprocessors"),
        "{text}"
    );
}

#[test]
fn a_grid_is_divided_into_waves() {
    let report = report_for("--device H200 --regs 92 --block 224 --grid 1000");
    assert_eq!(
        (&report["waves"], &report["tail"]),
        (&json!(4), &json!(208))
    );
    assert_eq!(report["tail_fraction"], json!(208.0 / 264.0));
    let report = report_for("--cc 10.3 --multiprocessors 10 --regs 92 --block 224 --grid 40");
    assert_eq!((&report["waves"], &report["tail"]), (&json!(2), &json!(0)));
    // block counts beyond 32 bits
    let report = report_for("--cc 9.0 --multiprocessors 4294967295 --regs 32 --grid 40");
    assert_eq!(
        report["best_block"]["min_grid_size"],
        json!(2 * u64::from(u32::MAX))
    );
    assert_eq!(report["waves"], json!(1));
    Folder::new().refuses(
        "occupancy --cc 10.3 --regs 92 --grid 40",
        &["10.3", "--multiprocessors"],
    );
}

#[test]
fn the_best_block_size_is_the_default() {
    let report = report_for("--cc 9.0 --regs 40");
    assert_eq!(
        (&report["block"], &report["block_is_best"]),
        (&json!(768), &json!(true))
    );
    assert_eq!(report["best_block"]["active_blocks"], 2);
    // Two blocks of 113824 bytes. With 576 threads, two blocks would need 240448 bytes, more than
    // the 233472 available.
    let report = report_for("--cc 9.0 --regs 16 --dynamic 4000 --dynamic-per-thread 200");
    assert_eq!(report["block"], 544);
    assert_eq!(report["dynamic_shared_bytes"], 4000 + 200 * 544);
}

#[test]
fn curves_over_block_size_and_other_parameters() {
    let report = report_for("--cc 9.0 --regs 32 --all-blocks");
    let blocks = report["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 32);
    assert_eq!(
        (&blocks[1]["value"], &blocks[1]["active_blocks"]),
        (&json!(64), &json!(32))
    );
    let fine = report_for("--device FX-5800 --regs 16 --all-blocks --step 1");
    assert_eq!(fine["blocks"].as_array().unwrap().len(), 512);
    let over = |parameter: &str| {
        let report = report_for(&format!(
            "--cc 9.0 --regs 32 --block 256 --dynamic 7000 --over {parameter}"
        ));
        report["over"]["points"].as_array().unwrap().len()
    };
    // one point per change (8, 6, 5, … blocks); one point per configuration
    assert_eq!(
        (over("registers"), over("dynamic"), over("carveout")),
        (7, 8, 10)
    );
    let text = Folder::new()
        .run("occupancy --cc 9.0 --regs 32 --block 256 --all-blocks")
        .ok()
        .stdout;
    assert!(
        text.lines().any(|line| line.starts_with("    256* █")),
        "{text}"
    );
}

#[test]
fn carveout_is_a_percentage_or_bytes() {
    for (carveout, blocks, configuration) in [
        ("0%", 8, 8192),
        ("100%", 8, 233_472),
        ("3%", 8, 8192),
        ("16384", 8, 16_384),
    ] {
        let report = report_for(&format!(
            "--cc 9.0 --regs 32 --block 256 --carveout {carveout}"
        ));
        assert_eq!(report["active_blocks"], blocks, "{carveout}");
        assert_eq!(
            report["shared_configuration_bytes"], configuration,
            "{carveout}"
        );
    }
    let report = report_for("--cc 9.0 --regs 32 --block 256 --dynamic 9000 --carveout 0%");
    assert_eq!(
        (
            &report["active_blocks"],
            &report["shared_configuration_bytes"]
        ),
        (&json!(1), &json!(16_384))
    );
}

#[test]
fn kernels_by_name_and_from_ptxas_output() {
    let report = report_for("--device H200 --kernel fill_sphere --explain");
    assert_eq!(
        (&report["kernel"], &report["assembled_for"]),
        (&json!("fill_sphere"), &json!("9.0"))
    );
    assert!(report["registers"].as_u64() > Some(0));
    assert!(report["explanation"].as_array().unwrap().len() >= 5);
    let report = report_for("--cc 12.0 --kernel fill_sphere");
    assert_eq!(
        report["warnings"].as_array().unwrap().len(),
        1,
        "{}",
        report["warnings"]
    );

    let folder = Folder::new();
    folder.file(
        "log",
        "ptxas info    : Compiling entry function 'field' for 'sm_90'\n\
         ptxas info    : Function properties for field\n    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
         ptxas info    : Used 42 registers, used 1 barriers, 1548 bytes smem, 400 bytes cmem[0]\n",
    );
    let report = folder
        .run("occupancy --cc 9.0 --ptxas log --block 192 --json")
        .ok()
        .json();
    assert_eq!(
        (&report["registers"], &report["static_shared_bytes"]),
        (&json!(42), &json!(1548))
    );
    assert_eq!(report["spill_bytes"], 12);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
    folder.refuses(
        "occupancy --cc 9.0 --ptxas log --kernel feild",
        &["feild", "field"],
    );
    folder.refuses("occupancy --cc 9.0 --ptxas none", &["none"]);
    folder.file("empty", "");
    folder.refuses("occupancy --cc 9.0 --ptxas empty", &["empty", "ptxas -v"]);
}

#[test]
fn invalid_requests_are_errors() {
    let folder = Folder::new();
    for (args, facts) in [
        ("--cc 9.9 --regs 32", &["9.9", "9.0 and 10.0"][..]),
        ("--cc 13.0 --regs 32", &["13.0", "12.1"]),
        ("--cc 9.0 --regs 32 --block 0", &["0 threads", "1024"]),
        ("--cc 9.0 --regs 32 --block 1025", &["1025", "1024"]),
        ("--cc 1.3 --regs 32 --block 513", &["513", "512"]),
        ("--cc 9.0 --regs 256", &["256", "255"]),
        ("--cc 2.0 --regs 64", &["64", "63"]),
        ("--cc 1.0 --regs 125", &["125", "124"]),
        ("--cc 9.0 --regs 32 --smem 232449", &["232449", "232448"]),
        (
            "--cc 9.0 --regs 32 --smem 1000 --dynamic 48153 --no-opt-in",
            &["49153", "49152", "232448"],
        ),
        (
            "--cc 9.0 --regs 32 --smem 4294967295 --dynamic 4294967295",
            &["8589934590"],
        ),
        ("--cc 9.0 --regs 32 --barriers 17", &["17", "16"]),
        ("--cc 9.0 --regs 32 --carveout 101%", &["101 percent"]),
        (
            "--cc 9.0 --kernel fill_spere",
            &["fill_spere", "did you mean fill_sphere"],
        ),
        ("--device GTX-590 --regs 32", &["GTX-590", "GTX 580"]),
        ("--device cpu --regs 32", &["CPU", "--cc"]),
        ("--device cuda:99 --regs 32", &["cuda:99"]),
    ] {
        folder.refuses(&format!("occupancy {args}"), facts);
    }
}

#[test]
fn occupancy_is_zero_if_no_block_can_run() {
    let report = report_for("--cc 9.0 --regs 100 --block 1024");
    assert_eq!(
        (&report["active_blocks"], &report["occupancy"]),
        (&json!(0), &json!(0.0))
    );
    assert_eq!(limiters(&report), ["registers"]);
    assert_eq!(report["limiters"][0]["slack"]["reduced_to"], 64);
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(report["waves"], Value::Null);
}
