//! What is made at a time: some words of all rows.

use super::{
    lines::Along,
    weights::{Number, Unit},
};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream},
    distance::DistanceError,
    partition::TooLittleMemory,
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::separable::{
        AcrossRows, Cost, Layout, Lines, NUMBERS, Words, least_along, nearest_in_rows,
    },
    grid::Grid,
};

/// Some words of all rows, with the voxels of their columns.
#[derive(Clone, Copy)]
pub(in crate::distance) struct Part {
    pub grid: Grid,
    pub words: Words,
}

impl Part {
    /// The x of the first column.
    pub fn first_x(self) -> u64 {
        u64::from(self.words.first) * 32
    }

    /// Columns of voxels.
    pub fn columns(self) -> u64 {
        let rest = u64::from(self.grid.nx) - self.first_x();
        (u64::from(self.words.count) * 32).min(rest)
    }

    /// Voxels.
    pub fn voxels(self) -> usize {
        (self.columns() * rows(self.grid)) as usize
    }

    /// Lines along y: a batch is a plane.
    pub fn lines_along_y(self) -> Lines {
        Lines {
            columns: self.columns(),
            batches: self.grid.nz.into(),
        }
    }

    /// Lines along z: a batch is a plane across y.
    pub fn lines_along_z(self) -> Lines {
        Lines {
            columns: self.columns(),
            batches: self.grid.ny.into(),
        }
    }

    /// Where lines along y are in the part.
    pub fn along_y(self) -> Layout {
        Layout {
            along: self.columns(),
            batch: self.columns() * u64::from(self.grid.ny),
        }
    }

    /// Where lines along z are in the part.
    pub fn along_z(self) -> Layout {
        let along_y = self.along_y();
        Layout {
            along: along_y.batch,
            batch: along_y.along,
        }
    }

    /// Where lines along z are in the whole, from the part's first column on.
    pub fn along_z_of_whole(self) -> Layout {
        let [nx, ny] = [self.grid.nx, self.grid.ny].map(u64::from);
        Layout {
            along: nx * ny,
            batch: nx,
        }
    }
}

fn rows(grid: Grid) -> u64 {
    u64::from(grid.ny) * u64::from(grid.nz)
}

/// Costs that are made in parts, which are all that is held besides the sites and the result.
pub(in crate::distance) struct Parts<'a, C> {
    pub stream: &'a Stream,
    pub grid: Grid,
    pub unit: &'a Unit,
    pub weights: [C; 3],
}

impl<C: Cost + Number + Element> Parts<'_, C> {
    /// Calls `make` with each part: as large as a limit of memory lets them be, if there is one and
    /// `held` bytes of it are taken. A voxel has `more` bytes besides its cost.
    pub fn for_each(
        &self,
        limit: Option<u64>,
        held: u64,
        more: u64,
        mut make: impl FnMut(Part) -> Result<(), DistanceError>,
    ) -> Result<(), DistanceError> {
        let per_row = self.grid.nx.div_ceil(32);
        let count = match limit {
            None => per_row,
            Some(limit) => {
                let of_word = self.bytes_of_word(more);
                let least = held + of_word;
                if limit < least {
                    return Err(TooLittleMemory {
                        needed: least,
                        budget: limit,
                    }
                    .into());
                }
                u32::try_from((limit - held) / of_word).unwrap_or(u32::MAX)
            }
        };
        let mut first = 0;
        while first < per_row {
            let words = Words {
                first,
                count: count.min(per_row - first),
            };
            make(Part {
                grid: self.grid,
                words,
            })?;
            first += words.count;
        }
        Ok(())
    }

    /// Device memory for a word of each row.
    fn bytes_of_word(&self, more: u64) -> u64 {
        let columns = u64::from(self.grid.nx).min(32);
        let of_voxel = size_of::<C>() as u64 + more;
        rows(self.grid) * (u64::from(NUMBERS) * 4 + columns * of_voxel)
    }

    /// What is known of a part's rows from the bits of all.
    pub fn near(&self, bits: View<'_, u32>, part: Part) -> Result<Buffer<u32>, DeviceError> {
        let rows = rows(self.grid);
        let numbers = rows * u64::from(part.words.count) * u64::from(NUMBERS);
        let mut near = self.stream.alloc(numbers as usize)?;
        let launch = Launch::warp_pieces(rows);
        // SAFETY: there are as many words as rows have, and room for the numbers of those that are
        // wanted.
        unsafe {
            let args = (bits, self.grid, part.words, near.view_mut());
            self.stream.launch::<nearest_in_rows>(launch, args)?;
        }
        Ok(near)
    }

    /// How costs follow from what is known of a part's rows.
    pub fn across(&self, part: Part) -> AcrossRows<C> {
        AcrossRows {
            weight: self.weights[0],
            words: part.words.count,
            first_word: part.words.first,
            most: self.unit.most_along(0),
            rows: self.grid.ny,
        }
    }

    /// Lines along y.
    pub fn along_y(&self) -> Result<Along<C>, DistanceError> {
        let (ny, weights) = (self.grid.ny, &self.weights);
        Along::new(self.stream, self.unit.axis(weights, 1, ny), ny, 'y')
    }

    /// Lines along z.
    pub fn along_z(&self) -> Result<Along<C>, DistanceError> {
        let (nz, weights) = (self.grid.nz, &self.weights);
        Along::new(self.stream, self.unit.axis(weights, 2, nz), nz, 'z')
    }

    /// Replaces the costs of a part by the least along their lines.
    pub fn minimise(
        &self,
        costs: &mut Buffer<C>,
        lines: Lines,
        along: &Along<C>,
        layout: Layout,
    ) -> Result<(), DeviceError> {
        let (launch, tiling, axis) = along.launch(lines);
        let costs = costs.view_mut();
        let args = (costs.as_view(), lines, tiling, axis, layout, costs);
        // SAFETY: there is a cost for each voxel of the lines, a block may write to those that it
        // has read, and it has room for a tile.
        unsafe { self.stream.launch::<least_along<C>>(launch, args) }
    }
}
