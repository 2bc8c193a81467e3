//! Misuse by programs without `unsafe`: order of destruction, leaks, threads, callbacks, sizes.
//! Code that must not compile is in `tests/tests/safe_code` of the workspace.

#![forbid(unsafe_code)]

use cust::error::CudaError;
use cust::graph::{Graph, GraphCreationFlags, GraphNode};
use cust::memory::{DeviceBox, LockedBuffer, UnifiedBox};
use cust::prelude::*;
use std::cell::Cell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::scope;

use crate::context;
use crate::fake;

/// The slice used to be attributed to the memory of the buffer, which lives longer.
#[test]
fn an_assigned_slice_belongs_to_its_own_buffer_after_a_failed_free() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let mut buffer = DeviceBuffer::from_slice(&[1u32, 2]).unwrap();
    let other = DeviceBuffer::from_slice(&[3u32, 4]).unwrap();
    *buffer = *other;
    fake.set_failing_frees(true);
    let (error, buffer) = DeviceBuffer::drop(buffer).unwrap_err();
    fake.set_failing_frees(false);
    assert_eq!(error, CudaError::InvalidValue);
    assert_eq!(buffer.as_host_vec(), Ok(vec![3, 4]));
    drop(other);
    assert_eq!(buffer.as_host_vec(), Err(CudaError::BufferDropped));
}

#[test]
fn a_buffer_is_usable_after_a_failed_free() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let buffer = DeviceBuffer::from_slice(&[1u32, 2]).unwrap();
    let slice = *buffer;
    fake.set_failing_frees(true);
    let (_, buffer) = DeviceBuffer::drop(buffer).unwrap_err();
    fake.set_failing_frees(false);
    assert_eq!(buffer.as_host_vec(), Ok(vec![1, 2]));
    assert_eq!(slice.as_host_vec(), Err(CudaError::BufferDropped));
}

/// The payload's destructor used to panic into the driver, which aborts the process.
#[test]
fn a_callback_may_panic_with_a_payload_that_panics_when_dropped() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            resume_unwind(Box::new("from a destructor"));
        }
    }
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    stream
        .add_callback(Box::new(|| resume_unwind(Box::new(Bomb))))
        .unwrap();
    stream.synchronize().unwrap();
}

/// Values owned by a callback are dropped once, also if the driver refuses the callback.
#[test]
fn a_callback_owns_what_it_captures() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let count = Arc::new(AtomicU32::new(0));
    let captured = Arc::clone(&count);
    stream
        .add_callback(Box::new(move || {
            _ = captured.fetch_add(1, Ordering::SeqCst)
        }))
        .unwrap();
    let other = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    stream.add_callback(Box::new(move || drop(other))).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(
        (Arc::strong_count(&count), count.load(Ordering::SeqCst)),
        (1, 1)
    );
}

/// Copies of several threads used to mix the bytes of two characters, which is an invalid `char`.
#[test]
fn threads_that_write_one_buffer_do_not_mix_values() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let current = context(0);
    let values = ['a', '\u{10FFFF}', '\u{D7FF}'];
    let buffer = DeviceBuffer::from_slice(&['a'; 64]).unwrap();
    let other = DeviceBuffer::from_slice(&['a'; 64]).unwrap();
    fake.set_slow_copies(true);
    let is_one_of = |copy: &[char]| values.iter().any(|value| copy.iter().all(|it| it == value));
    scope(|scope| {
        for value in values {
            let (mut slice, mut opposite, current) = (*buffer, *other, &current);
            scope.spawn(move || {
                current.set_current().unwrap();
                for _ in 0..20 {
                    slice.copy_from(&[value; 64]).unwrap();
                    opposite.copy_from(&slice).unwrap();
                    slice.copy_from(&opposite).unwrap();
                }
            });
        }
        let (slice, current) = (*buffer, &current);
        scope.spawn(move || {
            current.set_current().unwrap();
            for _ in 0..50 {
                assert!(is_one_of(&slice.as_host_vec().unwrap()));
                let mut copy = ['b'; 64];
                slice.copy_to(&mut copy).unwrap();
                assert!(is_one_of(&copy));
            }
        });
    });
    fake.set_slow_copies(false);
    assert!(is_one_of(&buffer.as_host_vec().unwrap()));
}

