//! What part of the world a picture shows.

use super::ViewDirection;
use crate::{
    device::Stream,
    grid::{DeviceMask, DeviceSample, DeviceVolume, GridError, Inside},
    parallel,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::ops::Range;

/// How much of the picture's sides is left free around what is shown.
const BORDER: f64 = 0.04;
/// The same around an object.
const BORDER_OF_OBJECT: f64 = 0.03;

/// How far something reaches along the directions of a view: to the right, upwards and towards the
/// viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Extent {
    /// That of nothing.
    pub const NOTHING: Self = Self {
        low: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// That of an object's voxels: the cubes around samples on one side of the isovalue. A copy of
    /// a bit for each sample is made on the host.
    pub fn of_object<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        (iso, inside): (f32, Inside),
        view: ViewDirection,
    ) -> Result<Self, GridError> {
        let mask = match inside {
            Inside::Above => DeviceMask::above(stream, volume, iso)?,
            Inside::Below => DeviceMask::below(stream, volume, iso)?,
        };
        let words = mask.download(stream)?;
        let along = axes(view) * volume.geometry().axes();
        let origin = axes(view) * volume.geometry().origin().coords;
        let per_row = (mask.layout().per_row as usize).max(1);
        let ny = volume.dims()[1].max(1);
        let of_rows = |rows: Range<usize>| {
            let mut extent = Self::NOTHING;
            for row in rows {
                let words = &words[row * per_row..][..per_row];
                for x in ends(words).into_iter().flatten() {
                    let at = Vector3::new(x as f64, (row % ny) as f64, (row / ny) as f64);
                    extent.add(origin + along * at);
                }
            }
            extent
        };
        let all = parallel::reduce(words.len() / per_row, 1 << 8, of_rows, Self::and);
        let all = all.unwrap_or(Self::NOTHING);
        let half = along.abs() * Vector3::repeat(0.5);
        Ok(all.grown(half))
    }

    /// That of places in the world.
    pub fn of_points(points: impl IntoIterator<Item = Point3<f64>>, view: ViewDirection) -> Self {
        let axes = axes(view);
        let mut extent = Self::NOTHING;
        for point in points {
            extent.add(axes * point.coords);
        }
        extent
    }

    fn add(&mut self, at: Vector3<f64>) {
        self.low = self.low.inf(&at);
        self.high = self.high.sup(&at);
    }

    fn and(self, other: Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// So much larger on every side.
    pub fn grown(self, by: Vector3<f64>) -> Self {
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// Whether something is there, at finite places.
    pub fn is_something(&self) -> bool {
        let size = self.high - self.low;
        size.iter()
            .all(|&length| (0.0..f64::INFINITY).contains(&length))
    }
}

/// The lowest and the highest bit that is set.
fn ends(words: &[u32]) -> Option<[usize; 2]> {
    let first = words.iter().position(|&word| word != 0)?;
    let last = words.iter().rposition(|&word| word != 0)?;
    Some([
        32 * first + words[first].trailing_zeros() as usize,
        32 * last + 31 - words[last].leading_zeros() as usize,
    ])
}

/// From the world to the directions of a view: to the right, upwards, towards the viewer.
fn axes(view: ViewDirection) -> Matrix3<f64> {
    let [viewer, right, up] = view.frame();
    Matrix3::from_rows(&[right.transpose(), up.transpose(), viewer.transpose()])
}

/// The size of a picture in pixels, and what is kept free of it at the right and below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Canvas {
    pub size: [u32; 2],
    pub kept: [u32; 2],
}

/// How a picture shows the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Framing {
    /// Unit vectors towards the viewer, to the right and upwards.
    pub viewer: Vector3<f64>,
    pub right: Vector3<f64>,
    pub up: Vector3<f64>,
    /// Where the picture's upper left corner is, nearer to the viewer than what is shown.
    pub corner: Point3<f64>,
    /// The side of a pixel.
    pub pixel: f64,
}

impl Framing {
    /// Shows all of a volume.
    pub fn of_volume<T: DeviceSample>(
        volume: &DeviceVolume<T>,
        view: ViewDirection,
        size: [u32; 2],
    ) -> Self {
        let geometry = volume.geometry();
        let [viewer, right, up] = view.frame();
        let last = volume.dims().map(|n| (n - 1) as f64);
        let corners = (0..8).map(|k| {
            let index = [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { last[axis] } else { 0.0 });
            geometry.index_to_world(index.into())
        });
        let middle = geometry.index_to_world(last.map(|n| n / 2.0).into());
        let mut half = Vector3::zeros();
        for corner in corners {
            let from_middle: Vector3<f64> = corner - middle;
            let along = Vector3::new(
                from_middle.dot(&right),
                from_middle.dot(&up),
                from_middle.dot(&viewer),
            );
            half = half.sup(&along.abs());
        }
        let least = geometry.spacing().min();
        let half = half.map(|h| h.max(least));
        let canvas = Canvas { size, kept: [0; 2] };
        Self::around(middle, half, half.z + least, view, canvas, BORDER)
    }

    /// Shows all of an extent. What is smaller than `least` counts as so large.
    pub fn of_extent(extent: &Extent, view: ViewDirection, canvas: Canvas, least: f64) -> Self {
        let [viewer, right, up] = view.frame();
        let half = ((extent.high - extent.low) / 2.0).map(|h| h.max(least));
        let middle = (extent.high + extent.low) / 2.0;
        let middle = Point3::from(right * middle.x + up * middle.y + viewer * middle.z);
        let nearer = half.z + 2.0 * least;
        Self::around(middle, half, nearer, view, canvas, BORDER_OF_OBJECT)
    }

    /// Shows what is around a place, up to half of its size to each side, from a plane that is
    /// nearer to the viewer than the place.
    fn around(
        middle: Point3<f64>,
        half: Vector3<f64>,
        nearer: f64,
        view: ViewDirection,
        Canvas { size, kept }: Canvas,
        border: f64,
    ) -> Self {
        let [viewer, right, up] = view.frame();
        let [width, height] = [0, 1].map(|k| f64::from(size[k].saturating_sub(kept[k]).max(1)));
        let pixel = (2.0 * half.x / width).max(2.0 * half.y / height) / (1.0 - 2.0 * border);
        let corner =
            middle + viewer * nearer - right * (pixel * width / 2.0) + up * (pixel * height / 2.0);
        Self {
            viewer,
            right,
            up,
            corner,
            pixel,
        }
    }

    /// Where a place in the world is in the picture: pixels to the right and down, and its distance
    /// from the viewer.
    pub fn in_picture(&self, world: Point3<f64>) -> [f64; 3] {
        let away = world - self.corner;
        [
            away.dot(&self.right) / self.pixel,
            -away.dot(&self.up) / self.pixel,
            -away.dot(&self.viewer) / self.pixel,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_rows() {
        assert_eq!(ends(&[0, 0]), None);
        assert_eq!(ends(&[0b1100, 0]), Some([2, 3]));
        assert_eq!(ends(&[1 << 31, 1, 0]), Some([31, 32]));
    }

    #[test]
    fn nothing_is_nowhere() {
        assert!(!Extent::NOTHING.is_something());
        let view = ViewDirection::default();
        let one = Extent::of_points([Point3::new(1.0, 2.0, 3.0)], view);
        assert!(one.is_something());
        assert!(!Extent::of_points([Point3::new(f64::INFINITY, 0.0, 0.0)], view).is_something());
    }
}
