//! Pictures of `docs/isosurface.md`: single cells and a thin wall with noise, with both topology
//! rules.

mod distance;
mod drawing;

use super::DocumentPicture;
use crate::{noise::Noise, oracle::trilinear::interpolated};
use drawing::{Drawing, Thickness};
use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceVolume, Geometry, Volume},
    isosurface::{self, IsosurfaceParams, Topology},
    mesh::TriangleMesh,
    render::ViewDirection,
};
use nalgebra::Point3;
use std::error::Error;

/// Cells: the name of the images, the samples at the corners (x fastest), and the view direction.
const CELLS: [(&str, [f32; 8], ViewDirection); 2] = [
    // Two corners above the isovalue, diagonal on the front face.
    (
        "face",
        [-1.0, -1.0, -1.2, -1.2, 2.0, -1.0, -1.0, 2.0],
        ViewDirection {
            azimuth: 35.0,
            elevation: 40.0,
        },
    ),
    // Two opposite corners above the isovalue, joined by a tunnel.
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
const REFINED_SIZE: usize = 33;

/// Samples of the wall volume along each axis.
const WALL_SIZE: usize = 18;

/// Draws single cells and a thin wall with noise, with both topology rules, on the CPU.
///
/// # Errors
/// Errors of the extraction.
pub fn draw_topology_pictures() -> Result<Vec<DocumentPicture>, Box<dyn Error>> {
    let stream = Device::cpu().stream()?;
    let mut pictures = Vec::new();
    for (name, samples, view) in &CELLS {
        for topology in Topology::ALL {
            let mesh = extract_mesh(&stream, samples, [2; 3], Geometry::default(), topology)?;
            let name = format!("{name}-{}", topology.name());
            pictures.push(draw_cell(&stream, name, samples, &mesh, *view)?);
        }
        let spacing = [1.0 / (REFINED_SIZE - 1) as f64; 3];
        let geometry = Geometry::from_spacing(spacing, [0.0; 3])?;
        let topology = Topology::Separated;
        let mesh = extract_mesh(
            &stream,
            &refine_cell(samples),
            [REFINED_SIZE; 3],
            geometry,
            topology,
        )?;
        let name = format!("{name}-interpolant");
        pictures.push(draw_cell(&stream, name, samples, &mesh, *view)?);
    }
    for topology in Topology::ALL {
        let mesh = extract_mesh(
            &stream,
            &wall_samples(),
            [WALL_SIZE; 3],
            Geometry::default(),
            topology,
        )?;
        let name = format!("wall-{}", topology.name());
        let mut drawing = Drawing::new([0.0; 3], [(WALL_SIZE - 1) as f64; 3], 0.08);
        drawing.add_mesh(&mesh, Thickness(0.1));
        let view = ViewDirection {
            azimuth: 52.0,
            elevation: 12.0,
        };
        let picture = drawing.render(&stream, view, [448, 350])?.crop([290, 220]);
        pictures.push(picture.named(name));
    }
    Ok(pictures)
}

fn extract_mesh(
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

/// Samples the trilinear interpolant of a cell on a finer grid.
fn refine_cell(samples: &[f32; 8]) -> Vec<f32> {
    let values = samples.map(f64::from);
    let coordinate = |index: usize| index as f64 / (REFINED_SIZE - 1) as f64;
    let mut all = Vec::new();
    for z in 0..REFINED_SIZE {
        for y in 0..REFINED_SIZE {
            for x in 0..REFINED_SIZE {
                all.push(interpolated(&values, [x, y, z].map(coordinate)) as f32);
            }
        }
    }
    all
}

/// Samples an oblique wall, slightly thicker than the sample spacing, with noise and an empty
/// border.
fn wall_samples() -> Vec<f32> {
    let mut noise = Noise(7);
    let mut samples = Vec::new();
    for z in 0..WALL_SIZE {
        for y in 0..WALL_SIZE {
            for x in 0..WALL_SIZE {
                let [x, y, z] = [x, y, z].map(|k| k as f64 - 8.5);
                let distance = (0.7 * x + 0.7 * y - 0.14 * z).abs();
                let value = 1.0 - distance / 0.6 + 0.4 * f64::from(noise.signed());
                let is_inside = [x, y, z].iter().all(|k| k.abs() < 7.0);
                samples.push(if is_inside { value as f32 } else { -1.0 });
            }
        }
    }
    samples
}

/// Draws the surface in a cell with the edges and corners of the cell. Corners above the isovalue
/// are larger.
fn draw_cell(
    stream: &Stream,
    name: String,
    samples: &[f32; 8],
    mesh: &TriangleMesh,
    view: ViewDirection,
) -> Result<DocumentPicture, Box<dyn Error>> {
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
    Ok(drawing.render(stream, view, [280, 280])?.named(name))
}
