//! Section of the world that a picture shows.

use super::ViewDirection;
use crate::{
    device::Stream,
    grid::{DeviceMask, DeviceSample, DeviceVolume, GridError, Inside},
    parallel,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::ops::Range;

/// Fraction of the picture that stays free on each side of a volume.
const VOLUME_BORDER: f64 = 0.04;
/// Fraction of the picture that stays free on each side of an object.
const OBJECT_BORDER: f64 = 0.03;

/// Bounding box along the directions of a view: to the right, upwards and towards the viewer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Extent {
    /// Empty box.
    pub const EMPTY: Self = Self {
        low: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Returns the box of an object's voxels: the cuboids around samples on the solid side of the
    /// isovalue. Downloads one bit per sample.
    pub fn from_object<T: DeviceSample>(
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
        let extent_of = |rows: Range<usize>| {
            let mut extent = Self::EMPTY;
            for row in rows {
                let words = &words[row * per_row..][..per_row];
                for x in set_bit_range(words).into_iter().flatten() {
                    let index = Vector3::new(x as f64, (row % ny) as f64, (row / ny) as f64);
                    extent.include(origin + along * index);
                }
            }
            extent
        };
        let extent = parallel::reduce(words.len() / per_row, 1 << 8, extent_of, Self::union);
        let extent = extent.unwrap_or(Self::EMPTY);
        let half = along.abs() * Vector3::repeat(0.5);
        Ok(extent.expanded(half))
    }

    /// Returns the box of points in world coordinates.
    pub fn from_points(points: impl IntoIterator<Item = Point3<f64>>, view: ViewDirection) -> Self {
        let axes = axes(view);
        let mut extent = Self::EMPTY;
        for point in points {
            extent.include(axes * point.coords);
        }
        extent
    }

    /// Returns the box of balls with their radii in world units. A radius that is not finite counts
    /// as 0.
    pub fn from_balls(
        balls: impl IntoIterator<Item = (Point3<f64>, f64)>,
        view: ViewDirection,
    ) -> Self {
        let axes = axes(view);
        let mut extent = Self::EMPTY;
        for (center, radius) in balls {
            let radius = Vector3::repeat(if radius.is_finite() { radius } else { 0.0 });
            let center = axes * center.coords;
            extent.include(center - radius);
            extent.include(center + radius);
        }
        extent
    }

    fn include(&mut self, point: Vector3<f64>) {
        self.low = self.low.inf(&point);
        self.high = self.high.sup(&point);
    }

    /// Returns the box of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// Returns the box enlarged by `by` on every side.
    pub fn expanded(self, by: Vector3<f64>) -> Self {
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// Returns `true` if the box is neither empty nor infinite.
    pub fn is_bounded(&self) -> bool {
        let size = self.high - self.low;
        size.iter()
            .all(|&length| (0.0..f64::INFINITY).contains(&length))
    }
}

/// Returns the lowest and the highest set bit.
fn set_bit_range(words: &[u32]) -> Option<[usize; 2]> {
    let first = words.iter().position(|&word| word != 0)?;
    let last = words.iter().rposition(|&word| word != 0)?;
    Some([
        32 * first + words[first].trailing_zeros() as usize,
        32 * last + 31 - words[last].leading_zeros() as usize,
    ])
}

/// Returns the matrix from world coordinates to the directions of a view: to the right, upwards,
/// towards the viewer.
fn axes(view: ViewDirection) -> Matrix3<f64> {
    let [viewer, right, up] = view.frame();
    Matrix3::from_rows(&[right.transpose(), up.transpose(), viewer.transpose()])
}

/// Size of a picture, and the margins at the right and at the bottom that stay free, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Canvas {
    pub size: [u32; 2],
    pub margin: [u32; 2],
}

/// Orthographic projection of the world onto the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Framing {
    /// Unit vector towards the viewer.
    pub viewer: Vector3<f64>,
    /// Unit vector to the right.
    pub right: Vector3<f64>,
    /// Unit vector upwards.
    pub up: Vector3<f64>,
    /// Upper left corner of the picture in the world, nearer to the viewer than everything shown.
    pub corner: Point3<f64>,
    /// Side of a pixel, in world units.
    pub pixel: f64,
}

impl Framing {
    /// Fits a whole volume into the picture.
    pub fn fit_volume<T: DeviceSample>(
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
        let center = geometry.index_to_world(last.map(|n| n / 2.0).into());
        let mut half = Vector3::zeros();
        for corner in corners {
            let from_center: Vector3<f64> = corner - center;
            let along = Vector3::new(
                from_center.dot(&right),
                from_center.dot(&up),
                from_center.dot(&viewer),
            );
            half = half.sup(&along.abs());
        }
        let spacing = geometry.spacing().min();
        let half = half.map(|h| h.max(spacing));
        let canvas = Canvas {
            size,
            margin: [0; 2],
        };
        Self::around(center, half, half.z + spacing, view, canvas, VOLUME_BORDER)
    }

