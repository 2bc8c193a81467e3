//! Golden records of the skeleton stages before the curves.

use super::Devices;
use crate::{inputs, record::Record};
use anyhow::Result;
use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceMask, DeviceVolume, Geometry},
    skeleton::{
        self,
        potential_field::{
            self, BoundaryForce, Execution, FieldVariant, Precision, SurfaceNeighbours,
            VoxelClasses,
            field::{ForceField, Sources, force_field, force_field_on_devices, forces_at_points},
        },
    },
};
use nalgebra::Point3;

/// Uploads the solid with the given geometry.
fn upload_solid(stream: &Stream, geometry: Geometry) -> Result<DeviceMask> {
    let voxels = inputs::solid().with_geometry(geometry);
    let voxels = DeviceVolume::upload(stream, voxels.view())?;
    Ok(DeviceMask::from_non_zero(stream, &voxels)?)
}

/// Records voxel classes, filled cavities, components and Euler numbers.
pub fn classes(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let solid = upload_solid(stream, Geometry::default())?;
    for neighbours in [SurfaceNeighbours::Faces, SurfaceNeighbours::Corners] {
        let VoxelClasses {
            surface,
            boundary,
            interior,
            counts,
        } = potential_field::classify(stream, &solid, neighbours)?;
        let masks = [surface, boundary, interior];
        let words = masks
            .iter()
            .map(|mask| mask.download(stream))
            .collect::<Result<Vec<_>, _>>()?;
        record.hash_bits(neighbours.name(), |bits| {
            words.iter().for_each(|words| {
                bits.add(words);
            });
            bits.add(&[counts.exterior, counts.surface]);
            bits.add(&[counts.boundary, counts.interior]);
        });
    }
    let filled = skeleton::fill_cavities(stream, &solid)?.download(stream)?;
    record.hash_bits("fill_cavities", |bits| {
        bits.add(&filled);
    });
    let euler = skeleton::euler_number(stream, &solid)?;
    let components = skeleton::components(stream, &solid)?;
    record.hash_bits("components", |bits| {
        bits.add(&[euler]);
        bits.add(components.voxels());
        bits.add(components.euler_numbers());
        bits.add(&components.central_voxels());
    });
    Ok(())
}

fn record_field(
    record: &mut Record,
    stream: &Stream,
    name: &str,
    field: &ForceField,
) -> Result<()> {
    let words = field.mask.download(stream)?;
    let forces = stream.download(&field.forces)?;
    record.hash_bits(name, |bits| {
        bits.add(&words).add(&forces);
    });
    Ok(())
}

/// Records force fields with all options, and forces at points.
pub fn fields(record: &mut Record, devices: &Devices) -> Result<()> {
    let stream = &devices.stream;
    let solid = upload_solid(stream, Geometry::default())?;
    let classes = potential_field::classify(stream, &solid, SurfaceNeighbours::Faces)?;
    let default = potential_field::Params::default();
    for variant in FieldVariant::ALL {
        for precision in [Precision::F32, Precision::Accurate] {
            let params = potential_field::Params {
                variant,
                precision,
                ..default
            };
            let name = format!("{}-{}", variant.name(), precision.name());
            let field = force_field(stream, &classes, &params)?;
            record_field(record, stream, &name, &field)?;
        }
    }
    for exponent in [2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0, 2.5] {
        let params = potential_field::Params {
            exponent,
            ..default
        };
        let field = force_field(stream, &classes, &params)?;
        record_field(record, stream, &format!("exponent-{exponent}"), &field)?;
    }
    let params = potential_field::Params {
        boundary: BoundaryForce::Mean,
        ..default
    };
    let field = force_field(stream, &classes, &params)?;
    record_field(record, stream, "mean", &field)?;

    let streams = devices
        .all
        .iter()
        .map(Device::stream)
        .collect::<Result<Vec<_>, _>>()?;
    let execution = Execution::new(&streams)?;
    let first = execution.first();
    let solid = upload_solid(first, Geometry::default())?;
    let classes = potential_field::classify(first, &solid, SurfaceNeighbours::Faces)?;
    let field = force_field_on_devices(execution, &classes, &default)?;
    record_field(record, first, "devices", &field)?;
    let field = force_field_on_devices(execution.on_progress(&|_| ()), &classes, &default)?;
    record_field(record, first, "telling", &field)?;

    record_forces_at_points(record, first, "forces_at_points", &classes)?;

    for (name, geometry) in [
        ("stretched", inputs::stretched()),
        ("oblique", inputs::oblique()),
    ] {
        let solid = upload_solid(first, geometry)?;
        let classes = potential_field::classify(first, &solid, SurfaceNeighbours::Faces)?;
        for (precision, exponent) in [
            (Precision::F32, 6.0),
            (Precision::Accurate, 6.0),
            (Precision::F32, 2.5),
            (Precision::Accurate, 2.5),
        ] {
            let params = potential_field::Params {
                precision,
                exponent,
                ..default
            };
            let field = force_field(first, &classes, &params)?;
            let name = format!("{name}-{}-{exponent}", precision.name());
            record_field(record, first, &name, &field)?;
        }
        for exponent in [6.0, 2.5] {
            let params = potential_field::Params {
                variant: FieldVariant::Multipole,
                exponent,
                ..default
            };
            let field = force_field(first, &classes, &params)?;
            record_field(record, first, &format!("{name}-tree-{exponent}"), &field)?;
        }
        record_forces_at_points(record, first, &format!("{name}-forces_at_points"), &classes)?;
    }
    Ok(())
}

/// Records forces at points on a line.
fn record_forces_at_points(
    record: &mut Record,
    stream: &Stream,
    name: &str,
    classes: &VoxelClasses,
) -> Result<()> {
    let sources = Sources::from_surface(stream, classes)?;
    let points: Vec<_> = (0..40)
        .map(|index| {
            let t = f64::from(index) / 40.0;
            Point3::new(6.0 + 28.0 * t, 8.0 + 4.0 * t, 9.0 + t)
        })
        .collect();
    let forces = forces_at_points(stream, &sources, &points, 6.0)?;
    record.hash_bits(name, |bits| {
        for force in &forces {
            bits.add(force.force.as_slice());
            bits.add(force.jacobian.as_slice());
            bits.add(&[force.scale]);
        }
    });
    Ok(())
}
