//! Skeletons: what comes before the curves.

use super::Machine;
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

/// The solid in voxels of some form.
fn solid(stream: &Stream, geometry: Geometry) -> Result<DeviceMask> {
    let voxels = inputs::solid().with_geometry(geometry);
    let voxels = DeviceVolume::upload(stream, voxels.view())?;
    Ok(DeviceMask::from_mask(stream, &voxels)?)
}

/// Classes of voxels, cavities, components, Euler numbers.
pub fn classes(record: &mut Record, machine: &Machine) -> Result<()> {
    let stream = &machine.stream;
    let solid = solid(stream, Geometry::default())?;
    for by in [SurfaceNeighbours::Faces, SurfaceNeighbours::Corners] {
        let VoxelClasses {
            surface,
            boundary,
            interior,
            counts,
        } = potential_field::classify(stream, &solid, by)?;
        let masks = [surface, boundary, interior];
        let words = masks
            .iter()
            .map(|mask| mask.download(stream))
            .collect::<Result<Vec<_>, _>>()?;
        record.bits(by.name(), |bits| {
            words.iter().for_each(|words| {
                bits.add(words);
            });
            bits.add(&[counts.exterior, counts.surface]);
            bits.add(&[counts.boundary, counts.interior]);
        });
    }
    let filled = skeleton::fill_cavities(stream, &solid)?.download(stream)?;
    record.bits("fill_cavities", |bits| {
        bits.add(&filled);
    });
    let euler = skeleton::euler_number(stream, &solid)?;
    let components = skeleton::components(stream, &solid)?;
    record.bits("components", |bits| {
        bits.add(&[euler]);
        bits.add(components.voxels());
        bits.add(components.euler_numbers());
        bits.add(&components.central_voxels());
    });
    Ok(())
}

fn hash(record: &mut Record, stream: &Stream, name: &str, field: &ForceField) -> Result<()> {
    let words = field.mask.download(stream)?;
    let forces = stream.download(&field.forces)?;
    record.bits(name, |bits| {
        bits.add(&words).add(&forces);
    });
    Ok(())
}

/// Forces with every choice.
pub fn fields(record: &mut Record, machine: &Machine) -> Result<()> {
    let stream = &machine.stream;
    let solid = solid(stream, Geometry::default())?;
    let classes = potential_field::classify(stream, &solid, SurfaceNeighbours::Faces)?;
    let plain = potential_field::Params::default();
    for variant in FieldVariant::ALL {
        for precision in [Precision::F32, Precision::Accurate] {
            let params = potential_field::Params {
                variant,
                precision,
                ..plain
            };
            let name = format!("{}-{}", variant.name(), precision.name());
            let field = force_field(stream, &classes, &params)?;
            hash(record, stream, &name, &field)?;
        }
    }
    for exponent in [2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0, 2.5] {
        let params = potential_field::Params { exponent, ..plain };
        let field = force_field(stream, &classes, &params)?;
        hash(record, stream, &format!("exponent-{exponent}"), &field)?;
    }
    let params = potential_field::Params {
        boundary: BoundaryForce::Mean,
        ..plain
    };
    let field = force_field(stream, &classes, &params)?;
    hash(record, stream, "mean", &field)?;

    let streams = machine
        .devices
        .iter()
        .map(Device::stream)
        .collect::<Result<Vec<_>, _>>()?;
    let execution = Execution::new(&streams)?;
    let first = execution.first();
    let solid = self::solid(first, Geometry::default())?;
    let classes = potential_field::classify(first, &solid, SurfaceNeighbours::Faces)?;
    let field = force_field_on_devices(execution, &classes, &plain)?;
    hash(record, first, "devices", &field)?;
    let field = force_field_on_devices(execution.on_progress(&|_| ()), &classes, &plain)?;
    hash(record, first, "telling", &field)?;

    anywhere(record, first, "forces_at_points", &classes)?;

    for (name, geometry) in [
        ("stretched", inputs::stretched()),
        ("oblique", inputs::oblique()),
    ] {
        let solid = self::solid(first, geometry)?;
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
                ..plain
            };
            let field = force_field(first, &classes, &params)?;
            let name = format!("{name}-{}-{exponent}", precision.name());
            hash(record, first, &name, &field)?;
        }
        for exponent in [6.0, 2.5] {
            let params = potential_field::Params {
                variant: FieldVariant::Multipole,
                exponent,
                ..plain
            };
            let field = force_field(first, &classes, &params)?;
            hash(record, first, &format!("{name}-tree-{exponent}"), &field)?;
        }
        anywhere(record, first, &format!("{name}-forces_at_points"), &classes)?;
    }
    Ok(())
}

/// Forces at points on a line.
fn anywhere(
    record: &mut Record,
    stream: &Stream,
    name: &str,
    classes: &VoxelClasses,
) -> Result<()> {
    let sources = Sources::from_surface(stream, classes)?;
    let points: Vec<_> = (0..40)
        .map(|number| {
            let part = f64::from(number) / 40.0;
            Point3::new(6.0 + 28.0 * part, 8.0 + 4.0 * part, 9.0 + part)
        })
        .collect();
    let forces = forces_at_points(stream, &sources, &points, 6.0)?;
    record.bits(name, |bits| {
        for found in &forces {
            bits.add(found.force.as_slice());
            bits.add(found.jacobian.as_slice());
            bits.add(&[found.scale]);
        }
    });
    Ok(())
}
