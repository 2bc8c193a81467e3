//! Races: two unordered accesses to one element, at least one of them a write. Each racing kernel
//! is paired with one that differs only by the synchronisation.

use crate::common::{
    CHECKED, SharedWords, Words, findings, global_index, is_race, only_finding, rank, run,
};
use simt::memory::{self, Space};
use simt::sync::{barrier, warp_exchange, warp_sync};
use simt::{Access, FindingKind, LaunchError, MemoryLocation, Mode, current};
use std::mem::size_of_val;

static TILE: u8 = 0;
const SEEDS: std::ops::Range<u64> = 0..10;

/// Checks, under several seeds, that races are found (and nothing else) under every seed, or under
/// none.
#[track_caller]
fn races(expected: bool, blocks: u32, threads: u32, kernel: impl Fn() + Sync) {
    for seed in SEEDS {
        match run(blocks, threads, Mode::Checked { seed }, &kernel) {
            Ok(()) => assert!(!expected, "seed {seed}: no race was found"),
            Err(LaunchError::Findings(report)) => {
                assert!(
                    expected && report.findings().iter().all(is_race),
                    "seed {seed}: {report}"
                );
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
}

#[test]
fn reading_a_neighbours_shared_element_needs_a_barrier() {
    let without = || {
        let tile = SharedWords::new(&TILE, 64);
        tile.write(rank(), 1);
        barrier();
        tile.write(rank(), 2);
        tile.read((rank() + 33) % 64);
    };
    races(true, 2, 64, without);
    let with = || {
        let tile = SharedWords::new(&TILE, 64);
        tile.write(rank(), 1);
        barrier();
        tile.read((rank() + 33) % 64);
        barrier();
        tile.write(rank(), 2);
    };
    races(false, 2, 64, with);
}

#[test]
fn a_race_names_both_accesses() {
    let words = Words::new(4);
    let finding = only_finding(run(1, 64, CHECKED, || {
        if rank() == 3 {
            words.write(1, 1);
        }
        if rank() == 40 {
            words.read(1);
        }
    }));
    let FindingKind::Race {
        location: MemoryLocation::Global { .. },
        bytes: 4,
        access,
        other_access,
        other_block,
        other_thread,
        other_site,
    } = finding.kind
    else {
        panic!("{finding}");
    };
    let mut sides = [
        (finding.thread.x, access, finding.site.line()),
        (other_thread.x, other_access, other_site.line()),
    ];
    sides.sort_by_key(|side| side.0);
    let [(writer, wrote, write_line), (reader, read, read_line)] = sides;
    assert_eq!(
        (writer, wrote, reader, read),
        (3, Access::Write, 40, Access::Read)
    );
    assert_eq!(read_line, write_line + 3);
    assert_eq!(other_block, finding.block);
}

#[test]
fn writes_of_equal_values_race() {
    let words = Words::new(64);
    races(true, 1, 2, || words.write(0, 1));
    races(false, 1, 64, || words.write(rank(), 1));
}

#[test]
fn reads_do_not_race() {
    let words = Words::new(1);
    races(false, 4, 64, || {
        words.read(0);
    });
}

#[test]
fn a_write_after_reads_needs_a_barrier() {
    let words = Words::new(4);
    for writer in [0, 31, 32, 63] {
        races(true, 1, 64, || {
            words.read(0);
            if rank() == writer {
                words.write(0, 1);
            }
        });
        races(false, 1, 64, || {
            words.read(0);
            barrier();
            if rank() == writer {
                words.write(0, 1);
            }
        });
    }
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let words = Words::new(1);
    races(false, 4, 64, || {
        words.add(0, 1);
    });
    races(true, 1, 64, || {
        if rank() == 7 {
            words.read(0);
        } else {
            words.add(0, 1);
        }
    });
    races(true, 1, 64, || {
        if rank() == 7 {
            words.write(0, 0);
        } else {
            words.add(0, 1);
        }
    });
    races(false, 1, 64, || {
        if rank() == 7 {
            words.write(0, 0);
        }
        barrier();
        words.add(0, 1);
        barrier();
        words.read(0);
    });
}

#[test]
fn launches_are_ordered_but_blocks_of_one_launch_are_not() {
    let words = Words::new(256);
    let finding = only_finding(run(2, 1, CHECKED, || words.write(0, 1)));
    let FindingKind::Race { other_block, .. } = finding.kind else {
        panic!("{finding}");
    };
    assert_ne!(other_block, finding.block);
    races(true, 3, 32, || {
        words.read((global_index() + 32) % 96);
        barrier();
        words.write(global_index(), 1);
    });
    races(false, 3, 32, || words.write(global_index(), 1));
    races(false, 3, 32, || {
        words.read((global_index() + 32) % 96);
    });
}

#[test]
fn a_warp_sync_orders_the_lanes_of_its_mask_and_an_exchange_does_not() {
    let exchange_with = |sync: &(dyn Fn(u32) + Sync), mask: u32| {
        let kernel = || {
            let tile = SharedWords::new(&TILE, 32);
            tile.write(rank(), 1);
            sync(mask);
            // Each lane reads its neighbour's element in the same half of the warp.
            tile.read(rank() ^ 1);
        };
        SEEDS
            .map(|seed| run(1, 32, Mode::Checked { seed }, kernel))
            .collect::<Vec<_>>()
    };
    for result in exchange_with(&|mask| warp_sync(mask), u32::MAX) {
        result.unwrap();
    }
    let exchange = |mask| {
        warp_exchange(mask, 0);
    };
    for result in exchange_with(&exchange, u32::MAX) {
        let report = findings(result);
        assert!(report.findings().iter().any(is_race), "{report}");
    }
    // Halves synchronise separately: neighbours within a half are ordered, the halves are not.
    let half = || if rank() < 16 { 0xFFFF } else { 0xFFFF_0000 };
    races(false, 1, 32, || {
        let tile = SharedWords::new(&TILE, 32);
        tile.write(rank(), 1);
        warp_sync(half());
        tile.read(rank() ^ 1);
    });
    let words = Words::new(32);
    races(true, 1, 32, || {
        words.write(rank(), 1);
        warp_sync(half());
        words.read(rank() ^ 16);
    });
}

#[test]
fn warp_syncs_order_transitively() {
    let words = Words::new(1);
    races(false, 1, 3, || match rank() {
        0 => {
            words.write(0, 1);
            warp_sync(0b011);
        }
        1 => {
            warp_sync(0b011);
            warp_sync(0b110);
        }
        _ => {
            warp_sync(0b110);
            words.write(0, 2);
        }
    });
    // Accesses after the synchronisation are not ordered by it.
    races(true, 1, 2, || {
        if rank() == 0 {
            warp_sync(0b11);
            words.write(0, 1);
        } else {
            warp_sync(0b11);
            words.write(0, 2);
        }
    });
}

#[test]
fn a_warp_sync_does_not_order_two_warps() {
    let words = Words::new(64);
    races(true, 1, 64, || {
        words.write(rank(), 1);
        warp_sync(u32::MAX);
        words.read(rank() ^ 32);
    });
}

#[test]
fn accesses_of_different_sizes_overlap_byte_by_byte() {
    let bytes = [0_u64; 4];
    let start = bytes.as_ptr().addr();
    let kernel = |first: usize, size: usize| {
        move || match rank() {
            0 => memory::record_write(Space::Global, start + 8, 4),
            _ => memory::record_read(Space::Global, start + first, size),
        }
    };
    for (first, size) in [
        (0, size_of_val(&bytes)),
        (8, 1),
        (11, 1),
        (10, 2),
        (7, 2),
        (4, 8),
        (11, 4),
    ] {
        races(true, 1, 2, kernel(first, size));
    }
    for (first, size) in [(0, 8), (7, 1), (12, 1), (12, 16), (8, 0)] {
        races(false, 1, 2, kernel(first, size));
    }
}

#[test]
fn shared_memory_accessed_through_a_global_view_belongs_to_its_block() {
    // Consecutive blocks use the same addresses; those accesses must not be reported as races
    // between blocks.
    races(false, 4, 1, || {
        let tile = SharedWords::new(&TILE, 4);
        memory::record_write(Space::Global, tile.address(), 4);
        memory::record_read(Space::Global, tile.address(), 4);
    });
    races(true, 1, 2, || {
        let tile = SharedWords::new(&TILE, 4);
        memory::record_write(Space::Global, tile.address(), 4);
    });
}

#[test]
fn fast_mode_tracks_nothing() {
    let words = Words::new(1);
    run(4, 64, Mode::Fast, || words.write(0, current::thread_rank())).unwrap();
}
