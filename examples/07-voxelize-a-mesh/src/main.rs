//! A mesh becomes a volume, and the volume a mesh again. The volume that they enclose is compared
//! with the formula's.

use ferrovox::{
    device::Device,
    grid::DeviceVolume,
    isosurface::{self, IsosurfaceParams},
    mesh::{self, TriangleMesh, Triangles},
    voxelize::{self, VoxelizeParams},
};
use std::{error::Error, f64::consts::TAU};

/// The radius of a torus, and that of its tube.
const RADII: [f64; 2] = [3.0, 1.0];

/// A torus of `n` x `n` quadrangles, each two triangles, counter-clockwise seen from outside. A
/// mesh of yours comes from `io::read_mesh`.
fn torus(n: u32) -> TriangleMesh {
    let [ring, tube] = RADII;
    let angle = |i: u32| TAU * f64::from(i) / f64::from(n);
    let places = (0..n * n).map(|number| (angle(number / n), angle(number % n)));
    let vertices = places.map(|(u, v)| {
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

    // 1. The mesh. What encloses nothing has no voxels: an open mesh would be an error that says
    //    where its first hole is.
    let mesh = torus(96);
    let report = mesh::check(&mesh);
    assert!(report.is_closed() && report.is_oriented());
    compare(
        &format!("the mesh, {} triangles", report.triangles),
        report.volume,
    );

    // 2. Its voxels, on a grid about it: 128 voxels along its longest side. They are a mask on the
    //    device.
    let solid = voxelize::voxelize(&stream, &mesh, &VoxelizeParams::with_resolution(128))?;
    let [nx, ny, nz] = solid.dims();
    let voxel = solid.geometry().determinant();
    let count = solid.count(&stream)?;
    compare(
        &format!("{count} of {nx} x {ny} x {nz} voxels"),
        count as f64 * voxel,
    );

    // 3. A mesh again: the voxels as samples of 0 and 1, and the surface half way between the two.
    //    It is in the world where the first mesh is.
    let samples = voxelize::volume_of(&stream, &solid)?;
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

    // 4. It still has one hole: Euler characteristic 0.
    assert_eq!((report.components, report.euler_characteristic()), (1, 0));
    println!("one piece, Euler characteristic 0, as before");
    Ok(())
}
