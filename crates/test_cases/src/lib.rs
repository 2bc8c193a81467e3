//! Selection of test cases: running all of them takes too long for everyday use.

/// Returns `true` if tests run all of their cases: if `FERROVOX_TEST_ALL=1` is set, as `cargo xtask
/// test --all` does.
pub fn run_all_cases() -> bool {
    std::env::var_os("FERROVOX_TEST_ALL").is_some_and(|value| value == "1")
}

/// Returns the shard of this run, a number in `FERROVOX_TEST_SHARD` that `.ci/run` changes daily.
fn run_shard() -> Option<usize> {
    std::env::var("FERROVOX_TEST_SHARD").ok()?.parse().ok()
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

/// Selects every fourth of many cases, or all if [requested](run_all_cases). The selection depends
/// on `offset` and on the shard of the run.
///
/// ```
/// # use test_cases::{run_all_cases, shard};
/// # let is_plain = !run_all_cases() && std::env::var_os("FERROVOX_TEST_SHARD").is_none();
/// let taken: Vec<char> = shard(['a', 'b', 'c', 'd', 'e', 'f'], 1).collect();
/// assert!(taken == ['b', 'f'] || !is_plain);
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

/// Returns `true` if a test runs the case with this number: one of every `every`, depending on the
/// shard of the run, or all if [requested](run_all_cases).
///
/// ```
/// # use test_cases::is_in_shard;
/// assert!((24..32).any(|number| is_in_shard(number, 8)));
/// ```
pub fn is_in_shard(number: usize, every: usize) -> bool {
    run_all_cases() || number % every == run_shard().unwrap_or(0) % every
}

/// Returns `true` and prints a note if the calling test, which takes minutes, should be skipped.
/// The test runs if [all cases are requested](run_all_cases), and in one of four shards.
pub fn skip_slow_test(what: &str) -> bool {
    let number: usize = what.bytes().map(usize::from).sum();
    let is_in_run = |shard: usize| (shard + number).is_multiple_of(4);
    let is_skipped_now = !run_all_cases() && !run_shard().is_some_and(is_in_run);
    if is_skipped_now {
        eprintln!(
            "skipped: {what} runs with FERROVOX_TEST_ALL=1, which `cargo xtask test --all` sets"
        );
    }
    is_skipped_now
}
