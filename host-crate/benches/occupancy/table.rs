//! CSV and JSON output: `sweep-LABEL.csv` has one row per configuration, `sweep-LABEL.json` the
//! same data and the conclusions.

use crate::{
    support::Outcome,
    sweep::{Point, Sweep},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Text of an unknown number.
pub const UNKNOWN: &str = "unknown";

const COLUMNS: &str = "kernel,device,workload,over,value,threads,blocks,registers,dynamic_shared_bytes,active_blocks,occupancy,limiters,median_ms,min_ms,max_ms,runs,absent";

/// Writes both files and returns their paths.
pub fn write(folder: &Path, label: &str, sweeps: &[Sweep]) -> Outcome<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut table = format!("{COLUMNS}\n");
    for sweep in sweeps {
        for point in &sweep.points {
            table += &csv_row(sweep, point);
        }
    }
    let all: Vec<Value> = sweeps.iter().map(sweep_json).collect();
    let text = serde_json::to_string_pretty(&json!({ "sweeps": all }))? + "\n";
    let mut paths = Vec::new();
    for (extension, text) in [("csv", table), ("json", text)] {
        let path = folder.join(format!("sweep-{label}.{extension}"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}

/// Formats a number, or [`UNKNOWN`].
pub fn or_unknown(number: Option<impl ToString>) -> String {
    number.map_or(UNKNOWN.to_owned(), |number| number.to_string())
}

fn csv_row(sweep: &Sweep, point: &Point) -> String {
    let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let time = point.time.as_ref().ok();
    let cells = [
        sweep.kernel.clone(),
        sweep.device.clone(),
        sweep.workload.clone(),
        sweep.over.name().to_owned(),
        point.value.to_string(),
        point.threads.to_string(),
        point.blocks.to_string(),
        or_unknown(point.registers),
        point.dynamic_shared_bytes.to_string(),
        or_unknown(point.active_blocks),
        or_unknown(point.occupancy),
        match point.occupancy {
            Some(_) => point.limiters.join("+"),
            None => UNKNOWN.to_owned(),
        },
        number(time.map(|it| it.median_ms)),
        number(time.map(|it| it.min_ms)),
        number(time.map(|it| it.max_ms)),
        time.map_or(String::new(), |it| it.runs.to_string()),
        point.time.as_ref().err().cloned().unwrap_or_default(),
    ];
    let quoted = |cell: &String| {
        if cell.contains([',', '"', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn sweep_json(sweep: &Sweep) -> Value {
    let point = |point: &Point| {
        let time = point.time.as_ref().ok();
        json!({
            "value": point.value,
            "threads": point.threads,
            "blocks": point.blocks,
            "registers": point.registers,
            "dynamic_shared_bytes": point.dynamic_shared_bytes,
            "active_blocks": point.active_blocks,
            "occupancy": point.occupancy,
            "limiters": point.limiters,
            "median_ms": time.map(|it| it.median_ms),
            "min_ms": time.map(|it| it.min_ms),
            "max_ms": time.map(|it| it.max_ms),
            "runs": time.map(|it| it.runs),
            "absent": point.time.as_ref().err(),
        })
    };
    json!({
        "kernel": sweep.kernel,
        "device": sweep.device,
        "device_name": sweep.device_name,
        "occupancy_device": sweep.input.device,
        "workload": sweep.workload,
        "over": sweep.over,
        "calculator_block": sweep.chosen.map(|chosen| chosen.0),
        "fastest": sweep.fastest().map(|(point, _)| point.value),
        "rank_correlation": sweep.rank_correlation(),
        "conclusion": sweep.conclusion(),
        "points": sweep.points.iter().map(point).collect::<Vec<_>>(),
    })
}
