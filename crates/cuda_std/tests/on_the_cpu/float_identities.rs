//! Identities of the float functions: signs, values at infinities and zeros, and relations between
//! functions.

use cuda_std::{FloatExt, GpuFloat};

/// Returns numbers of all magnitudes: random bits, which have any exponent, and random numbers of
/// moderate magnitude.
fn numbers(count: u64) -> impl Iterator<Item = f64> {
    (0..count).map(|i| {
        let mut bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        match i % 3 {
            0 => f64::from_bits(bits),
            1 => (bits as i64) as f64 / (1_u64 << 58) as f64,
            _ => (bits as i64) as f64 / (1_u64 << 40) as f64,
        }
    })
}

/// Checks that both have the same bits, or are NaN.
#[track_caller]
fn same(ours: f64, wanted: f64, what: &str, x: f64) {
    assert!(
        ours.to_bits() == wanted.to_bits() || ours.is_nan() && wanted.is_nan(),
        "{what}({x}): {ours} {wanted}"
    );
}

#[test]
fn functions_are_odd_or_even() {
    type Functions = [(&'static str, fn(f64) -> f64, fn(f32) -> f32); 4];
    let odd: Functions = [
        ("sin", GpuFloat::sin, GpuFloat::sin),
        ("tan", GpuFloat::tan, GpuFloat::tan),
        ("cbrt", GpuFloat::cbrt, GpuFloat::cbrt),
        ("j1", FloatExt::j1, FloatExt::j1),
    ];
    let even: Functions = [
        ("cos", GpuFloat::cos, GpuFloat::cos),
        ("j0", FloatExt::j0, FloatExt::j0),
        ("jn(4)", |x| x.jn(4), |x| x.jn(4)),
        ("jn(-2)", |x| x.jn(-2), |x| x.jn(-2)),
    ];
    for x in numbers(6000) {
        let short = x as f32;
        for (name, double, single) in odd {
            same(double(-x), -double(x), name, x);
            same(single(-short).into(), (-single(short)).into(), name, x);
        }
        for (name, double, single) in even {
            same(double(-x), double(x), name, x);
            same(single(-short).into(), single(short).into(), name, x);
        }
        let (sine, cosine) = GpuFloat::sin_cos(x);
        same(sine, GpuFloat::sin(x), "sin_cos", x);
        same(cosine, GpuFloat::cos(x), "sin_cos", x);
        let (sine, cosine) = GpuFloat::sin_cos(short);
        same(sine.into(), GpuFloat::sin(short).into(), "sin_cos", x);
        same(cosine.into(), GpuFloat::cos(short).into(), "sin_cos", x);
        // odd orders change their sign with that of the order, and orders 0 and 1 have functions of
        // their own
        same(x.jn(-3), -x.jn(3), "jn(-3)", x);
        same(x.yn(-3), -x.yn(3), "yn(-3)", x);
        same(x.jn(1), x.j1(), "jn(1)", x);
        same(x.yn(0), x.y0(), "yn(0)", x);
    }
}

#[test]
fn identities_hold() {
    for x in numbers(6000).filter(|x| x.is_finite()) {
        let (sine, cosine) = GpuFloat::sin_cos(x);
        assert!((sine * sine + cosine * cosine - 1.0).abs() < 4e-16, "{x}");
        let tangent = GpuFloat::tan(x);
        assert!((tangent * cosine - sine).abs() <= 4e-16 * sine.abs(), "{x}");
        if x.is_normal() {
            let root = GpuFloat::cbrt(x);
            assert!((root * root * root / x - 1.0).abs() < 1e-15, "{x}");
        }
        if x > 1e-3 && x < 1e300 {
            // Wronskian: J₁ Y₀ - J₀ Y₁ = 2 / πx
            let wanted = std::f64::consts::FRAC_2_PI / x;
            let (first, second) = (x.j1() * x.y0(), x.j0() * x.y1());
            let room = 1e-15 * (first.abs() + second.abs());
            assert!((first - second - wanted).abs() <= room, "{x}");
            // and the recurrence of three orders
            let (before, at, after) = (x.jn(2), x.jn(3), x.jn(4));
            let room = 1e-14 * (before.abs() + after.abs()) + f64::MIN_POSITIVE;
            assert!((before + after - at * (6.0 / x)).abs() <= room, "{x}");
        }
    }
}

#[test]
fn special_values_are_right() {
    let infinite = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for x in infinite {
        let short = x as f32;
        for (double, single) in [
            (GpuFloat::sin(x), GpuFloat::sin(short)),
            (GpuFloat::cos(x), GpuFloat::cos(short)),
            (GpuFloat::tan(x), GpuFloat::tan(short)),
            (GpuFloat::sin_cos(x).0, GpuFloat::sin_cos(short).1),
        ] {
            assert!(double.is_nan() && single.is_nan(), "{x}");
        }
        same(GpuFloat::cbrt(x), x, "cbrt", x);
        let bessel = [x.j0(), x.j1(), x.jn(5), short.jn(2).into()];
        assert!(
            bessel.iter().all(|y| *y == 0.0 || x.is_nan() && y.is_nan()),
            "{x}"
        );
        let second = [x.y0(), x.y1(), x.yn(5), short.yn(2).into()];
        let zero = x == f64::INFINITY;
        assert!(
            second
                .iter()
                .all(|y| zero && *y == 0.0 || !zero && y.is_nan()),
            "{x}"
        );
    }
    for x in [0.0, -0.0, 5e-324, -5e-324, 1e-310] {
        same(GpuFloat::sin(x), x, "sin", x);
        same(GpuFloat::tan(x), x, "tan", x);
        same(GpuFloat::cos(x), 1.0, "cos", x);
        same(x.j0(), 1.0, "j0", x);
        assert_eq!(GpuFloat::cbrt(x).is_sign_negative(), x.is_sign_negative());
        assert_eq!(x.j1().is_sign_negative(), x.is_sign_negative());
    }
    for x in [0.0_f64, -0.0] {
        same(GpuFloat::cbrt(x), x, "cbrt", x);
        assert_eq!([x.y0(), x.y1(), x.yn(2)], [f64::NEG_INFINITY; 3]);
        assert_eq!([x.jn(2), x.jn(3), x.jn(0)], [0.0, 0.0, 1.0]);
    }
    assert!(
        [-1.0, -5e-324]
            .iter()
            .all(|x: &f64| x.y0().is_nan() && x.yn(3).is_nan())
    );
    assert!(GpuFloat::acosh(-46.0_f32).is_nan() && GpuFloat::acosh(0.5_f64).is_nan());
    assert_eq!(GpuFloat::cbrt(-27.0_f64), -3.0);
    // overflow, and orders so high that the result vanishes
    assert_eq!(1e-200_f64.yn(3), f64::NEG_INFINITY);
    assert_eq!([1e-200_f64.jn(3), 1.0.jn(i32::MAX)], [0.0; 2]);
    // the double with the smallest relative distance to a multiple of π/2
    let worst = 6_381_956_970_095_103.0 * 2_f64.powi(797);
    assert_eq!(GpuFloat::cos(worst), -4.687_165_924_254_628e-19);
}
