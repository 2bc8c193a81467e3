//! An orthographic camera that shows a whole volume.

use super::RenderParams;
use crate::grid::DeviceVolume;
use ferrovox_kernels::render::{Camera, Light};
use nalgebra::{Matrix3, Point3, Vector3};

/// How much of the picture's shorter side is left free around the volume.
const BORDER: f64 = 0.04;

/// How a picture shows a volume: in world coordinates.
pub(super) struct Framing {
    /// Unit vectors towards the viewer, to the right and upwards.
    viewer: Vector3<f64>,
    right: Vector3<f64>,
    up: Vector3<f64>,
    /// Where the picture's upper left corner is, nearer to the viewer than the volume.
    corner: Point3<f64>,
    /// The side of a pixel.
    pixel: f64,
}

impl Framing {
    /// Shows all of a volume.
    pub fn of<T>(volume: &DeviceVolume<T>, params: &RenderParams) -> Self
    where
        T: crate::grid::DeviceSample,
    {
        let geometry = volume.geometry();
        let [viewer, right, up] = params.view.frame();
        let dims = volume.dims();
        let last = dims.map(|n| (n - 1) as f64);
        let corners = (0..8).map(|k| {
            let index = Point3::new(
                if k & 1 == 1 { last[0] } else { 0.0 },
                if k & 2 == 2 { last[1] } else { 0.0 },
                if k & 4 == 4 { last[2] } else { 0.0 },
            );
            geometry.index_to_world(index)
        });
        let middle =
            geometry.index_to_world(Point3::new(last[0] / 2.0, last[1] / 2.0, last[2] / 2.0));
        let mut half = Vector3::zeros();
        for corner in corners {
            let from_middle = corner - middle;
            let along = Vector3::new(
                from_middle.dot(&right),
                from_middle.dot(&up),
                from_middle.dot(&viewer),
            );
            half = half.sup(&along.abs());
        }
        let spacing = geometry.spacing().min();
        let half = half.map(|h| h.max(spacing));
        let (width, height) = (params.width as f64, params.height as f64);
        let pixel = (2.0 * half.x / width).max(2.0 * half.y / height) / (1.0 - 2.0 * BORDER);
        let corner = middle + viewer * (half.z + spacing) - right * (pixel * width / 2.0)
            + up * (pixel * height / 2.0);
        Self {
            viewer,
            right,
            up,
            corner,
            pixel,
        }
    }

    /// Where a place in the world is in the picture: pixels to the right and down, and its distance from the viewer.
    pub fn in_picture(&self, world: Point3<f64>) -> [f64; 3] {
        let away = world - self.corner;
        [
            away.dot(&self.right) / self.pixel,
            -away.dot(&self.up) / self.pixel,
            -away.dot(&self.viewer) / self.pixel,
        ]
    }
}

/// The camera and the light for a picture of `volume`.
pub(super) fn look_at<T>(volume: &DeviceVolume<T>, params: &RenderParams) -> (Camera, Light)
where
    T: crate::grid::DeviceSample,
{
    let geometry = volume.geometry();
    let Framing {
        viewer,
        right,
        up,
        corner,
        pixel,
    } = Framing::of(volume, params);
    let spacing = geometry.spacing().min();
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
        // half the finest spacing, so that no sample is stepped over
        direction: direction(viewer * (-0.5 * spacing)),
        width: params.width,
        height: params.height,
        rays: params.rays,
    };
    let key = (viewer * 0.62 + up * 0.62 - right * 0.48).normalize();
    let light = Light {
        surface: params.surface,
        background: params.background,
        key: key.map(|c| c as f32).into(),
        viewer: viewer.map(|c| c as f32).into(),
        up: up.map(|c| c as f32).into(),
    };
    (camera, light)
}
