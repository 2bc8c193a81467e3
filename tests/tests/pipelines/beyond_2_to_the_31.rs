//! More than 2³¹ samples, on a GPU with enough memory.

use ferrovox::{
    device::Device,
    grid::{DeviceVolume, Geometry},
    isosurface::{self, IsosurfaceParams},
    mesh,
};

/// Bytes per sample that the staged method needs at its peak, including the volume.
const BYTES_PER_SAMPLE: u64 = 32;

#[test]
fn a_volume_of_more_than_2_to_the_31_samples() {
    let (nx, ny, nz) = (1301usize, 1297, 1283);
    let samples = nx * ny * nz;
    assert!(samples > 1 << 31);
    let Ok(device) = Device::cuda(0) else {
        test_cases::report_skip(format_args!("no CUDA device"));
        return;
    };
    let free = device.memory().unwrap().free;
    if free < samples as u64 * BYTES_PER_SAMPLE {
        test_cases::report_skip(format_args!("{device} has {free} bytes free"));
        return;
    }
    // a ball near the far corner, where sample indices exceed 31 bits
    let (centre, radius) = ([1200.5f32, 1190.0, 1201.25], 60.0f32);
    let mut volume = vec![0u8; samples];
    for z in (centre[2] - radius - 2.0) as usize..nz.min((centre[2] + radius + 3.0) as usize) {
        for y in (centre[1] - radius - 2.0) as usize..ny.min((centre[1] + radius + 3.0) as usize) {
            for x in
                (centre[0] - radius - 2.0) as usize..nx.min((centre[0] + radius + 3.0) as usize)
            {
                let square: f32 = [x, y, z]
                    .iter()
                    .zip(centre)
                    .map(|(&p, c)| (p as f32 - c).powi(2))
                    .sum();
                volume[(z * ny + y) * nx + x] =
                    (128.0 + 16.0 * (radius - square.sqrt())).clamp(0.0, 255.0) as u8;
            }
        }
    }
    let stream = device.stream().unwrap();
    let on_device = stream.upload(&volume).unwrap();
    drop(volume);
    let volume = DeviceVolume::from_buffer(on_device, [nx, ny, nz], Geometry::default()).unwrap();
    let params = IsosurfaceParams {
        iso: 128.0,
        ..Default::default()
    };
    let surface = isosurface::extract(&stream, &volume, None, &params).unwrap();
    let mesh = surface.download(&stream).unwrap();
    let report = mesh::check(&mesh);
    assert!(
        report.is_closed() && report.is_manifold() && report.is_oriented(),
        "{report:?}"
    );
    assert_eq!(report.euler_characteristic(), 2);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3);
    approx::assert_relative_eq!(report.volume, ball, max_relative = 0.01);
    let (low, high) = mesh.bounds().unwrap();
    for k in 0..3 {
        approx::assert_abs_diff_eq!(low[k], centre[k] - radius, epsilon = 0.1);
        approx::assert_abs_diff_eq!(high[k], centre[k] + radius, epsilon = 0.1);
    }
}
