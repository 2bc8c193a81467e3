//! Prints the summary.

use ferrovox_tests::golden::{Comparison, Entry};
use std::time::Duration;

/// Prints the number of outputs and cases, and the time.
pub fn summary(outputs: usize, cases: usize, time: Duration) {
    println!(
        "{outputs} outputs of {cases} cases in {:.1} s",
        time.as_secs_f64()
    );
}

/// Prints the failed cases.
pub fn failures(failures: &[String]) {
    for failure in failures {
        println!("FAILED        {failure}");
    }
}

/// Prints the differences, and returns whether there are none.
pub fn comparison(comparison: &Comparison) -> bool {
    let print_entries = |status: &str, entries: &[Entry]| {
        for (case, output) in entries {
            println!("{status:<13} {case} {output}");
        }
    };
    print_entries("not recorded", &comparison.unknown);
    print_entries("MISSING", &comparison.missing);
    print_entries("CHANGED", &comparison.changed);
    println!(
        "{} unchanged, {} changed, {} missing, {} not recorded",
        comparison.unchanged,
        comparison.changed.len(),
        comparison.missing.len(),
        comparison.unknown.len()
    );
    comparison.changed.is_empty() && comparison.missing.is_empty()
}
