"""Answers questions on standard input with NumPy: one line each, tab-separated.

expression, type of the result, `type:shape:strides:offset:hex` of a and of b, axes of the result
that b lies along, axes, axis, parameter. The answer is `shape:hex`, or `error`.
"""
import sys
import numpy as np

np.seterr(all="ignore")
TYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8", "u8": "u1", "bool": "?", "usize": "<i8"}


def numbers(text):
    return tuple(int(n) for n in text.split(",")) if text else ()


def array(text):
    of, shape, strides, offset, data = text.split(":")
    memory = np.frombuffer(bytes.fromhex(data), TYPES[of])
    size = memory.itemsize
    return np.lib.stride_tricks.as_strided(
        memory[int(offset):], numbers(shape), [n * size for n in numbers(strides)])


def along(b, dims, ndim):
    shape = [1] * ndim
    for own, dim in enumerate(dims):
        shape[dim] = b.shape[own]
    return b.reshape(shape)


def exact(of, values):
    """Python's integers, if they fit."""
    info = np.iinfo(TYPES[of])
    values = np.asarray(values, object)
    if any(not info.min <= value <= info.max for value in values.ravel()):
        raise OverflowError
    return values.astype(TYPES[of])


def softmax(a, axes):
    e = np.exp(a.astype(float) - a.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def log_sum_exp(a, axes):
    a = a.astype(float)
    top = a.max(axis=axes, keepdims=True)
    return np.log(np.exp(a - top).sum(axis=axes)) + top.reshape(np.sum(a, axis=axes).shape)


def quotient(a, b):
    """Towards zero, as machines divide integers."""
    sign = np.sign(a.astype(object)) * np.sign(b.astype(object))
    return sign * (abs(a.astype(object)) // abs(b.astype(object)))


compiled = {}
for line in sys.stdin:
    text, of, a, b, dims, axes, axis, p = line.rstrip("\n").split("\t")
    try:
        a = array(a)
        b = array(b) if b else None
        if b is not None and dims != "matrix":
            b = along(b, numbers(dims), a.ndim)
        if text not in compiled:
            compiled[text] = compile(text, text, "eval")
        names = {"a": a, "b": b, "axes": numbers(axes), "axis": int(axis), "p": float(p),
                 "np": np, "exact": exact, "softmax": softmax, "log_sum_exp": log_sum_exp,
                 "quotient": quotient, "of": of}
        result = np.asarray(eval(compiled[text], names)).astype(TYPES[of])
        print(",".join(map(str, result.shape)) + ":" + np.ascontiguousarray(result).tobytes().hex())
        sys.stdout.flush()
    except (OverflowError, ValueError, ZeroDivisionError, IndexError):
        print("error", flush=True)
