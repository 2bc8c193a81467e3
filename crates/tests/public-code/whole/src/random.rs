use core::convert::Infallible;

use cuda_std::prelude::*;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, TryRng};

/// A custom generator with the crate's interface: xorshift (Marsaglia, 2003).
struct XorShift(u32);

impl TryRng for XorShift {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        Ok(self.0)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from(self.next_u32()) << 32 | u64::from(self.next_u32()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.fill_with(|| self.next_u32() as u8);
        Ok(())
    }
}

/// Draws the generator's first outputs, a number in a range, a number below 1, and a shuffled row,
/// per thread.
#[kernel]
pub unsafe fn draws(raw: *mut [u32; 2], dice: *mut u8, below_one: *mut f32, rows: *mut [u8; 8]) {
    let i = thread::index_1d() as usize;
    let mut generator = XorShift(2_463_534_242 + i as u32);
    *raw.add(i) = [generator.next_u32(), generator.next_u32()];
    *dice.add(i) = generator.random_range(1..=6);
    *below_one.add(i) = generator.random();
    let mut row = [0, 1, 2, 3, 4, 5, 6, 7];
    row.shuffle(&mut generator);
    *rows.add(i) = row;
}
