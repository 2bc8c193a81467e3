//! Intrinsics compared with exact arithmetic in 128-bit integers.

use cuda_std::intrinsics::*;
use std::cmp::Ordering;

/// Returns a generator of pseudorandom numbers.
fn numbers() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// Checks four rounded results. `compare` compares a number with the exact value.
fn directed<T: Copy + PartialOrd + std::fmt::Debug>(
    [down, nearest, up, to_zero]: [T; 4],
    zero: T,
    next_up: impl Fn(T) -> T,
    compare: impl Fn(T) -> Ordering,
    what: &str,
) {
    assert_ne!(compare(down), Ordering::Greater, "{what} {down:?}");
    assert_ne!(compare(up), Ordering::Less, "{what} {up:?}");
    if compare(down) == Ordering::Equal {
        assert!(down == up && down == nearest, "{what}");
    } else {
        assert!(next_up(down) == up, "{what} {down:?} {up:?}");
        assert!(nearest == down || nearest == up, "{what} {nearest:?}");
    }
    assert!(to_zero == if down < zero { up } else { down }, "{what}");
}

#[test]
fn arithmetic_of_f64_is_rounded_in_directions() {
    let mut next = numbers();
    let mut number = || {
        let bits = next() % 40 + 14;
        (next() as i64 >> (64 - bits)) as f64
    };
    for _ in 0..20_000 {
        let (a, b, c) = (number(), number(), number() * 2f64.powi(45));
        let (x, y, z) = (a as i128, b as i128, c as i128);
        // the sum of a number of 98 bits and a small one
        let sums = [dadd_rd(c, a), dadd_rn(c, a), dadd_ru(c, a), dadd_rz(c, a)];
        directed(
            sums,
            0.0,
            f64::next_up,
            |r| (r as i128).cmp(&(z + x)),
            "sum",
        );
        let products = [dmul_rd(a, b), dmul_rn(a, b), dmul_ru(a, b), dmul_rz(a, b)];
        directed(
            products,
            0.0,
            f64::next_up,
            |r| (r as i128).cmp(&(x * y)),
            "product",
        );
        let fused = [
            fma_rd(a, b, c),
            fma_rn(a, b, c),
            fma_ru(a, b, c),
            fma_rz(a, b, c),
        ];
        directed(
            fused,
            0.0,
            f64::next_up,
            |r| (r as i128).cmp(&(x * y + z)),
            "fma",
        );

        // a quotient and a root between 2 and 2²⁴ are integers in units of 2⁻⁵¹
        let (b, a) = ((b as i32 >> 4 | 1) as f64, a);
        let a = (a as i64 >> 3) as f64;
        let quotient = a / b;
        if (2.0..1e7).contains(&quotient.abs()) {
            let unit = |r: f64| (r * 2f64.powi(51)) as i128;
            let exact = ((a as i128) << 51, b as i128);
            let compare = |r: f64| {
                let order = (unit(r) * exact.1).cmp(&exact.0);
                if b < 0.0 { order.reverse() } else { order }
            };
            let quotients = [ddiv_rd(a, b), ddiv_rn(a, b), ddiv_ru(a, b), ddiv_rz(a, b)];
            directed(quotients, 0.0, f64::next_up, compare, "quotient");
        }
        let square = (a.abs() as i64 % (1 << 40) + 4) as f64;
        let compare = |r: f64| {
            let root = (r * 2f64.powi(42)) as u128;
            // in units of 2⁻⁴² the remainder is less than one
            if (root as f64) != r * 2f64.powi(42) {
                return (r * r).total_cmp(&square);
            }
            (root * root).cmp(&((square as u128) << 84))
        };
        if square.sqrt() >= 1024.0 {
            let roots = [
                dsqrt_rd(square),
                dsqrt_rn(square),
                dsqrt_ru(square),
                dsqrt_rz(square),
            ];
            directed(roots, 0.0, f64::next_up, compare, "root");
        }
    }
}

