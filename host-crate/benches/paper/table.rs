//! Text form of the table.

use crate::document::Row;
use ferrovox::skeleton::potential_field::FieldVariant;

/// Measurements of a row, in seconds.
pub struct MeasuredRow {
    pub row: &'static Row,
    /// Number of surface voxels of the phantom.
    pub points: u64,
    /// Time on one thread of the CPU.
    pub serial: Time,
    /// Times on the device, in column order.
    pub times: Vec<Time>,
}

/// Time in seconds.
#[derive(Clone, Copy)]
pub struct Time {
    pub seconds: f64,
    pub is_extrapolated: bool,
}

/// Columns of the table: the three variants of Zhao et al. (2016), and one more.
pub const COLUMNS: [FieldVariant; 4] = [
    FieldVariant::Simple,
    FieldVariant::Constant,
    FieldVariant::Shared,
    FieldVariant::Tuned,
];

/// Returns the table of one device.
pub fn table(device: &str, rows: &[MeasuredRow]) -> String {
    let mut lines = vec![
        String::new(),
        format!("Table 2 of Zhao et al. (2016), on {device}: the phantom's force field, m = 2, f32"),
        "Serial: the simple kernel on one thread of the CPU. Then seconds, and the speed-up over serial; in brackets the values of Zhao et al. (2016)".into(),
        "(serial: Xeon X5680; GTX 580, FX 5800). ~: extrapolated from a part.".into(),
        format!(
            "{:<12} {:>17} {:>20}  {}",
            "volume",
            "surface voxels",
            "serial s",
            COLUMNS.map(|column| format!("{:<30}", column.name())).concat().trim_end()
        ),
    ];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

fn line(measured: &MeasuredRow) -> String {
    let row = measured.row;
    let serial = measured.serial;
    let columns = measured.times.iter().enumerate().map(|(k, time)| {
        let speed_up = serial.seconds / time.seconds;
        let column = format!(
            "{} {speed_up:.1}x{}",
            text(*time),
            published_speed_ups(row, k)
        );
        format!("{column:<30}")
    });
    let columns: String = columns.collect();
    format!(
        "{:<12} {:>17} {:>20}  {}",
        format!("{0}x{0}x487", row.width),
        format!("{} ({})", measured.points, row.points),
        format!("{} ({:.1})", text(serial), row.serial),
        columns.trim_end()
    )
}

/// Returns the speed-ups of Zhao et al. (2016), if the paper has the column.
pub fn published_speed_ups(row: &Row, column: usize) -> String {
    let entry = |columns: &[f64; 3]| columns.get(column).copied();
    match (entry(&row.speed_up.gtx_580), entry(&row.speed_up.fx_5800)) {
        (Some(gtx), Some(fx)) => format!(" ({gtx:.1}x, {fx:.1}x)"),
        _ => String::new(),
    }
}

fn text(time: Time) -> String {
    let mark = if time.is_extrapolated { "~" } else { "" };
    match time.seconds {
        seconds if seconds < 0.1 => format!("{mark}{seconds:.5}"),
        seconds if seconds < 10.0 => format!("{mark}{seconds:.3}"),
        seconds => format!("{mark}{seconds:.1}"),
    }
}
