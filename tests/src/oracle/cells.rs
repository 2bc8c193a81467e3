//! The object as a complex of closed cubes: its vertices, edges, faces and cubes.

use super::{object::Object, ranked::Ranked};

/// A cell: the axes that it extends along, one bit each, and its corner with the least coordinates.
/// Voxel (x, y, z) of the object's box is the cube with that corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// 0 for a vertex, 7 for a cube.
    pub axes: usize,
    /// The corner.
    pub corner: [i64; 3],
}

impl Cell {
    /// Its number of dimensions.
    pub fn dimension(self) -> u32 {
        self.axes.count_ones()
    }

    /// The axes that it extends along.
    fn along(self) -> impl Iterator<Item = usize> {
        (0..3).filter(move |k| self.axes >> k & 1 == 1)
    }

    /// The cell moved by a step along an axis.
    fn moved(self, axis: usize, by: i64) -> Self {
        let mut corner = self.corner;
        corner[axis] += by;
        Self { corner, ..self }
    }

    /// The cells of one dimension less at its border.
    pub fn sides(self) -> impl Iterator<Item = Cell> {
        self.along().flat_map(move |k| {
            let side = Cell {
                axes: self.axes & !(1 << k),
                ..self
            };
            [side, side.moved(k, 1)]
        })
    }

    /// The cells of one dimension more that it is a side of, in the complex or not.
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

/// The cells of an object, by dimension and numbered.
#[derive(Clone, Debug)]
pub struct Complex {
    /// Corners along each axis: one more than voxels.
    lattice: [usize; 3],
    /// For each set of axes the corners of its cells.
    sets: [Ranked; 8],
    /// For each set of axes how many cells of the same dimension have numbers before its own.
    first: [usize; 8],
}

impl Complex {
    /// The closed cubes of an object.
    pub fn of(object: &Object) -> Self {
        let lattice = object.dims.map(|n| n + 1);
        let count = lattice.iter().product();
        let mut sets = [(); 8].map(|()| Ranked::new(count));
        let index = |p: [usize; 3]| p[0] + lattice[0] * (p[1] + lattice[1] * p[2]);
        for &voxel in object.all() {
            let place = object.place(voxel as usize);
            for (axes, set) in sets.iter_mut().enumerate() {
                // where it does not extend, it is on one side or the other
                for sides in (0..8usize).filter(|sides| sides & axes == 0) {
                    set.insert(index([0, 1, 2].map(|k| place[k] + (sides >> k & 1))));
                }
            }
        }
        sets.iter_mut().for_each(Ranked::finish);
        let first = [0, 1, 2, 3, 4, 5, 6, 7].map(|axes: usize| {
            let same = |other: &usize| other.count_ones() == axes.count_ones();
            (0..axes).filter(same).map(|other| sets[other].len()).sum()
        });
        Self {
            lattice,
            sets,
            first,
        }
    }

    /// How many cells there are of a dimension.
    pub fn count(&self, dimension: u32) -> usize {
        let sets = (0..8usize).filter(|axes| axes.count_ones() == dimension);
        sets.map(|axes| self.sets[axes].len()).sum()
    }

    /// The number of a cell among those of its dimension, if it is in the complex.
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

    /// Whether a cell is in it.
    pub fn contains(&self, cell: Cell) -> bool {
        self.number(cell).is_some()
    }

    /// The cells of a dimension in the order of their numbers.
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

    /// The component that a cell belongs to.
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
