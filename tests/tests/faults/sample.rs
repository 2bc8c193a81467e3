//! Random sample of the calls, for drivers with which testing all of them takes hours: as many as
//! fit into a given time, drawn evenly from all pipelines.

use super::FaultedPipeline;
use ferrovox_tests::noise::Noise;
use std::{
    env::{self, VarError},
    fmt::Write as _,
    io::{self, Write as _},
    time::{Duration, Instant, SystemTime},
};

/// Duration and seed of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub time: Duration,
    pub seed: u64,
}

impl Sample {
    /// Reads the sample from the environment; returns `None` if all calls are to be tested.
    ///
    /// # Panics
    /// If a variable does not hold a number.
    pub fn from_environment() -> Option<Self> {
        let seconds = number("FERROVOX_FAULTS_SECONDS")?;
        let clock = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Some(Self {
            time: Duration::from_secs(seconds),
            seed: number("FERROVOX_FAULTS_SEED").unwrap_or_else(|| u64::from(clock.subsec_nanos())),
        })
    }

    /// Makes calls fail until the time is over: one of each pipeline per round, in random order.
    /// The first round is always completed, so each pipeline has at least one.
    pub fn run(self, jobs: &[FaultedPipeline<'_>], problems: &mut Vec<String>) {
        let Self { time, seed } = self;
        print_uncaptured(&format!(
            "driver calls are tested for {} seconds, in an order drawn from FERROVOX_FAULTS_SEED={seed}",
            time.as_secs()
        ));
        let start = Instant::now();
        let orders: Vec<Vec<i64>> = (0u64..)
            .zip(jobs)
            .map(|(number, job)| shuffled(job.calls, seed ^ number << 32))
            .collect();
        let (mut tried, mut missed) = (vec![0usize; jobs.len()], vec![0usize; jobs.len()]);
        let rounds = orders.iter().map(Vec::len).max().unwrap_or(0);
        'rounds: for round in 0..rounds {
            for (number, (job, order)) in jobs.iter().zip(&orders).enumerate() {
                if round > 0 && start.elapsed() >= time {
                    break 'rounds;
                }
                let Some(&at) = order.get(round) else {
                    continue;
                };
                let before = problems.len();
                if job.try_call(at, at, problems) {
                    tried[number] += 1
                } else {
                    missed[number] += 1
                }
                // printed immediately, because a driver may hang at the next call
                problems[before..]
                    .iter()
                    .for_each(|problem| print_uncaptured(problem));
            }
        }
        print_uncaptured(&summary(jobs, &tried, &missed, start.elapsed()));
    }
}

/// Returns how many of how many calls failed, per pipeline and in total.
fn summary(
    jobs: &[FaultedPipeline<'_>],
    tried: &[usize],
    missed: &[usize],
    took: Duration,
) -> String {
    let mut text = String::from("calls that failed, once and from there on:\n");
    for (job, (tried, missed)) in jobs.iter().zip(tried.iter().zip(missed)) {
        let _ = write!(text, "  {}: {tried} of {}", job.job.0, job.calls);
        if *missed > 0 {
            let _ = write!(
                text,
                "; {missed} more did not occur, because threads interleave differently"
            );
        }
        text.push('\n');
    }
    let calls: i64 = jobs.iter().map(|job| job.calls).sum();
    let tried: usize = tried.iter().sum();
    let _ = write!(
        text,
        "together: {tried} of {calls}, in {:.0} seconds",
        took.as_secs_f64()
    );
    text
}

/// Returns the numbers from 1 to `count` in random order.
fn shuffled(count: i64, seed: u64) -> Vec<i64> {
    let mut noise = Noise(seed);
    let mut numbers: Vec<i64> = (1..=count).collect();
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, noise.below(last as u64 + 1) as usize);
    }
    numbers
}

/// Returns the number in a variable, if it is set.
fn number(name: &str) -> Option<u64> {
    match env::var(name) {
        Err(VarError::NotPresent) => None,
        Err(error) => panic!("{name}: {error}"),
        Ok(text) => match text.parse() {
            Ok(number) => Some(number),
            Err(error) => panic!("{name} is {text:?}; set it to an integer: {error}"),
        },
    }
}

/// Prints a message even if the test succeeds and its output is captured.
fn print_uncaptured(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
