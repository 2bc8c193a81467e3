//! What is to be measured.

use crate::{field::Field, support::Outcome};
use clap::Parser;
use ferrovox::{device::Device, distance::Method, grid::Geometry};
use measure::{Common, Record};
use nalgebra::{Matrix3, Vector3};

/// Times distance maps.
#[derive(Parser)]
#[command(name = "ferrovox-distance")]
pub struct Arguments {
    /// Voxels along each axis, or NXxNYxNZ [default: 128 256]
    #[arg(value_name = "SIZE", value_parser = dims)]
    sizes: Vec<[usize; 3]>,
    /// The same, as a list
    #[arg(long = "sizes", value_name = "SIZE", value_delimiter = ',', value_parser = dims)]
    size_list: Vec<[usize; 3]>,
    /// What the sites are: shell (of a sphere of radius 0.4 n), head (a bumpy surface), random:1%
    /// (or another share), all; labels: the distance to another of nine labels
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "shell"
    )]
    fields: Vec<String>,
    /// Methods: separable, cubes, brute-force, city-block, chessboard, center-point, all
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = Method::default().name())]
    method: Vec<String>,
    /// Largest distances of interest in voxels: none, or numbers
    #[arg(long, value_name = "D", value_delimiter = ',', default_value = "none")]
    bounds: Vec<String>,
    /// Find the nearest sites too: without a value only with them, `both` for without and with
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "no", default_missing_value = "yes", value_parser = ["no", "yes", "both"])]
    nearest: String,
    /// By how many degrees the z axis leans towards y, as of a CT with a tilted gantry
    #[arg(
        long,
        value_name = "DEGREES",
        value_delimiter = ',',
        default_value = "0"
    )]
    lean: Vec<f64>,
    /// How long voxels are along x, y and z, in place of 1
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_delimiter = ',',
        default_value = "1,1,1"
    )]
    spacing: Vec<f64>,
    /// Do not time how a mask of bytes becomes one of bits
    #[arg(long)]
    pub no_pack: bool,
    /// Print on the standard error how long each kernel of one more map takes, by the device's
    /// clock
    #[arg(long)]
    pub kernels: bool,
    #[command(flatten)]
    pub common: Common,
}

/// One set of sites, one way to make a map of them.
#[derive(Clone, Copy)]
pub struct Job {
    pub dims: [usize; 3],
    pub field: Field,
    pub method: Method,
    pub bound: Option<f64>,
    pub nearest: bool,
    /// Degrees by which z leans towards y.
    pub lean: f64,
    /// How long voxels are.
    pub spacing: [f64; 3],
    /// Whether the job before had other sites: then packing them is measured too.
    pub is_first: bool,
}

impl Arguments {
    /// Sizes as asked for.
    pub fn sizes(&self) -> Vec<[usize; 3]> {
        let sizes: Vec<_> = self.sizes.iter().chain(&self.size_list).copied().collect();
        if sizes.is_empty() {
            vec![[128; 3], [256; 3]]
        } else {
            sizes
        }
    }

    /// Fields as asked for.
    ///
    /// # Errors
    /// A name that nothing has.
    pub fn fields(&self) -> Outcome<Vec<Field>> {
        if self.fields.iter().any(|name| name == "all") {
            return Ok(Field::ALL.to_vec());
        }
        let fields: Result<_, String> = self.fields.iter().map(|name| name.parse()).collect();
        Ok(fields?)
    }

    /// All combinations.
    ///
    /// # Errors
    /// A name that nothing has, a bound that is no number.
    pub fn jobs(&self) -> Outcome<Vec<Job>> {
        let methods = methods(&self.method)?;
        let [x, y, z] = self.spacing[..] else {
            return Err("give a spacing as three numbers".into());
        };
        let spacing = [x, y, z];
        let bounds: Vec<Option<f64>> = self
            .bounds
            .iter()
            .map(|text| bound(text))
            .collect::<Result<_, _>>()?;
        let nearest: &[bool] = match self.nearest.as_str() {
            "both" => &[false, true],
            "yes" => &[true],
            _ => &[false],
        };
        let ways: Vec<(Method, f64)> = methods
            .iter()
            .flat_map(|&method| self.lean.iter().map(move |&lean| (method, lean)))
            .collect();
        let mut jobs = Vec::new();
        for dims in self.sizes() {
            for field in self.fields()? {
                let mut is_first = true;
                for &(method, lean) in &ways {
                    for &bound in &bounds {
                        for &nearest in nearest {
                            jobs.push(Job {
                                dims,
                                field,
                                method,
                                bound,
                                nearest,
                                lean,
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
        let found = Method::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| {
            let known = Method::ALL.map(Method::name).join(", ");
            format!("no method is called {name:?}; there are {known} and all").into()
        })
    };
    names.iter().map(find).collect()
}

fn bound(text: &str) -> Outcome<Option<f64>> {
    match text {
        "none" => Ok(None),
        _ => match text.parse() {
            Ok(bound) => Ok(Some(bound)),
            Err(_) => Err(format!("{text:?} is no bound; give none or a number").into()),
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

/// A size as the table has it.
pub fn shown(dims: [usize; 3]) -> String {
    match dims {
        [nx, ny, nz] if nx == ny && ny == nz => format!("{nx}^3"),
        [nx, ny, nz] => format!("{nx}x{ny}x{nz}"),
    }
}

impl Job {
    /// How many voxels.
    pub fn voxels(&self) -> u64 {
        self.dims.iter().map(|&n| n as u64).product()
    }

    /// The grid's places in the world.
    ///
    /// # Errors
    /// A lean of a right angle.
    pub fn geometry(&self) -> Outcome<Geometry> {
        let (sine, cosine) = self.lean.to_radians().sin_cos();
        let [x, y, z] = self.spacing;
        let axes = Matrix3::new(x, 0.0, 0.0, 0.0, y, z * sine, 0.0, 0.0, z * cosine);
        Ok(Geometry::new(axes, Vector3::zeros())?)
    }

    /// What is known of a measurement before it is made.
    pub fn record(&self, device: &Device) -> Record {
        let bound = match self.bound {
            Some(bound) => format!(" to {bound}"),
            None => String::new(),
        };
        let nearest = if self.nearest { "+nearest" } else { "" };
        let lean = match self.lean {
            0.0 => String::new(),
            lean => format!(", lean {lean}"),
        };
        let spacing = match self.spacing {
            [1.0, 1.0, 1.0] => String::new(),
            [x, y, z] => format!(", spacing {x} {y} {z}"),
        };
        Record {
            system: "ferrovox".into(),
            device: device.id(),
            measure: format!("map{bound}{nearest}{lean}{spacing}"),
            method: self.method.name().into(),
            element: "f32".into(),
            field: self.field.name(),
            size: shown(self.dims),
            elements: self.voxels(),
            ..Record::default()
        }
    }
}