#[test]
fn arithmetic_of_f32_is_rounded_in_directions() {
    let mut next = numbers();
    let mut number = || {
        let exponent = (next() % 24) as u32 + 115;
        f32::from_bits((next() as u32 & 0x807f_ffff) | exponent << 23)
    };
    // numbers of this magnitude are integers in units of 2⁻⁴⁰
    let unit = |x: f32| (f64::from(x) * 2f64.powi(40)) as i128;
    for _ in 0..20_000 {
        let (a, b, c) = (number(), number(), number());
        let (x, y, z) = (unit(a), unit(b), unit(c));
        let sums = [fadd_rd(a, b), fadd_rn(a, b), fadd_ru(a, b), fadd_rz(a, b)];
        directed(sums, 0.0, f32::next_up, |r| unit(r).cmp(&(x + y)), "sum");
        let differences = [fsub_rd(a, b), fsub_rn(a, b), fsub_ru(a, b), fsub_rz(a, b)];
        directed(
            differences,
            0.0,
            f32::next_up,
            |r| unit(r).cmp(&(x - y)),
            "difference",
        );
        let twice = |r: f32| (f64::from(r) * 2f64.powi(80)) as i128;
        let products = [fmul_rd(a, b), fmul_rn(a, b), fmul_ru(a, b), fmul_rz(a, b)];
        directed(
            products,
            0.0,
            f32::next_up,
            |r| twice(r).cmp(&(x * y)),
            "product",
        );
        let fused = [
            fmaf_rd(a, b, c),
            fmaf_rn(a, b, c),
            fmaf_ru(a, b, c),
            fmaf_rz(a, b, c),
        ];
        let exact = x * y + (z << 40);
        directed(fused, 0.0, f32::next_up, |r| twice(r).cmp(&exact), "fma");
        let compare = |r: f32| {
            let order = (f64::from(r) * f64::from(b)).total_cmp(&f64::from(a));
            if b < 0.0 { order.reverse() } else { order }
        };
        let quotients = [fdiv_rd(a, b), fdiv_rn(a, b), fdiv_ru(a, b), fdiv_rz(a, b)];
        directed(quotients, 0.0, f32::next_up, compare, "quotient");
        let compare = |r: f32| {
            let order = (f64::from(r) * f64::from(b)).total_cmp(&1.0);
            if b < 0.0 { order.reverse() } else { order }
        };
        let inverses = [frcp_rd(b), frcp_rn(b), frcp_ru(b), frcp_rz(b)];
        directed(inverses, 0.0, f32::next_up, compare, "reciprocal");
        let a = a.abs();
        let compare = |r: f32| (f64::from(r) * f64::from(r)).total_cmp(&f64::from(a));
        let roots = [fsqrt_rd(a), fsqrt_rn(a), fsqrt_ru(a), fsqrt_rz(a)];
        directed(roots, 0.0, f32::next_up, compare, "root");
    }
}

#[test]
fn overflow_and_underflow_are_rounded() {
    let (max, least) = (f64::MAX, f64::from_bits(1));
    assert_eq!((dadd_rd(max, max), dadd_ru(max, max)), (max, f64::INFINITY));
    assert_eq!((dmul_rz(max, -2.0), dmul_ru(max, -2.0)), (-max, -max));
    assert_eq!(dmul_rd(max, -2.0), f64::NEG_INFINITY);
    assert_eq!(
        (dmul_ru(1e-300, 1e-300), dmul_rd(1e-300, 1e-300)),
        (least, 0.0)
    );
    assert_eq!(
        (dmul_rd(-1e-300, 1e-300), dmul_rz(-1e-300, 1e-300)),
        (-least, 0.0)
    );
    // products just above 2⁻¹⁰⁷⁴, whose rounding error in f64 would be 0
    let (a, b) = (1.5 * 2f64.powi(-500), 1.5 * 2f64.powi(-573));
    assert_eq!((dmul_rd(a, b), dmul_ru(a, b)), (4.0 * least, 5.0 * least));
    assert_eq!((ddiv_rd(least, 3.0), ddiv_ru(least, 3.0)), (0.0, least));
    assert_eq!(ddiv_ru(1.0, f64::INFINITY), 0.0);
    assert_eq!(ddiv_rd(1.0, 0.0), f64::INFINITY);
    assert_eq!(dsqrt_rd(least * 4.0), 2f64.powi(-536));
    assert_eq!(
        (fma_rd(max, 2.0, 0.0), fma_ru(1e-300, 1e-300, 1.0)),
        (max, 1.0 + f64::EPSILON)
    );
    assert_eq!(fadd_rd(1.0, f32::INFINITY), f32::INFINITY);
    assert_eq!(
        (fadd_rz(f32::MAX, f32::MAX), frcp_ru(f32::INFINITY)),
        (f32::MAX, 0.0)
    );
    assert_eq!(fadd_ru(1.0, 1e-30), 1.0 + f32::EPSILON);
    assert!(fmul_rd(0.0, f32::INFINITY).is_nan() && fsqrt_ru(-1.0).is_nan());
    assert_eq!((fsqrt_rd(0.0), fsub_ru(2.0, 2.0)), (0.0, 0.0));
}

