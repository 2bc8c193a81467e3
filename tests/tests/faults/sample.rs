//! A part of all calls, for drivers with which all of them take hours: as many as a time allows,
//! drawn from all pipelines alike.

use super::Faulted;
use ferrovox_tests::noise::Noise;
use std::{
    env::{self, VarError},
    fmt::Write as _,
    io::{self, Write as _},
    time::{Duration, Instant, SystemTime},
};

/// How long calls are tried, and in which order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub time: Duration,
    pub seed: u64,
}

impl Sample {
    /// What the variables ask for; `None` where all calls are to be tried.
    ///
    /// # Panics
    /// If they hold no number: what was asked for must not be passed over.
    pub fn asked_for() -> Option<Self> {
        let seconds = number("FERROVOX_FAULTS_SECONDS")?;
        let clock = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Some(Self {
            time: Duration::from_secs(seconds),
            seed: number("FERROVOX_FAULTS_SEED").unwrap_or_else(|| u64::from(clock.subsec_nanos())),
        })
    }

    /// Lets calls fail until the time is over: one of each pipeline, then another one of each, in
    /// an order that the seed draws. The first round is always done, so each pipeline has at least
    /// one.
    pub fn run(self, jobs: &[Faulted<'_>], problems: &mut Vec<String>) {
        let Self { time, seed } = self;
        say(&format!(
            "calls of the driver are tried for {} seconds, in an order drawn from FERROVOX_FAULTS_SEED={seed}",
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
                // at once, since a driver may hang at the next
                problems[before..].iter().for_each(|problem| say(problem));
            }
        }
        say(&summary(jobs, &tried, &missed, start.elapsed()));
    }
}

/// How many of how many calls failed, for each pipeline and for all together.
fn summary(jobs: &[Faulted<'_>], tried: &[usize], missed: &[usize], took: Duration) -> String {
    let mut text = String::from("calls that failed, once and from there on:\n");
    for (job, (tried, missed)) in jobs.iter().zip(tried.iter().zip(missed)) {
        let _ = write!(text, "  {}: {tried} of {}", job.job.0, job.calls);
        if *missed > 0 {
            let _ = write!(text, "; {missed} more did not come, as threads take turns");
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

/// The numbers from 1 to so many, in some order.
fn shuffled(count: i64, seed: u64) -> Vec<i64> {
    let mut noise = Noise(seed);
    let mut numbers: Vec<i64> = (1..=count).collect();
    for last in (1..numbers.len()).rev() {
        numbers.swap(last, noise.below(last as u64 + 1) as usize);
    }
    numbers
}

/// The number in a variable, if that is set.
fn number(name: &str) -> Option<u64> {
    match env::var(name) {
        Err(VarError::NotPresent) => None,
        Err(error) => panic!("{name}: {error}"),
        Ok(text) => match text.parse() {
            Ok(number) => Some(number),
            Err(error) => panic!("{name} is {text:?}, which is no whole number: {error}"),
        },
    }
}

/// Says it aloud, also where the test succeeds and what it prints is kept back.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
