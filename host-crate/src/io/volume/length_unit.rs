//! Units of length in the metadata of images.

/// Names of units with their length in millimetres.
const UNITS: [(&[&str], f64); 9] = [
    (&["pm", "picometer"], 1e-9),
    (&["Å", "Å", "angstrom"], 1e-7),
    (&["nm", "nanometer"], 1e-6),
    // with the micro sign, and with the Greek letter
    (&["µm", "μm", "um", "micron", "microns", "micrometer"], 1e-3),
    (&["mm", "millimeter"], 1.0),
    (&["cm", "centimeter"], 10.0),
    (&["in", "inch", "\""], 25.4),
    (&["m", "meter"], 1e3),
    (&["km", "kilometer"], 1e6),
];

/// Returns the length of a unit in millimetres; `None` for an unknown one.
fn millimetres(unit: &str) -> Option<f64> {
    let found = UNITS.iter().find(|(names, _)| names.contains(&unit));
    found.map(|(_, length)| *length)
}

/// Converts the lengths along x, y and z to the unit of the first. A missing unit is that of the
/// first.
///
/// # Errors
/// A description of units that differ and are not known.
pub(super) fn convert_to_first_unit(
    lengths: [Option<f64>; 3],
    units: [Option<String>; 3],
) -> Result<[Option<f64>; 3], String> {
    let mut converted = lengths;
    let Some(first) = &units[0] else {
        return Ok(converted);
    };
    for (length, unit) in converted.iter_mut().zip(&units) {
        let (Some(length), Some(unit)) = (length, unit) else {
            continue;
        };
        if unit == first {
            continue;
        }
        let (Some(from), Some(to)) = (millimetres(unit), millimetres(first)) else {
            return Err(format!(
                "lengths are stated in {first:?} and in {unit:?}; use one unit, or remove both and \
                 pass --spacing"
            ));
        };
        *length *= from / to;
    }
    Ok(converted)
}

#[cfg(test)]
mod tests {
    use super::convert_to_first_unit;

    #[test]
    fn known_units_are_converted() {
        let units = |names: [&str; 3]| names.map(|name| Some(name.to_owned()));
        let lengths = [Some(2.0), Some(3.0), None];
        let same = convert_to_first_unit(lengths, units(["smoot", "smoot", "mm"]));
        assert_eq!(same.unwrap(), lengths);
        let found = convert_to_first_unit(lengths, units(["nm", "micrometer", "smoot"]));
        assert!((found.unwrap()[1].unwrap() - 3000.0).abs() < 1e-9);
        assert!(convert_to_first_unit(lengths, units(["mm", "smoot", "mm"])).is_err());
        let missing = [None, Some("mm".to_owned()), None];
        assert_eq!(convert_to_first_unit(lengths, missing).unwrap(), lengths);
    }
}