    /// Fits a box into the picture. Sides shorter than `2 · min_half` are enlarged to that.
    pub fn fit_extent(extent: &Extent, view: ViewDirection, canvas: Canvas, min_half: f64) -> Self {
        let [viewer, right, up] = view.frame();
        let half = ((extent.high - extent.low) / 2.0).map(|h| h.max(min_half));
        let center = (extent.high + extent.low) / 2.0;
        let center = Point3::from(right * center.x + up * center.y + viewer * center.z);
        let nearer = half.z + 2.0 * min_half;
        Self::around(center, half, nearer, view, canvas, OBJECT_BORDER)
    }

    /// Fits points in world coordinates into the picture, with the same scale and axis for all
    /// azimuths of `view`; `None` if there are none. The axis is in the middle of the bounding box
    /// of the points, which `points` returns twice; `radius` is that of balls around them.
    pub fn fit_turntable<I: Iterator<Item = Point3<f64>>>(
        points: impl Fn() -> I,
        radius: f64,
        view: ViewDirection,
        canvas: Canvas,
        min_half: f64,
    ) -> Option<Self> {
        let (mut low, mut high) = (Extent::EMPTY.low, Extent::EMPTY.high);
        for point in points() {
            low = low.inf(&point.coords);
            high = high.sup(&point.coords);
        }
        let axis = (low + high) / 2.0;
        let (sine, cosine) = f64::from(view.elevation).to_radians().sin_cos();
        // a point describes a circle, which is an ellipse in the picture
        let mut extent = Extent::EMPTY;
        for point in points() {
            let away = (point.x - axis.x).hypot(point.y - axis.y);
            let center = Vector3::new(0.0, point.z * cosine, point.z * sine);
            let half = Vector3::new(away, away * sine.abs(), away * cosine).add_scalar(radius);
            extent.include(center - half);
            extent.include(center + half);
        }
        if !extent.is_bounded() {
            return None;
        }
        let [viewer, _, up] = view.frame();
        let half = ((extent.high - extent.low) / 2.0).map(|h| h.max(min_half));
        let middle = (extent.high + extent.low) / 2.0;
        let center = Point3::new(axis.x, axis.y, 0.0) + up * middle.y + viewer * middle.z;
        let nearer = half.z + 2.0 * min_half;
        Some(Self::around(
            center,
            half,
            nearer,
            view,
            canvas,
            OBJECT_BORDER,
        ))
    }

    /// Shows a box around `center` with half sides `half`, from a plane that is `nearer` to the
    /// viewer than the centre.
    fn around(
        center: Point3<f64>,
        half: Vector3<f64>,
        nearer: f64,
        view: ViewDirection,
        Canvas { size, margin }: Canvas,
        border: f64,
    ) -> Self {
        let [viewer, right, up] = view.frame();
        let [width, height] = [0, 1].map(|k| f64::from(size[k].saturating_sub(margin[k]).max(1)));
        let pixel = (2.0 * half.x / width).max(2.0 * half.y / height) / (1.0 - 2.0 * border);
        let corner =
            center + viewer * nearer - right * (pixel * width / 2.0) + up * (pixel * height / 2.0);
        Self {
            viewer,
            right,
            up,
            corner,
            pixel,
        }
    }

    /// Projects a point: pixels to the right and down, and depth, the distance from the viewer in
    /// pixels.
    pub fn project(&self, world: Point3<f64>) -> [f64; 3] {
        let offset = world - self.corner;
        [
            offset.dot(&self.right) / self.pixel,
            -offset.dot(&self.up) / self.pixel,
            -offset.dot(&self.viewer) / self.pixel,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_bit_range_spans_words() {
        assert_eq!(set_bit_range(&[0, 0]), None);
        assert_eq!(set_bit_range(&[0b1100, 0]), Some([2, 3]));
        assert_eq!(set_bit_range(&[1 << 31, 1, 0]), Some([31, 32]));
    }

    #[test]
    fn empty_and_infinite_extents_are_not_bounded() {
        assert!(!Extent::EMPTY.is_bounded());
        let view = ViewDirection::default();
        let point = Extent::from_points([Point3::new(1.0, 2.0, 3.0)], view);
        assert!(point.is_bounded());
        assert!(!Extent::from_points([Point3::new(f64::INFINITY, 0.0, 0.0)], view).is_bounded());
    }
}