/// A slice has no lifetime: threads that still use it get an error, and no memory of others.
#[test]
fn slices_may_be_used_while_their_buffer_is_dropped() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let current = context(0);
    for _ in 0..20 {
        let buffer = DeviceBuffer::from_slice(&[7u32; 1000]).unwrap();
        let (slice, is_done) = (*buffer, AtomicBool::new(false));
        scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    current.set_current().unwrap();
                    while !is_done.load(Ordering::Relaxed) {
                        match slice.as_host_vec() {
                            Ok(values) => assert!(values.iter().all(|&value| value == 7)),
                            Err(error) => assert_eq!(error, CudaError::BufferDropped),
                        }
                    }
                });
            }
            drop(buffer);
            let next = DeviceBuffer::from_slice(&[8u32; 1000]).unwrap();
            assert_eq!(next.as_host_vec().unwrap(), [8; 1000]);
            is_done.store(true, Ordering::Relaxed);
        });
    }
}

/// Environment variable that marks the child process whose memory leaks.
const LEAKS: &str = "FERROVOX_CUST_TEST_LEAKS";

#[test]
fn forgotten_objects_keep_their_context() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    if std::env::var_os(LEAKS).is_none() {
        // the other tests count the allocations of this process
        let name = "safe_code::forgotten_objects_keep_their_context";
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--test-threads", "1"])
            .env(LEAKS, "1")
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .output()
            .unwrap();
        assert!(
            child.status.success(),
            "{}",
            String::from_utf8_lossy(&child.stdout)
        );
        return;
    }
    let current = context(1);
    mem::forget(DeviceBuffer::from_slice(&[1u8; 100]).unwrap());
    mem::forget(Stream::new(StreamFlags::DEFAULT, None).unwrap());
    mem::forget(current.enter().unwrap());
    let value: &'static mut u64 = UnifiedBox::leak(UnifiedBox::new(5u64).unwrap());
    let leaked: &'static DeviceBuffer<u16> =
        Box::leak(Box::new(DeviceBuffer::from_slice(&[2u16, 3]).unwrap()));
    drop(current);
    *value += 1;
    assert_eq!((*value, leaked.as_host_vec()), (6, Ok(vec![2, 3])));
}

/// Every object keeps the context that it needs, in any order of destruction.
#[test]
fn a_context_may_be_dropped_before_its_objects() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    for last in 0..4 {
        let current = context(0);
        let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
        let event = Event::new(EventFlags::DEFAULT).unwrap();
        let mut graph = Graph::new(GraphCreationFlags::NONE).unwrap();
        let exec = graph.instantiate().unwrap();
        let buffer = DeviceBuffer::from_slice(&[1u32]).unwrap();
        let function = {
            let module = Module::from_ptx("// vecadd", &[]).unwrap();
            module.get_function_owned("vecadd").unwrap()
        };
        drop(current);
        event.record(&stream).unwrap();
        let mut objects: Vec<Box<dyn FnOnce()>> = vec![
            Box::new(move || drop((graph, exec))),
            Box::new(move || assert_eq!(buffer.as_host_vec(), Ok(vec![1]))),
            Box::new(move || drop(function)),
            Box::new(move || event.synchronize().unwrap()),
        ];
        stream.synchronize().unwrap();
        drop(stream);
        objects.rotate_left(last);
        objects.into_iter().for_each(|object| object());
    }
}

#[test]
fn objects_work_on_a_thread_without_a_context() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(1);
    let buffer = DeviceBuffer::from_slice(&[9u32]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let moved = std::thread::spawn(move || {
        stream.synchronize().unwrap();
        let values = buffer.as_host_vec();
        drop((buffer, stream));
        // nothing is current, so nothing can be created
        assert!(DeviceBuffer::from_slice(&[1u8]).is_err());
        assert!(Event::new(EventFlags::DEFAULT).is_err());
        values
    });
    assert_eq!(moved.join().unwrap(), Ok(vec![9]));
}

