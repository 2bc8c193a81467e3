//! Blocks of boundary faces with their moments, for the force far from the surface.
//!
//! The force of a block is expanded about the centroid of its faces up to second order, so the
//! first-order term vanishes (Barnes and Hut 1986, with quadrupoles). By Taylor's theorem, the
//! error of the force of a block with area A at the distance D is at most
//! `56 ρ tr(M) / (D - ρ)^9`, where ρ is the largest distance of a face from the centroid and M the
//! second moments: the derivatives of order n of `R^-5`, whose gradient is -5 times the force, are
//! at most `5 · 6 ⋯ (4 + n) R^(-5-n)` in any direction.

use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind},
    parallel,
    skeleton::medial::voxels::{
        boundary_faces::{BoundaryFaces, Face},
        row_index::{RowIndex, floor},
    },
};
use rayon::slice::ParallelSliceMut;

/// Area, centroid and second central moments of the faces of a block.
#[derive(Clone, Copy)]
pub struct SurfaceBlock {
    /// Area, in units of the smallest spacing squared.
    pub area: f64,
    /// Centroid, in world coordinates whose unit is the smallest spacing.
    pub centroid: [f64; 3],
    /// Second moments xx, yy, zz, xy, xz and yz about the centroid, weighted by area.
    pub moments: [f64; 6],
}

impl SurfaceBlock {
    /// Combines point sources, given as positions with areas, or blocks with their moments.
    fn combine(parts: impl Iterator<Item = Self> + Clone) -> Self {
        let mut area = 0.0;
        let mut sum = [0.0; 3];
        for part in parts.clone() {
            area += part.area;
            for (sum, at) in sum.iter_mut().zip(part.centroid) {
                *sum += part.area * at;
            }
        }
        let centroid = sum.map(|sum| sum / area);
        let mut moments = [0.0; 6];
        for part in parts {
            let [x, y, z] = [0, 1, 2].map(|axis| part.centroid[axis] - centroid[axis]);
            let products = [x * x, y * y, z * z, x * y, x * z, y * z];
            for ((sum, own), product) in moments.iter_mut().zip(part.moments).zip(products) {
                *sum += own + part.area * product;
            }
        }
        Self {
            area,
            centroid,
            moments,
        }
    }
}

/// Blocks of one size.
pub struct BlockLevel {
    /// Binary logarithm of the extent of a block along each axis, in voxels.
    shifts: [u32; 3],
    /// Index of the rows of blocks by y and z.
    rows: RowIndex,
    /// Block coordinate of each block along x.
    xs: Vec<i32>,
    blocks: Vec<SurfaceBlock>,
}

impl BlockLevel {
    /// Groups parts, given by their block coordinates z, y and x, into blocks. Parts are combined
    /// in the order of their indices.
    fn new<I: Iterator<Item = SurfaceBlock> + Clone>(
        shifts: [u32; 3],
        mut keys: Vec<([i32; 3], u32)>,
        sources: impl Fn(u32) -> I + Sync,
    ) -> Self {
        keys.par_sort_unstable();
        let groups: Vec<&[([i32; 3], u32)]> = keys
            .chunk_by(|first, second| first.0 == second.0)
            .collect_or_unwind();
        let blocks = parallel::collect(groups.len(), BLOCKS_PER_TASK, |range, blocks| {
            blocks.extend_or_unwind(groups[range].iter().map(|group| {
                SurfaceBlock::combine(group.iter().flat_map(|&(_, part)| sources(part)))
            }));
        });
        Self {
            shifts,
            rows: RowIndex::from_positions(
                groups.iter().map(|group| [group[0].0[1], group[0].0[0]]),
            ),
            xs: groups.iter().map(|group| group[0].0[2]).collect_or_unwind(),
            blocks,
        }
    }

    /// Returns the block coordinates z, y and x of every block for a level of larger blocks.
    fn parent_keys(&self, shifts: [u32; 3]) -> Vec<([i32; 3], u32)> {
        let [x_shift, y_shift, z_shift] = [0, 1, 2].map(|axis| shifts[axis] - self.shifts[axis]);
        let mut keys = Vec::new();
        for row in 0..self.rows.len() {
            let [y, z] = self.rows.position(row);
            let members = self.rows.members(row);
            keys.extend_or_unwind(members.map(|block| {
                let key = [z >> z_shift, y >> y_shift, self.xs[block] >> x_shift];
                (key, block as u32)
            }));
        }
        keys
    }

