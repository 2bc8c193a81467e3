//! Text of labels in messages.

/// Formats a label with all its digits. `Display` of `f64` replaces digits by zeros beyond 2^53.
pub(crate) fn format_label(label: f64) -> String {
    if label.fract() == 0.0 {
        format!("{label:.0}")
    } else {
        label.to_string()
    }
}
