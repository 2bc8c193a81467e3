//! Streams and what is launched on them: threads, re-entrancy, callbacks, settings.

#![forbid(unsafe_code)]

use ferrovox::device::{Device, LaunchOverride};
use ferrovox::monitor::{CancelFlag, Monitor, Progress};
use ferrovox::scan::{Max, Scanner, Sum};
use ferrovox_tests::devices;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::thread::scope;

#[test]
fn threads_may_share_a_stream_and_a_source() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let source = stream.upload(&(0..5000).collect::<Vec<u32>>()).unwrap();
        scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let mut copy = stream.zeros::<u32>(5000).unwrap();
                        stream.copy(&source, &mut copy).unwrap();
                        let copy = stream.download(&copy).unwrap();
                        assert!(copy.iter().copied().eq(0..5000));
                    }
                });
            }
        });
    }
}

#[test]
fn a_scan_requires_outputs_of_its_length() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let input = stream.upload(&[1_u32; 100]).unwrap();
        for len in [0, 99, 101] {
            let mut output = stream.zeros::<u32>(len).unwrap();
            let result = scanner.exclusive(Sum, &input, &mut output);
            assert!(result.map(drop).is_err(), "{}", test.label);
        }
    }
}

/// The total of a scan is in memory of the scanner, which later scans reuse.
#[test]
fn a_forgotten_total_does_not_disturb_later_scans() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        let mut scanner = Scanner::new(&stream).unwrap();
        let input = stream.upload(&[2_u32; 1000]).unwrap();
        let mut output = stream.zeros::<u32>(1000).unwrap();
        let total = scanner.exclusive(Sum, &input, &mut output).unwrap();
        #[expect(clippy::forget_non_drop, reason = "a total may get a destructor")]
        mem::forget(total);
        let total = scanner.inclusive(Max, &input, &mut output).unwrap();
        assert_eq!(total.download().unwrap(), 2, "{}", test.label);
        mem::forget(scanner);
        let mut next = Scanner::new(&stream).unwrap();
        let total = next.exclusive(Sum, &input, &mut output).unwrap();
        assert_eq!(total.download().unwrap(), 2000, "{}", test.label);
    }
}

/// Kernels do not depend on the block size, whatever a program requests.
#[test]
fn an_override_of_launches_does_not_change_results() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let numbers: Vec<u32> = (0..10_000).collect();
        let input = stream.upload(&numbers).unwrap();
        let mut output = stream.zeros::<u32>(10_000).unwrap();
        for (block, extra_shared_bytes) in [(1, 0), (33, 1), (1024, 40_000)] {
            let launches = LaunchOverride {
                block: Some(block),
                extra_shared_bytes,
                ..LaunchOverride::default()
            };
            test.device.set_launch_override(launches).unwrap();
            let mut scanner = Scanner::new(&stream).unwrap();
            // a GPU may refuse the request, but must not use it wrongly
            if scanner
                .inclusive(Max, &input, &mut output)
                .map(drop)
                .is_ok()
            {
                assert_eq!(stream.download(&output).unwrap(), numbers);
            }
        }
        for block in [0, 1025, u32::MAX] {
            let launches = LaunchOverride {
                block: Some(block),
                ..LaunchOverride::default()
            };
            assert!(test.device.set_launch_override(launches).is_err());
        }
        let reset = LaunchOverride::default();
        test.device.set_launch_override(reset).unwrap();
    }
}

/// A progress hook may use the device that reports to it.
#[test]
fn a_progress_hook_may_use_devices() {
    let hook = |_: Progress| {
        let stream = Device::cpu().stream().unwrap();
        let copied = stream
            .upload(&[1_u8])
            .and_then(|buffer| stream.download(&buffer));
        assert_eq!(copied.unwrap(), [1]);
    };
    let monitor = Monitor::new().on_progress(&hook);
    let counter = monitor.counter("test", 2);
    counter.add(2).unwrap();
}

/// A hook that panics leaves its monitor usable.
#[test]
fn a_progress_hook_may_panic() {
    let calls = Mutex::new(0);
    let hook = |progress: Progress| {
        *calls.lock().unwrap() += 1;
        if progress.done == 1 {
            resume_unwind(Box::new("quietly"));
        }
    };
    let flag = CancelFlag::default();
    let monitor = Monitor::new().on_progress(&hook).cancelled_by(&flag);
    let counter = monitor.counter("test", 1);
    assert!(catch_unwind(AssertUnwindSafe(|| counter.add(1))).is_err());
    let next = monitor.counter("next", 2);
    next.add(2).unwrap();
    flag.cancel();
    assert!(next.add(1).is_err());
    assert!(calls.into_inner().unwrap() >= 2);
}

/// Launching stops while a panic unwinds, and works again afterwards.
#[test]
fn a_destructor_may_use_a_stream_during_unwinding() {
    struct Uploads<'a>(&'a Device);
    impl Drop for Uploads<'_> {
        fn drop(&mut self) {
            let stream = self.0.stream().unwrap();
            let input = stream.upload(&[1_u32, 2]).unwrap();
            let mut output = stream.zeros::<u32>(2).unwrap();
            let mut scanner = Scanner::new(&stream).unwrap();
            // refused on the CPU, where a kernel cannot be unwound in this state
            let _ = scanner.exclusive(Sum, &input, &mut output).map(drop);
        }
    }
    for test in devices::fast() {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _uploads = Uploads(&test.device);
            resume_unwind(Box::new("quietly"));
        }));
        assert!(caught.is_err());
        drop(Uploads(&test.device));
    }
}
