//! How many of its cases a test takes: all of them take longer than a change should wait for.

/// Whether tests take all of their cases: where `FERROVOX_TEST_ALL=1` is set, as `cargo xtask test --all` does.
pub fn all_are_wanted() -> bool {
    std::env::var_os("FERROVOX_TEST_ALL").is_some_and(|value| value == "1")
}

/// A fifth of so many random cases, or all of them where [all are wanted](all_are_wanted).
///
/// ```
/// # use test_cases::{all_are_wanted, cases};
/// let expected = if all_are_wanted() { 100 } else { 20 };
/// assert_eq!(cases(100), expected);
/// ```
pub fn cases(all: u32) -> u32 {
    if all_are_wanted() {
        all
    } else {
        all.div_ceil(5)
    }
}

/// Those of many cases that a test takes: each third, another one for each `turn`, or all where [all are wanted](all_are_wanted).
///
/// ```
/// # use test_cases::{all_are_wanted, some};
/// let taken: Vec<char> = some(['a', 'b', 'c', 'd', 'e'], 1).collect();
/// assert!(all_are_wanted() || taken == ['b', 'e']);
/// ```
pub fn some<T>(of: impl IntoIterator<Item = T>, turn: usize) -> impl Iterator<Item = T> {
    let every = if all_are_wanted() { 1 } else { 3 };
    of.into_iter()
        .enumerate()
        .filter(move |(number, _)| number % every == turn % every)
        .map(|(_, case)| case)
}

/// Whether a test that takes minutes of a core is to be left to where [all are wanted](all_are_wanted); says so on the test's output.
pub fn is_left_out(what: &str) -> bool {
    let left_out = !all_are_wanted();
    if left_out {
        eprintln!(
            "skipped: {what} runs with FERROVOX_TEST_ALL=1, as `cargo xtask test --all` has it"
        );
    }
    left_out
}
