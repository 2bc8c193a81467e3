//! Orthographic camera and light.

use super::{RenderParams, framing::Framing};
use crate::grid::{DeviceSample, DeviceVolume};
use ferrovox_kernels::render::{Camera, Light};
use nalgebra::{Matrix3, Vector3};

/// Direction of the main light, from the left, above and behind the viewer: components to the
/// right, upwards and towards the viewer.
const KEY: [f64; 3] = [-0.48, 0.62, 0.62];

/// Returns the camera and the light for a picture of `volume`.
pub(super) fn look_at<T: DeviceSample>(
    volume: &DeviceVolume<T>,
    framing: &Framing,
    params: &RenderParams,
) -> (Camera, Light) {
    let geometry = volume.geometry();
    let Framing {
        viewer,
        right,
        up,
        corner,
        pixel,
    } = *framing;
    let inverse = geometry
        .axes()
        .try_inverse()
        .unwrap_or_else(Matrix3::identity);
    let direction =
        |world: Vector3<f64>| -> [f32; 3] { (inverse * world).map(|c| c as f32).into() };
    let start = geometry.world_to_index(corner);
    let camera = Camera {
        corner: [start.x as f32, start.y as f32, start.z as f32],
        right: direction(right * pixel),
        down: direction(up * -pixel),
        direction: direction(viewer * -step(volume, &inverse, viewer)),
        steps: max_steps(volume) as u32,
        width: params.width,
        height: params.height,
        rays: params.rays,
    };
    let key = (viewer * KEY[2] + up * KEY[1] + right * KEY[0]).normalize();
    let light = Light {
        surface: params.surface,
        background: params.background,
        key: key.map(|c| c as f32).into(),
        viewer: viewer.map(|c| c as f32).into(),
        up: up.map(|c| c as f32).into(),
    };
    (camera, light)
}

/// Upper bound on the number of steps of a ray, per sample along the three axes. Steps of half the
/// finest spacing stay below it unless spacings differ by a factor of about ten.
const MAX_STEPS: f64 = 16.0;

fn max_steps<T: DeviceSample>(volume: &DeviceVolume<T>) -> f64 {
    MAX_STEPS * volume.dims().map(|n| n as f64).iter().sum::<f64>()
}

/// Returns the step along a ray, in world units: half the finest spacing, so that no sample is
/// skipped. If spacings differ so much that this needs too many steps, half a voxel along the axis
/// that the ray crosses fastest.
fn step<T: DeviceSample>(
    volume: &DeviceVolume<T>,
    to_index: &Matrix3<f64>,
    viewer: Vector3<f64>,
) -> f64 {
    let geometry = volume.geometry();
    let half = 0.5 * geometry.spacing().min();
    let dims = Vector3::from(volume.dims().map(|n| n as f64));
    let depth = (geometry.axes().transpose() * viewer).abs().dot(&dims);
    if depth <= max_steps(volume) * half {
        return half;
    }
    let voxels = (to_index * viewer).abs().max();
    half.max(0.5 / voxels)
}

/// Returns the light in picture coordinates: to the right, down and away from the viewer.
pub(super) fn light_in_picture(params: &RenderParams) -> Light {
    let [right, up, near] = KEY;
    let key = Vector3::new(right, -up, -near).normalize();
    Light {
        surface: params.surface,
        background: params.background,
        key: key.map(|c| c as f32).into(),
        viewer: [0.0, 0.0, -1.0],
        up: [0.0, -1.0, 0.0],
    }
}
