//! Pipelines that launch the kernels of the library, on synthetic volumes of any size.
//!
//! A kernel is measured in the pipeline that launches it, with the data of that pipeline. To add a
//! pipeline, add a row to [`ALL`].

use ferrovox::{
    device::{Buffer, Element, Stream},
    distance::{self, DistanceParams, Method, NoSites, Sites},
    grid::{DeviceMask, DevicePoints, DeviceSample, DeviceVolume, Geometry},
    isosurface::{self, DeviceMesh, DeviceTriangles, IsosurfaceParams},
    render::{self, RenderParams},
    scan::{ScanMethod, ScanParams, Scanner, Sum},
    skeleton::potential_field::{self, FieldVariant, Precision},
    synthetic::{self, Levels, Metaball, Quantised},
};
use std::f64::consts::TAU;

/// Result type of the functions in this module.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Runs a prepared pipeline; returns the bytes of its result if the argument is `true`, and no
/// bytes otherwise.
pub type Run<'s> = Box<dyn FnMut(bool) -> Outcome<Vec<u8>> + 's>;

/// A pipeline and its data.
pub struct Workload {
    /// Name on the command line.
    pub name: &'static str,
    /// Description of the data; `n` stands for the side.
    pub about: &'static str,
    /// Default side on a GPU and on the CPU, in voxels: long enough to measure, short enough to
    /// wait for.
    pub sides: [usize; 2],
    /// Prepares the data, for a volume of the given side in voxels.
    pub prepare: for<'s> fn(&'s Stream, usize) -> Outcome<Run<'s>>,
}

/// All pipelines.
pub const ALL: [Workload; 15] = [
    workload(
        "mesh",
        "isosurface of a gyroid, n³ f32",
        [512, 64],
        |stream, side| {
            mesh::<f32>(
                stream,
                side,
                isosurface::Method::Fused,
                Levels {
                    scale: 1.0,
                    offset: 0.0,
                },
            )
        },
    ),
    workload(
        "mesh-u8",
        "isosurface of a gyroid, n³ u8",
        [512, 64],
        |stream, side| {
            mesh::<u8>(
                stream,
                side,
                isosurface::Method::Fused,
                Levels {
                    scale: 80.0,
                    offset: 127.5,
                },
            )
        },
    ),
    workload(
        "mesh-staged",
        "isosurface of a gyroid in separate stages, n³ f32",
        [256, 48],
        |stream, side| {
            mesh::<f32>(
                stream,
                side,
                isosurface::Method::Staged,
                Levels {
                    scale: 1.0,
                    offset: 0.0,
                },
            )
        },
    ),
    workload(
        "scan",
        "exclusive sums of n³ u32",
        [512, 128],
        |stream, side| scan(stream, side, ScanMethod::SinglePass),
    ),
    workload(
        "scan-three-pass",
        "exclusive sums of n³ u32 in three passes",
        [512, 128],
        |stream, side| scan(stream, side, ScanMethod::ThreePass),
    ),
    workload(
        "scan-checked",
        "exclusive sums of n³ u8 with overflow check",
        [512, 64],
        scan_checked,
    ),
    workload(
        "distance",
        "distances to a sphere's surface, n³",
        [512, 64],
        |stream, side| distances(stream, side, Method::Separable),
    ),
    workload(
        "distance-cubes",
        "distances to n² points",
        [128, 24],
        points,
    ),
    workload(
        "distance-brute-force",
        "distances to a sphere's surface by brute force, n³",
        [96, 16],
        |stream, side| distances(stream, side, Method::BruteForce),
    ),
    workload(
        "distance-approximate",
        "distances by propagation in three metrics, n³",
        [128, 16],
        |stream, side| {
            let mut metrics = Vec::new();
            for method in [Method::CityBlock, Method::Chessboard, Method::CenterPoint] {
                metrics.push(distances(stream, side, method)?);
            }
            Ok(Box::new(move |download| {
                let results: Outcome<Vec<Vec<u8>>> =
                    metrics.iter_mut().map(|run| run(download)).collect();
                Ok(results?.concat())
            }))
        },
    ),
    workload(
        "distance-labels",
        "distances to the nearest other label, n³ u8",
        [512, 48],
        labels,
    ),
    workload(
        "distance-signed",
        "signed distances to a sphere's subvoxel surface, n³",
        [128, 24],
        signed,
    ),
    workload(
        "fields",
        "a sphere, a gyroid and metaballs, n³",
        [512, 64],
        synthetic_fields,
    ),
    workload(
        "field",
        "force field of a ball's surface in its interior, n³, all variants",
        [64, 16],
        forces,
    ),
    workload("render", "rendering of a gyroid, n³", [512, 48], picture),
];

