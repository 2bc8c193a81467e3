//! Rays of an orthographic camera, in index space.

use crate::grid::Grid;

/// An orthographic camera, with parallel rays. All vectors are in index coordinates; `direction`
/// spans one step of a ray.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Start of the ray through the upper left corner of the image.
    pub corner: [f32; 3],
    /// Offset from one pixel to its right neighbour.
    pub right: [f32; 3],
    /// Offset from one pixel to the one below.
    pub down: [f32; 3],
    /// Offset of one step along a ray.
    pub direction: [f32; 3],
    /// Maximum number of steps of a ray inside the grid.
    pub steps: u32,
    /// Image width in pixels.
    pub width: u32,
    /// Image height in pixels.
    pub height: u32,
    /// Rays per pixel along x and y.
    pub rays: u32,
}

/// The part of a ray inside the grid, in steps.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub enter: f32,
    pub leave: f32,
    /// Inward normal of the face through which the ray enters, in index space.
    pub inward: [f32; 3],
}

impl Camera {
    /// Returns the start of the ray at a (fractional) pixel position.
    #[inline(always)]
    pub(super) fn start(&self, px: f32, py: f32) -> [f32; 3] {
        let along = |k: usize| self.corner[k] + px * self.right[k] + py * self.down[k];
        [along(0), along(1), along(2)]
    }

    /// Returns the point `step` steps from the start of a ray.
    #[inline(always)]
    pub(super) fn point_at(&self, start: [f32; 3], step: f32) -> [f32; 3] {
        let along = |k: usize| start[k] + step * self.direction[k];
        [along(0), along(1), along(2)]
    }

    /// Returns the part of the ray inside the grid, if any.
    #[inline(always)]
    pub(super) fn span(&self, start: [f32; 3], grid: Grid) -> Option<Span> {
        let [x, y, z] = start;
        let [dx, dy, dz] = self.direction;
        let whole = Span {
            enter: 0.0,
            leave: f32::MAX,
            inward: [0.0; 3],
        };
        let span = whole.clip(x, dx, (grid.nx - 1) as f32, [1.0, 0.0, 0.0])?;
        let span = span.clip(y, dy, (grid.ny - 1) as f32, [0.0, 1.0, 0.0])?;
        let span = span.clip(z, dz, (grid.nz - 1) as f32, [0.0, 0.0, 1.0])?;
        if span.enter < span.leave {
            Some(span)
        } else {
            None
        }
    }
}

impl Span {
    /// Clips the span to coordinates from 0 to `to` along one axis, on which the ray starts at
    /// `from` and advances by `step`.
    #[inline(always)]
    fn clip(self, from: f32, step: f32, to: f32, axis: [f32; 3]) -> Option<Span> {
        if step == 0.0 {
            return if from < 0.0 || from > to {
                None
            } else {
                Some(self)
            };
        }
        let (a, b) = (-from / step, (to - from) / step);
        let (near, far) = if a < b { (a, b) } else { (b, a) };
        let sign = if step > 0.0 { 1.0 } else { -1.0 };
        let enters_here = near > self.enter;
        Some(Span {
            enter: if enters_here { near } else { self.enter },
            leave: if far < self.leave { far } else { self.leave },
            inward: if enters_here {
                axis.map(|component| component * sign)
            } else {
                self.inward
            },
        })
    }
}
