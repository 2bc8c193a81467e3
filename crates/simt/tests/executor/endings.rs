//! Launches that would not end by themselves, and faults that end the process: each names its
//! kernel, block and thread.

use crate::common::{CHECKED, Words, rank, run};
use simt::memory::dynamic_shared;
use simt::sync::{barrier, warp_sync};
use simt::{LaunchError, LaunchShape, Limits, Mode, launch};
use std::hint::black_box;
use std::process::{Command, Output};
use std::time::Duration;

const FEW: Limits = Limits {
    steps: Some(500),
    ..Limits::NONE
};

#[track_caller]
fn too_many_steps(kernel: impl Fn() + Sync) {
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
fn endless_loops_end_at_whatever_is_a_step() {
    let words = Words::new(64);
    too_many_steps(|| {
        loop {
            words.read(0);
        }
    });
    too_many_steps(|| {
        loop {
            barrier();
        }
    });
    too_many_steps(|| {
        while rank() < 32 {
            warp_sync(u32::MAX);
        }
        barrier();
    });
    // One thread's loop ends the launch, and all others that wait.
    too_many_steps(|| {
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
    // and in fast mode not at all
    let kernel = || {
        for _ in 0..4000 {
            words.read(rank());
        }
    };
    FEW.apply(|| run(3, 64, Mode::Fast, kernel)).unwrap();
}

#[test]
fn a_launch_that_takes_too_long_is_ended() {
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

/// Set in the processes that are to end.
const VARIABLE: &str = "FERROVOX_SIMT_TEST_ENDS";

/// Runs `end` in another process, which is to die of it, and returns what that printed. `which`
/// tells the ends of one test apart.
fn dies(name: &str, which: &str, end: impl FnOnce()) -> Option<String> {
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
fn a_loop_without_steps_ends_the_process_and_is_named() {
    let text = dies(
        "endings::a_loop_without_steps_ends_the_process_and_is_named",
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
            text.contains("thread (37, 0, 0) has computed for 0.2 s"),
            "{text}"
        );
        assert!(
            text.contains("endings.rs:") && text.contains("Limits::watchdog"),
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
fn deep_recursion_is_named() {
    for mode in [Mode::Fast, CHECKED] {
        let text = dies(
            "endings::deep_recursion_is_named",
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
            let named =
                "kernel `recursive`, block (0, 0, 0), thread (5, 1, 0): the thread's stack of";
            assert!(text.contains(named), "{text}");
        }
    }
}

/// Writes `bytes` bytes of dynamic shared memory that has 1000.
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
                // SAFETY: as far as there is memory; then it is a fault, which ends this process.
                unsafe { start.add(i).write_volatile(1) };
            }
        }
    })
}

#[cfg(all(unix, not(miri)))]
#[test]
fn an_overrun_of_dynamic_shared_memory_is_named() {
    for mode in [Mode::Fast, CHECKED] {
        let text = dies(
            "endings::an_overrun_of_dynamic_shared_memory_is_named",
            &format!("{mode:?}"),
            || {
                let _ = fill(2000, mode);
            },
        );
        if let Some(text) = text {
            let named = [
                "kernel `filling`, block (",
                ", 0, 0), thread (1, 0, 0): ",
                "an access past the end of the dynamic shared memory of 1000 bytes",
            ];
            assert!(named.iter().all(|part| text.contains(part)), "{text}");
        }
    }
}

#[cfg(all(unix, not(miri)))]
#[test]
fn bytes_just_behind_an_array_are_looked_at_when_its_block_ends() {
    fill(1000, CHECKED).unwrap();
    let Err(LaunchError::Findings(report)) = fill(1001, CHECKED) else {
        panic!("nothing was found");
    };
    let text = report.to_string();
    assert!(
        text.contains("behind the end of shared memory were written, after byte 999 of the 1000 bytes of dynamic"),
        "{text}"
    );
}

#[cfg(all(unix, not(miri)))]
#[test]
fn other_faults_are_named_and_left_to_who_handled_them_before() {
    let text = dies(
        "endings::other_faults_are_named_and_left_to_who_handled_them_before",
        "",
        || {
            let _ = launch("wild", LaunchShape::new(1, 2), Mode::Fast, || {
                if rank() == 1 {
                    let nowhere = black_box(std::ptr::without_provenance_mut::<u8>(4096));
                    // SAFETY: a fault, which ends this process.
                    unsafe { nowhere.write_volatile(1) };
                }
            });
        },
    );
    if let Some(text) = text {
        let named = "kernel `wild`, block (0, 0, 0), thread (1, 0, 0): an access to 0x1000, where";
        assert!(text.contains(named), "{text}");
    }
}
