//! Positions and normals of inner vertices.

use super::{
    interpolate::{IndexToWorld, gradient},
    table::CORNERS,
    topology::{InnerBox, Subcase, trilinear_gradient},
    vertices::{NormalRule, unit_vector, write3},
};
use crate::grid::Grid;
use cuda_std::ViewMut;

/// A cell with inner vertices.
pub(super) struct InnerCell<'a> {
    /// Grid index of its lowest corner.
    low: [u32; 3],
    /// Samples at its corners minus the isovalue.
    values: &'a [f64; 8],
    /// Box spanned by its inner vertices, in cell coordinates from 0 to 1.
    corner_box: InnerBox,
    subcase: Subcase,
}

impl<'a> InnerCell<'a> {
    #[inline(always)]
    pub fn new(low: [u32; 3], values: &'a [f64; 8], subcase: Subcase) -> Self {
        Self {
            low,
            values,
            corner_box: subcase.inner_box(values),
            subcase,
        }
    }

    /// Writes the cell's inner vertices, beginning with vertex `first`: their positions, if plane 0
    /// of the grid is plane `plane` of the volume, and, unless `normals` is empty, their normals.
    #[inline(always)]
    pub fn write(
        &self,
        first: usize,
        (plane, to_world, positions): (u32, &IndexToWorld, ViewMut<f32>),
        (grid, rule, normals): (Grid, &NormalRule, ViewMut<f32>),
        value: impl Fn([u32; 3]) -> f32 + Copy,
    ) {
        let mut index = 0;
        while index < self.subcase.inner_vertices() {
            let vertex = first + index as usize;
            write3(positions, vertex, self.position(index, plane, to_world));
            if !normals.is_empty() {
                write3(normals, vertex, self.normal(index, grid, rule, value));
            }
            index += 1;
        }
    }

    /// Returns the world position of inner vertex `index`.
    #[inline(always)]
    fn position(&self, index: u32, plane: u32, to_world: &IndexToWorld) -> [f32; 3] {
        let [dx, dy, dz] = self.corner_box.vertex(self.subcase.diagonal, index);
        let [x, y, z] = self.low;
        let [x, y, z] = [x, y, z + plane].map(f64::from);
        to_world.position([x + dx, y + dy, z + dz])
    }

    /// Returns the outward unit normal of inner vertex `index`.
    ///
    /// It is the gradient of the samples interpolated from the eight corners, or the gradient of
    /// the trilinear interpolant if `rule` selects it, or if the former vanishes or is not finite.
    /// If both do, the normal is along the z axis.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn normal(
        &self,
        index: u32,
        grid: Grid,
        rule: &NormalRule,
        value: impl Fn([u32; 3]) -> f32 + Copy,
    ) -> [f32; 3] {
        let at = self.corner_box.vertex(self.subcase.diagonal, index);
        let to_world = rule.gradient_to_world;
        let mut sum = [0.0; 3];
        let mut corner = if rule.uses_trilinear_gradient != 0 {
            8
        } else {
            0
        };
        while corner < 8 {
            let steps = CORNERS[corner];
            let weight = |axis: usize| {
                let at = at[axis] as f32;
                if steps[axis] == 1 { at } else { 1.0 - at }
            };
            let weight = weight(0) * weight(1) * weight(2);
            let corner_index = [
                self.low[0] + steps[0],
                self.low[1] + steps[1],
                self.low[2] + steps[2],
            ];
            let [x, y, z] = gradient(grid, corner_index, value);
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
        let slope = trilinear_gradient(self.values, at).map(|component| component as f32);
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
