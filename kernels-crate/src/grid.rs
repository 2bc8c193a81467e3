//! Indexing of samples, cells and grid edges.
//!
//! Samples are stored x fastest. A cell is identified by its lowest corner, a grid edge by its
//! lower end and its axis. Counts are 64-bit throughout.

use crate::arith::div_rem;

/// The x axis of a grid.
pub const X: u32 = 0;
/// The y axis of a grid.
pub const Y: u32 = 1;
/// The z axis of a grid.
pub const Z: u32 = 2;

/// A grid of `nx` × `ny` × `nz` samples.
///
/// # Edge slots
/// Every grid edge has one slot, and there are no unused slots. Slots are ordered plane by plane;
/// within a plane, first the edges in it (in the order of their lower ends, the x edge of a sample
/// before its y edge), then the z edges to the next plane. Vertices of a mesh are in this order.
/// Therefore a volume divided into slabs along z yields its vertices slab by slab, and a slab needs
/// only one plane of the next slab to number the vertices that they share.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Samples along x.
    pub nx: u32,
    /// Samples along y.
    pub ny: u32,
    /// Samples along z.
    pub nz: u32,
}

impl Grid {
    /// Returns the number of samples.
    #[inline(always)]
    pub const fn samples(self) -> u64 {
        self.nx as u64 * self.ny as u64 * self.nz as u64
    }

    /// Returns the number of cells along x, y and z.
    #[inline(always)]
    pub const fn cell_dims(self) -> [u32; 3] {
        [
            self.nx.saturating_sub(1),
            self.ny.saturating_sub(1),
            self.nz.saturating_sub(1),
        ]
    }

    /// Returns the number of cells.
    #[inline(always)]
    pub const fn cells(self) -> u64 {
        let [cx, cy, cz] = self.cell_dims();
        cx as u64 * cy as u64 * cz as u64
    }

    /// Returns the number of edges along `axis`, as extents along x, y and z.
    #[inline(always)]
    pub const fn edge_dims(self, axis: u32) -> [u32; 3] {
        [
            if axis == X {
                self.nx.saturating_sub(1)
            } else {
                self.nx
            },
            if axis == Y {
                self.ny.saturating_sub(1)
            } else {
                self.ny
            },
            if axis == Z {
                self.nz.saturating_sub(1)
            } else {
                self.nz
            },
        ]
    }

    /// Returns the number of edges that lie in one plane of constant z.
    #[inline(always)]
    pub const fn plane_edges(self) -> u64 {
        let (nx, ny) = (self.nx as u64, self.ny as u64);
        nx.saturating_sub(1) * ny + nx * ny.saturating_sub(1)
    }

    /// Returns the total number of edges.
    #[inline(always)]
    pub const fn edges(self) -> u64 {
        let nz = self.nz as u64;
        self.plane_edges() * nz + self.nx as u64 * self.ny as u64 * nz.saturating_sub(1)
    }

