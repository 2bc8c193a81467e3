//! Command-line options common to all benchmarks.

use std::path::PathBuf;

/// Command-line options common to all benchmarks, to be flattened into a benchmark's own.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Devices to measure, one after another: cpu, cuda, cuda:1 [default: all available devices]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub device: Vec<String>,
    /// Number of measured runs, after one warm-up run
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = positive)]
    pub runs: usize,
    /// Also measure other systems, if installed: all, or a list of names
    #[arg(long, value_name = "NAME", num_args = 0.., value_delimiter = ',', require_equals = true, default_missing_value = "all")]
    pub peers: Vec<String>,
    /// Directory of the other systems' scripts [default: next to this program, or in the
    /// repository]
    #[arg(long, value_name = "DIR")]
    pub peers_dir: Option<PathBuf>,
    /// Python interpreter for these scripts
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: PathBuf,
    /// Compiler for CUDA C++ [default: nvcc, then /usr/local/cuda/bin/nvcc]
    #[arg(long, value_name = "PROGRAM")]
    pub nvcc: Option<PathBuf>,
    /// Time limit for each script, in seconds
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub peer_seconds: u64,
    /// Directory for the records, written as SUBJECT-LABEL.csv and SUBJECT-LABEL.json
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
    /// Label of this run in file names [default: date and time]
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// Print each record as a line of JSON, and the table on standard error
    #[arg(long)]
    pub json: bool,
    /// Passed by `cargo bench`; has no effect
    #[arg(long, hide = true)]
    pub bench: bool,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one run is required".into()),
        Ok(runs) => Ok(runs),
        Err(error) => Err(format!("{text:?}: {error}")),
    }
}

/// Parses a number of elements: `1000`, `2^28`, `128^3`, `10*128^3`.
///
/// # Errors
/// A message that quotes the text if it is malformed or the number exceeds 64 bits.
pub fn parse_elements(text: &str) -> Result<u64, String> {
    let number = |part: &str| {
        part.parse::<u64>().map_err(|error| {
            format!("{text:?} is not a number of elements; write it like 1000, 2^28 or 10*128^3: {error}")
        })
    };
    let large = || format!("{text:?} exceeds 2^64 elements");
    text.split('*').try_fold(1u64, |product, factor| {
        let power = match factor.split_once('^') {
            None => number(factor)?,
            Some((base, exponent)) => {
                let exponent = u32::try_from(number(exponent)?).map_err(|_| large())?;
                number(base)?.checked_pow(exponent).ok_or_else(large)?
            }
        };
        product.checked_mul(power).ok_or_else(large)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        size: Vec<u32>,
        #[command(flatten)]
        common: Common,
    }

    fn peers(arguments: &[&str]) -> (Vec<u32>, Vec<String>) {
        let all = ["bench"].iter().chain(arguments);
        let parsed = Arguments::try_parse_from(all).unwrap();
        (parsed.size, parsed.common.peers)
    }

    #[test]
    fn peers_accepts_none_all_or_a_list() {
        assert_eq!(peers(&["128"]), (vec![128], vec![]));
        assert_eq!(peers(&["--peers", "128"]), (vec![128], vec!["all".into()]));
        let some = vec!["warp".to_owned(), "vtk".to_owned()];
        assert_eq!(
            peers(&["--bench", "--peers=warp,vtk", "128"]),
            (vec![128], some)
        );
    }

    #[test]
    fn element_counts_are_numbers_powers_and_products() {
        assert_eq!(parse_elements("1000"), Ok(1000));
        assert_eq!(parse_elements("2^28"), Ok(1 << 28));
        assert_eq!(parse_elements("10*128^3"), Ok(20_971_520));
        assert_eq!(parse_elements("0"), Ok(0));
        for bad in ["", "2^", "x", "-1", "2^64", "2^63*3", "2^4294967296", "3.5"] {
            assert!(parse_elements(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn zero_runs_are_an_error() {
        assert!(Arguments::try_parse_from(["bench", "--runs", "0"]).is_err());
    }
}
