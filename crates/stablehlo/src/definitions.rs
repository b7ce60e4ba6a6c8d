//! Definitions that lowerings of rows use, in the language of rows (`lower.rs`); those that take
//! more than a line.

/// Names and expressions.
pub const DEFINITIONS: &[(&str, &str)] = &[
    (
        "real_sinh",
        "x = abs(a); m = exp_m1(x); e = exp(mul(0.5, x)); small = mul(0.5, add(m, div(m, add(m, \
         1)))); large = sub(mul(mul(0.5, e), e), div(div(0.5, e), e)); mul(sign(a), \
         select(less(x, 1), small, large))",
    ),
    ("real_cosh", "e = exp(mul(0.5, abs(a))); add(mul(mul(0.5, e), e), div(div(0.5, e), e))"),
    (
        "complex_sinh",
        "x = real(a); y = imag(a); complex(mul(real_sinh(x), cos(y)), mul(real_cosh(x), \
         sin(y)))",
    ),
    (
        "complex_cosh",
        "x = real(a); y = imag(a); complex(mul(real_cosh(x), cos(y)), mul(real_sinh(x), \
         sin(y)))",
    ),
    (
        "real_asinh",
        "x = abs(a); s = mul(x, x); small = ln_1p(add(x, div(s, add(1, sqrt(add(s, 1)))))); \
         large = add(ln(x), 0.6931471805599453); mul(sign(a), select(greater(x, 1e8), large, \
         small))",
    ),
    (
        "real_acosh",
        "t = sub(a, 1); small = ln_1p(add(t, sqrt(mul(t, add(t, 2))))); large = add(ln(a), \
         0.6931471805599453); select(less(a, 1), nan, select(greater(a, 1e8), large, small))",
    ),
    // W. Kahan, "Branch cuts for complex elementary functions", 1987; also the next ones.
    (
        "complex_asin",
        "u = sqrt(complex(sub(1, real(a)), neg(imag(a)))); v = sqrt(complex(add(1, real(a)), \
         imag(a))); complex(atan2(real(a), real(mul(u, v))), real_asinh(imag(mul(conj(u), v))))",
    ),
    (
        "complex_acos",
        "u = sqrt(complex(sub(1, real(a)), neg(imag(a)))); v = sqrt(complex(add(1, real(a)), \
         imag(a))); complex(mul(2, atan2(real(u), real(v))), real_asinh(imag(mul(conj(v), u))))",
    ),
    ("complex_atan", "w = atanh(complex(neg(imag(a)), real(a))); complex(imag(w), neg(real(w)))"),
    (
        "complex_asinh",
        "w = complex_asin(complex(neg(imag(a)), real(a))); complex(imag(w), neg(real(w)))",
    ),
    (
        "complex_acosh",
        "u = sqrt(complex(sub(real(a), 1), imag(a))); v = sqrt(complex(add(1, real(a)), \
         imag(a))); complex(real_asinh(real(mul(conj(u), v))), mul(2, atan2(imag(u), real(v))))",
    ),
    // `erfc(a)` for `a` from 0.5 to 30, by a polynomial that interpolates
    // e^(x^2) erfc(x) (1 + 2 x) at Chebyshev points.
    // The square is taken of the first half of the digits, where it is exact. `exp(x) exp(y)` XLA
    // would make `exp(x + y)` of, which loses what was gained.
    (
        "erfc_tail",
        "h = high(a); e = exp(neg(mul(h, h))); l = exp_m1(mul(sub(h, a), add(h, a))); t = \
         div(sub(a, 3), add(a, 3)); p = poly(t, 1.2530080582697296, -0.1356211061245812, \
         -0.047562294353450496, 0.1296451587027634, -0.11927366341532572, 0.0683080273438833, \
         -0.023770514918157806, 0.002529391817552179, 0.0018886903510899969, \
         -0.0007798322846590539, -0.00010515971626489475, 0.00012509941237594626, \
         4.948943786805977e-06, -2.0100715791105476e-05, -7.292876999762722e-07, \
         3.4724711090926475e-06, 3.5101399848877397e-07, -6.159468634902547e-07, \
         -1.3201758821647692e-07, 9.989886614802436e-08, 3.24265040990743e-08, \
         -1.107171868522712e-08, -3.7085775001234704e-09); div(mul(add(e, mul(e, l)), p), \
         add(1, mul(2, a)))",
    ),
    // Below 1, a polynomial that interpolates erf(x) / x at Chebyshev points.
    (
        "real_erf",
        "x = minimum(abs(a), 30); near = mul(a, poly(mul(a, a), 1.1283791670955126, \
         -0.37612638903183543, 0.11283791670945006, -0.02686617064323777, \
         0.0052239776071164225, -0.0008548325975389692, 0.00012055294904839707, \
         -1.492473690741966e-05, 1.6447424703317362e-06, -1.6208483801871705e-07, \
         1.3720064546777686e-08, -7.795898827002142e-10)); select(less(x, 1), near, \
         mul(sign(a), sub(1, erfc_tail(x))))",
    ),
    (
        "real_erfc",
        "x = minimum(abs(a), 30); tail = erfc_tail(x); far = select(less(a, 0), sub(2, tail), \
         tail); near = sub(1, real_erf(a)); select(is_nan(a), a, select(less(x, 0.5), near, \
         far))",
    ),
    // The sum of Lanczos' approximation of gamma(z + 1), for g = 7.
    (
        "lanczos",
        "z = a; add(add(add(add(add(add(add(add(0.9999999999998099, div(676.5203681218851, \
         add(z, 1))), div(-1259.1392167224028, add(z, 2))), div(771.3234287776531, add(z, 3))), \
         div(-176.6150291621406, add(z, 4))), div(12.507343278686905, add(z, 5))), \
         div(-0.13857109526572012, add(z, 6))), div(9.984369578019572e-6, add(z, 7))), \
         div(1.5056327351493116e-7, add(z, 8)))",
    ),
    (
        "sin_pi",
        "n = round_nearest_even(a); odd = sub(n, mul(2, floor(mul(0.5, n)))); mul(sub(1, mul(2, \
         odd)), sin(mul(pi, sub(a, n))))",
    ),
    (
        "real_gamma",
        "z = select(less(a, 0.5), neg(a), sub(a, 1)); t = add(z, 7.5); p = pow(mul(t, \
         0.36787944117144233), mul(0.5, add(z, 0.5))); g = mul(0.0022857491179850424, \
         lanczos(z)); below = div(div(div(pi, mul(sin_pi(a), g)), p), p); pole = \
         select(equal(a, 0), div(1, a), nan); value = select(less(a, 0.5), below, mul(mul(g, \
         p), p)); select(and(less_equal(a, 0), equal(floor(a), a)), pole, value)",
    ),
    (
        "real_lgamma",
        "z = select(less(a, 0.5), neg(a), sub(a, 1)); t = add(z, 7.5); g = add(mul(add(z, 0.5), \
         sub(ln(t), 1)), ln(mul(0.0022857491179850424, lanczos(z)))); below = \
         sub(ln(abs(div(pi, sin_pi(a)))), g); pole = and(less_equal(a, 0), equal(floor(a), a)); \
         select(or(is_infinite(a), pole), inf, select(less(a, 0.5), below, g))",
    ),
    (
        "real_next_after",
        "n = bits(a); least = or(and(bits(b), highest_bit), 1); up = equal(less(a, b), \
         greater(a, 0)); next = select(up, add(n, 1), sub(n, 1)); away = \
         of_bits(select(equal(a, 0), least, next), a); select(or(is_nan(a), is_nan(b)), nan, \
         select(equal(a, b), b, away))",
    ),
    // For a negative exponent -1 has a power, which is -1 or 1.
    (
        "integer_power",
        "odd = equal(and(b, 1), 1); select(and(less(b, 0), equal(a, -1)), select(odd, -1, 1), \
         select(less(b, 0), power(a, b), wrapping_power(a, b)))",
    ),
    (
        "complex_log2",
        "l = ln(a); complex(div(real(l), 0.6931471805599453), div(imag(l), 0.6931471805599453))",
    ),
    (
        "complex_log10",
        "l = ln(a); complex(div(real(l), 2.302585092994046), div(imag(l), 2.302585092994046))",
    ),
    (
        "real_gelu_tanh",
        "mul(a, logistic(mul(1.5957691216057308, add(a, mul(0.044715, mul(a, mul(a, a)))))))",
    ),
    (
        "complex_exp2",
        "exp(complex(mul(real(a), 0.6931471805599453), mul(imag(a), 0.6931471805599453)))",
    ),
    (
        "complex_cbrt",
        "l = ln(a); r = exp(complex(div(real(l), 3), div(imag(l), 3))); select(equal(a, 0), a, \
         r)",
    ),
];
