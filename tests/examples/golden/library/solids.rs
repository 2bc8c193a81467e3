//! Golden records of voxelized meshes and synthetic fields.

use super::Devices;
use crate::{inputs, record::Record};
use anyhow::Result;
use ferrovox::{
    synthetic::{self, Levels, Metaball},
    voxelize::{VoxelizeParams, voxelize, voxelize_on_grid},
};

/// Records masks of voxelized meshes.
pub fn voxelized(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let mesh = inputs::octasphere();
    for (name, params) in [
        ("across-47", VoxelizeParams::with_resolution(47)),
        ("across-128", VoxelizeParams::with_resolution(128)),
        ("of-size", VoxelizeParams::with_voxel_size(0.15)),
    ] {
        let words = voxelize(stream, &mesh, &params)?.download(stream)?;
        record.hash_bits(name, |bits| {
            bits.add(&words);
        });
    }
    let geometry = inputs::oblique();
    let centre = geometry.world_to_index([1.5, -2.0, 0.0].into());
    let first = [centre.x, centre.y, centre.z].map(|index| index as i64 - 12);
    let mask = voxelize_on_grid(stream, &mesh, [35, 24, 23], geometry.shifted(first))?;
    let words = mask.download(stream)?;
    record.hash_bits("in-an-oblique-grid", |bits| {
        bits.add(&words);
    });
    Ok(())
}

/// Records synthetic fields filled by the device.
pub fn fields(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let dims = [37, 23, 19];
    let sphere = synthetic::sphere(stream, dims, 8.5)?;
    let samples = stream.download(sphere.samples())?;
    record.hash_bits("sphere", |bits| {
        bits.add(&samples);
    });
    let levels = Levels {
        scale: 8.0,
        offset: 100.5,
    };
    let samples = synthetic::sphere_as::<u8>(stream, dims, 8.5, levels)?;
    let samples = stream.download(samples.samples())?;
    record.hash_bits("sphere-u8", |bits| {
        bits.add(&samples);
    });
    let samples = synthetic::quantise::<i16>(stream, &sphere, levels)?;
    let samples = stream.download(samples.samples())?;
    record.hash_bits("quantise-i16", |bits| {
        bits.add(&samples);
    });
    let balls = [
        Metaball {
            centre: [12.0, 10.0, 9.0],
            radius: 5.0,
        },
        Metaball {
            centre: [22.5, 11.0, 8.0],
            radius: 6.5,
        },
    ];
    let metaballs = synthetic::metaballs(stream, dims, &balls)?;
    let samples = stream.download(metaballs.samples())?;
    record.hash_bits("metaballs", |bits| {
        bits.add(&samples);
    });
    Ok(())
}
