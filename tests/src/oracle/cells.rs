//! Cubical complex of an object: its vertices, edges, faces and cubes.

use super::{object::Object, ranked::RankedSet};

/// Cell, given by the axes along which it extends, one bit each, and its corner with the smallest
/// coordinates. Voxel (x, y, z) of the object's bounding box is the cube with that corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Axes along which the cell extends: 0 for a vertex, 7 for a cube.
    pub axes: usize,
    /// Corner with the smallest coordinates.
    pub corner: [i64; 3],
}

impl Cell {
    /// Returns the dimension of the cell.
    pub fn dimension(self) -> u32 {
        self.axes.count_ones()
    }

    /// Returns the axes along which the cell extends.
    fn along(self) -> impl Iterator<Item = usize> {
        (0..3).filter(move |k| self.axes >> k & 1 == 1)
    }

    /// Returns the cell moved by a step along an axis.
    fn moved(self, axis: usize, by: i64) -> Self {
        let mut corner = self.corner;
        corner[axis] += by;
        Self { corner, ..self }
    }

    /// Returns the faces of the cell of one dimension less.
    pub fn sides(self) -> impl Iterator<Item = Cell> {
        self.along().flat_map(move |k| {
            let side = Cell {
                axes: self.axes & !(1 << k),
                ..self
            };
            [side, side.moved(k, 1)]
        })
    }

    /// Returns the cells of one dimension more that have this cell as a face, in the complex or
    /// not.
    pub fn cofaces(self) -> impl Iterator<Item = Cell> {
        (0..3)
            .filter(move |k| self.axes >> k & 1 == 0)
            .flat_map(move |k| {
                let coface = Cell {
                    axes: self.axes | 1 << k,
                    ..self
                };
                [coface, coface.moved(k, -1)]
            })
    }
}

/// Cells of an object, numbered by dimension.
#[derive(Clone, Debug)]
pub struct Complex {
    /// Lattice points along each axis: one more than voxels.
    lattice: [usize; 3],
    /// Corners of the cells for each set of axes.
    sets: [RankedSet; 8],
    /// Number of cells of the same dimension that precede those of each set of axes.
    first: [usize; 8],
}

impl Complex {
    /// Creates the complex of the closed cubes of an object.
    pub fn new(object: &Object) -> Self {
        let lattice = object.dims.map(|n| n + 1);
        let count = lattice.iter().product();
        let mut sets = [(); 8].map(|()| RankedSet::new(count));
        let index = |p: [usize; 3]| p[0] + lattice[0] * (p[1] + lattice[1] * p[2]);
        for &voxel in object.all() {
            let position = object.position(voxel as usize);
            for (axes, set) in sets.iter_mut().enumerate() {
                // perpendicular to its axes, the cell is on either side of the voxel
                for sides in (0..8usize).filter(|sides| sides & axes == 0) {
                    set.insert(index([0, 1, 2].map(|k| position[k] + (sides >> k & 1))));
                }
            }
        }
        sets.iter_mut().for_each(RankedSet::finish);
        let first = [0, 1, 2, 3, 4, 5, 6, 7].map(|axes: usize| {
            let has_same_dimension =
                |other_axes: &usize| other_axes.count_ones() == axes.count_ones();
            (0..axes)
                .filter(has_same_dimension)
                .map(|other_axes| sets[other_axes].len())
                .sum()
        });
        Self {
            lattice,
            sets,
            first,
        }
    }

    /// Returns the number of cells of a dimension.
    pub fn count(&self, dimension: u32) -> usize {
        let sets = (0..8usize).filter(|axes| axes.count_ones() == dimension);
        sets.map(|axes| self.sets[axes].len()).sum()
    }

    /// Returns the index of a cell among those of its dimension, or `None` if it is not in the
    /// complex.
    pub fn number(&self, cell: Cell) -> Option<usize> {
        let inside = (0..3).all(|k| (0..self.lattice[k] as i64).contains(&cell.corner[k]));
        if !inside {
            return None;
        }
        let [x, y, z] = cell.corner.map(|c| c as usize);
        let at = x + self.lattice[0] * (y + self.lattice[1] * z);
        let rank = self.sets[cell.axes].rank(at)?;
        Some(self.first[cell.axes] + rank)
    }

    /// Returns `true` if a cell is in the complex.
    pub fn contains(&self, cell: Cell) -> bool {
        self.number(cell).is_some()
    }

    /// Returns the cells of a dimension in index order.
    pub fn cells(&self, dimension: u32) -> impl Iterator<Item = Cell> {
        let [nx, ny, _] = self.lattice;
        (0..8usize)
            .filter(move |axes| axes.count_ones() == dimension)
            .flat_map(move |axes| {
                self.sets[axes].iter().map(move |at| Cell {
                    axes,
                    corner: [at % nx, at / nx % ny, at / (nx * ny)].map(|c| c as i64),
                })
            })
    }

    /// Returns the component that a cell belongs to.
    pub fn component(&self, object: &Object, cell: Cell) -> Option<usize> {
        let mut cells = vec![cell];
        while cells.first().is_some_and(|cell| cell.dimension() < 3) {
            cells = cells
                .iter()
                .flat_map(|cell| cell.cofaces())
                .filter(|coface| self.contains(*coface))
                .collect();
        }
        let cube = cells.first()?;
        let voxel = [0, 1, 2].map(|k| cube.corner[k] + object.first[k]);
        object.component_at(voxel)
    }
}
