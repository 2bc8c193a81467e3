//! All cases on the CPU executor, in fast and in checked mode, with all supported block sizes.

use conformance_cases::{Cpu, all_cases};
use simt::Mode;

/// A case with a lock of atomic operations. Checked mode does not model ordering through atomics
/// and reports the data that the lock protects.
const LOCKED: &str = "locked_count";

fn run_all(mode: Mode) {
    let mut failures = Vec::new();
    for case in all_cases::<Cpu>() {
        for &block in case.blocks {
            let result = (case.run)(&mut Cpu::new(mode), block);
            if case.name == LOCKED && matches!(mode, Mode::Checked { .. }) {
                let why =
                    result.expect_err("checked mode accepts locks now: update the docs");
                assert!(
                    why.to_string().contains("race on element 0 of `count`"),
                    "{why}"
                );
            } else if let Err(why) = result {
                failures.push(format!("{} with blocks of {block}: {why}", case.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn fast() {
    run_all(Mode::Fast);
}

#[test]
fn checked() {
    for seed in [1, 2, 3] {
        run_all(Mode::Checked { seed });
    }
}

/// Kernels without a case would not be tested.
#[test]
fn every_kernel_has_a_case() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels");
    let listed: Vec<&str> = all_cases::<Cpu>().iter().map(|case| case.name).collect();
    let mut kernels = 0;
    for file in std::fs::read_dir(sources).expect("the kernels' folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("its text");
        for after in text.split("#[kernel]\npub unsafe fn ").skip(1) {
            let name = after.split('(').next().expect("a name");
            assert!(listed.contains(&name), "no case for the kernel {name}");
            kernels += 1;
        }
    }
    assert_eq!(kernels, listed.len());
}
