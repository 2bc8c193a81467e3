//! The first homology of a small object by reducing the matrix of borders: slow, and nothing to be
//! wrong about.

use super::{
    cells::Complex,
    gf2::{Columns, odd},
};

/// More voxels than that are too many.
pub const MOST_VOXELS: usize = 5_000;

/// The borders of the faces of a complex, reduced.
#[derive(Debug)]
pub struct Matrix {
    faces: Columns,
    dimension: usize,
}

impl Matrix {
    /// Reduces the borders of all faces, and those of all edges for the dimension.
    pub fn of(complex: &Complex) -> Self {
        let number = |cell| complex.number(cell).expect("a side is in the complex") as u32;
        let border = |cell: super::cells::Cell| odd(cell.sides().map(number).collect());
        let mut edges = Columns::new(complex.count(0));
        for edge in complex.cells(1) {
            edges.add(border(edge));
        }
        let mut faces = Columns::new(complex.count(1));
        for face in complex.cells(2) {
            faces.add(border(face));
        }
        let dimension = complex.count(1) - edges.rank() - faces.rank();
        Self { faces, dimension }
    }

    /// The dimension of the first homology: b1 of the whole object.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The rank of the classes of cycles, each given by its edges' numbers.
    pub fn rank(&self, cycles: &[Vec<u32>]) -> usize {
        let mut all = self.faces.clone();
        let independent = cycles.iter().filter(|cycle| all.add(odd((*cycle).clone())));
        independent.count()
    }
}
