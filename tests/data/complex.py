"""Writes complex.csv: `python complex.py > complex.csv`, with mpmath."""

import random
import struct
from mpmath import mp, mpc, mpf
import mpmath as m

# So many that nothing that cancels is missed: the exponents of an f64 lie within 2^1075 of 1.
mp.prec = 3500
# A zero with a sign is a number so small that nothing but its sign counts.
ZERO = mpf(2) ** -20000


def power(z, w):
    return m.exp(w * m.log(z))


FUNCTIONS = {
    "exp": m.exp,
    "exp2": lambda z: m.exp(z * m.log(2)),
    "exp_m1": lambda z: m.exp(z) - 1,
    "ln": m.log,
    "ln_1p": lambda z: m.log(1 + z),
    "log2": lambda z: m.log(z) / m.log(2),
    "log10": lambda z: m.log(z) / m.log(10),
    "logistic": lambda z: 1 / (1 + m.exp(-z)),
    "sqrt": m.sqrt,
    "rsqrt": lambda z: 1 / m.sqrt(z),
    "cbrt": lambda z: m.exp(m.log(z) / 3),
    "sin": m.sin,
    "cos": m.cos,
    "tan": m.tan,
    "asin": lambda z: -1j * arsinh(1j * z),
    "acos": lambda z: m.pi / 2 + 1j * arsinh(1j * z),
    "atan": lambda z: -1j * artanh(1j * z),
    "sinh": lambda z: (m.exp(z) - m.exp(-z)) / 2,
    "cosh": lambda z: (m.exp(z) + m.exp(-z)) / 2,
    "tanh": lambda z: tanh(z),
    "asinh": lambda z: arsinh(z),
    "acosh": lambda z: arcosh(z),
    "atanh": lambda z: artanh(z),
    "recip": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
    "div": lambda z, w: z / w,
    "pow": power,
}


def tanh(z):
    # By the power that does not overflow.
    e = m.exp(-2 * z if z.real > 0 else 2 * z)
    return (1 - e) / (1 + e) if z.real > 0 else (e - 1) / (1 + e)


# The definitions of Kahan, "Branch cuts for complex elementary functions", 1987.
def arsinh(z):
    # Odd; on the right nothing cancels.
    return m.log(z + m.sqrt(1 + z * z)) if z.real > 0 else -m.log(-z + m.sqrt(1 + z * z))


def arcosh(z):
    return 2 * m.log(m.sqrt((z + 1) / 2) + m.sqrt((z - 1) / 2))


def artanh(z):
    return (m.log(1 + z) - m.log(1 - z)) / 2


TYPES = {
    # Name, letters and bytes for `struct`, digits, least and largest exponent.
    "c64": ("f", "I", 4, 24, -149, 127),
    "c128": ("d", "Q", 8, 53, -1074, 1023),
}


def bits(dtype, x):
    """The bits of the nearest number, ties to even."""
    _, letter, size, digits, least, largest = TYPES[dtype]
    width, fraction = 8 * size, digits - 1
    sign = 1 if x < 0 else 0
    x = abs(x)
    if x < mpf(2) ** (least - 2):
        return sign << (width - 1)
    exponent = m.frexp(x)[1]
    unit = max(exponent - digits, least)
    whole = int(m.nint(m.ldexp(x, -unit)))
    # Carries go up by themselves: below the normal numbers, and from one exponent to the next.
    magnitude = whole if unit == least else whole + ((unit - least) << fraction)
    infinity = (largest * 2 + 1) << fraction
    return (sign << (width - 1)) | min(magnitude, infinity)


def value(dtype, raw):
    letter, of, size, *_ = TYPES[dtype]
    x = struct.unpack("<" + letter, struct.pack("<" + of, raw))[0]
    negative = raw >> (8 * size - 1)
    return mpf(x) if x else (-ZERO if negative else ZERO)


def hexadecimal(dtype, raw):
    return "%0*x" % (2 * TYPES[dtype][2], raw)


def grid(dtype):
    digits, least, largest = TYPES[dtype][3:]
    unit = mpf(2) ** (1 - digits)
    tiny, huge = mpf(2) ** (least + 1), mpf(2) ** (largest - 1) * 1.9
    if dtype == "c64":
        return [0, tiny, mpf("1e-5"), mpf("0.3"), 1, m.pi / 2, mpf("89.2"), huge]
    parts = [0, tiny, mpf("1e-200"), mpf("1e-10"), mpf("0.3"), 1 - unit, 1, m.pi / 2]
    return parts + [mpf("709.9"), mpf(800), m.sqrt(huge), huge]


def operands(dtype, arity, count):
    parts = grid(dtype)
    points = [(x, y) for x in parts for y in parts]
    for scale in [1, 1, 4, 30]:
        points += [(random.gauss(0, scale), random.gauss(0, scale)) for _ in range(count)]
    # Near where functions are 0 or infinite.
    special = [(1, 0), (-1, 0), (0, 1), (m.pi / 2, 0), (m.pi, 0)]
    special += [(0, k * m.pi / 2) for k in (1, 2, 4)]
    for x, y in special:
        points += [(x + random.gauss(0, s), y + random.gauss(0, s)) for s in [1e-2, 1e-5]]
    signed = lambda x: bits(dtype, random.choice([-1, 1]) * mpf(x or ZERO))
    rows = [[signed(x) for x in point] for point in points]
    if arity == 1:
        return rows
    return [a + b for a, b in zip(random.sample(rows, len(rows)), random.sample(rows, len(rows)))]


def main():
    random.seed(1)
    print("# function,dtype,re,im,..,re,im: the bits of the operands and of the nearest result.")
    print("# Written by complex.py. The sign of a zero in a result says nothing.")
    for name, function in FUNCTIONS.items():
        for dtype in TYPES:
            arity = 2 if name in ("div", "pow") else 1
            for row in operands(dtype, arity, 12 if dtype == "c128" else 6):
                x = [value(dtype, raw) for raw in row]
                z = [mpc(x[i], x[i + 1]) for i in range(0, len(x), 2)]
                if any(abs(w) < 2 * ZERO for w in z):
                    continue
                if name == "pow" and abs(z[1] * m.log(z[0])) > 700:
                    continue
                # An angle of so many turns has no digits left.
                if name == "exp2" and abs(z[0].imag) > 2**40:
                    continue
                w = function(*z)
                # What a zero stands for is small, but not where something infinite is beside it.
                zeros = any(abs(part) == ZERO for part in x)
                if zeros and (abs(w) > 5000 or not m.isfinite(w)) and abs(w) > abs(z[0]) ** 2:
                    continue
                out = [bits(dtype, part) for part in (w.real, w.imag)]
                print(",".join([name, dtype] + [hexadecimal(dtype, raw) for raw in row + out]))


main()
