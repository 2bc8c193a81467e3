//! Table of distances.

use super::PointDistance;
use crate::io::Table;

/// Returns the table of distances.
pub(super) fn to_table(distances: &[PointDistance]) -> Table {
    let mut table = Table::new([
        "point",
        "x",
        "y",
        "z",
        "distance",
        "nearest_x",
        "nearest_y",
        "nearest_z",
        "side",
    ]);
    for (number, row) in distances.iter().enumerate() {
        let ([x, y, z], [a, b, c]) = (row.point, row.nearest);
        let side = if row.is_inside { "inside" } else { "outside" };
        table.add([
            number.into(),
            x.into(),
            y.into(),
            z.into(),
            row.distance.into(),
            a.into(),
            b.into(),
            c.into(),
            side.into(),
        ]);
    }
    table
}
