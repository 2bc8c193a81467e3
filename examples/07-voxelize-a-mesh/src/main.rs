//! Converts a mesh to a volume, and the volume to a mesh again. Compares the enclosed volumes with
//! the exact value.

use ferrovox::{
    device::Device,
    grid::DeviceVolume,
    isosurface::{self, IsosurfaceParams},
    mesh::{self, TriangleMesh, Triangles},
    voxelize::{self, VoxelizeParams},
};
use std::{error::Error, f64::consts::TAU};

/// Radius of the torus, and radius of its tube.
const RADII: [f64; 2] = [3.0, 1.0];

/// Returns a torus of `n` x `n` quadrilaterals of two triangles each, counter-clockwise as seen
/// from outside. Use `io::read_mesh` for a mesh of your own.
fn torus(n: u32) -> TriangleMesh {
    let [ring, tube] = RADII;
    let angle = |i: u32| TAU * f64::from(i) / f64::from(n);
    let angles = (0..n * n).map(|number| (angle(number / n), angle(number % n)));
    let vertices = angles.map(|(u, v)| {
        let from_axis = ring + tube * v.cos();
        [from_axis * u.cos(), from_axis * u.sin(), tube * v.sin()].map(|x| x as f32)
    });
    let triangles = (0..n * n).flat_map(|number| {
        let (i, j) = (number / n, number % n);
        let vertex = |i: u32, j: u32| i % n * n + j % n;
        let [a, b, c, d] = [
            vertex(i, j),
            vertex(i + 1, j),
            vertex(i + 1, j + 1),
            vertex(i, j + 1),
        ];
        [[a, b, c], [a, c, d]]
    });
    TriangleMesh {
        origin: [0.0; 3],
        vertices: vertices.collect(),
        normals: None,
        triangles: Triangles::U32(triangles.collect()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let stream = device.stream()?;
    let [ring, tube] = RADII;
    let expected = TAU * ring * TAU / 2.0 * tube * tube;
    let compare = |what: &str, volume: f64| {
        println!(
            "{what}: volume {volume:.3}, {:+.2} %",
            100.0 * (volume / expected - 1.0)
        );
        assert!((volume / expected - 1.0).abs() < 0.01);
    };
    println!("{device}; a torus of volume {expected:.3}, says the formula");

    // 1. Create the mesh. It must be closed: an open mesh is an error that reports the location of
    //    the first hole.
    let mesh = torus(96);
    let report = mesh::check(&mesh);
    assert!(report.is_closed() && report.is_oriented());
    compare(
        &format!("the mesh, {} triangles", report.triangles),
        report.volume,
    );

    // 2. Voxelize it on a grid around it, with 128 voxels along its longest side. The result is a
    //    mask in device memory.
    let solid = voxelize::voxelize(&stream, &mesh, &VoxelizeParams::with_resolution(128))?;
    let [nx, ny, nz] = solid.dims();
    let voxel = solid.geometry().determinant();
    let count = solid.count(&stream)?;
    compare(
        &format!("{count} of {nx} x {ny} x {nz} voxels"),
        count as f64 * voxel,
    );

    // 3. Mesh the voxels again: as samples of 0 and 1, with the surface half way between. The
    //    result is in the world space of the first mesh.
    let samples = voxelize::mask_to_volume(&stream, &solid)?;
    let samples = DeviceVolume::upload(&stream, samples.view())?;
    let params = IsosurfaceParams {
        iso: 0.5,
        ..IsosurfaceParams::default()
    };
    let again = isosurface::extract(&stream, &samples, None, &params)?.download(&stream)?;
    let report = mesh::check(&again);
    assert!(report.is_closed() && report.is_manifold());
    compare(
        &format!("a mesh again, {} triangles", report.triangles),
        report.volume,
    );

    // 4. The topology is preserved: a torus has Euler characteristic 0.
    assert_eq!((report.components, report.euler_characteristic()), (1, 0));
    println!("one component, Euler characteristic 0, as before");
    Ok(())
}
