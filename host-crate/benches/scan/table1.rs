//! Table 1 of Yoshikawa and Yoshida (exclusive scan of `u32`, host to host), with the results of
//! this run.

use measure::Record;

/// Name of the measurement in the records.
pub const MEASURE: &str = "host to host";
/// Numbers of elements in the table.
pub const SIZES: [(&str, usize); 2] = [("128^3", 2_097_152), ("10*128^3", 20_971_520)];
/// Results of Yoshikawa and Yoshida in milliseconds: number of devices (Tesla K80 boards have two),
/// then each size.
const PUBLISHED_TIMES: [(usize, [f64; 2]); 3] =
    [(1, [3.44, 34.24]), (2, [3.08, 20.36]), (4, [3.50, 12.09])];

/// Formats the table: the rows of Yoshikawa and Yoshida, then one row per configuration for which
/// this run measured both sizes.
pub fn table(records: &[Record]) -> String {
    let mut lines = vec![
        String::new(),
        "Table 1 of Yoshikawa and Yoshida: exclusive scan of u32, host to host, median ms"
            .to_owned(),
        format!("{:<52} {:>12} {:>12}", "", SIZES[0].0, SIZES[1].0),
    ];
    for (devices, times) in PUBLISHED_TIMES {
        let s = if devices == 1 { "" } else { "s" };
        let name = format!("Yoshikawa and Yoshida, {devices} Tesla K80 device{s}");
        lines.push(format!("{name:<52} {:>12.2} {:>12.2}", times[0], times[1]));
    }
    let mut rows: Vec<(String, [Option<f64>; 2])> = Vec::new();
    for record in records.iter().filter(|record| record.measure == MEASURE) {
        let Some(column) = SIZES
            .iter()
            .position(|size| size.1 as u64 == record.elements)
        else {
            continue;
        };
        let devices = record.device.split('+').count();
        let s = if devices == 1 { "" } else { "s" };
        let name = format!(
            "{}, {devices} device{s} ({}), {}",
            record.system, record.device, record.method
        );
        let at = rows
            .iter()
            .position(|row| row.0 == name)
            .unwrap_or_else(|| {
                rows.push((name, [None; 2]));
                rows.len() - 1
            });
        rows[at].1[column] = record.median_ms;
    }
    for (name, times) in rows {
        let [first, second] =
            times.map(|ms| ms.map_or("absent".to_owned(), |ms| format!("{ms:.2}")));
        lines.push(format!("{name:<52} {first:>12} {second:>12}"));
    }
    lines.join("\n")
}
