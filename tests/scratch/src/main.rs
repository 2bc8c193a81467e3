//! Extracts the mesh of a sphere on the best available device and checks the mesh.

use ferrovox::{device::Device, grid::{DeviceVolume, Geometry, Volume}, isosurface::{self, IsosurfaceParams}, mesh};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sphere = Volume::from_fn([24, 25, 26], Geometry::default(), |x, y, z| {
        let squared = |k: usize| (k as f32 - 12.0).powi(2);
        8.0 - (squared(x) + squared(y) + squared(z)).sqrt()
    })?;
    let device = Device::best();
    let stream = device.stream()?;
    let volume = DeviceVolume::upload(&stream, sphere.view())?;
    let surface = isosurface::extract(&stream, &volume, None, &IsosurfaceParams::default())?;
    let report = mesh::check(&surface.download(&stream)?);
    assert!(report.is_closed() && report.is_manifold() && report.is_oriented(), "{report:?}");
    assert_eq!(report.euler_characteristic(), 2);
    // The ball has 4/3 π 8³ = 2144.7; flat triangles enclose less.
    assert!((2060.0..2145.0).contains(&report.volume), "{}", report.volume);
    println!("{}: {} triangles, closed", device.id(), report.triangles);
    Ok(())
}
