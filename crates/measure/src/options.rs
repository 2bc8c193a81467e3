//! Options that all benches have.

use std::path::PathBuf;

/// Options that all benches have, to be flattened into a bench's own.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Devices to measure, one after the other: cpu, cuda, cuda:1 [default: all that answer]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub device: Vec<String>,
    /// Runs of each measurement, after one to warm up
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = positive)]
    pub runs: usize,
    /// Run other systems too, where they are present: all, or those named
    #[arg(long, value_name = "NAME", num_args = 0.., value_delimiter = ',', require_equals = true, default_missing_value = "all")]
    pub peers: Vec<String>,
    /// Where the other systems' scripts are [default: beside this program, or in the repository]
    #[arg(long, value_name = "DIR")]
    pub peers_dir: Option<PathBuf>,
    /// The Python that runs them
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: PathBuf,
    /// The compiler for CUDA C++ [default: nvcc, or that of /usr/local/cuda]
    #[arg(long, value_name = "PROGRAM")]
    pub nvcc: Option<PathBuf>,
    /// Seconds after which another system's script is stopped
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub peer_seconds: u64,
    /// Write the records there, as SUBJECT-LABEL.csv and .json
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
    /// A name for this run in the files' names [default: the date and time]
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// Print each record as a line of JSON; the table goes to the standard error
    #[arg(long)]
    pub json: bool,
    /// What cargo says to a bench
    #[arg(long, hide = true)]
    pub bench: bool,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one run is needed".into()),
        Ok(runs) => Ok(runs),
        Err(error) => Err(format!("{text:?}: {error}")),
    }
}

/// A number of elements: `1000`, `2^28`, `128^3`, `10*128^3`.
///
/// # Errors
/// What is wrong with the text.
pub fn elements(text: &str) -> Result<u64, String> {
    let number = |part: &str| {
        part.parse::<u64>().map_err(|error| {
            format!("{text:?} is no number of elements such as 1000, 2^28 or 10*128^3: {error}")
        })
    };
    let large = || format!("{text:?} is more than 2^64 elements");
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
    fn peers_are_none_all_or_some() {
        assert_eq!(peers(&["128"]), (vec![128], vec![]));
        assert_eq!(peers(&["--peers", "128"]), (vec![128], vec!["all".into()]));
        let some = vec!["warp".to_owned(), "vtk".to_owned()];
        assert_eq!(
            peers(&["--bench", "--peers=warp,vtk", "128"]),
            (vec![128], some)
        );
    }

    #[test]
    fn sizes_are_numbers_powers_and_products() {
        assert_eq!(elements("1000"), Ok(1000));
        assert_eq!(elements("2^28"), Ok(1 << 28));
        assert_eq!(elements("10*128^3"), Ok(20_971_520));
        assert_eq!(elements("0"), Ok(0));
        for bad in ["", "2^", "x", "-1", "2^64", "2^63*3", "2^4294967296", "3.5"] {
            assert!(elements(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_runs_are_refused() {
        assert!(Arguments::try_parse_from(["bench", "--runs", "0"]).is_err());
    }
}
