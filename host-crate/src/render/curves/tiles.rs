//! Which cones are seen in which part of a picture.

use super::cones::Cones;
use crate::memory::{CollectOrUnwind, copy_or_unwind, zeroed_or_unwind};

/// The side of a tile is 2 to this power of pixels,
const POWER: u32 = 4;
/// and more where there would be more tiles along a side.
const MOST: u32 = 256;

/// The cones of each tile, in the order of the depths that they begin at.
pub struct Tiles {
    /// The side of a tile is 2 to this power of pixels.
    pub power: u32,
    /// Tiles along x.
    pub across: u32,
    /// For each tile the first of its members, and one more.
    pub starts: Vec<u32>,
    pub members: Vec<u32>,
}

impl Tiles {
    pub fn of(cones: &Cones, size: [u32; 2]) -> Self {
        let mut power = POWER;
        while size.iter().any(|side| side >> power > MOST) {
            power += 1;
        }
        let counts = size.map(|side| side.div_ceil(1 << power) as usize);
        let bounds: Vec<_> = (0..cones.len())
            .map(|cone| cones.bounds(cone))
            .collect_or_unwind();
        let mut order: Vec<u32> = (0..cones.len() as u32).collect_or_unwind();
        order.sort_unstable_by(|&a, &b| {
            let depth = |cone: u32| bounds[cone as usize].1;
            depth(a).total_cmp(&depth(b)).then(a.cmp(&b))
        });
        // casts take what is beyond the numbers to their ends, and what is none to 0
        let tiles = |cone: u32| {
            let (sides, _) = bounds[cone as usize];
            [0, 1].map(|axis| {
                let [low, high] = sides[axis];
                if !(high >= 0.0 && low < size[axis] as f32) {
                    return 0..0;
                }
                low as usize >> power..((high as usize >> power) + 1).min(counts[axis])
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
            power,
            across: counts[0] as u32,
            starts,
            members,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of radius 2.
    fn ball(x: f32, y: f32, z: f32) -> Vec<f32> {
        let end = [x, y, z, 2.0];
        [&end[..], &end, &[0.0; 6]].concat()
    }

    #[test]
    fn tiles_have_what_is_in_them_the_nearest_first() {
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
        let tiles = Tiles::of(&cones, [40, 20]);
        assert_eq!((tiles.power, tiles.across), (4, 3));
        assert_eq!(tiles.starts, [0, 2, 3, 3, 3, 3, 3]);
        assert_eq!(tiles.members, [1, 0, 1]);
        let tiles = Tiles::of(&cones, [16384, 9]);
        assert_eq!((tiles.power, tiles.across), (6, 256));
    }
}
