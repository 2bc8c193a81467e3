//! Results of the cases.

/// Result of one case with one block size.
pub enum Outcome {
    /// The device computed the expected result.
    Passed,
    /// The result differs or the launch failed; describes the difference or the driver's error.
    Failed(String),
    /// The device cannot launch blocks of this size with this kernel.
    Skipped {
        /// Maximum number of threads per block.
        limit: u32,
    },
}

/// Number of cases by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
}

impl Tally {
    /// Counts one result. Cases that did not pass are printed under the name `what`.
    pub fn count(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(why) => {
                self.failed += 1;
                println!("{what}: FAILED: {why}");
            }
            Outcome::Skipped { limit } => {
                self.skipped += 1;
                println!("{what}: left out, the kernel's registers allow {limit} threads at most");
            }
        }
    }

    /// Prints the totals; the last line is `N passed, N failed`.
    pub fn print(&self) {
        if self.skipped > 0 {
            println!("{} left out", self.skipped);
        }
        println!("{} passed, {} failed", self.passed, self.failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_counted_once() {
        let mut tally = Tally::default();
        tally.count("a", Outcome::Passed);
        tally.count("b", Outcome::Passed);
        tally.count("c", Outcome::Failed("1 instead of 2".to_owned()));
        tally.count("d", Outcome::Skipped { limit: 640 });
        let want = Tally {
            passed: 2,
            failed: 1,
            skipped: 1,
        };
        assert_eq!(tally, want);
    }
}
