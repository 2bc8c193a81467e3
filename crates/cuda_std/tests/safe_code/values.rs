//! Values of constants, atomics and packed arguments.

#![forbid(unsafe_code)]

use super::panic_message;
use crate::closures::launch;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use cuda_std::address_space;
use cuda_std::atomic::{AtomicF32, AtomicF64, SystemAtomicF32};
use cuda_std::constant::ConstantSymbol;
use cuda_std::kernel::PackedArgs;
use simt::{LaunchShape, Mode};
use std::sync::Mutex;
use std::thread::scope;

#[address_space(constant)]
static TABLE: [u32; 4] = [1, 2, 3, 4];

#[test]
fn a_constant_can_be_read_by_many_threads() {
    let sums = scope(|scope| {
        let readers = [(); 4].map(|()| scope.spawn(|| TABLE.iter().sum::<u32>()));
        readers.map(|reader| reader.join().unwrap())
    });
    assert_eq!(sums, [10; 4]);
    assert_eq!(TABLE.value_on_cpu(), [1, 2, 3, 4]);
}

#[test]
fn concurrent_additions_are_atomic() {
    let (narrow, wide) = (AtomicF32::new(0.0), AtomicF64::new(0.0));
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..rounds {
                    narrow.fetch_add(1.0, Relaxed);
                    wide.fetch_sub(2.0, SeqCst);
                }
            });
        }
    });
    assert_eq!(narrow.into_inner(), 4.0 * rounds as f32);
    assert_eq!(wide.into_inner(), -8.0 * f64::from(rounds));
}

#[test]
fn an_impossible_order_panics() {
    let value = SystemAtomicF32::new(1.0);
    for order in [Release, AcqRel] {
        panic_message(std::panic::AssertUnwindSafe(|| _ = value.load(order)));
    }
    for order in [Acquire, AcqRel] {
        panic_message(std::panic::AssertUnwindSafe(|| value.store(2.0, order)));
    }
    assert_eq!(value.into_inner(), 1.0);
}

/// Chunks of the argument list have 16 bytes; arguments may be larger, smaller, or more strictly
/// aligned.
#[test]
fn arguments_of_any_size_and_alignment_can_be_packed() {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Aligned(#[expect(dead_code, reason = "its bytes are copied")] u8);
    let mut packed = PackedArgs::default();
    packed.push(());
    packed.push(1_u8);
    packed.push([7_u32; 100]);
    packed.push(Aligned(3));
    packed.push("a reference");
    packed.push_view(&raw const TABLE[0], usize::MAX);
    packed.push_view::<u32>(core::ptr::null(), 0);
    assert_eq!(packed.len(), 8);
    assert_eq!(packed.views().len(), 1);
    let pointers = packed.pointers();
    assert_eq!(pointers.len(), 8);
    assert!(pointers.iter().all(|pointer| !pointer.is_null()));
}

#[address_space(shared)]
static LOG: Log = Log(Mutex::new(Vec::new()));

struct Log(Mutex<Vec<u32>>);

impl Drop for Log {
    fn drop(&mut self) {
        panic!("neither copy of a shared static is dropped");
    }
}

/// The copy of an operating-system thread owns what it allocates, and passes it on to later
/// threads.
#[test]
fn a_shared_static_may_own_memory() {
    for round in 0..2 {
        let ended = std::thread::spawn(|| {
            launch("append", LaunchShape::new(3, 1), Mode::Fast, || {
                let mut log = LOG.0.lock().unwrap();
                log.push(5);
                assert!(log.iter().all(|&entry| entry == 5));
            })
        });
        ended
            .join()
            .unwrap()
            .unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}
