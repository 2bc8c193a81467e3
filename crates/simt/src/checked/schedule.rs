//! Random schedules. The same seed gives the same schedule on every machine.

/// The SplitMix64 generator (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, 2014). Its state is one word, and every seed is equally good.
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a random number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    fn below_u64(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns `0..count` in random order.
    pub(crate) fn permutation(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

/// Number of blocks per window of [`BlockSchedule`].
const WINDOW: u64 = 1 << 16;

/// All blocks of a grid in random order, with memory independent of the grid size. Windows of
/// consecutive blocks come in the order of an affine permutation, and the blocks of a window in a
/// random order.
pub(crate) struct BlockSchedule {
    random: SplitMix64,
    blocks: u64,
    windows: u64,
    /// Number of windows begun.
    begun: u64,
    /// Factor of the affine permutation `window = (begun * factor + shift) % windows`.
    factor: u64,
    /// Shift of the affine permutation.
    shift: u64,
    /// First block of the current window.
    base: u64,
    /// Blocks of the current window that are still to come, relative to `base`; the last is next.
    window: Vec<u32>,
}

impl BlockSchedule {
    pub(crate) fn new(blocks: u64, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let windows = blocks.div_ceil(WINDOW).max(1);
        let mut factor = 1;
        for _ in 0..64 {
            let candidate = random.below_u64(windows) | 1;
            if gcd(candidate, windows) == 1 {
                factor = candidate;
                break;
            }
        }
        let shift = random.below_u64(windows);
        BlockSchedule {
            random,
            blocks,
            windows,
            begun: 0,
            factor,
            shift,
            base: 0,
            window: Vec::new(),
        }
    }
}

impl Iterator for BlockSchedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.window.is_empty() {
            if self.begun == self.windows {
                return None;
            }
            let position =
                u128::from(self.begun) * u128::from(self.factor) + u128::from(self.shift);
            let window = (position % u128::from(self.windows)) as u64;
            self.begun += 1;
            self.base = window * WINDOW;
            let count = (self.blocks - self.base).min(WINDOW) as u32;
            self.window = self.random.permutation(count);
        }
        self.window.pop().map(|block| self.base + u64::from(block))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_scheduled_exactly_once() {
        for blocks in [0, 1, 2, 7, WINDOW - 1, WINDOW, WINDOW + 1, 5 * WINDOW + 3] {
            let mut order: Vec<u64> = BlockSchedule::new(blocks, 42).collect();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..blocks), "{blocks} blocks");
        }
    }

    #[test]
    fn block_order_depends_on_the_seed_only() {
        let order = |seed| BlockSchedule::new(100, seed).collect::<Vec<_>>();
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn scheduling_a_huge_grid_needs_little_memory() {
        assert_eq!(BlockSchedule::new(u64::MAX, 3).take(10).count(), 10);
    }
}
