//! Command-line arguments.

use clap::{Parser, ValueEnum};
use measure::Common;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Measure kernels over block sizes, registers or shared memory
#[derive(Parser)]
#[command(name = "ferrovox-occupancy")]
pub struct Arguments {
    /// Entry points of kernels, or PIPELINE:all for all kernels of a pipeline, such as scan:all
    /// [default: the slowest kernel of each pipeline]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub kernel: Vec<String>,
    /// Pipeline in which kernels are measured [default: the first that launches them]
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Voxels along each axis [default: set by the pipeline]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=2048))]
    pub side: Option<u32>,
    /// Parameter to vary
    #[arg(long, value_enum, value_delimiter = ',', default_value = "blocks")]
    pub over: Vec<Over>,
    /// Step between block sizes, in threads; 1 as in figure 3 of Zhao et al. (2016)
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub step: u32,
    /// Explicit block sizes, overriding --step
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub blocks: Vec<u32>,
    /// Register limits per thread, for --over registers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [24, 32, 40, 48, 56, 64, 80, 96, 128, 168, 255])]
    pub registers: Vec<u32>,
    /// Additional, unused dynamic shared memory in bytes, for --over shared
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [0, 4096, 8192, 16_384, 24_576, 32_768, 49_152, 65_536, 98_304, 131_072, 196_608])]
    pub shared: Vec<u32>,
    /// GPU whose occupancy is reported for measurements on the CPU
    #[arg(long, alias = "model-of", value_name = "NAME", default_value = "H200")]
    pub occupancy_gpu: String,
    /// Read a sweep measured by another program, as lines of JSON, instead of measuring
    #[arg(long, value_name = "FILE")]
    pub measured: Option<PathBuf>,
    /// List the pipelines and exit
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Parameter of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Threads per block
    Blocks,
    /// Register limit per thread, at the calculator's block size
    Registers,
    /// Additional, unused shared memory, at the calculator's block size
    Shared,
}

impl Over {
    /// Returns the name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Over::Blocks => "blocks",
            Over::Registers => "registers",
            Over::Shared => "shared",
        }
    }

    /// Returns the label of the plot axis.
    pub fn axis(self) -> &'static str {
        match self {
            Over::Blocks => "threads per block",
            Over::Registers => "register limit per thread",
            Over::Shared => "unused dynamic shared memory per block, in bytes",
        }
    }
}
