//! First homology of a small object by reduction of the boundary matrix: slow but simple.

use super::{
    cells::Complex,
    gf2::{Columns, odd_multiplicity},
};

/// Maximum number of voxels.
pub const MAX_VOXELS: usize = 5_000;

/// Reduced boundary matrix of the faces of a complex.
#[derive(Debug)]
pub struct Matrix {
    faces: Columns,
    dimension: usize,
}

impl Matrix {
    /// Reduces the boundaries of all faces, and those of all edges for the dimension.
    pub fn new(complex: &Complex) -> Self {
        let number = |cell| {
            complex
                .number(cell)
                .expect("faces of cells are in the complex") as u32
        };
        let border =
            |cell: super::cells::Cell| odd_multiplicity(cell.sides().map(number).collect());
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

    /// Returns the dimension of the first homology: b1 of the whole object.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the rank of the homology classes of cycles, each given by its edge indices.
    pub fn rank(&self, cycles: &[Vec<u32>]) -> usize {
        let mut all = self.faces.clone();
        let independent = cycles
            .iter()
            .filter(|cycle| all.add(odd_multiplicity((*cycle).clone())));
        independent.count()
    }
}
