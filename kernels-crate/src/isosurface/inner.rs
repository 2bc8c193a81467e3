//! Positions and normals of inner vertices.

use super::{
    interpolate::{IndexToWorld, gradient},
    table::CORNERS,
    topology::{InnerBox, Shape, slope},
    vertices::{NormalRule, unit_vector, write3},
};
use crate::grid::Grid;
use cuda_std::ViewMut;

/// A cell with inner vertices.
pub(super) struct InnerCell<'a> {
    /// Its lowest corner.
    low: [u32; 3],
    /// Its samples less the isovalue.
    values: &'a [f64; 8],
    /// Where its inner vertices are.
    places: InnerBox,
    shape: Shape,
}

impl<'a> InnerCell<'a> {
    #[inline(always)]
    pub fn new(low: [u32; 3], values: &'a [f64; 8], shape: Shape) -> Self {
        Self {
            low,
            values,
            places: shape.inner_box(values),
            shape,
        }
    }

    /// Writes its inner vertices from vertex `first` on: their positions, if plane 0 of the grid is
    /// `plane` of the volume, and their normals unless `normals` is empty.
    #[inline(always)]
    pub fn write(
        &self,
        first: usize,
        (plane, to_world, positions): (u32, &IndexToWorld, ViewMut<f32>),
        (grid, rule, normals): (Grid, &NormalRule, ViewMut<f32>),
        value: impl Fn([u32; 3]) -> f32 + Copy,
    ) {
        let mut number = 0;
        while number < self.shape.inner_vertices() {
            let vertex = first + number as usize;
            write3(positions, vertex, self.position(number, plane, to_world));
            if !normals.is_empty() {
                write3(normals, vertex, self.normal(number, grid, rule, value));
            }
            number += 1;
        }
    }

    /// Where inner vertex `number` is in the world.
    #[inline(always)]
    fn position(&self, number: u32, plane: u32, to_world: &IndexToWorld) -> [f32; 3] {
        let [dx, dy, dz] = self.places.vertex(self.shape.diagonal, number);
        let [x, y, z] = self.low;
        let [x, y, z] = [x, y, z + plane].map(f64::from);
        to_world.position([x + dx, y + dy, z + dz])
    }

    /// Its outward unit normal: of the samples' gradients at the eight corners, interpolated, if
    /// that is asked for; of the interpolant's slope else, and where that vanishes or is not
    /// finite; and of the z axis where that does too.
    #[inline(always)]
    fn normal(
        &self,
        number: u32,
        grid: Grid,
        rule: &NormalRule,
        value: impl Fn([u32; 3]) -> f32 + Copy,
    ) -> [f32; 3] {
        let at = self.places.vertex(self.shape.diagonal, number);
        let to_world = rule.gradient_to_world;
        let mut sum = [0.0; 3];
        let mut corner = if rule.of_interpolant != 0 { 8 } else { 0 };
        while corner < 8 {
            let steps = CORNERS[corner];
            let weight = |axis: usize| {
                let at = at[axis] as f32;
                if steps[axis] == 1 { at } else { 1.0 - at }
            };
            let weight = weight(0) * weight(1) * weight(2);
            let place = [
                self.low[0] + steps[0],
                self.low[1] + steps[1],
                self.low[2] + steps[2],
            ];
            let [x, y, z] = gradient(grid, place, value);
            sum = [
                sum[0] + weight * x,
                sum[1] + weight * y,
                sum[2] + weight * z,
            ];
            corner += 1;
        }
        if let Some(normal) = unit_vector(to_world, sum, rule.outward) {
            return normal;
        }
        let slope = slope(self.values, at).map(|component| component as f32);
        if let Some(normal) = unit_vector(to_world, slope, rule.outward) {
            return normal;
        }
        let z = [0.0, 0.0, 1.0];
        match unit_vector(to_world, z, rule.outward) {
            Some(normal) => normal,
            None => z,
        }
    }
}
