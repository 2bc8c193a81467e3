use cuda_std::prelude::*;
use rand_chacha::{ChaCha20Rng, ChaCha8Rng};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// Fills the thread's row from any generator.
unsafe fn fill(generator: &mut impl Rng, row: usize, length: usize, out: *mut u32) {
    for i in 0..length {
        *out.add(row * length + i) = generator.next_u32();
    }
}

#[kernel]
pub unsafe fn chacha(seeds: &[[u8; 32]], length: usize, out_20: *mut u32, out_8: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < seeds.len() {
        fill(&mut ChaCha20Rng::from_seed(seeds[i]), i, length, out_20);
        fill(&mut ChaCha8Rng::from_seed(seeds[i]), i, length, out_8);
    }
}

#[kernel]
pub unsafe fn pcg(seeds: &[[u64; 2]], length: usize, out: *mut u32, out_of_oorandom: *mut u32) {
    let i = thread::index_1d() as usize;
    if i < seeds.len() {
        let [state, stream] = seeds[i];
        fill(&mut Pcg32::new(state, stream), i, length, out);
        let mut other = oorandom::Rand32::new_inc(state, stream);
        for j in 0..length {
            *out_of_oorandom.add(i * length + j) = other.rand_u32();
        }
    }
}

/// Draws dice, shuffled cards and coins from the thread's own seed.
#[kernel]
pub unsafe fn games(dice: *mut u8, cards: *mut [u8; 52], coins: *mut bool) {
    let i = thread::index_1d() as usize;
    let mut generator = fastrand::Rng::with_seed(i as u64);
    *dice.add(i) = generator.u8(1..=6);
    let mut deck = core::array::from_fn(|card| card as u8);
    generator.shuffle(&mut deck);
    *cards.add(i) = deck;
    *coins.add(i) = generator.bool();
}
