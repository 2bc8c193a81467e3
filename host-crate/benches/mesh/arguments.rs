//! Command-line arguments of the mesh benchmark.

use crate::{
    field::{Field, SAMPLE_TYPES},
    support::Outcome,
};
use clap::Parser;
use ferrovox::{
    device::Device,
    grid::SampleType,
    isosurface::{Method, Topology},
};
use measure::{Common, Record};

/// Measures isosurface extraction.
#[derive(Parser)]
#[command(name = "ferrovox-mesh")]
pub struct Arguments {
    /// Number of samples along each axis [default: 128 256]
    #[arg(value_name = "SIZE")]
    sizes: Vec<usize>,
    /// Number of samples along each axis, as a list
    #[arg(long = "sizes", value_name = "SIZE", value_delimiter = ',')]
    size_list: Vec<usize>,
    /// Sample types: u8, i8, u16, i16, f32, all
    #[arg(
        long,
        value_name = "TYPE",
        value_delimiter = ',',
        default_value = "f32"
    )]
    types: Vec<String>,
    /// Field: gyroid, sphere (of radius 0.4 n), or noise (uniform, with the maximum number of
    /// ambiguous cells)
    #[arg(long, value_name = "NAME", default_value = "gyroid")]
    field: Field,
    /// Periods of the gyroid along each axis
    #[arg(long, value_name = "N", default_value_t = 6.0)]
    pub periods: f64,
    /// Methods: fused, staged, all
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = Method::default().name())]
    method: Vec<String>,
    /// Resolution of ambiguous cells: separated, trilinear, all
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = Topology::default().name())]
    topology: Vec<String>,
    /// Compute normals too; `both` measures without and with normals
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "no", default_missing_value = "yes", value_parser = ["no", "yes", "both"])]
    normals: String,
    /// Do not measure the download of the mesh
    #[arg(long)]
    pub no_download: bool,
    /// Do not measure stages
    #[arg(long)]
    pub no_stages: bool,
    /// Also measure these devices working together, each with a slab in its memory (gyroid, f32)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub devices: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}

/// A combination of volume and extraction parameters to measure.
#[derive(Clone, Copy)]
pub struct Job {
    pub size: usize,
    pub sample: SampleType,
    pub field: Field,
    pub periods: f64,
    pub method: Method,
    pub topology: Topology,
    pub normals: bool,
}

impl Arguments {
    /// Returns the requested sizes.
    pub fn sizes(&self) -> Vec<usize> {
        let sizes: Vec<usize> = self.sizes.iter().chain(&self.size_list).copied().collect();
        if sizes.is_empty() {
            vec![128, 256]
        } else {
            sizes
        }
    }

    /// Returns the requested field.
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns all requested combinations.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn jobs(&self) -> Outcome<Vec<Job>> {
        let types = select_named(&self.types, SAMPLE_TYPES, SampleType::name, "type")?;
        let methods = select_named(&self.method, &Method::ALL, Method::name, "method")?;
        let topologies = select_named(&self.topology, &Topology::ALL, Topology::name, "topology")?;
        let normals: &[bool] = match self.normals.as_str() {
            "both" => &[false, true],
            "yes" => &[true],
            _ => &[false],
        };
        let mut jobs = Vec::new();
        for size in self.sizes() {
            for &sample in &types {
                for &method in &methods {
                    for (&topology, &normals) in topologies
                        .iter()
                        .flat_map(|topology| normals.iter().map(move |normals| (topology, normals)))
                    {
                        jobs.push(Job {
                            size,
                            sample,
                            field: self.field,
                            periods: self.periods,
                            method,
                            topology,
                            normals,
                        });
                    }
                }
            }
        }
        Ok(jobs)
    }
}

/// Returns the elements of `all` that are requested by name.
fn select_named<T: Copy>(
    names: &[String],
    all: &[T],
    get_name: fn(T) -> &'static str,
    what: &str,
) -> Outcome<Vec<T>> {
    if names.iter().any(|name| name == "all") {
        return Ok(all.to_vec());
    }
    let find = |name: &String| {
        let found = all.iter().copied().find(|&one| get_name(one) == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|&one| get_name(one)).collect();
            let known = known.join(", ");
            format!("unknown {what} {name:?}; use {known} or all").into()
        })
    };
    names.iter().map(find).collect()
}

impl Job {
    /// Returns a record with the parameters of a measurement.
    pub fn record(&self, device: &Device) -> Record {
        Record {
            system: "ferrovox".into(),
            device: device.id(),
            measure: if self.normals {
                "extract+normals".into()
            } else {
                "extract".into()
            },
            method: match self.topology {
                Topology::Separated => self.method.name().into(),
                topology => format!("{}, {}", self.method.name(), topology.name()),
            },
            element: self.sample.name().into(),
            field: self.field.describe(self.periods),
            size: format!("{}^3", self.size),
            elements: (self.size as u64).pow(3),
            ..Record::default()
        }
    }
}
