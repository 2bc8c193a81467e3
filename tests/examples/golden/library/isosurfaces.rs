//! Isosurfaces.

use super::Machine;
use crate::{inputs, record::Record};
use anyhow::Result;
use ferrovox::{
    grid::{DeviceSample, DeviceVolume, Sample, Volume},
    isosurface::{self, DeviceSlab, IndexWidth, Inside, IsosurfaceParams, Method},
    mesh::{TriangleMesh, Triangles},
};
use ferrovox_tests::golden::Bits;

fn add_mesh(bits: &mut Bits, mesh: &TriangleMesh, non_finite_cells: u64) {
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

/// Every choice of what is inside, of closing, of normals.
fn choices(iso: f32) -> impl Iterator<Item = IsosurfaceParams> {
    (0..8).map(move |choice| IsosurfaceParams {
        iso,
        inside: match choice & 1 {
            0 => Inside::Above,
            _ => Inside::Below,
        },
        close: choice & 2 != 0,
        normals: choice & 4 != 0,
        ..IsosurfaceParams::default()
    })
}

fn converted<T: Sample>(of: impl Fn(f64) -> T) -> Result<Volume<T>> {
    let blobs = inputs::density(inputs::DIMS, 11);
    let samples = blobs.samples().iter().map(|&sample| of(sample)).collect();
    Ok(Volume::new(samples, inputs::DIMS, inputs::oblique())?)
}

fn extract_of<T: DeviceSample + Sample>(
    record: &mut Record,
    machine: &Machine,
    name: &str,
    volume: &Volume<T>,
    iso: f32,
) -> Result<()> {
    let stream = &machine.stream;
    let on_device = DeviceVolume::upload(stream, volume.view())?;
    let mask = DeviceVolume::upload(stream, inputs::mask().view())?;
    for method in Method::ALL {
        let mut bits = Bits::default();
        for mask in [None, Some(&mask)] {
            for params in choices(iso) {
                let params = IsosurfaceParams { method, ..params };
                let surface = isosurface::extract(stream, &on_device, mask, &params)?;
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

/// Types, methods and choices; index widths.
pub fn extract(record: &mut Record, machine: &Machine) -> Result<()> {
    let u8s = converted(|x| x as u8)?;
    extract_of(record, machine, "u8", &u8s, 60.0)?;
    let i8s = converted(|x| (x - 120.0) as i8)?;
    extract_of(record, machine, "i8", &i8s, -60.0)?;
    let u16s = converted(|x| (x * 256.0) as u16)?;
    extract_of(record, machine, "u16", &u16s, 15_360.25)?;
    let i16s = converted(|x| (x * 128.0) as i16)?;
    extract_of(record, machine, "i16", &i16s, 7680.0)?;
    extract_of(record, machine, "f32", &inputs::holes(12), 60.0)?;

    let stream = &machine.stream;
    let on_device = DeviceVolume::upload(stream, u8s.view())?;
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
            let surface = isosurface::extract(stream, &on_device, None, &params)?;
            let mesh = surface.download(stream)?;
            record.bits(&format!("{name}-{}", method.name()), |bits| {
                add_mesh(bits, &mesh, 0);
            });
        }
    }
    Ok(())
}

/// Several devices: from the host, and of slabs that are there already.
pub fn parts(record: &mut Record, machine: &Machine) -> Result<()> {
    let volume = inputs::holes(13);
    let mask = inputs::mask();
    let mut bits = Bits::default();
    for mask in [None, Some(mask.view())] {
        for params in choices(60.0) {
            let parts = isosurface::extract_parts(&machine.devices, volume.view(), mask, &params)?;
            add_mesh(&mut bits, &parts.join()?, parts.non_finite_cells());
        }
    }
    record.hash("extract_parts", bits.finish());

    let mut bits = Bits::default();
    for params in choices(60.0) {
        let [nx, ny, _] = volume.dims();
        let mut resident = Vec::new();
        let slabs = isosurface::slabs(volume.dims(), params.close, machine.devices.len())?;
        for (slab, device) in slabs.into_iter().zip(&machine.devices) {
            let stream = device.stream()?;
            let plane = nx * ny;
            let samples = &volume.samples()[plane * slab.planes.start..plane * slab.planes.end];
            let samples = stream.upload(samples)?;
            let dims = [nx, ny, slab.planes.len()];
            let samples = DeviceVolume::from_buffer(samples, dims, *volume.geometry())?;
            resident.push((stream, samples, slab));
        }
        let slabs: Vec<_> = resident
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

/// In little memory.
pub fn within(record: &mut Record, machine: &Machine) -> Result<()> {
    let stream = &machine.stream;
    let volume = DeviceVolume::upload(stream, inputs::holes(14).view())?;
    let mask = DeviceVolume::upload(stream, inputs::mask().view())?;
    let (mut kept, mut host, mut each) = (Bits::default(), Bits::default(), Bits::default());
    for mask in [None, Some(&mask)] {
        for params in choices(60.0) {
            for memory in [None, Some(1_500_000)] {
                let parts =
                    isosurface::extract_within_budget(stream, &volume, mask, &params, memory)?;
                add_mesh(&mut kept, &parts.join()?, parts.non_finite_cells());
                let found = isosurface::extract_to_host(stream, &volume, mask, &params, memory)?;
                add_mesh(&mut host, &found.mesh, found.non_finite_cells);
                // where the parts end is not the mesh: their vertices and triangles one after the
                // other are
                let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
                isosurface::for_each_part(stream, &volume, mask, &params, memory, |part| {
                    let found = part.mesh.download(stream)?;
                    vertices.extend(found.vertices);
                    triangles.extend(found.triangles.iter());
                    Ok::<_, isosurface::IsosurfaceError>(())
                })?;
                each.add(&vertices).add(&triangles);
            }
        }
    }
    record.hash("extract_within", kept.finish());
    record.hash("extract_to_host", host.finish());
    record.hash("for_each_part", each.finish());
    Ok(())
}