const fn workload(
    name: &'static str,
    about: &'static str,
    sides: [usize; 2],
    prepare: for<'s> fn(&'s Stream, usize) -> Outcome<Run<'s>>,
) -> Workload {
    Workload {
        name,
        about,
        sides,
        prepare,
    }
}

fn forces(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let half = side as f64 / 2.0;
    let inside = (0..(side * side * side) as u64).filter(|&voxel| {
        let side = side as u64;
        let at = [voxel % side, voxel / side % side, voxel / side / side];
        at.map(|a| (a as f64 + 0.5 - half).powi(2))
            .iter()
            .sum::<f64>()
            <= (half - 1.0).powi(2)
    });
    let inside: Vec<u64> = inside.collect();
    let ball = DeviceMask::from_indices(stream, &inside, [side; 3], Geometry::default())?;
    let classes =
        potential_field::classify(stream, &ball, potential_field::SurfaceNeighbours::Faces)?;
    Ok(Box::new(move |download| {
        let mut all = Vec::new();
        for variant in FieldVariant::ALL {
            for precision in Precision::ALL {
                let params = potential_field::Params {
                    variant,
                    precision,
                    ..potential_field::Params::default()
                };
                let field = potential_field::field::force_field(stream, &classes, &params)?;
                all.extend(bytes(stream, &field.forces, download)?);
            }
        }
        Ok(all)
    }))
}

/// Returns the bytes of a buffer, or an empty vector without `download`.
fn bytes<T: Element>(stream: &Stream, buffer: &Buffer<T>, download: bool) -> Outcome<Vec<u8>> {
    Ok(if download {
        bytemuck::cast_slice(&stream.download(buffer)?).to_vec()
    } else {
        Vec::new()
    })
}

fn mesh<T>(
    stream: &Stream,
    side: usize,
    method: isosurface::Method,
    levels: Levels,
) -> Outcome<Run<'_>>
where
    T: Quantised + DeviceSample + Element,
{
    let values = synthetic::gyroid(stream, [side; 3], 4.0 * TAU)?;
    let volume: DeviceVolume<T> = synthetic::quantise(stream, &values, levels)?;
    drop(values);
    let params = IsosurfaceParams {
        iso: levels.offset,
        normals: true,
        method,
        ..Default::default()
    };
    Ok(Box::new(move |download| {
        let mesh: DeviceMesh = isosurface::extract(stream, &volume, None, &params)?;
        let mut all = bytes(stream, &mesh.positions, download)?;
        all.extend(match &mesh.triangles {
            DeviceTriangles::U32(indices) => bytes(stream, indices, download)?,
            DeviceTriangles::U64(indices) => bytes(stream, indices, download)?,
        });
        if let Some(normals) = &mesh.normals {
            all.extend(bytes(stream, normals, download)?);
        }
        Ok(all)
    }))
}

fn scan(stream: &Stream, side: usize, method: ScanMethod) -> Outcome<Run<'_>> {
    let values: Vec<u32> = (0..side.pow(3) as u32)
        .map(|i| i.wrapping_mul(2_654_435_761) >> 20)
        .collect();
    let input = stream.upload(&values)?;
    let mut output = stream.alloc::<u32>(values.len())?;
    let mut scanner = Scanner::new(stream)?;
    let params = ScanParams {
        method,
        ..ScanParams::default()
    };
    Ok(Box::new(move |download| {
        scanner.scan(Sum, &input, &mut output, &params)?;
        bytes(stream, &output, download)
    }))
}

