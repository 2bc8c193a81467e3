//! Rays of an orthographic camera, in index space.

use crate::grid::Grid;

/// An orthographic camera: all rays share one direction. Everything is in index coordinates, with
/// `direction` as long in world space as one step of the ray is to be.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the ray of the picture's upper left corner starts.
    pub corner: [f32; 3],
    /// From one pixel to its right neighbour.
    pub right: [f32; 3],
    /// From one pixel to the one below.
    pub down: [f32; 3],
    /// One step along a ray.
    pub direction: [f32; 3],
    /// The most steps of a ray in the grid.
    pub steps: u32,
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
    /// Rays per pixel along x and y.
    pub rays: u32,
}

/// The part of a ray inside the grid: from step `enter` to step `leave`.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub enter: f32,
    pub leave: f32,
    /// The inward normal of the face through which the ray enters, in index space.
    pub inward: [f32; 3],
}

impl Camera {
    /// Where the ray at a (fractional) pixel position starts.
    #[inline(always)]
    pub(super) fn start(&self, px: f32, py: f32) -> [f32; 3] {
        let along = |k: usize| self.corner[k] + px * self.right[k] + py * self.down[k];
        [along(0), along(1), along(2)]
    }

    /// A place on the ray, `step` steps from its start.
    #[inline(always)]
    pub(super) fn at(&self, start: [f32; 3], step: f32) -> [f32; 3] {
        let along = |k: usize| start[k] + step * self.direction[k];
        [along(0), along(1), along(2)]
    }

    /// The part of the ray inside the grid, if any.
    #[inline(always)]
    pub(super) fn span(&self, start: [f32; 3], grid: Grid) -> Option<Span> {
        let [x, y, z] = start;
        let [dx, dy, dz] = self.direction;
        let whole = Span {
            enter: 0.0,
            leave: f32::MAX,
            inward: [0.0; 3],
        };
        let span = whole.cut(x, dx, (grid.nx - 1) as f32, [1.0, 0.0, 0.0])?;
        let span = span.cut(y, dy, (grid.ny - 1) as f32, [0.0, 1.0, 0.0])?;
        let span = span.cut(z, dz, (grid.nz - 1) as f32, [0.0, 0.0, 1.0])?;
        if span.enter < span.leave {
            Some(span)
        } else {
            None
        }
    }
}

impl Span {
    /// What is left of it between 0 and `to` along one axis, on which the ray starts at `from` and
    /// goes `step` at a time.
    #[inline(always)]
    fn cut(self, from: f32, step: f32, to: f32, axis: [f32; 3]) -> Option<Span> {
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
