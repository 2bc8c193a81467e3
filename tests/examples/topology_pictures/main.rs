//! Draws the pictures of `docs/isosurface.md`: one cell and a thin wall in noise, by both rules of
//! topology.
//!
//! `cargo run -p ferrovox-tests --example topology_pictures -- [FOLDER]`, by default
//! `docs/images/topology`. Prints what each mesh is like.

mod distance;
mod drawing;

use drawing::{Drawing, Thickness};
use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, IsosurfaceParams, Topology},
    mesh::{self, TriangleMesh},
    render::ViewDirection,
};
use ferrovox_tests::{noise::Noise, oracle::trilinear::interpolated};
use nalgebra::Point3;
use std::{error::Error, fs::File, io::BufWriter, path::Path, path::PathBuf};

/// A cell: the name of its pictures, the samples at its corners (x fastest), and from where it is
/// looked at.
const CELLS: [(&str, [f32; 8], ViewDirection); 2] = [
    // two corners above at a diagonal of the face in front
    (
        "face",
        [-1.0, -1.0, -1.2, -1.2, 2.0, -1.0, -1.0, 2.0],
        ViewDirection {
            azimuth: 35.0,
            elevation: 40.0,
        },
    ),
    // two opposite corners above, strong enough for a tunnel
    (
        "tunnel",
        [7.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 7.0],
        ViewDirection {
            azimuth: 312.0,
            elevation: 18.0,
        },
    ),
];

/// Samples of a refined cell along each axis.
const REFINED: usize = 33;

/// Samples along each axis of the volume with the wall.
const WALL: usize = 18;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args()
        .nth(1)
        .map_or_else(|| PathBuf::from("docs/images/topology"), PathBuf::from);
    let stream = Device::best().stream()?;
    std::fs::create_dir_all(&folder)?;
    for (name, samples, view) in &CELLS {
        for topology in Topology::ALL {
            let mesh = mesh_of(&stream, samples, [2; 3], Geometry::default(), topology)?;
            let name = format!("{name}-{}", topology.name());
            draw_cell(&stream, &folder, &name, samples, &mesh, *view)?;
        }
        let spacing = [1.0 / (REFINED - 1) as f64; 3];
        let geometry = Geometry::from_spacing(spacing, [0.0; 3])?;
        let topology = Topology::Separated;
        let mesh = mesh_of(&stream, &refined(samples), [REFINED; 3], geometry, topology)?;
        let name = format!("{name}-interpolant");
        draw_cell(&stream, &folder, &name, samples, &mesh, *view)?;
    }
    for topology in Topology::ALL {
        let mesh = mesh_of(&stream, &wall(), [WALL; 3], Geometry::default(), topology)?;
        let name = format!("wall-{}", topology.name());
        say(&name, &mesh);
        let mut drawing = Drawing::new([0.0; 3], [(WALL - 1) as f64; 3], 0.08);
        drawing.add_mesh(&mesh, Thickness(0.1));
        let view = ViewDirection {
            azimuth: 52.0,
            elevation: 12.0,
        };
        let picture = drawing.picture(&stream, view, [448, 350])?.cut([290, 220]);
        save(&picture, &folder, &name)?;
    }
    Ok(())
}

fn mesh_of(
    stream: &Stream,
    samples: &[f32],
    dims: [usize; 3],
    geometry: Geometry,
    topology: Topology,
) -> Result<TriangleMesh, Box<dyn Error>> {
    let volume = Volume::new(samples.to_vec(), dims, geometry)?;
    let volume = DeviceVolume::upload(stream, volume.view())?;
    let params = IsosurfaceParams {
        topology,
        ..Default::default()
    };
    Ok(isosurface::extract(stream, &volume, None, &params)?.download(stream)?)
}

/// The interpolant of a cell, on a finer grid.
fn refined(samples: &[f32; 8]) -> Vec<f32> {
    let values = samples.map(f64::from);
    let place = |at: usize| at as f64 / (REFINED - 1) as f64;
    let mut all = Vec::new();
    for z in 0..REFINED {
        for y in 0..REFINED {
            for x in 0..REFINED {
                all.push(interpolated(&values, [x, y, z].map(place)) as f32);
            }
        }
    }
    all
}

/// An oblique wall, a little thicker than a sample, in noise, with nothing at the border.
fn wall() -> Vec<f32> {
    let mut noise = Noise(7);
    let mut samples = Vec::new();
    for z in 0..WALL {
        for y in 0..WALL {
            for x in 0..WALL {
                let [x, y, z] = [x, y, z].map(|k| k as f64 - 8.5);
                let away = (0.7 * x + 0.7 * y - 0.14 * z).abs();
                let value = 1.0 - away / 0.6 + 0.4 * f64::from(noise.signed());
                let is_inside = [x, y, z].iter().all(|k| k.abs() < 7.0);
                samples.push(if is_inside { value as f32 } else { -1.0 });
            }
        }
    }
    samples
}

/// Draws the surface in a cell, the cell's edges, and its corners, of which those above are larger.
fn draw_cell(
    stream: &Stream,
    folder: &Path,
    name: &str,
    samples: &[f32; 8],
    mesh: &TriangleMesh,
    view: ViewDirection,
) -> Result<(), Box<dyn Error>> {
    say(name, mesh);
    let mut drawing = Drawing::new([-0.16; 3], [1.16; 3], 0.008);
    drawing.add_mesh(mesh, Thickness(0.012));
    let corner = |n: usize| Point3::from([0, 1, 2].map(|k| (n >> k & 1) as f64));
    for (n, sample) in samples.iter().enumerate() {
        let radius = if *sample >= 0.0 { 0.085 } else { 0.035 };
        drawing.add_frame(corner(n), corner(n), Thickness(radius));
        for axis in (0..3).filter(|axis| n >> axis & 1 == 0) {
            drawing.add_frame(corner(n), corner(n | 1 << axis), Thickness(0.014));
        }
    }
    let picture = drawing.picture(stream, view, [280, 280])?;
    save(&picture, folder, name)
}

fn say(name: &str, mesh: &TriangleMesh) {
    let report = mesh::check(mesh);
    println!(
        "{name}: {} triangles, {} pieces, Euler characteristic {}",
        report.triangles,
        report.components,
        report.euler_characteristic()
    );
}

fn save(picture: &drawing::Pixels, folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let file = File::create(folder.join(format!("{name}.png")))?;
    picture.write_png(BufWriter::new(file))
}
