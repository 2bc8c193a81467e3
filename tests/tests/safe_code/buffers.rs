//! Buffers: sizes, alignment, order of destruction, leaks.

#![forbid(unsafe_code)]

use crate::elements::{CacheLine, Page};
use ferrovox::device::{Buffer, Device, DeviceError, Element, Stream};
use ferrovox_tests::devices;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Copies elements to the device and back, in all ways.
fn assert_round_trip<T: Element + PartialEq + std::fmt::Debug>(stream: &Stream, elements: &[T]) {
    let buffer = stream.upload(elements).unwrap();
    let mut copy = stream.zeros(elements.len()).unwrap();
    stream.copy(&buffer, &mut copy).unwrap();
    let mut read = vec![T::zeroed(); elements.len()];
    stream.read(&copy, &mut read).unwrap();
    assert_eq!(read, elements);
    assert_eq!(stream.download(&copy).unwrap(), elements);
    stream.fill_with_zero(&mut copy).unwrap();
    let zeros = vec![T::zeroed(); elements.len()];
    assert_eq!(stream.download(&copy).unwrap(), zeros);
    assert!(copy.pointer().is_aligned());
}

/// The dangling address of an empty buffer used to be aligned to 64 bytes only.
#[test]
fn elements_of_any_alignment_have_aligned_memory() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for count in [0, 1, 3] {
            assert_round_trip(&stream, &vec![CacheLine([7; 128]); count]);
            assert_round_trip(&stream, &vec![Page([8; 4096]); count]);
            assert_round_trip(&stream, &vec![[3_u8; 5]; count]);
        }
    }
}

#[test]
fn elements_without_size_need_no_memory() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        assert_round_trip(&stream, &[(); 0]);
        assert_round_trip(&stream, &[(); 1000]);
        assert_round_trip(&stream, &[[0_u64; 0]; 9]);
        assert_eq!(stream.alloc::<()>(usize::MAX).unwrap().len(), usize::MAX);
    }
}

#[test]
fn impossible_sizes_are_errors() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        for len in [usize::MAX, usize::MAX / 8 + 1, isize::MAX as usize / 8 + 1] {
            let too_large = |error| matches!(error, DeviceError::TooLarge { .. });
            assert!(stream.alloc::<u64>(len).is_err_and(too_large));
            assert!(stream.zeros::<u64>(len).is_err_and(too_large));
            assert!(test.device.pinned::<u64>(len).is_err_and(too_large));
        }
        let out_of_memory = |error| matches!(error, DeviceError::OutOfMemory { .. });
        assert!(stream.alloc::<u8>(1 << 60).is_err_and(out_of_memory));
    }
}

#[test]
fn unequal_lengths_are_errors() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let short = stream.upload(&[1_u32, 2]).unwrap();
        let mut long = stream.upload(&[3_u32, 4, 5]).unwrap();
        let mismatch = |error| matches!(error, DeviceError::LengthMismatch { .. });
        assert!(stream.copy(&short, &mut long).is_err_and(mismatch));
        assert!(stream.write(&mut long, &[1, 2]).is_err_and(mismatch));
        assert!(stream.write(&mut long, &[]).is_err_and(mismatch));
        assert!(stream.read(&long, &mut [0; 4]).is_err_and(mismatch));
        assert_eq!(stream.download(&long).unwrap(), [3, 4, 5]);
    }
}

/// A view outside of a launch has an address and a length.
#[test]
fn a_view_of_a_buffer_is_closed() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mut buffer = stream.upload(&[1_u32, 2, 3, 4]).unwrap();
        let view = buffer.view();
        assert_eq!((view.len(), view.slice(1, 3).slice(3, 0).len()), (4, 0));
        let view = buffer.view_mut();
        let uses: [&(dyn Fn() + Sync); 5] = [
            &|| _ = view.read(0),
            &|| view.write(0, 9),
            &|| _ = view.atomic_add(0, 9),
            &|| view.slice(0, 2).write(1, 9),
            &|| _ = view.as_view().read_vector::<2>(0),
        ];
        for attempt in uses {
            assert!(catch_unwind(AssertUnwindSafe(attempt)).is_err());
            let elsewhere = std::thread::scope(|scope| scope.spawn(attempt).join());
            assert!(elsewhere.is_err());
        }
        assert_eq!(stream.download(&buffer).unwrap(), [1, 2, 3, 4]);
    }
}

