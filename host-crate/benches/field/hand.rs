//! Times the force field of a hand at several sizes; pairs per second are not meaningful for the
//! multipole method.

use crate::support::{Outcome, time_by_events};
use ferrovox::{
    device::{Device, DeviceKind, Recording, Stream},
    grid::{DeviceMask, DevicePoints, Geometry},
    skeleton::potential_field::{
        self, FieldVariant, SurfaceNeighbours, VoxelClasses, classify,
        field::{ForceField, Sources, force_field, forces_at_points},
    },
    synthetic::{self, Capsule},
};
use measure::{Record, Report};
use nalgebra::{Matrix3, Point3, Vector3};
use std::{collections::BTreeMap, time::Duration};

/// Default numbers of voxels along an axis.
const SIZES: [usize; 4] = [128, 256, 512, 1024];
const SIZES_ON_CPU: [usize; 3] = [64, 128, 256];

/// Maximum number of pairs for the all-pairs variants; takes some twenty seconds per run.
const MAX_PAIRS: f64 = 3e13;
const MAX_PAIRS_ON_CPU: f64 = 3e10;

/// Number of forces compared with exact sums.
const SAMPLES: usize = 2000;

/// Returns a palm, a thumb and four fingers in `size` voxels along each axis.
fn hand(size: usize) -> Vec<Capsule> {
    let at = |point: [f32; 3]| point.map(|along| along * size as f32);
    let part = |from, to, radii: [f32; 2]| Capsule {
        ends: [at(from), at(to)],
        radii: radii.map(|radius| radius * size as f32),
    };
    let mut parts = vec![
        part([0.42, 0.22, 0.5], [0.38, 0.45, 0.5], [0.09, 0.1]),
        part([0.56, 0.22, 0.5], [0.58, 0.45, 0.5], [0.09, 0.1]),
        part([0.49, 0.06, 0.48], [0.49, 0.3, 0.5], [0.085, 0.09]),
        part([0.36, 0.25, 0.5], [0.17, 0.48, 0.58], [0.065, 0.042]),
    ];
    for finger in 0..4u8 {
        let x = 0.33 + 0.1 * f32::from(finger);
        let length = [0.32, 0.4, 0.38, 0.28][usize::from(finger)];
        let fingertip = [x + 0.35 * (x - 0.48), 0.5 + length, 0.5 + 0.1 * length];
        parts.push(part([x, 0.47, 0.5], fingertip, [0.047, 0.034]));
    }
    parts
}

/// Measures the jobs at all sizes; reports time, memory, errors and kernel times.
pub fn measure(
    report: &mut Report,
    device: &Device,
    (sizes, spacing): (&[usize], [f32; 3]),
    jobs: &[potential_field::Params],
    runs: usize,
) -> Outcome<()> {
    let on_cpu = device.kind() == DeviceKind::Cpu;
    let sizes = match (sizes, on_cpu) {
        ([], true) => &SIZES_ON_CPU[..],
        ([], false) => &SIZES,
        _ => sizes,
    };
    let max_pairs = if on_cpu { MAX_PAIRS_ON_CPU } else { MAX_PAIRS };
    let stream = device.stream()?;
    for &size in sizes {
        let classes = classes(&stream, size, spacing)?;
        let counts = classes.counts;
        let targets = counts.boundary + counts.interior;
        let pairs = targets as f64 * counts.surface as f64;
        for params in jobs {
            let record = Record {
                system: "ferrovox".into(),
                device: device.id(),
                measure: format!("field, m = {}", params.exponent),
                method: params.variant.name().into(),
                element: params.precision.name().into(),
                field: "hand".into(),
                size: match spacing {
                    [1.0, 1.0, 1.0] => format!("{size}^3"),
                    [x, y, z] => format!("{size}^3 by {x} x {y} x {z}"),
                },
                elements: targets,
                ..Record::default()
            };
            let by_pairs = !matches!(params.variant, FieldVariant::Multipole | FieldVariant::Auto);
            if by_pairs && pairs > max_pairs {
                report.add(Record {
                    absent: Some(format!("{pairs:.1e} pairs would take too long")),
                    ..record
                });
                continue;
            }
            let before = device.memory_use().now;
            device.reset_peak_memory();
            let spread = time_by_events(&stream, runs, 1, || {
                force_field(&stream, &classes, params)?;
                Ok(())
            })?;
            let peak = device.memory_use().peak - before;
            let (field, kernels) = field_with_kernel_times(&stream, &classes, params)?;
            let describe_errors = describe_errors(&stream, &classes, &field, params.exponent)?;
            report.add(
                Record {
                    peak_bytes: Some(peak),
                    note: format!(
                        "{} sources, as {:.2e} pairs/s; {describe_errors}; {kernels}",
                        counts.surface,
                        pairs / (spread.median_ms * 1e-3),
                    ),
                    ..record
                }
                .with_times(spread),
            );
        }
    }
    Ok(())
}

