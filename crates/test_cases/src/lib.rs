//! Selection of test cases: running all of them takes too long for everyday use. The selection is
//! the same in every run, so that a commit that passes today passes tomorrow. Skipped tests are
//! visible, and missing programs are failures.

use std::{fmt, io::Write, process::Command};

/// Returns `true` if tests run all of their cases: if `FERROVOX_TEST_ALL=1` is set, as `cargo xtask
/// test --all` does.
pub fn run_all_cases() -> bool {
    std::env::var_os("FERROVOX_TEST_ALL").is_some_and(|value| value == "1")
}

/// Returns the number of random cases to run: a fifth of `all`, or `all` if
/// [requested](run_all_cases).
///
/// ```
/// # use test_cases::{case_count, run_all_cases};
/// let expected = if run_all_cases() { 100 } else { 20 };
/// assert_eq!(case_count(100), expected);
/// ```
pub fn case_count(all: u32) -> u32 {
    if run_all_cases() {
        all
    } else {
        all.div_ceil(5)
    }
}

/// Selects every fourth of many cases, starting with the case `offset` modulo four, or all if
/// [requested](run_all_cases).
///
/// ```
/// # use test_cases::{run_all_cases, shard};
/// let taken: Vec<char> = shard(['a', 'b', 'c', 'd', 'e', 'f'], 1).collect();
/// assert!(taken == ['b', 'f'] || run_all_cases());
/// // of fewer than four cases it selects one
/// assert!((0..9).all(|offset| shard([1, 2, 3], offset).count() >= 1));
/// ```
pub fn shard<T>(cases: impl IntoIterator<Item = T>, offset: usize) -> impl Iterator<Item = T> {
    let all: Vec<T> = cases.into_iter().collect();
    let every = all.len().clamp(1, 4);
    // the index minus the offset, kept non-negative
    all.into_iter()
        .enumerate()
        .filter(move |(number, _)| is_in_shard(number + every - offset % every, every))
        .map(|(_, case)| case)
}

/// Returns `true` if a test runs the case with this number: the multiples of `every`, or all if
/// [requested](run_all_cases).
///
/// ```
/// # use test_cases::{is_in_shard, run_all_cases};
/// let taken: Vec<usize> = (20..32).filter(|&number| is_in_shard(number, 8)).collect();
/// assert!(taken == [24] || run_all_cases());
/// ```
pub fn is_in_shard(number: usize, every: usize) -> bool {
    run_all_cases() || number.is_multiple_of(every)
}

/// Returns `true` and prints a note if the calling test, which takes minutes, should be skipped,
/// because [all cases are not requested](run_all_cases).
pub fn skip_slow_test(what: &str) -> bool {
    let is_skipped_now = !run_all_cases();
    if is_skipped_now {
        report_skip(format_args!(
            "{what} runs with FERROVOX_TEST_ALL=1, which `cargo xtask test --all` sets"
        ));
    }
    is_skipped_now
}

/// Prints a note that the calling test, or a part of it, is skipped. The note is printed although
/// libtest captures the output of passing tests, and `cargo xtask test` counts such notes.
pub fn report_skip(reason: fmt::Arguments<'_>) {
    // unlike `println!`, a direct write is not captured
    let _ = std::io::stdout().write_all(format!("skipped: {reason}\n").as_bytes());
}

/// Returns `true` if the programs, which tests call, can be started.
///
/// # Panics
/// If one is missing, unless `FERROVOX_MISSING_PROGRAMS=skip` is set, as for bundles on machines
/// where nothing can be installed. Then it prints a note and returns `false`.
pub fn has_programs(names: &[&str]) -> bool {
    let is_missing = |name: &&&str| Command::new(name).arg("--version").output().is_err();
    let Some(name) = names.iter().find(is_missing) else {
        return true;
    };
    let may_lack = std::env::var_os("FERROVOX_MISSING_PROGRAMS").is_some_and(|it| it == "skip");
    assert!(
        may_lack,
        "this test needs {name}: install it, or set FERROVOX_MISSING_PROGRAMS=skip"
    );
    report_skip(format_args!("there is no {name}"));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_failures() {
        assert!(has_programs(&["cargo"]));
        let result = std::panic::catch_unwind(|| has_programs(&["cargo", "no-such-program"]));
        let may_lack = std::env::var_os("FERROVOX_MISSING_PROGRAMS").is_some();
        assert!(result.is_err() || may_lack);
    }
}
