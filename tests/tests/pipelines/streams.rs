//! Several streams of a device that use each other's buffers, without `unsafe`: no stream reads
//! memory that has been reallocated.

use ferrovox::device::{Buffer, DeviceKind, Stream};
use ferrovox::error::ErrorKind;
use ferrovox::monitor::CancelFlag;
use ferrovox::scan::{Scanner, Sum};
use ferrovox::synthetic;
use ferrovox_tests::devices;

const LEN: usize = 1 << 16;

/// Keeps a stream of a CUDA device busy for a millisecond or more.
fn keep_busy(stream: &Stream, [from, to]: &mut [Buffer<u8>; 2]) {
    if stream.device().kind() != DeviceKind::Cpu {
        for _ in 0..40 {
            stream.copy(from, to).unwrap();
        }
    }
}

fn two_buffers(stream: &Stream) -> [Buffer<u8>; 2] {
    let bytes = match stream.device().kind() {
        DeviceKind::Cpu => 1,
        _ => 128 << 20,
    };
    [(); 2].map(|()| stream.zeros(bytes).unwrap())
}

/// A stream copies, late, from a buffer that is dropped immediately; the memory is reused by the
/// next buffer of the stream that owned it.
#[test]
fn source_buffer_outlives_pending_copy() {
    for test in devices::fast() {
        let [home, other] = [(); 2].map(|()| test.device.stream().unwrap());
        let mut large = two_buffers(&other);
        for round in 0..8_u32 {
            let source = home.upload(&vec![round; LEN]).unwrap();
            let mut copied = other.zeros::<u32>(LEN).unwrap();
            keep_busy(&other, &mut large);
            other.copy(&source, &mut copied).unwrap();
            drop(source);
            let next = home.upload(&vec![u32::MAX; LEN]).unwrap();
            home.synchronize().unwrap();
            let copied = other.download(&copied).unwrap();
            assert!(copied.iter().all(|&it| it == round), "{}", test.label);
            drop(next);
        }
    }
}

/// The reverse: data that one stream has yet to write is not read before.
#[test]
fn copy_waits_for_writes_to_its_source() {
    for test in devices::fast() {
        let [home, other] = [(); 2].map(|()| test.device.stream().unwrap());
        let mut large = two_buffers(&home);
        for round in 1..9_u32 {
            let ones = home.upload(&vec![round; LEN]).unwrap();
            let mut source = home.zeros::<u32>(LEN).unwrap();
            keep_busy(&home, &mut large);
            home.copy(&ones, &mut source).unwrap();
            let mut copied = other.zeros::<u32>(LEN).unwrap();
            other.copy(&source, &mut copied).unwrap();
            let copied = other.download(&copied).unwrap();
            assert!(copied.iter().all(|&it| it == round), "{}", test.label);
        }
    }
}

/// Launches, here those of a scan, give the same guarantee.
#[test]
fn input_buffer_outlives_pending_launch() {
    for test in devices::fast() {
        let [home, other] = [(); 2].map(|()| test.device.stream().unwrap());
        let mut large = two_buffers(&other);
        let mut scanner = Scanner::new(&other).unwrap();
        for round in 0..8_u32 {
            let source = home.upload(&vec![round; LEN]).unwrap();
            let mut sums = other.zeros::<u32>(LEN).unwrap();
            keep_busy(&other, &mut large);
            scanner.exclusive(Sum, &source, &mut sums).unwrap();
            drop(source);
            let next = home.upload(&vec![u32::MAX; LEN]).unwrap();
            home.synchronize().unwrap();
            let sums = other.download(&sums).unwrap();
            let right = (0..LEN as u32).all(|i| sums[i as usize] == round * i);
            assert!(right, "{}: {:?}", test.label, &sums[..4]);
            drop(next);
        }
    }
}

/// Copies of many lengths between pageable memory and a device, some through pinned memory in
/// several steps, from several threads concurrently.
#[test]
fn large_copies_are_complete() {
    const MIB: usize = 1 << 20;
    let lengths = [
        0,
        1,
        4 * MIB - 1,
        4 * MIB,
        4 * MIB + 1,
        32 * MIB,
        32 * MIB + 7,
        41 * MIB - 3,
    ];
    for test in devices::fast() {
        std::thread::scope(|scope| {
            for thread in 0..3_u64 {
                let device = &test.device;
                scope.spawn(move || {
                    let stream = device.stream().unwrap();
                    for len in lengths {
                        let elements: Vec<u8> = (0..len as u64)
                            .map(|at| {
                                (at.wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * thread) >> 56) as u8
                            })
                            .collect();
                        let buffer = stream.upload(&elements).unwrap();
                        let mut copied = stream.zeros::<u8>(len).unwrap();
                        stream.copy(&buffer, &mut copied).unwrap();
                        drop(buffer);
                        assert!(stream.download(&copied).unwrap() == elements, "{len} bytes");
                    }
                });
            }
        });
    }
}

/// A flag that another thread sets ends the work of a stream, and not that of other streams.
#[test]
fn cancelled_stream_ends_with_an_error() {
    for test in devices::fast() {
        let cancel = CancelFlag::new();
        let stream = test.device.stream().unwrap().cancelled_by(&cancel);
        synthetic::sphere(&stream, [8; 3], 3.0).unwrap();
        let error = std::thread::scope(|scope| {
            scope.spawn(|| cancel.cancel());
            loop {
                if let Err(error) = synthetic::sphere(&stream, [64; 3], 20.0) {
                    break error;
                }
            }
        });
        assert_eq!(
            error.kind(),
            ErrorKind::Cancelled,
            "{}: {error}",
            test.label
        );
        let other = test.device.stream().unwrap();
        synthetic::sphere(&other, [8; 3], 3.0).unwrap();
    }
}
