//! Accuracy of directions.

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

/// Number of targets examined.
const SAMPLES: usize = 64;

/// Returns the largest angle, in degrees, between a computed direction and the direction of a
/// direct sum in `f64` on the host, over about [`SAMPLES`] targets.
pub fn max_direction_error(
    stream: &Stream,
    mask: &DeviceMask,
    sources: &Sources,
    params: &potential_field::Params,
) -> Outcome<f64> {
    let field = field::forces_at_voxels(stream, sources, mask.copy(stream)?, params)?;
    let forces = stream.download(&field.forces)?;
    let (forces, _) = forces.as_chunks::<4>();
    let targets = DevicePoints::from_mask(stream, mask)?.download(stream)?;
    let sources = sources.points().download(stream)?;
    let step = (targets.len() / SAMPLES).max(1);
    let angles = (0..targets.len()).step_by(step).map(|target| {
        let expected = force(targets[target], &sources, params.exponent);
        let [x, y, z, _] = forces[target].map(f64::from);
        Vector3::new(x, y, z).angle(&expected).to_degrees()
    });
    Ok(angles.fold(0.0, f64::max))
}

/// Computes the force at a target in `f64`, source by source.
fn force(target: [f32; 3], sources: &[[f32; 3]], exponent: f64) -> Vector3<f64> {
    let target = Vector3::from(target.map(f64::from));
    let term = |source: &[f32; 3]| {
        let from = target - Vector3::from(source.map(f64::from));
        from * from.norm_squared().powf(-0.5 * (exponent + 1.0))
    };
    sources.iter().map(term).sum()
}
