//! Block-shared memory: one array per static and block, poisoned before each block, with detection
//! of uninitialised reads.

use crate::common::{CHECKED, MODES, SharedWords, findings, launch, only_finding, rank, run};
use simt::memory::{dynamic_shared, shared_static};
use simt::sync::barrier;
use simt::{Dim3, FindingKind, LaunchError, LaunchShape, MemoryLocation, Mode, current};
use std::collections::HashSet;
use std::sync::Mutex;

static FIRST: u8 = 0;
static SECOND: u8 = 1;

#[test]
fn threads_of_a_block_share_one_array_per_static() {
    for mode in MODES {
        let seen = Mutex::new(HashSet::new());
        run(1, 64, mode, || {
            let pair = |_| {
                let first = shared_static(&raw const FIRST as usize, 256, 16);
                let second = shared_static(&raw const SECOND as usize, 100, 64);
                (first.addr(), second.addr())
            };
            let before = pair(());
            barrier();
            assert_eq!(before, pair(()));
            seen.lock().unwrap().insert(before);
        })
        .unwrap();
        let seen: Vec<_> = seen.into_inner().unwrap().into_iter().collect();
        let [(first, second)] = seen[..] else {
            panic!("threads saw different arrays: {seen:?}");
        };
        assert!(
            first + 256 <= second || second + 100 <= first,
            "they overlap"
        );
        assert!(first.is_multiple_of(16) && second.is_multiple_of(64));
    }
}

#[test]
fn concurrent_blocks_have_separate_arrays() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    pool.install(|| {
        run(2000, 16, Mode::Fast, || {
            let sums = SharedWords::new(&FIRST, 16);
            let block = current::block_idx().x;
            sums.write(rank(), block);
            barrier();
            for other in 0..16 {
                assert_eq!(sums.read(other), block);
            }
            barrier();
        })
    })
    .unwrap();
}

#[test]
fn checked_mode_poisons_shared_memory_before_every_block() {
    let shape = LaunchShape {
        dynamic_shared_bytes: 64,
        ..LaunchShape::new(5, 1)
    };
    launch("poison", shape, CHECKED, || {
        let array = shared_static(&raw const FIRST as usize, 64, 4);
        for start in [array, dynamic_shared().0] {
            for byte in 0..64 {
                // SAFETY: both arrays hold 64 bytes, which the executor has initialised.
                unsafe {
                    assert_eq!(start.add(byte).read(), 0xA5);
                    start.add(byte).write(1);
                }
            }
        }
    })
    .unwrap();
}

#[test]
fn dynamic_shared_memory_has_the_size_of_the_launch_and_belongs_to_the_block() {
    for mode in MODES {
        for bytes in [0, 1, 4096, 227 * 1024] {
            let shape = LaunchShape {
                grid: Dim3::new(2, 1, 1),
                block: Dim3::new(32, 1, 1),
                dynamic_shared_bytes: bytes,
            };
            let seen = Mutex::new(HashSet::new());
            launch("dynamic", shape, mode, || {
                let (start, size) = dynamic_shared();
                assert_eq!(size, bytes as usize);
                assert!(start.addr().is_multiple_of(128));
                let mut seen = seen.lock().unwrap();
                seen.insert((current::block_idx().x, start.addr()));
            })
            .unwrap();
            assert_eq!(seen.into_inner().unwrap().len(), 2, "one address per block");
        }
    }
}

#[test]
fn uninitialised_reads_are_found() {
    for seed in 0..5 {
        let finding = only_finding(run(2, 8, Mode::Checked { seed }, || {
            let array = SharedWords::new(&FIRST, 8);
            if rank() != 5 {
                array.write(rank(), 1);
            }
            barrier();
            array.read((rank() + 1) % 8);
        }));
        let location = MemoryLocation::SharedStatic {
            offset: 20,
            size: 32,
        };
        assert_eq!(
            finding.kind,
            FindingKind::UninitializedRead { location, bytes: 4 }
        );
        assert_eq!((finding.thread.x, finding.occurrences), (4, 2));
    }
    run(2, 8, CHECKED, || {
        let array = SharedWords::new(&FIRST, 8);
        array.write(rank(), 1);
        barrier();
        array.read((rank() + 1) % 8);
    })
    .unwrap();
}

#[test]
fn a_partly_uninitialised_read_is_found() {
    let finding = only_finding(run(1, 1, CHECKED, || {
        let array = SharedWords::new(&FIRST, 8);
        array.write(1, 1);
        simt::memory::record_read(simt::memory::Space::Shared, array.address(), 8);
    }));
    let location = MemoryLocation::SharedStatic {
        offset: 0,
        size: 32,
    };
    assert_eq!(
        finding.kind,
        FindingKind::UninitializedRead { location, bytes: 8 }
    );
}

#[test]
fn writes_of_an_earlier_block_do_not_initialise() {
    let finding = only_finding(run(4, 1, CHECKED, || {
        let array = SharedWords::new(&FIRST, 1);
        array.read(0);
        array.write(0, 1);
    }));
    assert_eq!(finding.occurrences, 4);
}

#[test]
fn an_atomic_on_uninitialised_memory_is_found_once_and_initialises_it() {
    let finding = only_finding(run(1, 8, CHECKED, || {
        SharedWords::new(&FIRST, 1).add(0, 1);
    }));
    assert!(
        matches!(finding.kind, FindingKind::UninitializedRead { .. }),
        "{finding}"
    );
    assert_eq!(finding.occurrences, 1);
}

#[test]
fn findings_name_dynamic_shared_memory() {
    let shape = LaunchShape {
        dynamic_shared_bytes: 40,
        ..LaunchShape::new(1, 1)
    };
    let report = findings(launch("dynamic", shape, CHECKED, || {
        let (start, _) = dynamic_shared();
        simt::memory::record_read(simt::memory::Space::Shared, start.addr() + 8, 4);
    }));
    let location = MemoryLocation::DynamicShared {
        offset: 8,
        size: 40,
    };
    assert_eq!(
        report.findings()[0].kind,
        FindingKind::UninitializedRead { location, bytes: 4 }
    );
}

#[test]
fn a_static_with_two_sizes_is_refused() {
    let result = run(1, 1, Mode::Fast, || {
        shared_static(&raw const FIRST as usize, 64, 4);
        shared_static(&raw const FIRST as usize, 16, 4);
        shared_static(&raw const FIRST as usize, 128, 4);
    });
    let Err(LaunchError::KernelPanicked { message, .. }) = result else {
        panic!("{result:?}");
    };
    assert!(
        message.contains("64 bytes") && message.contains("128 bytes"),
        "{message}"
    );
}
