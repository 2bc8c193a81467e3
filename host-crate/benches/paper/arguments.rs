//! Arguments of the benchmark.

use crate::{document, support::Outcome};
use clap::Parser;
use measure::Common;

/// Reproduce table 2 of Zhao et al. (2016) on this machine: the force field of a human phantom, by
/// the methods of the paper
#[derive(Parser)]
#[command(name = "ferrovox-paper")]
pub struct Arguments {
    /// Volumes of the table, by width: 16, 32, 64, 128, 256
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_value = "16,32,64,128,256"
    )]
    sizes: Vec<usize>,
    /// Maximum number of (source, target) pairs on a CPU; beyond it, times are extrapolated
    #[arg(long, value_name = "N", default_value = "2^28", value_parser = measure::options::parse_elements)]
    pub sample: u64,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    /// Returns the requested rows.
    ///
    /// # Errors
    /// A width that is not in the table.
    pub fn rows(&self) -> Outcome<Vec<&'static document::Row>> {
        let row = |&width: &usize| {
            let found = document::TABLE.iter().find(|row| row.width == width);
            found.ok_or_else(|| {
                format!("table 2 has no volume of width {width}; choose from 16, 32, 64, 128, 256")
                    .into()
            })
        };
        self.sizes.iter().map(row).collect()
    }
}
