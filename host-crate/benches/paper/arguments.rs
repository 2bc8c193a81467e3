//! What is to be measured.

use crate::{document, support::Outcome};
use clap::Parser;
use measure::Common;

/// Makes table 2 of Zhao et al. (2016) on this machine: the force field of a phantom like a human,
/// in Zhao et al.'s (2016) ways.
#[derive(Parser)]
#[command(name = "ferrovox-paper")]
pub struct Arguments {
    /// The table's volumes, by their width: 16, 32, 64, 128, 256
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_value = "16,32,64,128,256"
    )]
    sizes: Vec<usize>,
    /// Pairs of a source and a target that a CPU makes; if there are more, the time for all is
    /// extrapolated
    #[arg(long, value_name = "N", default_value = "2^28", value_parser = measure::options::parse_elements)]
    pub sample: u64,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    /// The rows that are wanted.
    ///
    /// # Errors
    /// A width that the table has not.
    pub fn rows(&self) -> Outcome<Vec<&'static document::Row>> {
        let row = |&width: &usize| {
            let found = document::TABLE.iter().find(|row| row.width == width);
            found.ok_or_else(|| {
                format!("table 2 has no volume of width {width}; there are 16, 32, 64, 128, 256")
                    .into()
            })
        };
        self.sizes.iter().map(row).collect()
    }
}
