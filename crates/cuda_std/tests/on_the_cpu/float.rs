//! Floats: the exact functions compared with `std`, the others with a wider type, within the
//! documented bounds.

use cuda_std::{FloatExt, GpuFloat};

/// Returns finite `f32`s of all magnitudes: every 16_411th bit pattern.
fn patterns() -> impl Iterator<Item = f32> {
    (0..=u32::MAX)
        .step_by(16_411)
        .map(f32::from_bits)
        .filter(|x| x.is_finite())
}

/// Returns evenly spaced `f32`s between `low` and `high`.
fn between(low: f32, high: f32) -> impl Iterator<Item = f32> {
    (0..60_000_u32).map(move |i| low + (high - low) * (i as f32 / 60_000.0))
}

#[test]
fn exact_functions_agree_bitwise_with_std() {
    let specials = [
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN_POSITIVE,
        1.0e-45,
        f32::MAX,
    ];
    for x in patterns().chain(between(-70.0, 70.0)).chain(specials) {
        let same = |ours: f32, std: f32, what: &str| {
            assert!(
                ours.to_bits() == std.to_bits() || ours.is_nan() && std.is_nan(),
                "{what}({x})"
            );
        };
        same(GpuFloat::floor(x), x.floor(), "floor");
        same(GpuFloat::ceil(x), x.ceil(), "ceil");
        same(GpuFloat::round(x), x.round(), "round");
        same(
            GpuFloat::round_ties_even(x),
            x.round_ties_even(),
            "round_ties_even",
        );
        same(GpuFloat::trunc(x), x.trunc(), "trunc");
        same(GpuFloat::fract(x), x.fract(), "fract");
        same(GpuFloat::abs(x), x.abs(), "abs");
        same(GpuFloat::signum(x), x.signum(), "signum");
        same(GpuFloat::copysign(3.0, x), 3.0_f32.copysign(x), "copysign");
        same(GpuFloat::sqrt(x), x.sqrt(), "sqrt");
        same(GpuFloat::mul_add(x, x, -x), x.mul_add(x, -x), "mul_add");
        same(
            GpuFloat::rem_euclid(x, 1.5),
            x.rem_euclid(1.5),
            "rem_euclid",
        );
        same(
            GpuFloat::div_euclid(x, -1.5),
            x.div_euclid(-1.5),
            "div_euclid",
        );
        same(FloatExt::saturate(x), (x.clamp(0.0, 1.0)) + 0.0, "saturate");
        let wide = f64::from(x);
        assert_eq!(GpuFloat::sqrt(wide).to_bits(), wide.sqrt().to_bits());
        assert_eq!(GpuFloat::floor(wide).to_bits(), wide.floor().to_bits());
    }
    assert_eq!(f32::NAN.saturate(), 0.0);
    assert_eq!(GpuFloat::powi(2.0_f32, -3), 0.125);
    assert_eq!(GpuFloat::powi(-3.0_f64, 5), -243.0);
    assert_eq!(GpuFloat::powi(0.0_f64, 0), 1.0);
    assert_eq!(GpuFloat::powi(2.0_f64, i32::MIN), 0.0);
}

