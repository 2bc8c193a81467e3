//! Light of pictures.

use super::{RenderParams, framing::Framing};
use ferrovox_kernels::render::Light;
use nalgebra::Vector3;

/// Direction of the main light, from the left, above and behind the viewer: components to the
/// right, upwards and towards the viewer.
const KEY: [f64; 3] = [-0.48, 0.62, 0.62];

/// Returns the light in world coordinates.
pub(super) fn light_in_world(framing: &Framing, params: &RenderParams) -> Light {
    let Framing {
        viewer, right, up, ..
    } = *framing;
    let key = (viewer * KEY[2] + up * KEY[1] + right * KEY[0]).normalize();
    Light {
        surface: params.surface,
        background: params.background,
        key: key.map(|c| c as f32).into(),
        viewer: viewer.map(|c| c as f32).into(),
        up: up.map(|c| c as f32).into(),
    }
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
