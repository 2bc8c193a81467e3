//! UTC date and time for file names, without a date library.

use std::time::{SystemTime, UNIX_EPOCH};

/// Formats a time in UTC for use in a file name: `2026-11-22-021530`.
pub fn utc_label(moment: SystemTime) -> String {
    let seconds = moment
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}-{hour:02}{minute:02}{second:02}")
}

/// Converts days since 1 January 1970 to year, month and day.
fn civil_date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_formatted_in_utc() {
        let label = |seconds| utc_label(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(label(0), "1970-01-01-000000");
        assert_eq!(label(951_782_400), "2000-02-29-000000");
        assert_eq!(label(1_000_000_000), "2001-09-09-014640");
        assert_eq!(label(4_107_542_400), "2100-03-01-000000");
        assert_eq!(label(1_798_761_599), "2026-12-31-235959");
    }
}
