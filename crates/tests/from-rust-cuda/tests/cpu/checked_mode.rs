//! Checked mode tracks accesses through slices, references, raw pointers and statics, and reports
//! what it cannot track.

use crate::MODES;
use cuda_std::{launch_on_cpu, View, ViewMut};
use ferrovox_from_rust_cuda as kernels;
use simt::{FindingKind, LaunchError, LaunchShape, MemoryLocation, Mode, Report, UntrackedMemory};

const SEEDS: [Mode; 3] = [
    Mode::Checked { seed: 1 },
    Mode::Checked { seed: 2 },
    Mode::Checked { seed: 3 },
];

fn report(result: Result<(), LaunchError>) -> Report {
    match result {
        Err(LaunchError::Findings(report)) => report,
        other => panic!("{other:?}"),
    }
}

/// Computes the tiled product of a matrix of 11 × 13 and one of 13 × 10.
fn gemm_tiled(mode: Mode, barriers: u32) -> (Result<(), LaunchError>, Vec<f32>, Vec<f32>) {
    let (m, n, k) = (11, 10, 13);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32).collect();
    let mut c = vec![1.0; m * n];
    let shape = LaunchShape::new((2, 2), (8, 8));
    let (views, to) = ((View::from(&a[..]), View::from(&b[..])), c.as_mut_ptr());
    let arguments = (views.0, views.1, to, m, n, k, 2.0, 3.0, barriers);
    // SAFETY: each thread writes its own element of `c`. In fast mode all barriers are there.
    let result =
        unsafe { launch_on_cpu::<kernels::types::gemm_tiled_kernel>(shape, mode, arguments) };
    let element = |i: usize| {
        let (row, col) = (i / n, i % n);
        let sum: f32 = (0..k).map(|i| a[row * k + i] * b[i * n + col]).sum();
        2.0 * sum + 3.0
    };
    (result, c, (0..m * n).map(element).collect())
}

#[test]
fn the_tiled_gemm_with_barriers_is_correct() {
    for mode in MODES.into_iter().chain(SEEDS) {
        let (result, c, expected) = gemm_tiled(mode, 3);
        result.unwrap();
        assert_eq!(c, expected);
        assert_eq!(simt::untracked_memory(), [], "{mode:?}");
    }
}

#[test]
fn the_tiled_gemm_without_a_barrier_races() {
    for mode in SEEDS {
        for barriers in 0..3 {
            let report = report(gemm_tiled(mode, barriers).0);
            let is_race_on_a_tile = |kind: &FindingKind| {
                let of = 4 * 64;
                matches!(kind, FindingKind::Race { location: MemoryLocation::SharedStatic { size, .. }, .. } if *size == of)
            };
            let found = report.findings();
            assert!(
                found.iter().any(|one| is_race_on_a_tile(&one.kind)),
                "{barriers}: {report}"
            );
            assert!(report.untracked_memory().is_empty(), "{report}");
            assert!(found
                .iter()
                .all(|one| one.site.file().ends_with("gemm_tiled.rs")));
        }
    }
}

fn tile_product(mode: Mode, barrier: bool, way: u32) -> (Result<(), LaunchError>, Vec<f32>) {
    let a: Vec<f32> = (0..64).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..64).map(|i| (i % 5) as f32).collect();
    let mut c = vec![0.0; 64];
    let arguments = (
        View::from(&a[..]),
        View::from(&b[..]),
        c.as_mut_ptr(),
        barrier,
        way,
    );
    let shape = LaunchShape::new(1, (8, 8));
    // SAFETY: each thread writes its own element of `c`.
    let result = unsafe { launch_on_cpu::<kernels::tile_product>(shape, mode, arguments) };
    (result, c)
}

#[test]
fn shared_arrays_are_tracked_in_instrumented_code() {
    let (_, expected) = tile_product(Mode::Fast, true, 0);
    for mode in SEEDS {
        let (result, c) = tile_product(mode, true, 0);
        result.unwrap();
        assert_eq!((c, simt::untracked_memory()), (expected.clone(), vec![]));
        let report = report(tile_product(mode, false, 0).0);
        let races = report.findings().iter();
        let races = races.filter(|one| matches!(one.kind, FindingKind::Race { .. }));
        assert!(races.count() >= 2, "both tiles: {report}");
    }
}

#[test]
fn untracked_memory_is_counted_and_named() {
    let mode = SEEDS[0];
    let named = |way| {
        tile_product(mode, false, way).0.unwrap();
        let untracked = simt::untracked_memory();
        let texts: Vec<String> = untracked.iter().map(UntrackedMemory::to_string).collect();
        texts.join("\n")
    };
    let file = "crates/tests/from-rust-cuda/src/gemm_tiled.rs";
    let text = named(1);
    assert_eq!(
        text.matches("the shared array of 256 bytes, created at")
            .count(),
        2,
        "{text}"
    );
    let passed = format!("it was passed to an uninstrumented function at {file}:");
    assert_eq!(text.matches(&passed).count(), 2, "{text}");
    let text = named(2);
    assert_eq!(
        text.matches("uninstrumented code wrote it").count(),
        2,
        "{text}"
    );
    for name in ["`a` (parameter 1)", "`b` (parameter 2)"] {
        assert!(
            text.contains(&format!(
                "{name}: it was passed to an uninstrumented function"
            )),
            "{text}"
        );
    }
    // a report contains the same list
    let (a, b) = ([0.0; 64], [0.0; 64]);
    let mut c = [0.0; 64];
    let shape = LaunchShape::new(1, (8, 8));
    let arguments = (
        View::from(&a[..]),
        View::from(&b[..]),
        c.as_mut_ptr(),
        true,
        3,
    );
    // SAFETY: checked mode runs one thread at a time.
    let result = unsafe { launch_on_cpu::<kernels::tile_product>(shape, mode, arguments) };
    let text = report(result).to_string();
    assert!(
        text.contains("2 arrays were not tracked: the shared array"),
        "{text}"
    );
}

#[test]
fn a_race_on_global_memory_names_parameter_and_element() {
    let run = |step: usize, share: usize| {
        let (mut x, mut y) = (vec![1.0; 8], vec![0.0; 8]);
        let arguments = (ViewMut::from(&mut x[..]), y.as_mut_ptr(), step, share);
        let shape = LaunchShape::new(2, 4);
        // SAFETY: checked mode runs one thread at a time.
        unsafe { launch_on_cpu::<kernels::neighbours>(shape, SEEDS[0], arguments) }
    };
    run(0, 1).unwrap();
    assert_eq!(simt::untracked_memory(), []);
    // Of 7 threads that copy the next element, all but the last copy one that is incremented.
    for (result, parameter, number, most) in [(run(1, 1), "x", 1, 6), (run(0, 2), "y", 2, 3)] {
        let report = report(result);
        assert!(!report.findings().is_empty());
        for finding in report.findings() {
            let FindingKind::Race {
                location, bytes: 4, ..
            } = finding.kind
            else {
                panic!("{report}");
            };
            let MemoryLocation::Parameter {
                name,
                number: place_number,
                element,
            } = location
            else {
                panic!("{report}");
            };
            assert_eq!((name, place_number), (parameter, number));
            assert!(element <= most, "{report}");
            let text =
                format!("race on element {element} of `{name}` (parameter {number}) (4 bytes)");
            assert!(finding.to_string().starts_with(&text), "{finding}");
        }
    }
}
