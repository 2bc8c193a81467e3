//! Arguments of the benchmark.

use crate::{skeletons::Object, support::Outcome};
use clap::Parser;
use ferrovox::skeleton::potential_field::{self, FieldVariant, MultipoleParams, Precision};
use measure::Common;

/// Time force fields.
#[derive(Parser)]
#[command(name = "ferrovox-field")]
pub struct Arguments {
    /// Number of targets [default: 2^20, on a CPU 2^14]
    #[arg(long, value_name = "N", value_parser = measure::options::parse_elements)]
    targets: Option<u64>,
    /// Number of sources [default: 206010, on a CPU 16384]
    #[arg(long, value_name = "N", value_parser = measure::options::parse_elements)]
    sources: Option<u64>,
    /// Variants of the force field: simple, constant, shared, tuned, multipole, auto, all
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
    /// Precision of sums: f32, accurate, all
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "all"
    )]
    precision: Vec<String>,
    /// Time entire skeletons of these solids instead: human:256 (or another width), animal
    #[arg(long, value_name = "SOLID", value_delimiter = ',')]
    pub solids: Vec<Object>,
    /// Time the force field of a hand on grids of this many voxels along each axis instead [default
    /// with multipole or auto: 128,256,512,1024, on a CPU 64,128,256]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub sizes: Vec<usize>,
    /// Voxel spacing of these grids along x, y and z, the smallest of which is 1; fewer voxels
    /// along the other axes
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, default_values_t = [1.0, 1.0, 1.0])]
    spacing: Vec<f32>,
    /// Order of the expansions of `multipole` [default: by exponent]
    #[arg(long, value_name = "P")]
    order: Option<u32>,
    /// Squared near-field radius of `multipole`, in bricks [default: by exponent]
    #[arg(long, value_name = "N")]
    near: Option<u32>,
    /// Factor applied to the error bounds of `multipole`
    #[arg(long, value_name = "FACTOR", default_value_t = MultipoleParams::default().bound_factor)]
    bound_factor: f64,
    #[command(flatten)]
    pub common: Common,
}

impl Arguments {
    /// Returns the numbers of targets and sources.
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

    /// Returns the voxel spacing of the hand.
    ///
    /// # Errors
    /// If there are not three numbers, the smallest of which is 1.
    pub fn spacing(&self) -> Outcome<[f32; 3]> {
        match self.spacing[..] {
            [x, y, z] if x.min(y).min(z) == 1.0 && x.max(y).max(z).is_finite() => Ok([x, y, z]),
            _ => Err("--spacing takes three numbers, the smallest of which is 1".into()),
        }
    }

    /// Returns `true` if the force field of hands is timed: if sizes are given, or for variants
    /// that need a grid unless numbers of points are given.
    pub fn times_hands(&self, jobs: &[potential_field::Params]) -> bool {
        let has_points = self.targets.is_some() || self.sources.is_some();
        !self.sizes.is_empty() || (!has_points && jobs.iter().any(needs_grid))
    }

    /// Returns all combinations of variant, precision and exponent, except `multipole` in `f32`,
    /// because its precision is fixed.
    ///
    /// # Errors
    /// An unknown name, or an exponent out of range.
    pub fn jobs(&self) -> Outcome<Vec<potential_field::Params>> {
        let mut jobs = Vec::new();
        for variant in crate::variants(&self.variants)? {
            for precision in crate::precisions(&self.precision)? {
                if variant == FieldVariant::Multipole && precision == Precision::F32 {
                    continue;
                }
                for &exponent in &self.exponents {
                    let params = potential_field::Params {
                        variant,
                        precision,
                        exponent,
                        multipole: MultipoleParams {
                            order: self.order,
                            squared_near_radius: self.near,
                            bound_factor: self.bound_factor,
                        },
                        ..potential_field::Params::default()
                    };
                    params.check()?;
                    jobs.push(params);
                }
            }
        }
        Ok(jobs)
    }
}

/// Returns `true` if a variant requires the voxels of a grid.
pub fn needs_grid(job: &potential_field::Params) -> bool {
    matches!(job.variant, FieldVariant::Multipole | FieldVariant::Auto)
}
