//! How far directions are off.

use crate::support::Outcome;
use ferrovox::{
    device::Stream,
    grid::{DeviceMask, DevicePoints},
    skeleton::potential_field::{
        self,
        field::{self, Sources},
    },
};
use nalgebra::Vector3;

/// Targets that are looked at.
const SAMPLES: usize = 64;

/// The largest angle in degrees between a direction and the one that sums in `f64` have on the
/// host, at some targets.
pub fn worst_direction(
    stream: &Stream,
    mask: &DeviceMask,
    sources: &Sources,
    params: &potential_field::Params,
) -> Outcome<f64> {
    let field = field::forces_at_voxels(stream, sources, mask.copy(stream)?, params)?;
    let found = stream.download(&field.forces)?;
    let (found, _) = found.as_chunks::<4>();
    let targets = DevicePoints::from_sites(stream, mask)?.download(stream)?;
    let sources = sources.points().download(stream)?;
    let step = (targets.len() / SAMPLES).max(1);
    let angles = (0..targets.len()).step_by(step).map(|target| {
        let expected = force(targets[target], &sources, params.exponent);
        let [x, y, z, _] = found[target].map(f64::from);
        Vector3::new(x, y, z).angle(&expected).to_degrees()
    });
    Ok(angles.fold(0.0, f64::max))
}

/// The force at a target, in `f64`, one source after the other.
fn force(target: [f32; 3], sources: &[[f32; 3]], exponent: f64) -> Vector3<f64> {
    let target = Vector3::from(target.map(f64::from));
    let of = |source: &[f32; 3]| {
        let from = target - Vector3::from(source.map(f64::from));
        from * from.norm_squared().powf(-0.5 * (exponent + 1.0))
    };
    sources.iter().map(of).sum()
}
