use super::*;

/// Returns a sequence of pseudo-random numbers.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    })
}

/// Between-class variance, by its definition.
fn between(samples: &[f64], threshold: f64) -> f64 {
    let (low, high): (Vec<f64>, Vec<f64>) = samples.iter().partition(|it| **it < threshold);
    let [mean_low, mean_high] = [&low, &high].map(|it| it.iter().sum::<f64>() / it.len() as f64);
    let share = |class: &[f64]| class.len() as f64 / samples.len() as f64;
    share(&low) * share(&high) * (mean_low - mean_high).powi(2)
}

/// Maximum between-class variance over all thresholds.
fn largest(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let thresholds = sorted.windows(2).map(|it| (it[0] + it[1]) / 2.0);
    thresholds
        .map(|threshold| between(samples, threshold))
        .fold(0.0, f64::max)
}

#[test]
fn threshold_of_integers_maximises_the_variance() {
    for seed in 0..40 {
        let mut noise = numbers(seed);
        let mut draw = |below: u64| noise.next().unwrap_or(0) % below;
        let samples: Vec<i16> = (0..200)
            .map(|_| match draw(3) {
                0 => draw(300) as i16 - 250,
                _ => draw(100) as i16 + 20 * seed as i16,
            })
            .collect();
        let wide: Vec<f64> = samples.iter().map(|&it| it.into()).collect();
        let threshold = otsu_threshold(&samples, None).unwrap();
        let found = between(&wide, threshold);
        assert!(found >= largest(&wide) * (1.0 - 1e-12), "seed {seed}");
        assert_eq!(threshold.fract().abs() % 0.5, 0.0);
        // the same values as floats give the threshold to one bin
        let range = wide.iter().fold(0.0f64, |max, it| max.max(it.abs())) * 2.0;
        let wide_threshold = otsu_threshold(&wide, None).unwrap();
        assert!(
            (wide_threshold - threshold).abs() <= range / 60_000.0,
            "seed {seed}"
        );
    }
}

#[test]
fn threshold_of_floats_is_exact_to_a_bin() {
    for seed in 0..10 {
        let mut noise = numbers(seed);
        let mut draw = || noise.next().unwrap_or(0) as f64 / (1u64 << 31) as f64;
        let samples: Vec<f64> = (0..500)
            .map(|_| {
                1e5 + if draw() < 0.3 {
                    draw()
                } else {
                    0.7 + 2.0 * draw()
                }
            })
            .collect();
        let threshold = otsu_threshold(&samples, None).unwrap();
        assert!(
            between(&samples, threshold) >= largest(&samples) * 0.9999,
            "seed {seed}"
        );
    }
}

#[test]
fn percentiles_are_samples_of_their_rank() {
    for seed in 0..20 {
        let mut noise = numbers(seed);
        let samples: Vec<i16> = noise.by_ref().take(101).map(|it| it as i16).collect();
        let wide: Vec<f64> = samples.iter().map(|&it| it.into()).collect();
        let mut sorted = samples.clone();
        sorted.sort_unstable();
        for percent in [0.0, 1.0, 25.0, 50.0, 99.5, 100.0] {
            let rank = (percent / 100.0 * 101.0_f64).ceil().max(1.0) as usize;
            let expected = f64::from(sorted[rank - 1]);
            assert_eq!(percentile(&samples, None, percent), Ok(expected));
            let found = percentile(&wide, None, percent).unwrap();
            assert!((found - expected).abs() <= 1.0, "{found} {expected}");
        }
    }
    assert_eq!(percentile(&[7.0_f32; 3], None, 10.0), Ok(7.0));
    assert_eq!(percentile(&[1_u8, 2, 3], Some(&[0, 1, 1]), 50.0), Ok(2.0));
    assert_eq!(
        percentile::<f32>(&[], None, 50.0),
        Err(OtsuError::NoSamples)
    );
}

#[test]
fn excluded_samples_are_ignored() {
    let samples = [0.0f32, f32::NAN, 1.0, f32::INFINITY, 0.0, 5.0];
    let threshold = otsu_threshold(&samples, None).unwrap();
    assert!((threshold - 3.0).abs() < 1e-3, "{threshold}");
    let threshold = otsu_threshold(&samples, Some(&[1, 1, 7, 1, 1, 0])).unwrap();
    assert!((threshold - 0.5).abs() < 1e-3, "{threshold}");
    let ends = otsu_threshold(&[1e308, -1e308], None).unwrap();
    assert!(ends.abs() < 1e304, "{ends}");
    assert_eq!(otsu_threshold::<u8>(&[], None), Err(OtsuError::NoSamples));
    assert_eq!(otsu_threshold(&[f32::NAN], None), Err(OtsuError::NoSamples));
    let equal = Err(OtsuError::AllEqual { value: -7.0 });
    assert_eq!(otsu_threshold(&[-7i8, -7], None), equal);
    assert_eq!(otsu_threshold(&[-7.0f64, -7.0], None), equal);
    let two = otsu_threshold(&[i16::MIN, i16::MAX], None);
    assert_eq!(two, Ok(-0.5));
}
