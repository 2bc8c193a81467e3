//! What became of the cases.

/// What became of one case with one block size.
pub enum Outcome {
    /// The device computed what it must.
    Passed,
    /// It did not, or could not; what differs or what the driver said.
    Failed(String),
    /// The device cannot launch blocks of so many threads of this kernel.
    LeftOut {
        /// Most threads of a block that it can.
        limit: u32,
    },
}

/// How many of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u32,
    pub failed: u32,
    pub left_out: u32,
}

impl Tally {
    /// Counts one outcome. Those that did not pass are printed under the name `what`.
    pub fn count(&mut self, what: &str, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(why) => {
                self.failed += 1;
                println!("{what}: FAILED: {why}");
            }
            Outcome::LeftOut { limit } => {
                self.left_out += 1;
                println!("{what}: left out, the kernel's registers allow {limit} threads at most");
            }
        }
    }

    /// Prints the totals; the last line is `N passed, N failed`.
    pub fn print(&self) {
        if self.left_out > 0 {
            println!("{} left out", self.left_out);
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
        tally.count("d", Outcome::LeftOut { limit: 640 });
        let want = Tally {
            passed: 2,
            failed: 1,
            left_out: 1,
        };
        assert_eq!(tally, want);
    }
}
