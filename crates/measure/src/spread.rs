//! Several measurements of the same thing.

use std::time::Duration;

/// The median of several times, with the least and the most.
///
/// A median, because a disturbed run is longer by an amount that says nothing about the work; with
/// the extremes, because a median alone hides how disturbed the runs were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The middle one in milliseconds, or the mean of the two in the middle.
    pub median_ms: f64,
    /// The shortest.
    pub min_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// How many.
    pub runs: usize,
}

impl Spread {
    /// Of times in any order; all zero if there are none.
    pub fn of(times: &[Duration]) -> Self {
        let mut ms: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        ms.sort_by(f64::total_cmp);
        let runs = ms.len();
        let (Some(&min_ms), Some(&max_ms)) = (ms.first(), ms.last()) else {
            return Self::default();
        };
        Self {
            median_ms: (ms[(runs - 1) / 2] + ms[runs / 2]) / 2.0,
            min_ms,
            max_ms,
            runs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ms: &[u64]) -> Spread {
        let times: Vec<_> = ms.iter().map(|&ms| Duration::from_millis(ms)).collect();
        Spread::of(&times)
    }

    #[test]
    fn the_median_is_the_middle_one() {
        let spread = of(&[9, 1, 100, 4, 7]);
        assert_eq!(
            spread,
            Spread {
                median_ms: 7.0,
                min_ms: 1.0,
                max_ms: 100.0,
                runs: 5
            }
        );
    }

    #[test]
    fn of_an_even_number_it_is_between_the_two_in_the_middle() {
        assert_eq!(of(&[4, 1, 2, 100]).median_ms, 3.0);
        assert_eq!(of(&[1, 2]).median_ms, 1.5);
    }

    #[test]
    fn one_time_is_its_own_median() {
        let spread = of(&[5]);
        assert_eq!(
            (spread.median_ms, spread.min_ms, spread.max_ms),
            (5.0, 5.0, 5.0)
        );
        assert_eq!(of(&[]), Spread::default());
    }
}
