"""Compares the functions with NumPy, and times them against it and against numexpr."""

import time

import numpy as np
import zerostride_python as zs

rng = np.random.default_rng(1)
x = rng.standard_normal((2000, 500))
mean, scale = x.mean(axis=0), 1 / x.std(axis=0)

layouts = {
    "rows": x,
    "columns": np.asfortranarray(x),
    "stepped": np.repeat(x, 2, axis=0)[::2],
    "backwards": x[::-1, ::-1][::-1, ::-1],
}
for name, a in layouts.items():
    np.testing.assert_allclose(zs.standardise(a, mean, scale), (x - mean) * scale, err_msg=name)
    np.testing.assert_allclose(zs.distances(a, mean), ((x - mean) ** 2).sum(axis=1), err_msg=name)
    inside = a.copy(order="K")
    zs.squash(inside, 0.5)
    np.testing.assert_allclose(inside, np.tanh(0.5 * a), err_msg=name)

view = x.copy()[:, ::-1]
before = view.copy()
zs.squash(view, 2.0)
np.testing.assert_allclose(view, np.tanh(2 * before))

try:
    zs.standardise(x, mean[:-1], scale)
    raise SystemExit("shapes that do not fit were taken")
except ValueError as error:
    assert "499" in str(error), error


def median(work, times=15):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return sorted(taken)[times // 2] * 1e3


print("standardise, 2000 x 500 of float64, median of 15 in ms:")
print(f"  zerostride {median(lambda: zs.standardise(x, mean, scale)):8.3f}")
print(f"  NumPy      {median(lambda: (x - mean) * scale):8.3f}")
try:
    import numexpr as ne

    print(f"  numexpr    {median(lambda: ne.evaluate('(x - mean) * scale')):8.3f}")
except ImportError:
    print("  numexpr    not installed")
print("all equal to NumPy's")
