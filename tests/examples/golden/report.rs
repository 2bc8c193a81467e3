//! What is printed in the end.

use ferrovox_tests::golden::{Comparison, Entry};
use std::time::Duration;

/// How much was done in what time.
pub fn time(outputs: usize, cases: usize, time: Duration) {
    println!(
        "{outputs} outputs of {cases} cases in {:.1} s",
        time.as_secs_f64()
    );
}

/// The cases that failed.
pub fn failures(failures: &[String]) {
    for failure in failures {
        println!("FAILED        {failure}");
    }
}

/// What is different; whether nothing is.
pub fn comparison(comparison: &Comparison) -> bool {
    let tell = |what: &str, entries: &[Entry]| {
        for (case, output) in entries {
            println!("{what:<13} {case} {output}");
        }
    };
    tell("not recorded", &comparison.unknown);
    tell("NOT MADE", &comparison.missing);
    tell("CHANGED", &comparison.changed);
    println!(
        "{} as recorded, {} changed, {} not made, {} not recorded",
        comparison.same,
        comparison.changed.len(),
        comparison.missing.len(),
        comparison.unknown.len()
    );
    comparison.changed.is_empty() && comparison.missing.is_empty()
}
