//! Memory ordering: named barriers, waits for asynchronous copies, and warp barriers. Each kernel
//! is correct with fault 0 and has a planted fault for every other number.
//! `docs/kernels/writing-kernels.md` names the tests.

mod copies;
mod named;
mod warps;

use simt::{FindingKind, LaunchError, Mode, Report};

const SEEDS: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

fn is_race(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::Race { .. })
}

fn is_copy(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::AsyncCopyConflict { .. })
}

/// Launches with `fault` under several seeds, checks that each report contains the expected
/// finding, and returns the first report.
#[track_caller]
fn faulty(
    launch: impl Fn(Mode, u32) -> Result<(), LaunchError>,
    fault: u32,
    expected: impl Fn(&FindingKind) -> bool,
) -> Report {
    let [report, ..] = SEEDS.map(|seed| match launch(Mode::Checked { seed }, fault) {
        Err(LaunchError::Findings(report)) => {
            let found = report.findings().iter().any(|one| expected(&one.kind));
            assert!(found, "fault {fault}, seed {seed}: {report}");
            report
        }
        other => panic!("fault {fault}, seed {seed}: {other:?}"),
    });
    report
}

/// Checks that there are no findings without a fault, and that all memory was tracked.
#[track_caller]
fn right(launch: impl Fn(Mode, u32) -> Result<(), LaunchError>) {
    for seed in SEEDS {
        launch(Mode::Checked { seed }, 0).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(simt::untracked_memory(), []);
    }
}
