//! Several results from one upload: data stays on the device until it is downloaded.
//!
//! A field is generated on the device, meshed at three isovalues, and rendered; only counts, one
//! mesh and an image are transferred to the host.

use ferrovox::{
    device::Device,
    isosurface::{self, IsosurfaceParams},
    mesh,
    render::{self, RenderParams},
    synthetic::{self, Metaball},
};
use std::{env, error::Error, fs::File};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let stream = device.stream()?;
    println!("{device}");

    // Only two balls are uploaded: a kernel fills the volume.
    let balls = [
        Metaball {
            centre: [30.0, 40.0, 40.0],
            radius: 12.0,
        },
        Metaball {
            centre: [56.0, 40.0, 40.0],
            radius: 16.0,
        },
    ];
    let volume = synthetic::metaballs(&stream, [88, 80, 80], &balls)?;

    // The same volume at several isovalues. Launches on one stream run in order; nothing here waits
    // for the GPU, except for the size of the mesh, which the host needs to allocate it.
    let mut surfaces = Vec::new();
    for iso in [0.6, 1.0, 3.0] {
        let params = IsosurfaceParams {
            iso,
            time_stages: true,
            ..IsosurfaceParams::default()
        };
        surfaces.push((iso, isosurface::extract(&stream, &volume, None, &params)?));
    }
    for (iso, surface) in &surfaces {
        let slowest = surface
            .stage_times()?
            .into_iter()
            .max_by_key(|stage| stage.time);
        let slowest = slowest.map_or("nothing to do", |stage| stage.stage);
        println!(
            "at {iso}: {} triangles; most time in: {slowest}",
            surface.triangle_count()
        );
    }

    // One mesh is downloaded, and the volume is rendered on the device.
    let (_, surface) = &surfaces[2];
    let report = mesh::check(&surface.download(&stream)?);
    println!(
        "at 3: {} components, Euler characteristic {}",
        report.components,
        report.euler_characteristic()
    );
    let params = RenderParams {
        iso: 1.0,
        width: 320,
        height: 240,
        ..RenderParams::default()
    };
    let picture = render::isosurface(&stream, &volume, &params)?;
    let path = env::temp_dir().join("metaballs.png");
    picture.write_png(File::create(&path)?)?;
    println!("{}", path.display());
    Ok(())
}