/// Returns the error of `got` relative to the exact value `want`, in units in the last place of an
/// `f32` of that magnitude.
fn ulps(got: f32, want: f64) -> f64 {
    if f64::from(got) == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    let rounded = want as f32;
    if rounded.is_infinite() {
        return if got == rounded { 0.0 } else { f64::INFINITY };
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let ulp = f64::from(f32::from_bits(magnitude.to_bits() + 1)) - f64::from(magnitude);
    (f64::from(got) - want).abs() / ulp
}

/// Returns the maximum error of `ours` over `arguments`.
fn worst(arguments: impl Iterator<Item = f32>, ours: fn(f32) -> f32, truth: fn(f64) -> f64) -> f64 {
    arguments
        .map(|x| ulps(ours(x), truth(f64::from(x))))
        .fold(0.0, f64::max)
}

#[test]
fn f32_functions_are_as_accurate_as_documented() {
    type Row = (&'static str, f64, fn(f32) -> f32, fn(f64) -> f64, f32, f32);
    let table: [Row; 24] = [
        ("sin", 1.0, GpuFloat::sin, f64::sin, -1.0e4, 1.0e4),
        ("cos", 1.0, GpuFloat::cos, f64::cos, -1.0e4, 1.0e4),
        ("tan", 1.0, GpuFloat::tan, f64::tan, -1.0e4, 1.0e4),
        ("asin", 1.0, GpuFloat::asin, f64::asin, -1.0, 1.0),
        ("acos", 1.0, GpuFloat::acos, f64::acos, -1.0, 1.0),
        ("atan", 1.0, GpuFloat::atan, f64::atan, -30.0, 30.0),
        ("exp", 1.0, GpuFloat::exp, f64::exp, -87.0, 88.0),
        ("exp2", 1.0, GpuFloat::exp2, f64::exp2, -126.0, 127.0),
        ("exp_m1", 1.0, GpuFloat::exp_m1, f64::exp_m1, -20.0, 80.0),
        ("ln", 1.0, GpuFloat::ln, f64::ln, 1.0e-6, 1.0e3),
        ("log2", 1.0, GpuFloat::log2, f64::log2, 1.0e-6, 1.0e3),
        ("log10", 2.0, GpuFloat::log10, f64::log10, 1.0e-6, 1.0e3),
        ("ln_1p", 1.0, GpuFloat::ln_1p, f64::ln_1p, -0.9, 1.0e3),
        ("cbrt", 1.0, GpuFloat::cbrt, f64::cbrt, -1.0e6, 1.0e6),
        ("sinh", 2.0, GpuFloat::sinh, f64::sinh, -80.0, 80.0),
        ("cosh", 2.0, GpuFloat::cosh, f64::cosh, -80.0, 80.0),
        ("tanh", 3.0, GpuFloat::tanh, f64::tanh, -10.0, 10.0),
        ("asinh", 3.0, GpuFloat::asinh, f64::asinh, -1.0e3, 1.0e3),
        ("acosh", 3.0, GpuFloat::acosh, f64::acosh, 1.0, 1.0e3),
        ("atanh", 3.0, GpuFloat::atanh, f64::atanh, -0.99, 0.99),
        (
            "rsqrt",
            2.0,
            FloatExt::rsqrt,
            |x| 1.0 / x.sqrt(),
            1.0e-6,
            1.0e6,
        ),
        (
            "rcbrt",
            2.0,
            FloatExt::rcbrt,
            |x| 1.0 / x.cbrt(),
            1.0e-6,
            1.0e6,
        ),
        ("erf", 1.0, FloatExt::error_function, libm::erf, -5.0, 5.0),
        (
            "erfc",
            3.0,
            FloatExt::complementary_error_function,
            libm::erfc,
            -3.0,
            9.0,
        ),
    ];
    for (name, bound, ours, truth, low, high) in table {
        let range = worst(between(low, high), ours, truth);
        // All magnitudes for which the function is defined and representable.
        let sizes = worst(patterns().filter(|x| (low..=high).contains(x)), ours, truth);
        let error = range.max(sizes);
        assert!(error <= bound, "{name}: {error} ulp, documented {bound}");
    }
}

#[test]
fn two_argument_functions_are_as_accurate_as_documented() {
    for (i, x) in between(-40.0, 40.0).enumerate() {
        let y = (i as f32 * 0.37) % 9.0 - 4.5;
        let (wx, wy) = (f64::from(x), f64::from(y));
        assert!(
            ulps(GpuFloat::hypot(x, y), wx.hypot(wy)) <= 1.0,
            "hypot({x}, {y})"
        );
        assert!(
            ulps(GpuFloat::atan2(x, y), wx.atan2(wy)) <= 2.0,
            "atan2({x}, {y})"
        );
        assert!(
            ulps(GpuFloat::powf(x.abs(), y), wx.abs().powf(wy)) <= 1.0,
            "powf({x}, {y})"
        );
    }
}

/// Both are within about an ulp of the exact value, hence close to each other.
#[test]
fn f64_functions_agree_with_std() {
    type Row = (&'static str, u64, fn(f64) -> f64, fn(f64) -> f64, f64, f64);
    let table: [Row; 8] = [
        ("sin", 2, GpuFloat::sin, f64::sin, -1.0e6, 1.0e6),
        ("cos", 2, GpuFloat::cos, f64::cos, -1.0e6, 1.0e6),
        ("tan", 2, GpuFloat::tan, f64::tan, -1.0e6, 1.0e6),
        ("exp", 2, GpuFloat::exp, f64::exp, -700.0, 700.0),
        ("exp2", 2, GpuFloat::exp2, f64::exp2, -1000.0, 1000.0),
        ("ln", 2, GpuFloat::ln, f64::ln, 1.0e-9, 1.0e9),
        ("cbrt", 2, GpuFloat::cbrt, f64::cbrt, -1.0e9, 1.0e9),
        ("atan", 2, GpuFloat::atan, f64::atan, -1.0e3, 1.0e3),
    ];
    for (name, bound, ours, std, low, high) in table {
        for i in 0..50_000 {
            let x = low + (high - low) * (f64::from(i) / 50_000.0);
            let apart = ours(x).to_bits().abs_diff(std(x).to_bits());
            assert!(apart <= bound, "{name}({x}): {apart} ulp apart");
        }
    }
}

#[test]
fn trigonometry_of_half_turns() {
    assert_eq!(0.5_f32.sincospi(), (1.0, 0.0));
    assert_eq!(1.0_f64.sincospi(), (0.0, -1.0));
    assert_eq!((-1.5_f64).sincospi(), (1.0, 0.0));
    assert_eq!(1.0e9_f32.sinpi(), 0.0);
    assert_eq!(0.25_f64.sinpi(), std::f64::consts::FRAC_PI_4.sin());
    for x in between(-8.0, 8.0) {
        // The argument is exact in f64, and the error of its product with π is below the precision
        // of f32.
        let angle = f64::from(x) % 2.0 * std::f64::consts::PI;
        assert!(
            (f64::from(x.sinpi()) - angle.sin()).abs() < 1.2e-7,
            "sinpi({x})"
        );
        assert!(
            (f64::from(x.cospi()) - angle.cos()).abs() < 1.2e-7,
            "cospi({x})"
        );
    }
}

#[test]
fn other_extensions() {
    assert_eq!(12.0_f32.frexp(), (0.75, 4));
    assert_eq!(12.0_f64.unbiased_exp(), 3);
    assert_eq!(0.75_f64.ldexp(4), 12.0);
    assert_eq!(3.0_f32.scale_by_n(-1), 1.5);
    assert_eq!(FloatExt::gamma(5.0_f64), 24.0);
    assert!((0.0_f64.norm_cdf() - 0.5).abs() < 1e-15);
    assert!((1.0_f64.norm_cdf() - 0.841_344_746_068_542_9).abs() < 1e-15);
    assert!((2.0_f64.j0() - 0.223_890_779_141_235_67).abs() < 1e-14);
    assert_eq!(2.0_f64.jn(1), 2.0_f64.j1());
    assert_eq!(2.0_f32.yn(0), 2.0_f32.y0());
    assert!((10.0_f64.log_gamma() - 362_880.0_f64.ln()).abs() < 1e-12);
    assert_eq!(1.0e-9_f64.log1p(), GpuFloat::ln_1p(1.0e-9_f64));
}

#[test]
fn fast_functions_are_close() {
    for x in between(0.01, 50.0) {
        let near = |fast: f32, truth: f64| {
            (f64::from(fast) - truth).abs() <= 2.0e-6 * truth.abs().max(1.0)
        };
        let wide = f64::from(x);
        assert!(near(x.fast_rsqrt(), 1.0 / wide.sqrt()));
        assert!(near(x.fast_sqrt(), wide.sqrt()));
        assert!(near(x.fast_recip(), 1.0 / wide));
        assert!(near((-x).fast_exp2(), (-wide).exp2()));
        assert!(near((-x).fast_exp(), (-wide).exp()));
        assert!(near(x.fast_log2(), wide.log2()));
        assert!(near(x.fast_ln(), wide.ln()));
        assert!(near((x % 3.0).fast_sin(), f64::from(x % 3.0).sin()));
        assert!(near((x % 3.0).fast_cos(), f64::from(x % 3.0).cos()));
    }
}

#[test]
fn inverses_of_the_normal_distribution() {
    // The inverse restores its argument as far as the slope of the distribution allows.
    for i in 1..4000 {
        let x = -8.0 + f64::from(i) / 250.0;
        let p = x.norm_cdf();
        let slope = (-0.5 * x * x).exp() / 2.506_628_274_631_000_5;
        let room = 4.0 * f64::EPSILON * (p / slope + x.abs());
        assert!(
            (p.inv_norm_cdf() - x).abs() <= room,
            "{x}: {}",
            p.inv_norm_cdf()
        );
        let y = x.complementary_error_function();
        let slope = 2.0 * (-x * x).exp() / 1.772_453_850_905_516;
        let room = 6.0 * f64::EPSILON * (y / slope + x.abs());
        if y > 0.0 {
            let back = y.inv_complementary_error_function();
            assert!((back - x).abs() <= room || y == 2.0, "{x}: {back}");
        }
    }
    // from the logarithm of erfc, computed with 40 digits
    let x = 1e-300_f64.inv_norm_cdf();
    assert!((x + 37.047_096_299_361_2).abs() < 1e-12, "{x}");
    assert_eq!(0.5_f64.inv_norm_cdf(), 0.0);
    assert_eq!(0.0_f32.inv_norm_cdf(), f32::NEG_INFINITY);
    assert_eq!(1.0_f64.inv_norm_cdf(), f64::INFINITY);
    assert_eq!(0.0_f64.inv_complementary_error_function(), f64::INFINITY);
    assert_eq!(
        2.0_f64.inv_complementary_error_function(),
        f64::NEG_INFINITY
    );
    assert!((-0.1_f64).inv_norm_cdf().is_nan() && 1.1_f32.inv_norm_cdf().is_nan());
    assert!(f64::NAN.inv_norm_cdf().is_nan());
    assert!(2.5_f64.inv_complementary_error_function().is_nan());
}

#[test]
fn scaled_error_function_agrees_with_its_integral() {
    // By Simpson's rule for the integral 2/√π ∫ e^(-t² - 2xt) dt.
    for x in [0.0_f64, 0.1, 1.0, 3.0, 9.9, 10.0, 11.0, 30.0, 1e3] {
        let (steps, end) = (20_000, 7.0 / (1.0 + x / 3.0));
        let at = |i: i32| {
            let t = end * f64::from(i) / f64::from(steps);
            (-t * t - 2.0 * x * t).exp()
        };
        let inner: f64 = (1..steps).map(|i| at(i) * f64::from(2 + 2 * (i % 2))).sum();
        let integral = (inner + at(0) + at(steps)) * end / f64::from(steps) / 3.0;
        let expected = integral * 2.0 / 1.772_453_850_905_516;
        let got = x.scaled_complementary_error_function();
        assert!(
            (got / expected - 1.0).abs() < 1e-13,
            "{x}: {got} {expected}"
        );
    }
    // both sides of the change of method, and the step between them
    let (below, above) = (10.0_f64.next_down(), 10.0_f64);
    let (below, above) = (
        below.scaled_complementary_error_function(),
        above.scaled_complementary_error_function(),
    );
    assert!((below / above - 1.0).abs() < 1e-15, "{below} {above}");
    assert_eq!(
        (-30.0_f64).scaled_complementary_error_function(),
        f64::INFINITY
    );
    assert_eq!(f64::INFINITY.scaled_complementary_error_function(), 0.0);
    assert!(f32::NAN.scaled_complementary_error_function().is_nan());
}
