//! Assignment of cones to the tiles of a picture.

use super::cones::Cones;
use crate::memory::{CollectOrUnwind, copy_or_unwind, zeroed_or_unwind};

/// Smallest side of a tile, as a power of two of pixels: each pixel of a tile is tested against all
/// of its cones.
const MIN_LOG2_SIZE: u32 = 3;
/// Largest number of tiles along a side of the picture.
const MAX_TILES: u32 = 256;

/// Cones of each tile, in the order of their smallest depths.
pub struct Tiles {
    /// Side of a tile, as a power of two of pixels.
    pub log2_size: u32,
    /// Number of tiles along x.
    pub per_row: u32,
    /// Start of each tile's range in `members`, and the end of the last range.
    pub starts: Vec<u32>,
    /// Indices of the cones of all tiles.
    pub members: Vec<u32>,
}

impl Tiles {
    /// Assigns every cone to the tiles that its bounding rectangle intersects.
    pub fn assign(cones: &Cones, size: [u32; 2]) -> Self {
        let mut log2_size = MIN_LOG2_SIZE;
        while size.iter().any(|side| side >> log2_size > MAX_TILES) {
            log2_size += 1;
        }
        let counts = size.map(|side| side.div_ceil(1 << log2_size) as usize);
        let bounds: Vec<_> = (0..cones.len())
            .map(|cone| cones.bounds(cone))
            .collect_or_unwind();
        let mut order: Vec<u32> = (0..cones.len() as u32).collect_or_unwind();
        order.sort_unstable_by(|&a, &b| {
            let depth = |cone: u32| bounds[cone as usize].1;
            depth(a).total_cmp(&depth(b)).then(a.cmp(&b))
        });
        // The casts saturate, and convert NaN to 0.
        let tiles = |cone: u32| {
            let (sides, _) = bounds[cone as usize];
            [0, 1].map(|axis| {
                let [low, high] = sides[axis];
                if !(high >= 0.0 && low < size[axis] as f32) {
                    return 0..0;
                }
                low as usize >> log2_size..((high as usize >> log2_size) + 1).min(counts[axis])
            })
        };
        let each = |visit: &mut dyn FnMut(usize, u32)| {
            for &cone in &order {
                let [columns, rows] = tiles(cone);
                for row in rows {
                    for column in columns.clone() {
                        visit(row * counts[0] + column, cone);
                    }
                }
            }
        };
        let mut starts = zeroed_or_unwind::<u32>(counts[0] * counts[1] + 1);
        each(&mut |tile, _| starts[tile + 1] += 1);
        for tile in 1..starts.len() {
            starts[tile] += starts[tile - 1];
        }
        let mut next = copy_or_unwind(&starts);
        let mut members = zeroed_or_unwind(starts[starts.len() - 1] as usize);
        each(&mut |tile, cone| {
            members[next[tile] as usize] = cone;
            next[tile] += 1;
        });
        Self {
            log2_size,
            per_row: counts[0] as u32,
            starts,
            members,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a ball of radius 2.
    fn ball(x: f32, y: f32, z: f32) -> Vec<f32> {
        let end = [x, y, z, 2.0];
        [&end[..], &end, &[0.0; 6]].concat()
    }

    #[test]
    fn tiles_list_their_cones_nearest_first() {
        let cones = Cones {
            numbers: [
                ball(8.0, 8.0, 9.0),
                ball(16.0, 8.0, 3.0),
                ball(-9.0, 8.0, 0.0),
                ball(31.0, 25.0, 5.0),
                ball(f32::NAN, 0.0, 0.0),
                ball(1e30, 1e30, 0.0),
            ]
            .concat(),
            depths: [0.0; 2],
        };
        let tiles = Tiles::assign(&cones, [40, 20]);
        assert_eq!((tiles.log2_size, tiles.per_row), (3, 5));
        let starts = [0, 1, 3, 4, 4, 4, 5, 7, 8, 8, 8, 8, 8, 8, 8, 8];
        assert_eq!(tiles.starts, starts);
        assert_eq!(tiles.members, [0, 1, 0, 1, 0, 1, 0, 1]);
        let tiles = Tiles::assign(&cones, [16384, 9]);
        assert_eq!((tiles.log2_size, tiles.per_row), (6, 256));
    }
}
