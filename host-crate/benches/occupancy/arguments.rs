//! What is to be measured.

use clap::{Parser, ValueEnum};
use measure::Common;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Sweeps block sizes, registers and shared memory of kernels.
#[derive(Parser)]
#[command(name = "ferrovox-occupancy")]
pub struct Arguments {
    /// Kernels by their entry points, or all that a pipeline launches, as scan:all
    /// [default: one of each pipeline]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub kernel: Vec<String>,
    /// The pipeline in which kernels are measured [default: the first that launches them]
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,
    /// Voxels along each axis [default: the pipeline's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=2048))]
    pub side: Option<u32>,
    /// What is swept
    #[arg(long, value_enum, value_delimiter = ',', default_value = "blocks")]
    pub over: Vec<Over>,
    /// Threads between two block sizes: 32, or 1 as in Zhao et al.'s (2016) figure 3
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub step: u32,
    /// Block sizes, in the place of those of --step
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub blocks: Vec<u32>,
    /// The most registers per thread, for --over registers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [24, 32, 40, 48, 56, 64, 80, 96, 128, 168, 255])]
    pub registers: Vec<u32>,
    /// Bytes of dynamic shared memory that the kernel does not use, for --over shared
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [0, 4096, 8192, 16_384, 24_576, 32_768, 49_152, 65_536, 98_304, 131_072, 196_608])]
    pub shared: Vec<u32>,
    /// On the CPU: the GPU whose occupancy is told
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub model_of: String,
    /// A sweep that another program has measured, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub measured: Option<PathBuf>,
    /// Name the pipelines
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub common: Common,
}

/// What is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// Threads per block
    Blocks,
    /// The most registers per thread, at the calculator's block size
    Registers,
    /// Shared memory that is not used, at the calculator's block size
    Shared,
}

impl Over {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Over::Blocks => "blocks",
            Over::Registers => "registers",
            Over::Shared => "shared",
        }
    }

    /// What its axis is called.
    pub fn axis(self) -> &'static str {
        match self {
            Over::Blocks => "threads per block",
            Over::Registers => "most registers per thread",
            Over::Shared => "unused dynamic shared memory per block, in bytes",
        }
    }
}