#[test]
fn lengths_are_checked() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let mut buffer = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
    assert!(buffer.copy_from(&[1u32; 2]).is_err());
    assert!(buffer.copy_to(&mut [0u32; 4]).is_err());
    let shorter = buffer.index(1..);
    assert!(buffer.copy_from(&shorter).is_err());
    assert!(buffer.get(2..4).is_none() && buffer.get(..=usize::MAX).is_none());
    assert!(catch_unwind(AssertUnwindSafe(|| buffer.index(3))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| buffer.split_at(4))).is_err());
    assert!(DeviceBuffer::<u64>::zeroed(usize::MAX / 4).is_err());
    assert!(LockedBuffer::new(&0u64, usize::MAX / 4).is_err());
    assert!(UnifiedBuffer::new(&0u64, usize::MAX / 8).is_err());
    assert_eq!(buffer.as_host_vec(), Ok(vec![1, 2, 3]));
}

/// The copies read a slice once, whatever it returns the next time.
#[test]
fn the_source_of_a_copy_may_change_its_length() {
    struct Fickle {
        values: [u32; 4],
        calls: Cell<usize>,
    }
    impl AsRef<[u32]> for Fickle {
        fn as_ref(&self) -> &[u32] {
            self.calls.set(self.calls.get() + 1);
            &self.values[..4 / self.calls.get()]
        }
    }
    impl AsMut<[u32]> for Fickle {
        fn as_mut(&mut self) -> &mut [u32] {
            self.calls.set(self.calls.get() + 1);
            &mut self.values[..4 / self.calls.get()]
        }
    }
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let mut buffer = DeviceBuffer::from_slice(&[0u32; 4]).unwrap();
    let mut fickle = Fickle {
        values: [1, 2, 3, 4],
        calls: Cell::new(0),
    };
    buffer.copy_from(&fickle).unwrap();
    assert!(buffer.copy_from(&fickle).is_err());
    fickle.calls.set(0);
    fickle.values = [0; 4];
    buffer.copy_to(&mut fickle).unwrap();
    assert_eq!(fickle.values, [1, 2, 3, 4]);
}

/// The loop that writes the values used to count to the length.
#[test]
fn any_number_of_values_without_size_needs_no_memory() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let before = (fake.blocks(), fake.pinned());
    let pinned = LockedBuffer::new(&(), usize::MAX).unwrap();
    let unified = UnifiedBuffer::new(&[0u8; 0], usize::MAX).unwrap();
    let buffer = DeviceBuffer::from_slice(&[(); 1000]).unwrap();
    assert_eq!((pinned.len(), unified.len()), (usize::MAX, usize::MAX));
    assert_eq!(buffer.as_host_vec().unwrap().len(), 1000);
    assert_eq!((fake.blocks(), fake.pinned()), before);
    DeviceBox::new(&()).unwrap().as_host_value().unwrap();
}

#[test]
fn a_node_of_no_graph_is_refused() {
    let Some((_fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let mut graph = Graph::new(GraphCreationFlags::NONE).unwrap();
    let invalid = GraphNode::from_raw(std::ptr::null_mut());
    assert_eq!(graph.is_valid_node(invalid), Ok(false));
    assert_eq!(graph.node_type(invalid), Err(CudaError::InvalidValue));
    assert!(graph.kernel_node_params(invalid).is_err());
}

/// Buffers are freed in the context in which they were allocated, also during unwinding.
#[test]
fn a_panic_frees_buffers_of_several_contexts() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let (first, second) = (context(0), context(1));
    let before = fake.blocks();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        first.set_current().unwrap();
        let _first = DeviceBuffer::from_slice(&[1u8]).unwrap();
        second.set_current().unwrap();
        let _second = DeviceBuffer::from_slice(&[2u8]).unwrap();
        resume_unwind(Box::new("quietly"));
    }));
    assert!(caught.is_err());
    assert_eq!(fake.blocks(), before);
}
