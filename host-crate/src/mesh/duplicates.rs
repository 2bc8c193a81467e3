//! Vertices at equal positions.

use crate::{
    memory::{self, OutOfMemory},
    parallel,
};
use rayon::slice::ParallelSliceMut;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a check of the mesh";

/// Returns the number of vertices at the position of a vertex with a lower index. Needs 8 bytes per
/// vertex, and 12 more if there are such vertices.
pub(super) fn count_duplicates(positions: &[[f32; 3]]) -> Result<usize, OutOfMemory> {
    let mut hashes = memory::try_zeroed::<u64>(PURPOSE, positions.len())?;
    parallel::for_each_chunk_mut(&mut hashes, parallel::CHUNK_LEN, |first, hashes| {
        for (hash, position) in hashes.iter_mut().zip(&positions[first..]) {
            *hash = hash_bits(position_bits(*position));
        }
    });
    if count_repeated(&mut hashes) == 0 {
        return Ok(0);
    }
    // different positions may have equal hashes
    drop(hashes);
    let mut bits = memory::try_zeroed::<[u32; 3]>(PURPOSE, positions.len())?;
    for (bits, position) in bits.iter_mut().zip(positions) {
        *bits = position_bits(*position);
    }
    Ok(count_repeated(&mut bits))
}

/// Sorts a list, and returns the number of elements that equal their predecessor.
fn count_repeated<T: Ord + Send>(list: &mut [T]) -> usize {
    list.par_sort_unstable();
    list.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Returns the bits of a position. Adding 0 turns -0 into +0: both are the same position.
fn position_bits(position: [f32; 3]) -> [u32; 3] {
    position.map(|x| (x + 0.0).to_bits())
}

fn hash_bits([x, y, z]: [u32; 3]) -> u64 {
    let low = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (low ^ low >> 32 ^ u64::from(z)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_first_vertex_at_a_position_count() {
        let count = |positions: &[[f32; 3]]| count_duplicates(positions).unwrap();
        assert_eq!(count(&[]), 0);
        assert_eq!(
            count(&[[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [3.0, 2.0, 1.0]]),
            0
        );
        let repeated = [[0.0, 1.0, 2.0], [5.0; 3], [-0.0, 1.0, 2.0], [0.0, 1.0, 2.0]];
        assert_eq!(count(&repeated), 2);
    }

    #[test]
    fn equal_hashes_are_compared_exactly() {
        // a regular grid of 40,000 positions, each once
        let grid: Vec<[f32; 3]> = (0..40_000)
            .map(|at| [(at % 200) as f32, (at / 200) as f32, 0.5])
            .collect();
        assert_eq!(count_duplicates(&grid).unwrap(), 0);
        let twice: Vec<[f32; 3]> = grid.iter().chain(&grid).copied().collect();
        assert_eq!(count_duplicates(&twice).unwrap(), 40_000);
    }
}
