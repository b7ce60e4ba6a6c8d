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

# DLPack, both ways: by strides, without copies, and freed once.
for name, a in layouts.items():
    np.testing.assert_allclose(zs.total(a), x.sum(), err_msg=name)
for wrong in (x.astype(np.int32), x[0]):
    try:
        zs.total(wrong)
        raise SystemExit(f"{wrong.dtype} of rank {wrong.ndim} was taken")
    except ValueError:
        pass
given = zs.numbers(3, 4)
numbers = np.from_dlpack(given)
assert numbers.shape == (4, 3) and numbers.strides == (8, 32), numbers.strides
np.testing.assert_array_equal(numbers, (np.arange(3)[:, None] * 10.0 + np.arange(4)).T)
assert zs.total(numbers) == numbers.sum()
try:
    np.from_dlpack(given)
    raise SystemExit("a tensor was given away twice")
except TypeError:
    pass
for _ in range(1000):
    zs.numbers(3, 4).__dlpack__()                      # nobody takes the tensor out
    zs.numbers(3, 4).__dlpack__(max_version=(1, 0))
del numbers


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
