"""Reference values and polynomial coefficients for src/link.rs (Python 3, mpmath).

    python3 link.py > link.csv          the table tests/link.rs reads
    python3 link.py coefficients        the two polynomials of src/link.rs

A row of the table is z and then the correctly rounded softplus, mean, variance, skew and parabola
curvature at z, each as the hexadecimal bits of the double.
"""

import random
import struct
import sys

from mpmath import atanh, cos, exp, linspace, ln, log1p, lu_solve, matrix, mp, mpf, pi, tanh

mp.prec = 2400  # 1 - mean(z) must survive down to the smallest subnormal


def bits(x):
    """Bits of the double nearest to x, ties to even, subnormals included."""
    sign, x = (1 << 63, -x) if x < 0 else (0, x)
    if x == 0:
        return sign
    exponent = max(mp.frexp(x)[1] - 53, -1074)  # of the last place
    scaled = mp.ldexp(x, -exponent)
    whole = int(mp.floor(scaled))
    rest = scaled - whole
    if rest > 0.5 or (rest == 0.5 and whole % 2 == 1):
        whole += 1
    # A carry into the next binade is a carry into the exponent field, which is what is wanted.
    return sign + whole + ((exponent + 1074) << 52)


def values(z):
    """softplus, mean, variance, skew, curvature at the double z."""
    z = mpf(z)
    softplus = log1p(exp(z)) if z < 1500 else z
    if abs(z) > 1500:  # below every subnormal; spares a huge exponential
        e = mpf(0)
    else:
        e = exp(-abs(z))
    mean = (1 if z > 0 else e) / (1 + e)
    variance = e / (1 + e) ** 2
    t = tanh(z / 2) if abs(z) < 1500 else mp.sign(z)
    skew = -variance * t
    curvature = t / (2 * z) if z != 0 else mpf(1) / 4
    if z < -1500:
        softplus = mpf(0)
    return softplus, mean, variance, skew, curvature


def points():
    rng = random.Random(20240)
    magnitudes = [5e-324, 1e-320, 2.5e-310, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-100, 1e-30, 1e-17, 1e-16]
    magnitudes += [2.0**-53, 2.0**-27, 2.0**-26, 0.5, 1.0, 0.34657359027997264, 0.6931471805599453, 0.8813735870195430]
    magnitudes += [1.0397207708399179, 1.3169578969248166, 2.0, 36.7, 37.5, 50.0, 100.0, 300.0, 600.0]
    magnitudes += [1e3, 1e5, 1e10, 1e100, 1e200, 1e300, 2.3e307, 8.9e307, 1e308, 1.7976931348623157e308]
    magnitudes += [10 ** rng.uniform(-8, 1.6) for _ in range(120)]
    magnitudes += [rng.uniform(0, 4) for _ in range(60)]
    magnitudes += [rng.uniform(0, 40) for _ in range(60)]
    magnitudes += [rng.uniform(695, 747) for _ in range(50)]
    magnitudes += [708.0, 708.3964185322641, 709.78, 740.0, 744.4400719213812, 745.0, 745.13, 745.1332191019411, 745.1332191019412]
    return [0.0] + [s * m for m in sorted(magnitudes) for s in (-1.0, 1.0)]


def table():
    print("z,softplus,mean,variance,skew,curvature")
    for z in points():
        row = [struct.unpack("<Q", struct.pack("<d", z))[0]] + [bits(v) for v in values(z)]
        print(",".join("%016x" % b for b in row))


def remez(f, weight, a, b, terms):
    """Polynomial p with `terms` coefficients that minimises max |p - f| * weight on [a, b]."""
    x = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / terms) for i in range(terms + 1)]
    grid = linspace(a, b, 4001)
    for _ in range(12):
        m, rhs = matrix(terms + 1), matrix(terms + 1, 1)
        for i, xi in enumerate(x):
            for j in range(terms):
                m[i, j] = xi**j
            m[i, terms] = (-1) ** i / weight(xi)
            rhs[i] = f(xi)
        c = list(lu_solve(m, rhs))[:terms]
        error = [(mp.polyval(c[::-1], g) - f(g)) * weight(g) for g in grid]
        peaks, best = [], 0
        for i in range(1, len(grid)):  # the largest error of each run of equal sign
            if mp.sign(error[i]) == mp.sign(error[best]):
                best = i if abs(error[i]) > abs(error[best]) else best
            else:
                peaks.append(best)
                best = i
        peaks.append(best)
        if len(peaks) != terms + 1:
            break
        x = [grid[i] for i in peaks]
    return c, max(abs(e) for e in error)


def coefficients():
    mp.prec = 200
    tiny = mpf(2) ** -40  # the functions below are 0/0 at 0
    half_ln2 = ln(2) / 2 * mpf("1.0001")

    def exp_rest(r):
        r = r if abs(r) > tiny else tiny
        return (exp(r) - 1 - r - r * r / 2) / r**3

    c, error = remez(exp_rest, lambda r: abs(r) ** 3 + mpf(2) ** -70, -half_ln2, half_ln2, 9)
    print("exp(r) = 1 + r + r^2/2 + r^3 Q(r), error 2^%.1f" % mp.log(error, 2))
    print(*[repr(float(v)) for v in c], sep="\n")

    s_max = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)

    def log_rest(w):
        s = mp.sqrt(w if w > tiny else tiny)
        return (2 * atanh(s) - 2 * s) / s**3

    c, error = remez(log_rest, lambda w: w / 2 + mpf(2) ** -70, mpf(0), s_max**2 * mpf("1.0001"), 7)
    print("2 atanh(s) = 2 s + s^3 L(s^2), error relative to 2 s 2^%.1f" % mp.log(error, 2))
    print(*[repr(float(v)) for v in c], sep="\n")


if __name__ == "__main__":
    coefficients() if "coefficients" in sys.argv[1:] else table()