/// A buffer keeps what it needs of its stream and device.
#[test]
fn a_buffer_outlives_its_stream_and_device() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let buffer = stream.upload(&[5_u32; 100]).unwrap();
        let events = [stream.record().unwrap(), stream.record().unwrap()];
        drop(stream);
        let next = test.device.stream().unwrap();
        drop(test);
        assert_eq!(next.download(&buffer).unwrap(), [5; 100]);
        events[1].synchronize().unwrap();
        assert!(events[1].since(&events[0]).is_ok() && events[0].since(&events[1]).is_ok());
        drop(next);
        drop(buffer);
    }
}

#[test]
fn a_forgotten_buffer_keeps_its_memory() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let leaked: &'static Buffer<u32> =
            Box::leak(Box::new(stream.upload(&[7; 50_000]).unwrap()));
        mem::forget(stream.upload(&[8_u32; 50_000]).unwrap());
        for round in 0..4_u32 {
            let next = stream.upload(&vec![round; 50_000]).unwrap();
            assert_ne!(next.pointer(), leaked.pointer());
        }
        mem::forget(stream);
        let other = test.device.stream().unwrap();
        assert!(other.download(leaked).unwrap().iter().all(|&it| it == 7));
    }
}

/// Memory that is freed while a panic unwinds is reused by no living buffer.
#[test]
fn buffers_are_freed_during_unwinding() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let kept = stream.upload(&[1_u32; 40_000]).unwrap();
        for round in 2..6_u32 {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _first = stream.upload(&[round; 40_000]).unwrap();
                let _second = stream.zeros::<u32>(40_000).unwrap();
                resume_unwind(Box::new("quietly"));
            }));
            assert!(caught.is_err());
        }
        assert!(stream.download(&kept).unwrap().iter().all(|&it| it == 1));
    }
}

#[test]
fn swapped_buffers_own_each_others_memory() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let mut first = stream.upload(&[1_u32; 3]).unwrap();
        let mut second = stream.upload(&[2_u32; 4]).unwrap();
        mem::swap(&mut first, &mut second);
        let replaced = mem::replace(&mut first, stream.upload(&[3; 5]).unwrap());
        assert_eq!(stream.download(&replaced).unwrap(), [2; 4]);
        drop(replaced);
        assert_eq!(stream.download(&first).unwrap(), [3; 5]);
        assert_eq!(stream.download(&second).unwrap(), [1; 3]);
        let mut pinned = [1, 2].map(|len| test.device.pinned::<u32>(len).unwrap());
        pinned[1][1] = 6;
        pinned.swap(0, 1);
        let [long, short] = pinned;
        drop(short);
        assert_eq!(long[..], [0, 6]);
        assert!(catch_unwind(AssertUnwindSafe(|| long[2])).is_err());
    }
}

/// A buffer may be dropped on another thread than that of its stream.
#[test]
fn a_buffer_may_move_to_another_thread() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let buffer = stream.upload(&[4_u32; 1000]).unwrap();
        let device = test.device.clone();
        let moved = std::thread::spawn(move || {
            let stream = device.stream().unwrap();
            stream.download(&buffer).unwrap()
        });
        assert_eq!(moved.join().unwrap(), [4; 1000]);
        assert_eq!(
            stream
                .download(&stream.zeros::<u32>(1000).unwrap())
                .unwrap(),
            [0; 1000]
        );
    }
}

/// Devices opened twice share nothing that a buffer could confuse.
#[test]
fn a_buffer_of_another_instance_of_the_cpu_is_usable() {
    let [first, second] = [(); 2].map(|()| Device::cpu().stream().unwrap());
    let buffer = first.upload(&[1_u8, 2]).unwrap();
    assert_eq!(second.download(&buffer).unwrap(), [1, 2]);
}
