#!/usr/bin/env python3
"""Writes the polynomials of `src/float/coefficients.rs` to standard output, with the error of each to standard error.

They interpolate the function at Chebyshev's nodes, which is within a bit of the best that a polynomial of the degree can do.
Needs mpmath.
"""
import sys

from mpmath import atan2, besselj, bessely, cbrt, chebyfit, cos, euler, floor, log, mp, mpf, pi, sin, sqrt

mp.prec = 240
PER_LINE = 4


def literal(x):
    """A float as Rust's lints want it: groups of three digits."""
    text = repr(float(x))
    mantissa, _, exponent = text.partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    if float(x) != 0 and not exponent and abs(float(x)) < 0.1:
        digits = mantissa.replace("0.", "", 1)
        zeros = len(digits) - len(digits.lstrip("0"))
        digits = digits[zeros:]
        mantissa, exponent = digits[0] + "." + (digits[1:] or "0"), str(-zeros - 1)
    whole, _, part = mantissa.partition(".")
    part = part or "0"
    groups = "_".join(part[at : at + 3] for at in range(0, len(part), 3))
    out = f"{sign}{whole}.{groups}" + (f"e{int(exponent)}" if exponent else "")
    assert float(out.replace("_", "")) == float(x), (out, x)
    return out


def rows(numbers, indent):
    numbers = [literal(x) for x in numbers]
    lines = [numbers[at : at + PER_LINE] for at in range(0, len(numbers), PER_LINE)]
    return "".join(" " * indent + ", ".join(line) + ",\n" for line in lines)


def fit(f, low, high, count):
    """Coefficients, the highest first, and the greatest error."""
    return chebyfit(f, [mpf(low), mpf(high)], count, error=True)


def table(doc, name, f, low, high, count, weight=lambda top: 1):
    found, error = fit(f, low, high, count)
    print(f"{name}: 2^{float(log(error * weight(mpf(high)), 2)):.1f}", file=sys.stderr)
    print(f"/// {doc}\n#[rustfmt::skip]\npub const {name}: [f64; {count}] = [\n{rows(found, 4)}];")


def near(limit, f):
    """`f` of a positive number, at 0 its limit."""
    return lambda z: limit if z < mpf(10) ** -24 else f(z)


# up to a little more than an eighth of a turn: the phases of Bessel functions are not reduced twice
TURN = (pi / 4 + mpf(1) / 16) ** 2


def circular():
    sine = near(mpf(1) / 120, lambda z: (sin(sqrt(z)) / sqrt(z) - 1 + z / 6) / z**2)
    table("The sine, less `x - x³ / 6`, over `x⁵`, by the square of `x`.", "SINE", sine, 0, TURN, 6, lambda z: z * z)
    cosine = near(mpf(1) / 24, lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2)
    table("The cosine, less `1 - z / 2`, over `z²`, by the square `z`.", "COSINE", cosine, 0, TURN, 6, lambda z: z * z)
    short = (pi / 4 * mpf("1.001")) ** 2
    sine = near(-mpf(1) / 6, lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z)
    table("The sine, less `x`, over `x³`, for 24 bits.", "SHORT_SINE", sine, 0, short, 4, lambda z: z)
    table("As [`COSINE`], for 24 bits.", "SHORT_COSINE", cosine, 0, short, 4, lambda z: z * z)
    words, rest = [], pi / 2
    for bits in (32, 66):
        words.append(floor(rest * 2**bits) / mpf(2) ** bits)
        rest -= words[-1]
    below = pi / 2 - words[0]
    print(f"/// π/2 in words of 33, 33 and 53 bits.\n#[rustfmt::skip]\npub const QUARTER: [f64; 3] = [\n{rows(words + [rest], 4)}];")
    print(f"/// π/2 less the first of them.\npub const QUARTER_BELOW: f64 = {literal(below)};")
    sixth = [-floor(mpf(1) / 6 * 2**31) / 2**31]
    sixth.append(-mpf(1) / 6 - sixth[0])
    print(f"/// -1/6 in two parts, of which the first has 29 bits.\n#[rustfmt::skip]\npub const SIXTH: [f64; 2] = [\n{rows(sixth, 4)}];")


def roots():
    table("`x^(-1/3)` between 1 and 2.", "INVERSE_ROOT", lambda z: 1 / cbrt(z), 1, 2, 4)


def small_bessel():
    """Up to 2, by the square. ln x J(x) 2/π is what makes those of the second kind infinite at 0."""
    four = 4
    j0 = near(mpf(1) / 64, lambda z: (besselj(0, sqrt(z)) - 1 + z / 4) / z**2)
    table("J₀ less `1 - z / 4`, over `z²`, up to 2.", "J0", j0, 0, four, 9, lambda z: z * z)
    j1 = near(-mpf(1) / 16, lambda z: (besselj(1, sqrt(z)) / sqrt(z) - mpf(1) / 2) / z)
    table("J₁ less `x / 2`, over `x³`, up to 2.", "J1", j1, 0, four, 9, lambda z: z)
    y0 = near(2 / pi * (euler - log(2)), lambda z: bessely(0, sqrt(z)) - 2 / pi * log(sqrt(z)) * besselj(0, sqrt(z)))
    table("Y₀ less `2 / π ln x` J₀, up to 2.", "Y0", y0, 0, four, 11)

    def of_y1(z):
        x = sqrt(z)
        return (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x

    y1 = near(2 / pi * (euler - log(2) - mpf(1) / 2) / 2, of_y1)
    table("Y₁ less `2 / π (ln x` J₁ `- 1 / x)`, over `x`, up to 2.", "Y1", y1, 0, four, 11)


def wave(order, x):
    """J and Y are √(2 / πx) (1 + β) times the cosine and the sine of x - (2 order + 1) π / 4 + α / x."""
    j, y = besselj(order, x), bessely(order, x)
    angle = x - (2 * order + 1) * pi / 4
    c, s = cos(angle), sin(angle)
    return atan2(y * c - j * s, j * c + y * s) * x, sqrt((j * j + y * y) * pi * x / 2) - 1


def large_bessel(middle=6, count=20):
    """By 1 / x between 2 and 6 and by 1 / x² beyond, each made a variable from -1 to 1."""
    for part, (name, what) in enumerate((("PHASE", "α"), ("AMPLITUDE", "β"))):
        print(f"/// {what} of orders 0 and 1, between 2 and {middle} and beyond.\n#[rustfmt::skip]")
        print(f"pub static {name}: [[[f64; {count}]; 2]; 2] = [")
        for order in (0, 1):
            limit = ((4 * order * order - 1) / mpf(8), mpf(0))[part]
            low, high = 1 / mpf(middle), mpf(1) / 2
            inner = lambda u: wave(order, 1 / ((low + high) / 2 + (high - low) / 2 * u))[part]
            top = low * low / 2
            outer = lambda u: limit if u < -1 + mpf(10) ** -9 else wave(order, 1 / sqrt(top * (1 + u)))[part]
            print("    [")
            for side, f in (("inner", inner), ("outer", outer)):
                found, error = fit(f, -1, 1, count)
                print(f"{name} {order} {side}: 2^{float(log(error, 2)):.1f}", file=sys.stderr)
                print(f"        [\n{rows(found, 12)}        ],")
            print("    ],")
        print("];")


print("//! Polynomials that the functions of floats are made of, the highest power first. Made by `tests/floats/coefficients.py`, which prints")
print("//! how far each is from its function.\n")
circular()
roots()
small_bessel()
large_bessel()
