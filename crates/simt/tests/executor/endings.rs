//! Runaway launches and memory faults: each message names the kernel, block and thread.

use crate::common::{CHECKED, Words, launch, rank, run};
use simt::memory::dynamic_shared;
use simt::sync::{barrier, warp_sync};
use simt::{LaunchError, LaunchShape, Limits, Mode};
use std::hint::black_box;
use std::process::{Command, Output};
use std::time::Duration;

const FEW: Limits = Limits {
    steps: Some(500),
    ..Limits::NONE
};

#[track_caller]
fn assert_exceeds_step_limit(kernel: impl Fn() + Sync) {
    let error = FEW.apply(|| run(2, 64, CHECKED, kernel)).unwrap_err();
    assert!(
        matches!(error, LaunchError::StepLimit { steps: 500, .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(
        text.contains("in block (") && text.contains("endings.rs:"),
        "{text}"
    );
}

#[test]
fn endless_loops_end_at_every_kind_of_step() {
    let words = Words::new(64);
    assert_exceeds_step_limit(|| {
        loop {
            words.read(0);
        }
    });
    assert_exceeds_step_limit(|| {
        loop {
            barrier();
        }
    });
    assert_exceeds_step_limit(|| {
        while rank() < 32 {
            warp_sync(u32::MAX);
        }
        barrier();
    });
    // The loop of one thread ends the launch and all waiting threads.
    assert_exceeds_step_limit(|| {
        while rank() == 40 {
            words.add(1, 1);
        }
        barrier();
    });
}

#[test]
fn steps_are_counted_for_each_thread_of_each_block() {
    let words = Words::new(64);
    let kernel = || {
        for _ in 0..400 {
            words.read(rank());
        }
    };
    FEW.apply(|| run(3, 64, CHECKED, kernel)).unwrap();
    // fast mode does not count steps
    let kernel = || {
        for _ in 0..4000 {
            words.read(rank());
        }
    };
    FEW.apply(|| run(3, 64, Mode::Fast, kernel)).unwrap();
}

#[test]
fn a_launch_over_its_time_limit_is_ended() {
    let limits = Limits {
        time: Some(Duration::from_millis(20)),
        ..Limits::NONE
    };
    let words = Words::new(1);
    let result = limits.apply(|| {
        run(1, 1, CHECKED, || {
            loop {
                words.read(0);
            }
        })
    });
    let Err(LaunchError::TimeLimit { seconds, site, .. }) = result else {
        panic!("{result:?}");
    };
    assert_eq!(seconds, 0.02);
    assert!(site.file().ends_with("endings.rs"));
}

/// Environment variable that marks the child processes.
const VARIABLE: &str = "FERROVOX_SIMT_TEST_ENDS";

/// Runs `end` in a child process that must die of it, and returns the child's output. `which`
/// distinguishes the cases of one test.
fn output_of_dying_child(name: &str, which: &str, end: impl FnOnce()) -> Option<String> {
    if let Some(chosen) = std::env::var_os(VARIABLE) {
        if chosen == which {
            end();
        }
        return None;
    }
    let Output { status, stderr, .. } = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads", "1"])
        .env(VARIABLE, which)
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    assert!(!status.success(), "it went on");
    Some(String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process")]
fn a_loop_without_steps_aborts_the_process_and_is_named() {
    let text = output_of_dying_child(
        "endings::a_loop_without_steps_aborts_the_process_and_is_named",
        "",
        || {
            let limits = Limits {
                watchdog: Some(Duration::from_millis(200)),
                ..Limits::NONE
            };
            let _ = limits.apply(|| {
                launch("stuck", LaunchShape::new(3, 64), CHECKED, || {
                    barrier();
                    while rank() == 37 {
                        black_box(());
                    }
                })
            });
        },
    );
    if let Some(text) = text {
        assert!(
            text.contains("kernel `stuck` (checked mode): block ("),
            "{text}"
        );
        assert!(
            text.contains("thread (37, 0, 0) has run for 0.2 s"),
            "{text}"
        );
        assert!(
            text.contains("endings.rs:") && text.contains("Limits::watchdog"),
            "{text}"
        );
    }
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process")]
fn a_waiting_loop_in_a_destructor_aborts_the_process_and_is_named() {
    struct WaitsForever;
    impl Drop for WaitsForever {
        fn drop(&mut self) {
            loop {
                simt::sync::yield_thread();
            }
        }
    }
    let text = output_of_dying_child(
        "endings::a_waiting_loop_in_a_destructor_aborts_the_process_and_is_named",
        "",
        || {
            let _ = launch("destructor", LaunchShape::new(1, 4), Mode::Fast, || {
                let _waits = WaitsForever;
                if rank() == 2 {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
                barrier();
            });
        },
    );
    if let Some(text) = text {
        assert!(
            text.contains("kernel `destructor`: block (0, 0, 0), thread (2, 0, 0) tried to wait"),
            "{text}"
        );
    }
}

#[test]
#[cfg_attr(miri, ignore = "it starts a process")]
fn a_loop_that_forgets_every_payload_aborts_the_process_and_is_named() {
    let text = output_of_dying_child(
        "endings::a_loop_that_forgets_every_payload_aborts_the_process_and_is_named",
        "",
        || {
            let _ = launch("forgetful", LaunchShape::new(1, 4), Mode::Fast, || {
                if rank() == 3 {
                    std::panic::resume_unwind(Box::new("quietly"));
                }
                loop {
                    std::mem::forget(std::panic::catch_unwind(barrier));
                }
            });
        },
    );
    if let Some(text) = text {
        assert!(
            text.contains("kernel `forgetful`: block (0, 0, 0), thread (")
                && text.contains("caught the unwinding 65536 times"),
            "{text}"
        );
    }
}

#[cfg(all(unix, not(miri)))]
fn deep(left: u64) -> u64 {
    let local = black_box([left; 64]);
    match left {
        0 => 0,
        _ => deep(left - 1) + local[left as usize % 64],
    }
}

#[cfg(all(unix, not(miri)))]
#[test]
fn stack_overflow_names_kernel_block_and_thread() {
    for mode in [Mode::Fast, CHECKED] {
        let text = output_of_dying_child(
            "endings::stack_overflow_names_kernel_block_and_thread",
            &format!("{mode:?}"),
            || {
                let _ = launch("recursive", LaunchShape::new(1, (8, 4)), mode, || {
                    barrier();
                    if rank() == 13 {
                        deep(black_box(100_000));
                    }
                    barrier();
                });
            },
        );
        if let Some(text) = text {
            let named = "kernel `recursive`, block (0, 0, 0), thread (5, 1, 0): stack overflow: the thread's stack of";
            assert!(text.contains(named), "{text}");
        }
    }
}

/// Writes `bytes` bytes to a dynamic shared memory of 1000 bytes.
#[cfg(all(unix, not(miri)))]
fn fill(bytes: usize, mode: Mode) -> Result<(), LaunchError> {
    let shape = LaunchShape {
        dynamic_shared_bytes: 1000,
        ..LaunchShape::new(2, 2)
    };
    launch("filling", shape, mode, || {
        let (start, _) = dynamic_shared();
        simt::memory::record_raw_pointer(start.addr());
        if rank() == 1 {
            for i in 0..bytes {
                // SAFETY: valid within the array; beyond it a fault ends this child process.
                unsafe { start.add(i).write_volatile(1) };
            }
        }
    })
}

#[cfg(all(unix, not(miri)))]
#[test]
fn overrun_of_dynamic_shared_memory_names_kernel_block_and_thread() {
    for mode in [Mode::Fast, CHECKED] {
        let text = output_of_dying_child(
            "endings::overrun_of_dynamic_shared_memory_names_kernel_block_and_thread",
            &format!("{mode:?}"),
            || {
                let _ = fill(2000, mode);
            },
        );
        if let Some(text) = text {
            let named = [
                "kernel `filling`, block (",
                ", 0, 0), thread (1, 0, 0): ",
                "out-of-bounds access past the end of the dynamic shared memory of 1000 bytes",
            ];
            assert!(named.iter().all(|part| text.contains(part)), "{text}");
        }
    }
}

#[cfg(all(unix, not(miri)))]
#[test]
fn bytes_past_the_end_of_an_array_are_checked_when_its_block_ends() {
    fill(1000, CHECKED).unwrap();
    let Err(LaunchError::Findings(report)) = fill(1001, CHECKED) else {
        panic!("no findings");
    };
    let text = report.to_string();
    assert!(
        text.contains(
            "past the end of an array were written, after byte 999 of the 1000 bytes of dynamic"
        ),
        "{text}"
    );
}

#[cfg(all(unix, not(miri)))]
#[test]
fn other_faults_are_named_and_passed_to_the_previous_handler() {
    let text = output_of_dying_child(
        "endings::other_faults_are_named_and_passed_to_the_previous_handler",
        "",
        || {
            let _ = launch("wild", LaunchShape::new(1, 2), Mode::Fast, || {
                if rank() == 1 {
                    let nowhere = black_box(std::ptr::without_provenance_mut::<u8>(4096));
                    // SAFETY: causes a fault, which ends this child process.
                    unsafe { nowhere.write_volatile(1) };
                }
            });
        },
    );
    if let Some(text) = text {
        let named = "kernel `wild`, block (0, 0, 0), thread (1, 0, 0): invalid access to 0x1000";
        assert!(text.contains(named), "{text}");
    }
}