fn classes(stream: &Stream, size: usize, spacing: [f32; 3]) -> Outcome<VoxelClasses> {
    let blend = 0.03 * size as f32;
    let dims = spacing.map(|along| (size as f32 / along).ceil() as usize);
    let solid = synthetic::capsules(stream, dims, &hand(size), blend, spacing, [0.0; 3])?;
    let solid = DeviceMask::above(stream, &solid, 0.0)?;
    let axes = Matrix3::from_diagonal(&Vector3::from(spacing.map(f64::from)));
    let geometry = Geometry::new(axes, Vector3::zeros())?;
    let solid = DeviceMask::from_words(stream, &solid.download(stream)?, dims, geometry)?;
    Ok(classify(stream, &solid, SurfaceNeighbours::Faces)?)
}

/// Computes the field, and the times of the kernels, longest first.
fn field_with_kernel_times(
    stream: &Stream,
    classes: &VoxelClasses,
    params: &potential_field::Params,
) -> Outcome<(ForceField, String)> {
    let device = stream.device();
    device.record_launches(Recording::Times);
    let field = force_field(stream, classes, params);
    let launches = device.take_launches();
    device.record_launches(Recording::Off);
    let mut times = BTreeMap::<String, Duration>::new();
    for launch in launches? {
        *times.entry(launch.kernel).or_default() += launch.time.unwrap_or_default();
    }
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let named = times.iter().take(5).map(|(kernel, time)| {
        let name = kernel.split("__").next().unwrap_or(kernel);
        format!("{name} {:.1} ms", 1e3 * time.as_secs_f64())
    });
    let named: Vec<_> = named.collect();
    Ok((field?, named.join(", ")))
}

/// Describes the errors at some voxels: relative to the sum of all magnitudes, of directions, and
/// relative to their bounds.
fn describe_errors(
    stream: &Stream,
    classes: &VoxelClasses,
    field: &ForceField,
    exponent: f64,
) -> Outcome<String> {
    let positions = DevicePoints::from_mask(stream, &field.mask)?.download(stream)?;
    let forces = stream.download(&field.forces)?;
    let (forces, _) = forces.as_chunks::<4>();
    let sources = Sources::from_surface(stream, classes)?;
    // exact sums are slow on a CPU too
    let pairs = SAMPLES as u64 * sources.len() as u64;
    let samples = match stream.device().kind() {
        DeviceKind::Cpu if pairs > 1 << 28 => (1 << 28) / sources.len().max(1),
        _ => SAMPLES,
    };
    let step = (positions.len() / samples.max(1)).max(1);
    let some: Vec<usize> = (0..positions.len()).step_by(step).collect();
    let points: Vec<Point3<f64>> = some
        .iter()
        .map(|&at| positions[at].map(f64::from).into())
        .collect();
    let exact = forces_at_points(stream, &sources, &points, exponent)?;
    let bounds = match &field.bounds {
        Some(bounds) => Some((bounds.download(stream)?, bounds)),
        None => None,
    };
    let (mut of_scale, mut angle, mut of_bound) = (Vec::new(), 0.0f64, 0.0f64);
    for (&target, exact) in some.iter().zip(&exact) {
        let [x, y, z, magnitude] = forces[target].map(f64::from);
        let direction = Vector3::new(x, y, z);
        let off = (magnitude * direction - exact.force).norm();
        of_scale.push(off / exact.scale);
        angle = angle.max(direction.angle(&exact.force).to_degrees());
        if let Some((of_bricks, bounds)) = &bounds {
            let ([nx, ny, _], brick) = (bounds.dims(), bounds.brick_dims());
            let [x, y, z] = [0, 1, 2].map(|axis| positions[target][axis] as usize / brick[axis]);
            let bound = of_bricks[(z * ny + y) * nx + x];
            // results are stored with 24 bits
            let beyond = off - 3e-7 * exact.force.norm();
            if beyond > 0.0 {
                of_bound = of_bound.max(beyond / bound);
            }
        }
    }
    of_scale.sort_by(f64::total_cmp);
    let at = |part: f64| of_scale[((of_scale.len() - 1) as f64 * part) as usize];
    let errors = format!(
        "error {:.0e} {:.0e} {:.0e} (median, 99.9 %, max of {}), {angle:.1e} degrees",
        at(0.5),
        at(0.999),
        at(1.0),
        of_scale.len()
    );
    Ok(match bounds {
        None => errors,
        Some((_, bounds)) => format!(
            "{errors}, at most {of_bound:.0e} of its bound, {} voxels recomputed",
            bounds.recomputed
        ),
    })
}