#[test]
fn conversions_are_rounded() {
    assert_eq!([2.5_f32, 3.5, -2.5, -0.5].map(float2int_rn), [2, 4, -2, 0]);
    assert_eq!([2.1_f64, -2.1].map(double2int_ru), [3, -2]);
    assert_eq!([2.9_f64, -2.1].map(double2ll_rd), [2, -3]);
    assert_eq!([-2.9_f32, 3e9].map(float2int_rz), [-2, i32::MAX]);
    assert_eq!(
        [-2.9_f32, 3e9, f32::NAN].map(float2uint_rz),
        [0, 3_000_000_000_u32 as i32, 0]
    );
    assert_eq!(float2ull_rn(1.8e19) as u64, 18_000_000_404_716_257_280);
    let mut next = numbers();
    for _ in 0..20_000 {
        let x = next() as i64 >> (next() % 60);
        let exact = i128::from(x);
        let floats = [
            ll2float_rd(x),
            ll2float_rn(x),
            ll2float_ru(x),
            ll2float_rz(x),
        ];
        directed(
            floats,
            0.0,
            f32::next_up,
            |r| (r as i128).cmp(&exact),
            "ll2float",
        );
        let floats = [
            ll2double_rd(x),
            ll2double_rn(x),
            ll2double_ru(x),
            ll2double_rz(x),
        ];
        directed(
            floats,
            0.0,
            f64::next_up,
            |r| (r as i128).cmp(&exact),
            "ll2double",
        );
        let exact = i128::from(x as u32);
        let y = x as i32;
        let floats = [
            uint2float_rd(y),
            uint2float_rn(y),
            uint2float_ru(y),
            uint2float_rz(y),
        ];
        directed(
            floats,
            0.0,
            f32::next_up,
            |r| (r as i128).cmp(&exact),
            "uint2float",
        );
        let d = x as f64 * 1e-9;
        let floats = [
            double2float_rd(d),
            double2float_rn(d),
            double2float_ru(d),
            double2float_rz(d),
        ];
        directed(
            floats,
            0.0,
            f32::next_up,
            |r| f64::from(r).total_cmp(&d),
            "double2float",
        );
    }
    assert_eq!(double2float_rz(1e300), f32::MAX);
    assert_eq!(ull2float_ru(-1), 2f32.powi(64));
    assert_eq!(ull2double_rd(-1), 2f64.powi(64).next_down());
    assert_eq!(
        (int2double_rn(-7), uint2double_rn(-1)),
        (-7.0, 4_294_967_295.0)
    );
}

