//! Command-line arguments of the scan benchmark.

use crate::{support::Outcome, table1::SIZES};
use clap::Parser;
use ferrovox::scan::ScanMethod;
use measure::{Common, options::parse_elements};

/// Measures exclusive scans.
#[derive(Parser)]
#[command(name = "ferrovox-scan")]
pub struct Arguments {
    /// Numbers of elements such as 1000, 2^28, 10*128^3 [default: 128^3 10*128^3 2^24, and on a GPU
    /// 2^26 2^28]
    #[arg(value_name = "SIZE")]
    sizes: Vec<String>,
    /// Numbers of elements, as a list
    #[arg(long = "sizes", value_name = "SIZE", value_delimiter = ',')]
    size_list: Vec<String>,
    /// Element types: u32, i32, u64, i64, f32, f64; sums into wider types: u8:u32, u16:u32, u8:u64,
    /// u16:u64, u32:u64; or all
    #[arg(
        long,
        value_name = "TYPE",
        value_delimiter = ',',
        default_value = "u32"
    )]
    types: Vec<String>,
    /// Operators: sum, and, for types that are not widened, max
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "sum", value_parser = ["sum", "max"])]
    pub operators: Vec<String>,
    /// Methods on one device: single-pass, three-pass (sums of integers), all
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = ScanMethod::default().name())]
    method: Vec<String>,
    /// Omit table 1 of Yoshikawa and Yoshida (host to host)
    #[arg(long)]
    pub no_table: bool,
    /// Sizes for host to host, in addition to those of the table
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    host_sizes: Vec<String>,
    /// Elements per chunk for host to host, if the method uses chunks [default: chosen by the
    /// library]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = parse_elements)]
    pub chunk: Vec<u64>,
    #[command(flatten)]
    pub common: Common,
}

/// A number of elements, with its label on the command line.
#[derive(Clone)]
pub struct Size {
    pub label: String,
    pub elements: usize,
}

/// All element types, by their names in records.
const TYPES: [&str; 11] = [
    "u32", "i32", "u64", "i64", "f32", "f64", "u8:u32", "u16:u32", "u8:u64", "u16:u64", "u32:u64",
];

/// All methods.
const METHODS: [ScanMethod; 2] = [ScanMethod::SinglePass, ScanMethod::ThreePass];

impl Size {
    fn parse(label: &str) -> Outcome<Self> {
        Ok(Self {
            label: label.to_owned(),
            elements: parse_elements(label)?.try_into()?,
        })
    }
}

impl Arguments {
    /// Returns the requested sizes, or defaults for the kind of device.
    pub fn sizes(&self, gpu: bool) -> Outcome<Vec<Size>> {
        let named: Vec<&str> = self
            .sizes
            .iter()
            .chain(&self.size_list)
            .map(String::as_str)
            .collect();
        let labels = match (&named[..], gpu) {
            ([], true) => &["128^3", "10*128^3", "2^24", "2^26", "2^28"],
            ([], false) => &["128^3", "10*128^3", "2^24"][..],
            (named, _) => named,
        };
        labels.iter().map(|label| Size::parse(label)).collect()
    }

    /// Returns the requested types.
    pub fn types(&self) -> Outcome<Vec<&'static str>> {
        if self.types.iter().any(|name| name == "all") {
            return Ok(TYPES.to_vec());
        }
        let find = |name: &String| {
            let found = TYPES.into_iter().find(|one| one == name);
            let known = TYPES.join(", ");
            found.ok_or_else(|| format!("unknown element type {name:?}; use {known} or all").into())
        };
        self.types.iter().map(find).collect()
    }

    /// Returns the requested methods.
    pub fn methods(&self) -> Outcome<Vec<ScanMethod>> {
        if self.method.iter().any(|name| name == "all") {
            return Ok(METHODS.to_vec());
        }
        let find = |name: &String| {
            let found = METHODS.into_iter().find(|method| method.name() == name);
            let known = METHODS.map(ScanMethod::name).join(", ");
            found.ok_or_else(|| format!("unknown method {name:?}; use {known} or all").into())
        };
        self.method.iter().map(find).collect()
    }

    /// Returns the sizes for host to host: those of the table, and the requested ones.
    pub fn host_sizes(&self) -> Outcome<Vec<Size>> {
        let table = SIZES.map(|(label, elements)| {
            Ok(Size {
                label: label.to_owned(),
                elements,
            })
        });
        let named = self.host_sizes.iter().map(|label| Size::parse(label));
        table.into_iter().chain(named).collect()
    }
}
