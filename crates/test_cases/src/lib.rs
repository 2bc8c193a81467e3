//! How many of its cases a test takes: all of them take longer than a change should wait for.

/// Whether tests take all of their cases: where `FERROVOX_TEST_ALL=1` is set, as
/// `cargo xtask test --all` does.
pub fn all_are_wanted() -> bool {
    std::env::var_os("FERROVOX_TEST_ALL").is_some_and(|value| value == "1")
}

/// Which run this is of those that take other cases each time: `FERROVOX_TEST_TURN`, a number, as
/// `.ci/run` sets it; else 0.
fn turn_of_run() -> Option<usize> {
    std::env::var("FERROVOX_TEST_TURN").ok()?.parse().ok()
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

/// Those of many cases that a test takes: each fourth, another one for each `turn` and for each
/// turn of the run, or all where [all are wanted](all_are_wanted).
///
/// ```
/// # use test_cases::{all_are_wanted, some};
/// # let is_plain = !all_are_wanted() && std::env::var_os("FERROVOX_TEST_TURN").is_none();
/// let taken: Vec<char> = some(['a', 'b', 'c', 'd', 'e', 'f'], 1).collect();
/// assert!(taken == ['b', 'f'] || !is_plain);
/// // of fewer than four it is one
/// assert!((0..9).all(|turn| some([1, 2, 3], turn).count() >= 1));
/// ```
pub fn some<T>(of: impl IntoIterator<Item = T>, turn: usize) -> impl Iterator<Item = T> {
    let all: Vec<T> = of.into_iter().collect();
    let every = all.len().clamp(1, 4);
    // the number minus the turns, in a way that does not go below 0
    all.into_iter()
        .enumerate()
        .filter(move |(number, _)| is_taken(number + every - turn % every, every))
        .map(|(_, case)| case)
}

/// Whether a test takes the case of this number: one of each `every`, another one for each turn of
/// the run, or all where [all are wanted](all_are_wanted).
///
/// ```
/// # use test_cases::is_taken;
/// assert!((24..32).any(|number| is_taken(number, 8)));
/// ```
pub fn is_taken(number: usize, every: usize) -> bool {
    all_are_wanted() || number % every == turn_of_run().unwrap_or(0) % every
}

/// Whether a test that takes minutes of a core is to be left to where
/// [all are wanted](all_are_wanted), or to another turn of the run: of four with a number one takes
/// it. Says so on the test's output.
pub fn is_left_out(what: &str) -> bool {
    let number: usize = what.bytes().map(usize::from).sum();
    let is_its_turn = |turn: usize| (turn + number).is_multiple_of(4);
    let left_out = !all_are_wanted() && !turn_of_run().is_some_and(is_its_turn);
    if left_out {
        eprintln!(
            "skipped: {what} runs with FERROVOX_TEST_ALL=1, as `cargo xtask test --all` has it"
        );
    }
    left_out
}
