//! Arguments of the benchmark.

use crate::{field::Field, support::Outcome};
use clap::Parser;
use ferrovox::{device::Device, distance::Method, grid::Geometry};
use measure::{Common, Record};
use nalgebra::{Matrix3, Vector3};

/// Measure distance maps.
#[derive(Parser)]
#[command(name = "ferrovox-distance")]
pub struct Arguments {
    /// Grid size: voxels along each axis, or NXxNYxNZ [default: 128 256]
    #[arg(value_name = "SIZE", value_parser = dims)]
    sizes: Vec<[usize; 3]>,
    /// Grid sizes as a list
    #[arg(long = "sizes", value_name = "SIZE", value_delimiter = ',', value_parser = dims)]
    size_list: Vec<[usize; 3]>,
    /// Sites: shell (of a sphere of radius 0.4 n), head (a bumpy surface), random:1% (or another
    /// fraction), all; or labels: distances between nine labels
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "shell"
    )]
    fields: Vec<String>,
    /// Methods: separable, cubes, bucketed, brute-force, city-block, chessboard, center-point, all
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = Method::default().name())]
    method: Vec<String>,
    /// Maximum distances, in voxels: none, or numbers
    #[arg(
        long = "max-distance",
        alias = "bounds",
        value_name = "D",
        value_delimiter = ',',
        default_value = "none"
    )]
    max_distances: Vec<String>,
    /// Compute nearest sites: no, yes (default with the option alone), or both
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "no", default_missing_value = "yes", value_parser = ["no", "yes", "both"])]
    nearest: String,
    /// Tilt of the z axis towards y in degrees, as for a CT with a tilted gantry
    #[arg(
        long,
        alias = "lean",
        value_name = "DEGREES",
        value_delimiter = ',',
        default_value = "0"
    )]
    tilt: Vec<f64>,
    /// Voxel spacing along x, y and z
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        default_value = "1,1,1"
    )]
    spacing: Vec<f64>,
    /// Do not measure the packing of a byte mask into bits
    #[arg(long)]
    pub no_pack: bool,
    /// Print the device time of each kernel of one additional map to standard error
    #[arg(long)]
    pub kernels: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Measurement: sites and parameters of a map.
#[derive(Clone, Copy)]
pub struct Job {
    pub dims: [usize; 3],
    pub field: Field,
    pub method: Method,
    pub max_distance: Option<f64>,
    pub nearest: bool,
    /// Tilt of the z axis towards y, in degrees.
    pub tilt: f64,
    /// Voxel spacing along x, y and z.
    pub spacing: [f64; 3],
    /// `true` if the previous job had other sites, so that packing them is measured too.
    pub is_first: bool,
}

impl Arguments {
    /// Returns the requested grid sizes.
    pub fn sizes(&self) -> Vec<[usize; 3]> {
        let sizes: Vec<_> = self.sizes.iter().chain(&self.size_list).copied().collect();
        if sizes.is_empty() {
            vec![[128; 3], [256; 3]]
        } else {
            sizes
        }
    }

    /// Returns the requested fields.
    ///
    /// # Errors
    /// Unknown field names.
    pub fn fields(&self) -> Outcome<Vec<Field>> {
        if self.fields.iter().any(|name| name == "all") {
            return Ok(Field::ALL.to_vec());
        }
        let fields: Result<_, String> = self.fields.iter().map(|name| name.parse()).collect();
        Ok(fields?)
    }

