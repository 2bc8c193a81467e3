//! Formatting of numbers for reports.

/// Formats a number with six significant digits, without trailing zeros. Integers are printed
/// completely, and zero has no sign.
pub fn format_number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if x.fract() == 0.0 && x.abs() < 1e15 {
        return format!("{x:.0}");
    }
    let rounded = format!("{x:.5e}");
    let Some((digits, exponent)) = rounded.split_once('e') else {
        return rounded; // infinite or NaN
    };
    let without_zeros = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    match exponent.parse::<usize>() {
        Ok(exponent @ 0..15) => without_zeros(&format!("{x:.*}", 5_usize.saturating_sub(exponent))),
        _ if matches!(exponent, "-1" | "-2" | "-3" | "-4") => {
            let before: usize = exponent[1..].parse().unwrap_or(0);
            without_zeros(&format!("{x:.*}", 5 + before))
        }
        _ => format!("{}e{exponent}", without_zeros(digits)),
    }
}

/// Formats a count and its noun, which is in the plural unless the count is 1.
pub fn format_count(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Formats dims for messages: `3 x 4 x 5`.
pub fn format_dims(dims: [usize; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}
