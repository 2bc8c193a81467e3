//! Golden records of isosurfaces.

use super::Devices;
use crate::{inputs, record::Record};
use anyhow::Result;
use ferrovox::{
    grid::{DeviceSample, DeviceVolume, Sample, Volume},
    isosurface::{self, DeviceSlab, IndexWidth, Inside, IsosurfaceParams, Method},
    mesh::{TriangleMesh, Triangles},
};
use ferrovox_tests::golden::BitHash;

fn add_mesh(bits: &mut BitHash, mesh: &TriangleMesh, non_finite_cells: u64) {
    bits.add(&mesh.vertices);
    if let Some(normals) = &mesh.normals {
        bits.add_text("normals").add(normals);
    }
    match &mesh.triangles {
        Triangles::U32(triangles) => bits.add(triangles),
        Triangles::U64(triangles) => bits.add(triangles),
    };
    bits.add(&[non_finite_cells]);
}

/// Returns all combinations of inside, closing and normals.
fn param_combinations(iso: f32) -> impl Iterator<Item = IsosurfaceParams> {
    (0..8).map(move |bits| IsosurfaceParams {
        iso,
        inside: match bits & 1 {
            0 => Inside::Above,
            _ => Inside::Below,
        },
        close: bits & 2 != 0,
        normals: bits & 4 != 0,
        ..IsosurfaceParams::default()
    })
}

fn convert_samples<T: Sample>(convert: impl Fn(f64) -> T) -> Result<Volume<T>> {
    let blobs = inputs::density(inputs::DIMS, 11);
    let samples = blobs
        .samples()
        .iter()
        .map(|&sample| convert(sample))
        .collect();
    Ok(Volume::new(samples, inputs::DIMS, inputs::oblique())?)
}

fn record_extract<T: DeviceSample + Sample>(
    record: &mut Record,
    devices: &Devices,
    name: &str,
    volume: &Volume<T>,
    iso: f32,
) -> Result<()> {
    let stream = &devices.stream;
    let device_volume = DeviceVolume::upload(stream, volume.view())?;
    let mask = DeviceVolume::upload(stream, inputs::mask().view())?;
    for method in Method::ALL {
        let mut bits = BitHash::default();
        for mask in [None, Some(&mask)] {
            for params in param_combinations(iso) {
                let params = IsosurfaceParams { method, ..params };
                let surface = isosurface::extract(stream, &device_volume, mask, &params)?;
                add_mesh(
                    &mut bits,
                    &surface.download(stream)?,
                    surface.non_finite_cells,
                );
            }
        }
        record.hash(&format!("{name}-{}", method.name()), bits.finish());
    }
    Ok(())
}

/// Records extractions with all types, methods, parameters and index widths.
pub fn extract(record: &mut Record, devices: &Devices) -> Result<()> {
    let u8s = convert_samples(|x| x as u8)?;
    record_extract(record, devices, "u8", &u8s, 60.0)?;
    let i8s = convert_samples(|x| (x - 120.0) as i8)?;
    record_extract(record, devices, "i8", &i8s, -60.0)?;
    let u16s = convert_samples(|x| (x * 256.0) as u16)?;
    record_extract(record, devices, "u16", &u16s, 15_360.25)?;
    let i16s = convert_samples(|x| (x * 128.0) as i16)?;
    record_extract(record, devices, "i16", &i16s, 7680.0)?;
    record_extract(record, devices, "f32", &inputs::holes(12), 60.0)?;

    let stream = &devices.stream;
    let device_volume = DeviceVolume::upload(stream, u8s.view())?;
    let widths = [
        ("bits32", IndexWidth::Bits32),
        ("bits64", IndexWidth::Bits64),
    ];
    for (name, index_width) in widths {
        for method in Method::ALL {
            let params = IsosurfaceParams {
                iso: 60.0,
                index_width,
                method,
                ..IsosurfaceParams::default()
            };
            let surface = isosurface::extract(stream, &device_volume, None, &params)?;
            let mesh = surface.download(stream)?;
            record.hash_bits(&format!("{name}-{}", method.name()), |bits| {
                add_mesh(bits, &mesh, 0);
            });
        }
    }
    Ok(())
}

/// Records extractions on several devices, from host volumes and from device slabs.
pub fn parts(record: &mut Record, devices: &Devices) -> Result<()> {
    let volume = inputs::holes(13);
    let mask = inputs::mask();
    let mut bits = BitHash::default();
    for mask in [None, Some(mask.view())] {
        for params in param_combinations(60.0) {
            let parts = isosurface::extract_parts(&devices.all, volume.view(), mask, &params)?;
            add_mesh(&mut bits, &parts.join()?, parts.non_finite_cells());
        }
    }
    record.hash("extract_parts", bits.finish());

    let mut bits = BitHash::default();
    for params in param_combinations(60.0) {
        let [nx, ny, _] = volume.dims();
        let mut device_slabs = Vec::new();
        let slabs = isosurface::slabs(volume.dims(), params.close, devices.all.len())?;
        for (slab, device) in slabs.into_iter().zip(&devices.all) {
            let stream = device.stream()?;
            let plane = nx * ny;
            let samples = &volume.samples()[plane * slab.planes.start..plane * slab.planes.end];
            let samples = stream.upload(samples)?;
            let dims = [nx, ny, slab.planes.len()];
            let samples = DeviceVolume::from_buffer(samples, dims, *volume.geometry())?;
            device_slabs.push((stream, samples, slab));
        }
        let slabs: Vec<_> = device_slabs
            .iter()
            .map(|(stream, samples, slab)| DeviceSlab {
                stream,
                samples,
                mask: None,
                first_plane: slab.planes.start,
                cells: slab.cells.clone(),
            })
            .collect();
        let parts = isosurface::extract_slabs(volume.dims(), volume.geometry(), &slabs, &params)?;
        add_mesh(&mut bits, &parts.join()?, parts.non_finite_cells());
    }
    record.hash("extract_slabs", bits.finish());
    Ok(())
}

/// Records extractions with memory limits.
pub fn within(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let volume = DeviceVolume::upload(stream, inputs::holes(14).view())?;
    let mask = DeviceVolume::upload(stream, inputs::mask().view())?;
    let (mut within, mut host, mut parts_bits) =
        (BitHash::default(), BitHash::default(), BitHash::default());
    for mask in [None, Some(&mask)] {
        for params in param_combinations(60.0) {
            for memory in [None, Some(1_500_000)] {
                let parts =
                    isosurface::extract_within_budget(stream, &volume, mask, &params, memory)?;
                add_mesh(&mut within, &parts.join()?, parts.non_finite_cells());
                let surface = isosurface::extract_to_host(stream, &volume, mask, &params, memory)?;
                add_mesh(&mut host, &surface.mesh, surface.non_finite_cells);
                // The boundaries of the parts may change; the concatenated vertices and triangles
                // may not.
                let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
                isosurface::for_each_part(stream, &volume, mask, &params, memory, |part| {
                    let mesh = part.mesh.download(stream)?;
                    vertices.extend(mesh.vertices);
                    triangles.extend(mesh.triangles.iter());
                    Ok::<_, isosurface::IsosurfaceError>(())
                })?;
                parts_bits.add(&vertices).add(&triangles);
            }
        }
    }
    record.hash("extract_within", within.finish());
    record.hash("extract_to_host", host.finish());
    record.hash("for_each_part", parts_bits.finish());
    Ok(())
}