    /// Calls `visit` with the blocks in the bounding box of a ball, in the order of their rows: all
    /// blocks with a face within the radius, and some others.
    pub fn visit_near(
        &self,
        metric: &Metric,
        at: [f64; 3],
        radius: f64,
        mut visit: impl FnMut(&SurfaceBlock),
    ) {
        let reach = metric.unit_ball_extent();
        let [x, y, z] = [0, 1, 2].map(|axis| {
            // one voxel more, because faces are half a voxel from the centres of their voxels
            let half = radius * reach[axis] + 1.0;
            [at[axis] - half, at[axis] + half].map(|end| floor(end) >> self.shifts[axis])
        });
        for plane in z[0].max(0)..=z[1].min(self.rows.plane_count() - 1) {
            for row in self.rows.between(plane, y[0], y[1]) {
                let members = self.rows.members(row);
                let xs = &self.xs[members.clone()];
                let first = members.start + xs.partition_point(|&other| other < x[0]);
                let end = members.start + xs.partition_point(|&other| other <= x[1]);
                self.blocks[first..end].iter().for_each(&mut visit);
            }
        }
    }
}

#[cfg(test)]
impl BlockLevel {
    /// Returns an upper bound of the error of the force of a block at a world position.
    pub fn error_bound(&self, metric: &Metric, block: &SurfaceBlock, position: [f64; 3]) -> f64 {
        // no face is farther from the centroid than the diagonal of the block
        let [x, y, z] = self.shifts.map(|shift| f64::from(1u32 << shift));
        let reach = metric.length([x, y, z]);
        let offset = [0, 1, 2].map(|axis| position[axis] - block.centroid[axis]);
        let distance = offset.iter().map(|along| along * along).sum::<f64>().sqrt();
        let trace = block.moments[0] + block.moments[1] + block.moments[2];
        56.0 * reach * trace / (distance - reach).max(0.0).powi(9)
    }
}

/// Blocks of all sizes that the force at some positions needs; the sides of blocks are powers of
/// two.
pub struct SurfaceBlocks {
    /// Binary logarithm of the side of the smallest blocks, in units of the smallest spacing.
    first_level: u32,
    levels: Vec<BlockLevel>,
}

/// Maximum side of a block as a fraction of the inscribed radius at the position whose force is
/// computed.
const MAX_SIDE_FRACTION: f64 = 0.25;

/// Number of blocks per parallel task.
const BLOCKS_PER_TASK: usize = 1 << 10;

impl SurfaceBlocks {
    /// Builds the blocks for inscribed radii up to `max_radius`. `sources` returns the point
    /// sources of a face with their areas.
    pub fn new<I: Iterator<Item = ([f64; 3], f64)> + Clone>(
        metric: &Metric,
        boundary: &BoundaryFaces<'_>,
        max_radius: f64,
        sources: impl Fn(&Face) -> I + Sync,
    ) -> Self {
        let spacings = [0, 1, 2].map(|axis| metric.squared_spacing(axis).sqrt());
        let coarsest = spacings.into_iter().fold(1.0, f64::max);
        let first_level = (coarsest.log2().ceil() as u32).max(1);
        let mut blocks = Self {
            first_level,
            levels: Vec::new(),
        };
        let levels =
            side_level(max_radius).map_or(0, |level| (level + 1).saturating_sub(first_level));
        for level in first_level..first_level + levels {
            let shifts = spacings.map(|spacing| {
                let extent = f64::from(level) - spacing.log2();
                // a margin for rounding errors of powers of two
                (extent + 1e-9).floor().max(0.0) as u32
            });
            let next = match blocks.levels.last() {
                None => {
                    let key =
                        |[x, y, z]: [i32; 3]| [z >> shifts[2], y >> shifts[1], x >> shifts[0]];
                    let voxels = boundary.voxels().iter().zip(0..);
                    let keys = voxels.map(|(&voxel, index)| (key(voxel), index));
                    BlockLevel::new(shifts, keys.collect_or_unwind(), |voxel| {
                        let faces = boundary.voxel_faces(voxel as usize).iter();
                        faces
                            .flat_map(&sources)
                            .map(|(centroid, area)| SurfaceBlock {
                                area,
                                centroid,
                                moments: [0.0; 6],
                            })
                    })
                }
                Some(finer) => BlockLevel::new(shifts, finer.parent_keys(shifts), |block| {
                    std::iter::once(finer.blocks[block as usize])
                }),
            };
            blocks.levels.push_or_unwind(next);
        }
        blocks
    }

    /// Returns the blocks from which the force at a position with an inscribed radius is computed,
    /// or `None` if the radius is too small for blocks.
    pub fn level(&self, radius: f64) -> Option<&BlockLevel> {
        let index = side_level(radius)?.checked_sub(self.first_level)? as usize;
        self.levels.get(index).or(self.levels.last())
    }
}

/// Returns the binary logarithm of the largest permitted side of a block.
fn side_level(radius: f64) -> Option<u32> {
    let side = MAX_SIDE_FRACTION * radius;
    (side >= 1.0).then(|| side.log2() as u32)
}
