#!/usr/bin/env python3
"""Writes `references.txt`: arguments of functions and the results, by MPFR with hundreds of bits.

A line is the name of a function; below it are lines of the bits of one argument (or of two), of the result rounded to an `f64`, and of
what the result has beside that, in 1/256 of its last place. Needs gmpy2.
"""
import math
import random
import struct
from pathlib import Path

import gmpy2
from gmpy2 import mpfr

# the greatest number times 2/π takes 1024 bits before the point, and 53 + 62 more where it is near a whole number
gmpy2.set_context(gmpy2.context(precision=1400, emax=1 << 40, emin=-(1 << 40)))
random.seed(20)
GREATEST = 1.7976931348623157e308
LEAST = 5e-324


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def of_bits(n):
    return struct.unpack("<d", struct.pack("<Q", n))[0]


def sized(count, low=-1074, high=1023):
    """Numbers of all exponents."""
    step = (high - low) / count
    for i in range(count):
        exponent = int(low + i * step)
        yield math.ldexp(random.uniform(1, 2), exponent) * random.choice((-1, 1))


def around(count, low, high):
    return [random.uniform(low, high) for _ in range(count)]


def near_quarters(count):
    """For each exponent the multiple of a number near π/2 that is nearest to a float: by the continued fraction of π / 2 over a power of 2."""
    found = []
    for exponent in range(-50, 971):
        # significand * 2^exponent = k π / 2
        ratio = gmpy2.const_pi() / 2 / gmpy2.exp2(exponent)
        p0, q0, p1, q1 = 1, 0, int(gmpy2.floor(ratio)), 1
        rest = ratio - p1
        best = None
        while p1 < 1 << 53:
            if p1 >= 1 << 52:
                best = p1
            rest = 1 / rest
            whole = int(gmpy2.floor(rest))
            rest -= whole
            p0, q0, p1, q1 = p1, q1, whole * p1 + p0, whole * q1 + q0
        if best:
            x = math.ldexp(best, exponent)
            found.append((abs(gmpy2.sin(2 * mpfr(x))), x))
    found.sort()
    return [x for _, x in found[:count]]


ZERO = [1e-300, 1e-20, 1e-9, 7.45e-9, 7.46e-9, 1e-5, LEAST, -LEAST, 2.2250738585072014e-308]
WORST = 6381956970095103.0 * 2.0**797
QUARTERS = near_quarters(60)
TRIG = (
    [*ZERO, WORST, -WORST, GREATEST, 1647000.0, 1646999.9999999998, 1e22, 0.5, math.pi / 4, -math.pi / 4]
    + QUARTERS
    + [k * math.pi / 2 for k in [*range(1, 40), *random.sample(range(40, 1 << 22), 40)]]
    + list(sized(110))
    + around(60, -math.pi / 4, math.pi / 4)
    + around(40, -100, 100)
    + around(20, -3e6, 3e6)
    # where the errors of the polynomials are the greatest
    + around(90, 0.6, 0.8)
    + around(40, -1e5, 1e5)
)
ALL = [LEAST, -LEAST, GREATEST, 2.2250738585072014e-308, *sized(90)]
UNIT = [1 - 2.0**-53, -1 + 2.0**-53, 0.5, -0.5, *sized(30, -60, -1), *around(50, -1, 1)]
POSITIVE = [abs(x) for x in ALL] + around(30, 0.5, 2) + [1 + 2.0**-52, 1 - 2.0**-53, 1 + 1e-9]
MORE = [*sized(30, -60, 5), *around(40, -3, 3)]
BESSEL = [abs(x) for x in sized(60)] + around(60, 0, 8) + around(40, 6, 60) + [2.0, 6.0, 2 - 2.0**-52, 6 - 2.0**-51, GREATEST, WORST]
PAIRS = list(zip(sized(60), sized(60))) + [(x, x * random.uniform(-2, 2)) for x in sized(30, -900, 900)]

