//! What is to be measured.

use crate::{support::Outcome, whole::Object};
use clap::Parser;
use ferrovox::skeleton::SkeletonParams;
use measure::Common;

/// Times force fields.
#[derive(Parser)]
#[command(name = "ferrovox-field")]
pub struct Arguments {
    /// Voxels that forces act on [default: 2^20, on a CPU 2^14]
    #[arg(long, value_name = "N", value_parser = measure::options::elements)]
    targets: Option<u64>,
    /// Points that exert them [default: 206010, on a CPU 16384]
    #[arg(long, value_name = "N", value_parser = measure::options::elements)]
    sources: Option<u64>,
    /// How sources are brought to targets: simple, constant, shared, tuned, all
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "tuned"
    )]
    variants: Vec<String>,
    /// Exponents from 2 to 9
    #[arg(long, value_name = "M", value_delimiter = ',', default_value = "2,6")]
    exponents: Vec<f64>,
    /// How sums are made: f32, accurate, all
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "all"
    )]
    precision: Vec<String>,
    /// Time whole skeletons of these solids instead: human:256 (or another width), animal
    #[arg(long, value_name = "SOLID", value_delimiter = ',')]
    pub solids: Vec<Object>,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    /// Targets and sources.
    pub fn counts(&self, on_cpu: bool) -> [usize; 2] {
        let [targets, sources] = if on_cpu {
            [1 << 14, 1 << 14]
        } else {
            [1 << 20, 206_010]
        };
        [
            self.targets.map_or(targets, |n| n as usize),
            self.sources.map_or(sources, |n| n as usize),
        ]
    }

    /// All combinations.
    ///
    /// # Errors
    /// A name that nothing has, an exponent out of range.
    pub fn jobs(&self) -> Outcome<Vec<SkeletonParams>> {
        let mut jobs = Vec::new();
        for variant in crate::variants(&self.variants)? {
            for precision in crate::precisions(&self.precision)? {
                for &exponent in &self.exponents {
                    let params = SkeletonParams {
                        variant,
                        precision,
                        exponent,
                        ..SkeletonParams::default()
                    };
                    params.check()?;
                    jobs.push(params);
                }
            }
        }
        Ok(jobs)
    }
}