fn scan_checked(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let values: Vec<u8> = (0..side.pow(3)).map(|i| (i % 7) as u8).collect();
    let input = stream.upload(&values)?;
    let mut output = stream.alloc::<u64>(values.len())?;
    let mut scanner = Scanner::new(stream)?;
    Ok(Box::new(move |download| {
        scanner.exclusive_checked(&input, &mut output)?;
        bytes(stream, &output, download)
    }))
}

/// Creates a mask of the surface voxels of a sphere of radius 0.4 n.
fn sites(stream: &Stream, side: usize) -> Outcome<DeviceMask> {
    let sphere = synthetic::sphere(stream, [side; 3], 0.4 * side as f32)?;
    Ok(DeviceMask::from_level(stream, &sphere, 0.0)?)
}

fn distances(stream: &Stream, side: usize, method: Method) -> Outcome<Run<'_>> {
    let sites = sites(stream, side)?;
    let params = DistanceParams {
        method,
        no_sites: NoSites::Infinity,
        ..Default::default()
    };
    Ok(Box::new(move |download| {
        let map = distance::transform(stream, Sites::Voxels(&sites), &params)?;
        bytes(stream, &map.distances, download)
    }))
}

fn points(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let coordinate = |i: usize, k: u32| {
        let turns = i as f64 * [0.754_877_666, 0.569_840_291, 0.430_159_709][k as usize];
        (turns.fract() * side as f64) as f32
    };
    let points: Vec<[f32; 3]> = (0..side * side)
        .map(|i| [0, 1, 2].map(|k| coordinate(i, k)))
        .collect();
    let points = DevicePoints::from_voxels(stream, &points, [side; 3], Geometry::default())?;
    let params = DistanceParams {
        method: Method::Cubes,
        ..Default::default()
    };
    Ok(Box::new(move |download| {
        let map = distance::transform(stream, Sites::Points(&points), &params)?;
        bytes(stream, &map.distances, download)
    }))
}

fn labels(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let levels = Levels {
        scale: 1.0,
        offset: 100.0,
    };
    let labels: DeviceVolume<u8> =
        synthetic::sphere_as(stream, [side; 3], 0.4 * side as f32, levels)?;
    Ok(Box::new(move |download| {
        let map = distance::transform_labels(stream, &labels, &DistanceParams::default())?;
        bytes(stream, &map.distances, download)
    }))
}

fn signed(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let sphere = synthetic::sphere(stream, [side; 3], 0.4 * side as f32)?;
    let params = DistanceParams {
        method: Method::Cubes,
        ..Default::default()
    };
    Ok(Box::new(move |download| {
        let crossings = DevicePoints::from_crossings(stream, &sphere, 0.0)?;
        let mut map = distance::transform(stream, Sites::Points(&crossings), &params)?;
        let shell = DeviceMask::from_level(stream, &sphere, 0.0)?;
        let inside = DeviceMask::enclosed_by(stream, &shell)?;
        distance::apply_sign(stream, &mut map, &inside)?;
        bytes(stream, &map.distances, download)
    }))
}

fn synthetic_fields(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let n = side as f32;
    let balls = [0.3, 0.5, 0.8].map(|at| Metaball {
        centre: [at * n, 0.5 * n, (1.0 - at) * n],
        radius: 0.2 * n,
    });
    Ok(Box::new(move |download| {
        let sphere = synthetic::sphere(stream, [side; 3], 0.4 * n)?;
        let mut all = bytes(stream, sphere.samples(), download)?;
        drop(sphere);
        let gyroid = synthetic::gyroid(stream, [side; 3], 4.0 * TAU)?;
        all.extend(bytes(stream, gyroid.samples(), download)?);
        drop(gyroid);
        let metaballs = synthetic::metaballs(stream, [side; 3], &balls)?;
        all.extend(bytes(stream, metaballs.samples(), download)?);
        Ok(all)
    }))
}

fn picture(stream: &Stream, side: usize) -> Outcome<Run<'_>> {
    let volume = synthetic::gyroid(stream, [side; 3], 4.0 * TAU)?;
    let params = RenderParams {
        width: (4 * side as u32).min(1600),
        height: (3 * side as u32).min(1200),
        ..Default::default()
    };
    Ok(Box::new(move |_| {
        let picture = render::isosurface(stream, &volume, &params)?;
        Ok(picture.rgba().to_vec())
    }))
}