ONE = {
    "sin": (gmpy2.sin, TRIG),
    "cos": (gmpy2.cos, TRIG),
    "tan": (gmpy2.tan, TRIG),
    "asin": (gmpy2.asin, UNIT),
    "acos": (gmpy2.acos, UNIT),
    "atan": (gmpy2.atan, ALL + MORE),
    "exp": (gmpy2.exp, [*sized(40, -60, 8), *around(60, -745, 709.7), 709.782712893384, -745.1332191019411]),
    "exp2": (gmpy2.exp2, [*sized(40, -60, 8), *around(60, -1074, 1023.9), 1023.9999999999999, -1074.0]),
    "exp_m1": (gmpy2.expm1, [*sized(40, -300, 5), *around(40, -40, 709), *around(20, -1, 1)]),
    "ln": (gmpy2.log, POSITIVE),
    "log2": (gmpy2.log2, POSITIVE),
    "log10": (gmpy2.log10, POSITIVE),
    "ln_1p": (gmpy2.log1p, [x for x in ALL if x > -1] + UNIT),
    "cbrt": (gmpy2.cbrt, ALL + around(60, 1, 8)),
    "sinh": (gmpy2.sinh, [*sized(30, -300, 8), *around(50, -710, 710), *around(20, -2, 2)]),
    "cosh": (gmpy2.cosh, [*sized(30, -30, 8), *around(50, -710, 710), *around(20, -2, 2)]),
    "tanh": (gmpy2.tanh, [*sized(30, -300, 4), *around(50, -20, 20), *around(20, -2, 2)]),
    "asinh": (gmpy2.asinh, ALL + MORE),
    "acosh": (gmpy2.acosh, [abs(x) for x in sized(40, 0, 1023)] + around(40, 1, 3) + [1 + 2.0**-52]),
    "atanh": (gmpy2.atanh, UNIT),
    "error_function": (gmpy2.erf, [*sized(30, -300, 2), *around(50, -6, 6)]),
    "complementary_error_function": (gmpy2.erfc, [*sized(30, -60, 2), *around(50, -6, 26)]),
    "gamma": (gmpy2.gamma, [*around(40, 0.01, 20), *around(30, 20, 171), *around(30, -20, 0)]),
    "log_gamma": (lambda x: gmpy2.log(abs(gmpy2.gamma(x))), [*around(60, 0.01, 20), *[abs(x) for x in sized(20, -60, 12)]]),
    "j0": (gmpy2.j0, BESSEL),
    "j1": (gmpy2.j1, BESSEL),
    "y0": (gmpy2.y0, BESSEL),
    "y1": (gmpy2.y1, BESSEL),
}
TWO = {
    "powf": (lambda x, y: mpfr(x) ** mpfr(y), [(random.uniform(0, 10), random.uniform(-300, 300)) for _ in range(100)]),
    "atan2": (lambda x, y: gmpy2.atan2(mpfr(x), mpfr(y)), PAIRS),
    "hypot": (lambda x, y: gmpy2.hypot(mpfr(x), mpfr(y)), PAIRS),
}
# the phase of a Bessel function of a great number takes all the bits, of others these do
PRECISION = {name: 1400 for name in ("sin", "cos", "tan", "j0", "j1", "y0", "y1")}


def line(arguments, result):
    rounded = round_to_double(result)
    if math.isinf(rounded) or rounded == 0:
        return None
    place = gmpy2.exp2(max(gmpy2.get_exp(mpfr(rounded)) - 53, -1074))
    beside = int(gmpy2.rint((result - mpfr(rounded)) / place * 256))
    return " ".join([*(f"{bits(x):x}" for x in arguments), f"{bits(rounded):x}", str(beside)])


def round_to_double(x):
    if x == 0:
        return 0.0
    place = max(gmpy2.get_exp(x) - 53, -1074)
    scaled = gmpy2.rint(x / gmpy2.exp2(place))
    try:
        return math.ldexp(int(scaled), place)
    except OverflowError:
        return math.inf


def main():
    out = []
    for name, (f, arguments) in [*ONE.items(), *TWO.items()]:
        gmpy2.get_context().precision = PRECISION.get(name, 300)
        out.append(name)
        for x in arguments:
            x = x if isinstance(x, tuple) else (x,)
            result = f(*map(mpfr, x))
            if gmpy2.is_finite(result) and result != 0:
                out.append(line(x, result))
    text = "\n".join(row for row in out if row) + "\n"
    Path(__file__).with_name("references.txt").write_text(text)
    print(len(text), "bytes")


main()
