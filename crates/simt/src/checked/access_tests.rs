//! Compares the race detector with an oracle that keeps a full vector clock per thread and a list
//! of all accesses.

use super::*;
use crate::checked::history::GranuleHistory;
use crate::checked::schedule::SplitMix64;
use std::panic::Location;

const WARPS: usize = 5;
const THREADS: usize = 32 * WARPS;
const LOCATIONS: usize = 3;
const BARRIERS: usize = 3;

/// Race detector by definition: one vector clock per thread, all accesses remembered.
struct Oracle {
    clocks: Vec<[u32; THREADS]>,
    accesses: [Vec<(usize, u32, Access)>; LOCATIONS],
}

impl Oracle {
    fn new() -> Self {
        Oracle {
            clocks: vec![[0; THREADS]; THREADS],
            accesses: std::array::from_fn(|_| Vec::new()),
        }
    }

    fn races(&self, thread: usize, location: usize, access: Access) -> bool {
        let is_atomic = |one| matches!(one, Access::Atomic | Access::AtomicStore);
        let mut earlier = self.accesses[location].iter();
        earlier.any(|&(other, clock, before)| {
            let both_read = before == Access::Read && access == Access::Read;
            let harmless = both_read || is_atomic(before) && is_atomic(access);
            !harmless && other != thread && self.clocks[thread][other] < clock
        })
    }

    fn check_and_record(&mut self, thread: usize, location: usize, access: Access) {
        self.clocks[thread][thread] += 1;
        let own = self.clocks[thread][thread];
        self.accesses[location].push((thread, own, access));
    }

    fn joined(&self, threads: impl Iterator<Item = usize>) -> [u32; THREADS] {
        let mut joined = [0; THREADS];
        threads
            .for_each(|thread| super::super::inter_warp::join(&mut joined, &self.clocks[thread]));
        joined
    }

    fn acquire(&mut self, threads: impl Iterator<Item = usize>, what: &[u32; THREADS]) {
        for thread in threads {
            super::super::inter_warp::join(&mut self.clocks[thread], what);
        }
    }
}

/// A named barrier in progress: the joined clocks of the arrived warps, the waiting warps, and the
/// number of warps yet to arrive.
#[derive(Clone)]
struct PendingBarrier {
    arrived: [u32; THREADS],
    waiting: Vec<usize>,
    missing: usize,
}

fn lane_range(warp: usize) -> std::ops::Range<usize> {
    32 * warp..32 * (warp + 1)
}

/// Simulates a random block with both detectors until each location has had a race, and returns the
/// number of locations that raced.
fn block(random: &mut SplitMix64, seed: u64) -> usize {
    let (mut oracle, mut clocks) = (Oracle::new(), Clocks::new(WARPS));
    let mut history: [GranuleHistory; LOCATIONS] = Default::default();
    let mut raced = [false; LOCATIONS];
    let mut barriers: [Option<PendingBarrier>; BARRIERS] = [const { None }; BARRIERS];
    let mut waits = [false; WARPS];
    let mut epoch = 0;
    // Some blocks have many barriers and few accesses, some none.
    let (touching, syncing, naming) = (20 + random.below(50), random.below(20), random.below(30));
    for step in 0..1000 {
        let warp = random.below(WARPS);
        if waits[warp] {
            continue;
        }
        let thread = 32 * warp + random.below(4);
        let choice = random.below(100);
        if choice < touching {
            let location = random.below(LOCATIONS);
            let access = match random.below(10) {
                0..7 => Access::Read,
                7 => Access::Atomic,
                _ => Access::Write,
            };
            // Most racing accesses are skipped; otherwise nearly every access would be a race.
            let races = oracle.races(thread, location, access);
            if races && random.below(40) != 0 {
                continue;
            }
            let now = AccessRecord {
                site: Location::caller(),
                block: 0,
                epoch,
                clock: clocks.own_clock(thread as u32),
                thread: thread as u16,
                access,
            };
            let clocks = &clocks;
            let found = history[location].check_and_record(now, &ClockOrder { clocks, now });
            oracle.check_and_record(thread, location, access);
            if !raced[location] {
                assert_eq!(found.is_some(), races, "seed {seed}, step {step}");
                raced[location] = races;
            }
        } else if choice < touching + syncing {
            let lanes = 1 << (thread % 32) | random.below(16) as u32;
            let in_mask = || lane_range(warp).filter(|thread| lanes >> (thread % 32) & 1 == 1);
            let joined = oracle.joined(in_mask());
            oracle.acquire(in_mask(), &joined);
            clocks.join(warp as u32, lanes);
        } else if choice < touching + syncing + naming {
            let barrier = random.below(BARRIERS);
            let new = PendingBarrier {
                arrived: [0; THREADS],
                waiting: Vec::new(),
                missing: 1 + random.below(3),
            };
            let one = barriers[barrier].get_or_insert(new);
            let brings = oracle.joined(lane_range(warp));
            super::super::inter_warp::join(&mut one.arrived, &brings);
            clocks.arrive(barrier as u32, warp as u32, u32::MAX);
            one.missing -= 1;
            if random.below(2) == 0 {
                one.waiting.push(warp);
                waits[warp] = true;
            }
            if one.missing == 0 {
                for &warp in &one.waiting {
                    oracle.acquire(lane_range(warp), &one.arrived);
                    waits[warp] = false;
                }
                let waited = one.waiting.iter().map(|&warp| (warp as u32, u32::MAX));
                clocks.complete(barrier as u32, waited);
                barriers[barrier] = None;
            }
        } else if choice == 99 && !waits.contains(&true) {
            let joined = oracle.joined(0..THREADS);
            oracle.acquire(0..THREADS, &joined);
            epoch += 1;
        }
    }
    raced.iter().filter(|&&raced| raced).count()
}

#[test]
fn races_agree_with_the_vector_clock_oracle() {
    let (mut races, mut none) = (0, 0);
    for seed in 0..600 {
        let raced = block(&mut SplitMix64::new(seed), seed);
        races += raced;
        none += LOCATIONS - raced;
    }
    assert!(races > 100 && none > 100, "{races} races, {none} without");
}
