//! Median and range of repeated measurements.

use std::time::Duration;

/// Median, minimum and maximum of repeated times.
///
/// The median is robust against disturbed runs, which are longer by an amount unrelated to the
/// work; the range shows how disturbed the runs were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Median in milliseconds; the mean of the middle two for an even number of runs.
    pub median_ms: f64,
    /// Shortest run, in milliseconds.
    pub min_ms: f64,
    /// Longest run, in milliseconds.
    pub max_ms: f64,
    /// Number of runs.
    pub runs: usize,
}

impl Spread {
    /// Summarizes times given in any order; all zero if there are none.
    pub fn from_durations(times: &[Duration]) -> Self {
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

    fn spread(ms: &[u64]) -> Spread {
        let times: Vec<_> = ms.iter().map(|&ms| Duration::from_millis(ms)).collect();
        Spread::from_durations(&times)
    }

    #[test]
    fn median_of_an_odd_number_is_the_middle_value() {
        let result = spread(&[9, 1, 100, 4, 7]);
        assert_eq!(
            result,
            Spread {
                median_ms: 7.0,
                min_ms: 1.0,
                max_ms: 100.0,
                runs: 5
            }
        );
    }

    #[test]
    fn median_of_an_even_number_is_the_mean_of_the_middle_values() {
        assert_eq!(spread(&[4, 1, 2, 100]).median_ms, 3.0);
        assert_eq!(spread(&[1, 2]).median_ms, 1.5);
    }

    #[test]
    fn median_of_one_value_is_the_value() {
        let result = spread(&[5]);
        assert_eq!(
            (result.median_ms, result.min_ms, result.max_ms),
            (5.0, 5.0, 5.0)
        );
        assert_eq!(spread(&[]), Spread::default());
    }
}