    /// Returns all combinations of the arguments.
    ///
    /// # Errors
    /// Unknown field or method names, and maximum distances that are not numbers.
    pub fn jobs(&self) -> Outcome<Vec<Job>> {
        let methods = methods(&self.method)?;
        let [x, y, z] = self.spacing[..] else {
            return Err("give a spacing as three numbers".into());
        };
        let spacing = [x, y, z];
        let max_distances: Vec<Option<f64>> = self
            .max_distances
            .iter()
            .map(|text| max_distance(text))
            .collect::<Result<_, _>>()?;
        let nearest: &[bool] = match self.nearest.as_str() {
            "both" => &[false, true],
            "yes" => &[true],
            _ => &[false],
        };
        let variants: Vec<(Method, f64)> = methods
            .iter()
            .flat_map(|&method| self.tilt.iter().map(move |&tilt| (method, tilt)))
            .collect();
        let mut jobs = Vec::new();
        for dims in self.sizes() {
            for field in self.fields()? {
                let mut is_first = true;
                for &(method, tilt) in &variants {
                    for &max_distance in &max_distances {
                        for &nearest in nearest {
                            jobs.push(Job {
                                dims,
                                field,
                                method,
                                max_distance,
                                nearest,
                                tilt,
                                spacing,
                                is_first,
                            });
                            is_first = false;
                        }
                    }
                }
            }
        }
        Ok(jobs)
    }
}

fn methods(names: &[String]) -> Outcome<Vec<Method>> {
    if names.iter().any(|name| name == "all") {
        return Ok(Method::ALL.to_vec());
    }
    let find = |name: &String| {
        let method = Method::ALL.into_iter().find(|method| method.name() == name);
        method.ok_or_else(|| {
            let names = Method::ALL.map(Method::name).join(", ");
            format!("no method is called {name:?}; use {names} or all").into()
        })
    };
    names.iter().map(find).collect()
}

fn max_distance(text: &str) -> Outcome<Option<f64>> {
    match text {
        "none" => Ok(None),
        _ => match text.parse() {
            Ok(max_distance) => Ok(Some(max_distance)),
            Err(_) => Err(format!("{text:?} is not a distance; give none or a number").into()),
        },
    }
}

fn dims(text: &str) -> Result<[usize; 3], String> {
    let parts: Option<Vec<usize>> = text.split('x').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some(&[n]) => Ok([n; 3]),
        Some(&[nx, ny, nz]) => Ok([nx, ny, nz]),
        _ => Err("give a number such as 256, or three such as 592x625x625".into()),
    }
}

/// Formats a grid size for the table.
pub fn size_label(dims: [usize; 3]) -> String {
    match dims {
        [nx, ny, nz] if nx == ny && ny == nz => format!("{nx}^3"),
        [nx, ny, nz] => format!("{nx}x{ny}x{nz}"),
    }
}

impl Job {
    /// Returns the number of voxels.
    pub fn voxels(&self) -> u64 {
        self.dims.iter().map(|&n| n as u64).product()
    }

    /// Returns the geometry of the grid.
    ///
    /// # Errors
    /// Tilts of 90 degrees.
    pub fn geometry(&self) -> Outcome<Geometry> {
        let (sine, cosine) = self.tilt.to_radians().sin_cos();
        let [x, y, z] = self.spacing;
        let axes = Matrix3::new(x, 0.0, 0.0, 0.0, y, z * sine, 0.0, 0.0, z * cosine);
        Ok(Geometry::new(axes, Vector3::zeros())?)
    }

    /// Creates the record of a measurement, without its results.
    pub fn record(&self, device: &Device) -> Record {
        let truncation = match self.max_distance {
            Some(max_distance) => format!(" to {max_distance}"),
            None => String::new(),
        };
        let nearest = if self.nearest { "+nearest" } else { "" };
        let tilt = match self.tilt {
            0.0 => String::new(),
            tilt => format!(", tilt {tilt}"),
        };
        let spacing = match self.spacing {
            [1.0, 1.0, 1.0] => String::new(),
            [x, y, z] => format!(", spacing {x} {y} {z}"),
        };
        Record {
            system: "ferrovox".into(),
            device: device.id(),
            measure: format!("map{truncation}{nearest}{tilt}{spacing}"),
            method: self.method.name().into(),
            element: "f32".into(),
            field: self.field.name(),
            size: size_label(self.dims),
            elements: self.voxels(),
            ..Record::default()
        }
    }
}
