//! Golden records of distance maps.

use super::Devices;
use crate::{inputs, record::Record};
use anyhow::Result;
use ferrovox::{
    device::Stream,
    distance::{self, DistanceMap, DistanceParams, Method, NearestIndices, NoSites, Sites, Slabs},
    grid::{DeviceMask, DevicePoints, DeviceSample, DeviceVolume, Geometry, Mask, Sample, Volume},
};
use ferrovox_tests::golden::BitHash;

fn add_map(bits: &mut BitHash, stream: &Stream, map: &DistanceMap) -> Result<()> {
    bits.add(&stream.download(&map.distances)?);
    match &map.nearest {
        None => {}
        Some(NearestIndices::U32(nearest)) => {
            bits.add(&stream.download(nearest)?);
        }
        Some(NearestIndices::U64(nearest)) => {
            bits.add(&stream.download(nearest)?);
        }
    }
    Ok(())
}

fn upload<T: DeviceSample + Sample>(
    stream: &Stream,
    volume: &Volume<T>,
) -> Result<DeviceVolume<T>> {
    Ok(DeviceVolume::upload(stream, volume.view())?)
}

/// Returns three geometries: integer spacings, spacings with a common unit, and spacings without
/// one.
fn geometries() -> Result<[(&'static str, Geometry); 3]> {
    Ok([
        ("unit", Geometry::default()),
        ("stretched", inputs::stretched()),
        (
            "odd",
            Geometry::from_spacing([0.7, 1.1, 1.3], [1.0, 2.0, 3.0])?,
        ),
    ])
}

fn params(method: Method, max_distance: Option<f64>, nearest: bool) -> DistanceParams {
    DistanceParams {
        method,
        max_distance,
        nearest,
        ..DistanceParams::default()
    }
}

/// Records masks from all constructors.
pub fn masks(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let holes = upload(stream, &inputs::holes(21))?;
    let sites = inputs::sites();
    let labels = upload(stream, &inputs::labels())?;
    let on_device = upload(stream, &sites)?;
    let indices: Vec<u64> = (0..500).map(|number| number * number % 90_000).collect();
    let dims = inputs::SITE_DIMS;
    let from_mask = DeviceMask::from_non_zero(stream, &on_device)?;
    let masks_by_name = [
        ("above", DeviceMask::above(stream, &holes, 60.0)?),
        ("below", DeviceMask::below(stream, &holes, 60.0)?),
        ("between", DeviceMask::between(stream, &holes, 40.0, 60.0)?),
        ("from_level", DeviceMask::from_level(stream, &holes, 60.0)?),
        ("surface", from_mask.surface(stream)?),
        ("enclosed_by", DeviceMask::enclosed_by(stream, &from_mask)?),
        (
            "from_label_edges",
            DeviceMask::from_label_edges(stream, &labels)?,
        ),
        (
            "from_indices",
            DeviceMask::from_indices(stream, &indices, dims, inputs::stretched())?,
        ),
        ("from_mask", from_mask),
    ];
    for (name, mask) in &masks_by_name {
        let (words, count) = (mask.download(stream)?, mask.count(stream)?);
        record.hash_bits(name, |bits| {
            bits.add(&words).add(&[count]);
        });
    }
    let mut host = Mask::new(dims, inputs::stretched())?;
    host.set_planes(0, sites.samples(), |sample| sample != 0.0);
    let device = stream.device();
    for (name, mask) in [
        ("host", host.clone()),
        ("host-surface", host.surface(device)?),
        ("host-enclosed", host.enclosed(device)?),
    ] {
        record.hash_bits(name, |bits| {
            bits.add(mask.words()).add(&[mask.count()]);
        });
    }
    let crossings = DevicePoints::from_crossings(stream, &holes, 60.0)?.download(stream)?;
    record.hash_bits("from_crossings", |bits| {
        bits.add(&crossings);
    });
    Ok(())
}

/// Records every method with voxel sites.
pub fn maps(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let volume = inputs::sites();
    for (name, geometry) in geometries()? {
        let sites = upload(stream, &volume.clone().with_geometry(geometry))?;
        let sites = DeviceMask::from_non_zero(stream, &sites)?;
        for method in Method::ALL {
            let mut bits = BitHash::default();
            for bound in [None, Some(7.5)] {
                let params = params(method, bound, false);
                let mut map = distance::transform(stream, Sites::Voxels(&sites), &params)?;
                add_map(&mut bits, stream, &map)?;
                let inside = DeviceMask::enclosed_by(stream, &sites)?;
                distance::apply_sign(stream, &mut map, &inside)?;
                add_map(&mut bits, stream, &map)?;
            }
            record.hash(&format!("{}-{name}", method.name()), bits.finish());
        }
        for method in [Method::Separable, Method::BruteForce, Method::CenterPoint] {
            let mut bits = BitHash::default();
            for bound in [None, Some(7.5)] {
                let params = params(method, bound, true);
                let map = distance::transform(stream, Sites::Voxels(&sites), &params)?;
                add_map(&mut bits, stream, &map)?;
            }
            record.hash(&format!("nearest-{}-{name}", method.name()), bits.finish());
        }
    }
    let none = Mask::new([33, 5, 4], Geometry::default())?.upload(stream)?;
    let params = DistanceParams {
        no_sites: NoSites::Infinity,
        ..DistanceParams::default()
    };
    let map = distance::transform(stream, Sites::Voxels(&none), &params)?;
    let mut bits = BitHash::default();
    add_map(&mut bits, stream, &map)?;
    record.hash("no-sites", bits.finish());
    Ok(())
}

/// Records point sites.
pub fn points(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    for (name, geometry) in geometries()? {
        let points =
            DevicePoints::from_voxels(stream, &inputs::points(), inputs::SITE_DIMS, geometry)?;
        for method in [Method::Cubes, Method::BruteForce] {
            let mut bits = BitHash::default();
            for bound in [None, Some(6.0)] {
                // Method `cubes` does not compute nearest sites.
                let params = params(method, bound, method == Method::BruteForce);
                let map = distance::transform(stream, Sites::Points(&points), &params)?;
                add_map(&mut bits, stream, &map)?;
            }
            record.hash(&format!("{}-{name}", method.name()), bits.finish());
        }
    }
    Ok(())
}

/// Records maps in slabs, with several devices and memory limits.
pub fn slabs(record: &mut Record, devices: &Devices) -> Result<()> {
    let volume = inputs::sites();
    for (name, geometry) in geometries()? {
        let mut sites = Mask::new(volume.dims(), geometry)?;
        sites.set_planes(0, volume.samples(), |sample| sample != 0.0);
        let inside = sites.enclosed(devices.stream.device())?;
        let mut bits = BitHash::default();
        for bound in [None, Some(7.5)] {
            for extra_bytes in [None, Some(0), Some(100_000)] {
                let mut params = params(Method::Separable, bound, false);
                let min_memory = Slabs::new(&devices.all, &sites, &params)?
                    .with_sign(&inside)?
                    .min_memory();
                params.memory = extra_bytes.map(|extra_bytes| min_memory + extra_bytes);
                let plain = Slabs::new(&devices.all, &sites, &params)?;
                bits.add(plain.map()?.samples());
                bits.add(plain.with_sign(&inside)?.map()?.samples());
            }
        }
        record.hash(name, bits.finish());
    }
    Ok(())
}

/// Records integer squared distances.
pub fn squared(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let sites = DeviceMask::from_non_zero(stream, &upload(stream, &inputs::sites())?)?;
    let labels = upload(stream, &inputs::labels())?;
    let bounded = params(Method::Separable, Some(20.0), false);
    let free = DistanceParams::default();
    let map = distance::transform_squared::<u16>(stream, &sites, &bounded)?.download(stream)?;
    record.hash_bits("voxels-u16", |bits| {
        bits.add(&map);
    });
    for (name, params) in [("voxels-u32", free), ("voxels-u32-bound", bounded)] {
        let map = distance::transform_squared::<u32>(stream, &sites, &params)?.download(stream)?;
        record.hash_bits(name, |bits| {
            bits.add(&map);
        });
    }
    let map = distance::transform_labels_squared::<u16, _>(stream, &labels, &bounded)?;
    let map = map.download(stream)?;
    record.hash_bits("labels-u16", |bits| {
        bits.add(&map);
    });
    let map = distance::transform_labels_squared::<u32, _>(stream, &labels, &free)?;
    let map = map.download(stream)?;
    record.hash_bits("labels-u32", |bits| {
        bits.add(&map);
    });
    Ok(())
}

/// Records label maps of every sample type.
pub fn labels(record: &mut Record, devices: &Devices) -> Result<()> {
    let u16s = inputs::labels();
    record_labels(record, devices, "u8", |label| (label / 3) as u8)?;
    record_labels(record, devices, "i8", |label| (label / 12) as i8 - 60)?;
    record_labels(record, devices, "u16", |label| label)?;
    record_labels(record, devices, "i16", |label| label as i16 - 700)?;
    record_labels(record, devices, "f32", |label| f32::from(label) / 3.0)?;
    let stream = &devices.stream;
    for (name, geometry) in geometries()? {
        let labels = upload(stream, &u16s.clone().with_geometry(geometry))?;
        let mut bits = BitHash::default();
        for bound in [None, Some(5.25)] {
            let params = params(Method::Separable, bound, false);
            add_map(
                &mut bits,
                stream,
                &distance::transform_labels(stream, &labels, &params)?,
            )?;
        }
        record.hash(name, bits.finish());
    }
    Ok(())
}

fn record_labels<T: DeviceSample + Sample>(
    record: &mut Record,
    devices: &Devices,
    name: &str,
    convert: impl Fn(u16) -> T,
) -> Result<()> {
    let stream = &devices.stream;
    let labels = inputs::labels();
    let samples = labels
        .samples()
        .iter()
        .map(|&label| convert(label))
        .collect();
    let labels = Volume::new(samples, labels.dims(), *labels.geometry())?;
    let labels = upload(stream, &labels)?;
    let map = distance::transform_labels(stream, &labels, &DistanceParams::default())?;
    let mut bits = BitHash::default();
    add_map(&mut bits, stream, &map)?;
    record.hash(name, bits.finish());
    Ok(())
}