#[test]
fn operations_on_integers() {
    let mut next = numbers();
    for _ in 0..2000 {
        let (x, y, z) = (next() as i32, next() as i32, next() as i32);
        let (long, other) = (next() as i64, next() as i64);
        let (u, v) = (u64::from(x as u32), u64::from(y as u32));
        assert_eq!(i64::from(mulhi(x, y)), (i64::from(x) * i64::from(y)) >> 32);
        assert_eq!(u64::from(umulhi(x, y) as u32), (u * v) >> 32);
        assert_eq!(
            i128::from(mul64hi(long, other)),
            (i128::from(long) * i128::from(other)) >> 64
        );
        let product = u128::from(long as u64) * u128::from(other as u64);
        assert_eq!(u128::from(umul64hi(long, other) as u64), product >> 64);
        assert_eq!(hadd(x, y) as i64, (x as i64 + y as i64).div_euclid(2));
        assert_eq!(rhadd(x, y) as i64, (x as i64 + y as i64 + 1).div_euclid(2));
        assert_eq!(uhadd(x, y) as u32 as u64, (u + v) / 2);
        assert_eq!(urhadd(x, y) as u32 as u64, (u + v).div_ceil(2));
        assert_eq!(usad(x, y, z), (u.abs_diff(v) as i32).wrapping_add(z));
        assert_eq!(sad(x >> 1, y >> 1, 0), ((x >> 1) - (y >> 1)).abs());
        assert_eq!(umax(x, y) as u32, (x as u32).max(y as u32));
        assert_eq!(
            (umin(x, y), min(x, y), max(x, y)),
            ((u.min(v)) as i32, x.min(y), x.max(y))
        );
        assert_eq!(ullmin(long, other) as u64, (long as u64).min(other as u64));
        assert_eq!(
            (llmax(long, other), llmin(long, other)),
            (long.max(other), long.min(other))
        );
        let bytes: Vec<u8> = [x.to_le_bytes(), y.to_le_bytes()].concat();
        let chosen = [0, 1, 2, 3].map(|i| bytes[(z as u32 >> (4 * i) & 7) as usize]);
        assert_eq!(byte_perm(x, y, z).to_le_bytes(), chosen);
        assert_eq!(popc(x) + popc(!x), 32);
        assert_eq!(popcll(long), brevll(long).count_ones() as i32);
        let d = f64::from_bits(long as u64);
        assert_eq!(
            hiloint2double(double2hiint(d), double2loint(d)).to_bits(),
            long as u64
        );
        assert_eq!(longlong_as_double(double_as_longlong(1.5)), 1.5);
    }
    assert_eq!(
        (mul24(-3, 5), mul24(0x100_0002, 3), umul24(-1, 2)),
        (-15, 6, 0x1ff_fffe)
    );
    assert_eq!(
        (clz(0), clz(1), clzll(1), ffs(0), ffs(8), ffsll(1 << 40)),
        (32, 31, 63, 0, 4, 41)
    );
    assert_eq!((brev(1), abs(-5), llabs(i64::MIN)), (i32::MIN, 5, i64::MIN));
    assert_eq!(
        (float_as_int(1.0), int_as_float(0x4000_0000)),
        (0x3f80_0000, 2.0)
    );
    assert_eq!((float2half_rn(1.0), half2float(0x3c00)), (0x3c00, 1.0));
}

#[test]
fn functions_return_known_values() {
    assert_eq!((exp10f(3.0), exp10(-2.0)), (1000.0, 0.01));
    assert_eq!((fdim(5.0, 3.0), fdimf(3.0, 5.0)), (2.0, 0.0));
    assert_eq!((fmodf(-7.5, 2.0), remainder(7.5, 2.0)), (-1.5, -0.5));
    assert_eq!(
        (logb(0.75), logbf(0.0), logb(f64::INFINITY)),
        (-1.0, f32::NEG_INFINITY, f64::INFINITY)
    );
    assert_eq!((llrint(2.5), llroundf(2.5), ilogb(9.0)), (2, 3, 3));
    assert_eq!(
        (isnanf(f32::NAN), isinfd(1.0), finitef(1.0), signbitd(-0.0)),
        (1, 0, 1, 1)
    );
    assert_eq!(
        (powif(2.0, 10), fmaxf(f32::NAN, 1.0), nextafter(1.0, 2.0)),
        (1024.0, 1.0, 1.0 + f64::EPSILON)
    );
    for x in [-0.999, -0.5, 0.0, 1e-12, 0.3, 0.86, 0.999_999] {
        assert!((erf(erfinv(x)) - x).abs() < 1e-15, "{x} {}", erfinv(x));
    }
    assert!((erfinvf(1e-20) - 8.862_269e-21).abs() < 1e-26);
    let (mut exponent, mut whole, mut quotient) = (0, 0.0, 0);
    let (mut sine, mut cosine) = (0.0, 0.0);
    // SAFETY: the pointers refer to variables.
    unsafe {
        assert_eq!((frexp(12.0, &mut exponent), exponent), (0.75, 4));
        assert_eq!((modf(-3.25, &mut whole), whole), (-0.25, -3.0));
        assert_eq!((remquo(13.0, 4.0, &mut quotient), quotient & 7), (1.0, 3));
        sincospif(0.5, &mut sine, &mut cosine);
    }
    assert_eq!((sine, cosine), (1.0, 0.0));
    assert!(
        (fast_powf(2.0, 3.0) - 8.0).abs() < 1e-4 && (fast_tanf(0.5) - 0.546_302_5).abs() < 1e-6
    );
    assert_eq!(frsqrt_rn(4.0), 0.5);
}
