//! Converts a volume file to a mesh file: `cargo run -- scan.nii.gz 120 scan.ply`.
//!
//! Without arguments, it meshes the brain in the repository (`cli/data`).

use ferrovox::{
    device::Device,
    grid::DeviceVolume,
    io::{MeshWriteOptions, ReadOptions, read_volume, write_mesh},
    isosurface::{self, IsosurfaceParams},
    mesh,
};
use std::{env, error::Error};

const BRAIN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../cli/data/mni152_t1_1mm.nii.gz"
);

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let input = args.next().unwrap_or_else(|| BRAIN.to_owned());
    let iso = args.next().map_or(Ok(120.0), |text| text.parse())?;
    let output = args
        .next()
        .map_or_else(|| env::temp_dir().join("surface.ply"), Into::into);

    // 1. Read the file. Samples are converted to f32, whatever their type in the file.
    let (volume, _) = read_volume(&input, &ReadOptions::default())?
        .volume
        .into_f32();

    // 2. Select a device and upload the volume. `best` is the first CUDA device, or the CPU.
    let device = Device::best();
    let stream = device.stream()?;
    let on_device = DeviceVolume::upload(&stream, volume.view())?;

    // 3. Extract the surface. It stays on the device until it is downloaded.
    let params = IsosurfaceParams {
        iso,
        normals: true,
        ..IsosurfaceParams::default()
    };
    let surface = isosurface::extract(&stream, &on_device, None, &params)?;
    let mesh = surface.download(&stream)?;

    // 4. Check the mesh and write it. The file extension selects the format.
    let report = mesh::check(&mesh);
    write_mesh(&output, &mesh, &MeshWriteOptions::default())?;
    println!(
        "{device}: {} vertices, {} triangles",
        report.vertices, report.triangles
    );
    println!(
        "closed: {}, manifold: {}, area {:.1}, volume {:.1}",
        report.is_closed(),
        report.is_manifold(),
        report.area,
        report.volume
    );
    println!("{}", output.display());
    Ok(())
}
