//! An orthographic camera, and the light.

use super::{RenderParams, framing::Framing};
use crate::grid::{DeviceSample, DeviceVolume};
use ferrovox_kernels::render::{Camera, Light};
use nalgebra::{Matrix3, Vector3};

/// The main light comes from the left, above and behind the viewer: its part to the right, upwards
/// and towards the viewer.
const KEY: [f64; 3] = [-0.48, 0.62, 0.62];

/// The camera and the light for a picture of `volume`.
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
        steps: most_steps(volume) as u32,
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

/// The most steps for each sample along the three axes. Half of the finest spacing is fewer where
/// none is some ten times another.
const MOST_STEPS: f64 = 16.0;

fn most_steps<T: DeviceSample>(volume: &DeviceVolume<T>) -> f64 {
    MOST_STEPS * volume.dims().map(|n| n as f64).iter().sum::<f64>()
}

/// A step along a ray, in the world: half the finest spacing, so that no sample is stepped over.
/// Where that would be very many, as spacings are of very different sizes, half a voxel along the
/// axis on which the ray goes through most of them.
fn step<T: DeviceSample>(
    volume: &DeviceVolume<T>,
    to_index: &Matrix3<f64>,
    viewer: Vector3<f64>,
) -> f64 {
    let geometry = volume.geometry();
    let half = 0.5 * geometry.spacing().min();
    let dims = Vector3::from(volume.dims().map(|n| n as f64));
    let depth = (geometry.axes().transpose() * viewer).abs().dot(&dims);
    if depth <= most_steps(volume) * half {
        return half;
    }
    let voxels = (to_index * viewer).abs().max();
    half.max(0.5 / voxels)
}

/// The same light in the picture's own axes: to the right, down and away from the viewer.
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