    /// Returns the storage index of sample (x, y, z).
    #[inline(always)]
    pub const fn sample(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.ny as u64 + y as u64) * self.nx as u64 + x as u64) as usize
    }

    /// Returns the index of the cell whose lowest corner is (x, y, z).
    #[inline(always)]
    pub const fn cell(self, x: u32, y: u32, z: u32) -> u64 {
        let [cx, cy, _] = self.cell_dims();
        (z as u64 * cy as u64 + y as u64) * cx as u64 + x as u64
    }

    /// Returns the lowest corner of a cell.
    #[inline(always)]
    pub const fn cell_corner(self, cell: u64) -> [u32; 3] {
        let [cx, cy, _] = self.cell_dims();
        let (row, x) = div_rem(cell, cx as u64);
        let (z, y) = div_rem(row, cy as u64);
        [x as u32, y as u32, z as u32]
    }

    /// Returns the slot of the edge that leaves (x, y, z) along `axis`. See [the order of
    /// slots](Grid#edge-slots).
    #[inline(always)]
    pub const fn edge_slot(self, axis: u32, x: u32, y: u32, z: u32) -> usize {
        self.edge_row(axis, y, z).slot(x)
    }

    /// Returns the axis and the lower end of the edge with this slot: the inverse of
    /// [`edge_slot`](Grid::edge_slot).
    #[inline(always)]
    pub const fn edge_at(self, slot: u64) -> (u32, [u32; 3]) {
        let (nx, ny) = (self.nx as u64, self.ny as u64);
        let plane = self.plane_edges() + nx * ny;
        let (z, in_plane) = div_rem(slot, plane);
        let z = z as u32;
        if in_plane >= self.plane_edges() {
            let (y, x) = div_rem(in_plane - self.plane_edges(), nx);
            return (Z, [x as u32, y as u32, z]);
        }
        let (y, in_row) = div_rem(in_plane, 2 * nx - 1);
        if y + 1 == ny {
            // the last row has no edges along y
            return (X, [in_row as u32, y as u32, z]);
        }
        // an x edge and a y edge per sample, except for the last sample, which has a y edge only
        let x = in_row / 2;
        let axis = if in_row & 1 == 1 || x + 1 == nx { Y } else { X };
        (axis, [x as u32, y as u32, z])
    }

    /// Returns the slots of the edges along `axis` that leave the samples of row (y, z).
    #[inline(always)]
    pub const fn edge_row(self, axis: u32, y: u32, z: u32) -> EdgeRow {
        let (nx, ny) = (self.nx as u64, self.ny as u64);
        let y = y as u64;
        let plane = z as u64 * (self.plane_edges() + nx * ny);
        if axis == Z {
            return EdgeRow {
                first: plane + self.plane_edges() + y * nx,
                step: 1,
                without_x_edge: u32::MAX,
            };
        }
        // the rows before this one are not the last of the plane, so each has nx - 1 edges along x
        // and nx along y
        let row = plane + y * (2 * nx - 1);
        let step = 1 + (y + 1 < ny) as u64;
        if axis == X {
            EdgeRow {
                first: row,
                step,
                without_x_edge: u32::MAX,
            }
        } else {
            EdgeRow {
                first: row + 1,
                step,
                without_x_edge: self.nx - 1,
            }
        }
    }
}

/// Slots of the edges along one axis of one row of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    first: u64,
    step: u64,
    /// The sample whose y edge is not preceded by an x edge.
    without_x_edge: u32,
}

impl EdgeRow {
    /// Returns the slot of the edge that leaves sample `x` of the row.
    #[inline(always)]
    pub const fn slot(self, x: u32) -> usize {
        (self.first + x as u64 * self.step - (x == self.without_x_edge) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_has_a_slot_of_its_own_and_no_slot_is_empty() {
        for (nx, ny, nz) in [
            (1, 1, 1),
            (2, 2, 2),
            (3, 1, 4),
            (1, 5, 2),
            (2, 1, 3),
            (1, 1, 6),
            (4, 3, 5),
            (7, 2, 1),
        ] {
            let grid = Grid { nx, ny, nz };
            let mut taken = vec![false; grid.edges() as usize];
            for axis in [X, Y, Z] {
                let [ex, ey, ez] = grid.edge_dims(axis);
                for z in 0..ez {
                    for y in 0..ey {
                        for x in 0..ex {
                            let slot = grid.edge_slot(axis, x, y, z);
                            assert!(!taken[slot], "slot {slot} of {grid:?} is taken twice");
                            assert_eq!(grid.edge_at(slot as u64), (axis, [x, y, z]));
                            taken[slot] = true;
                        }
                    }
                }
            }
            assert!(taken.iter().all(|&t| t), "{grid:?} has an empty slot");
        }
    }

    #[test]
    fn slots_of_a_slab_continue_those_of_the_slab_before() {
        let whole = Grid {
            nx: 5,
            ny: 4,
            nz: 9,
        };
        let first = Grid { nz: 4, ..whole };
        let in_first = |axis, x, y, z| first.edge_slot(axis, x, y, z);
        for axis in [X, Y] {
            // the shared plane is the last of the first slab
            assert_eq!(in_first(axis, 1, 1, 3), whole.edge_slot(axis, 1, 1, 3));
        }
        assert_eq!(in_first(Z, 1, 1, 2), whole.edge_slot(Z, 1, 1, 2));
    }

    #[test]
    fn counts_do_not_wrap_at_32_bits() {
        let grid = Grid {
            nx: 2048,
            ny: 2048,
            nz: 2048,
        };
        assert_eq!(grid.samples(), 1 << 33);
        assert_eq!(grid.edges(), 3 * 2047 * 2048 * 2048);
        assert_eq!(
            grid.cell_corner(grid.cell(2046, 2045, 2044)),
            [2046, 2045, 2044]
        );
    }
}
