"""The board's peers in Python: NumPy, numexpr, JAX and PyTorch, whichever can be imported.

Runs as `python -c SCRIPT THREADS`. Requests come in on standard input, one JSON object on each line, and are answered on standard
output in the same way:

    {"load": workload}   makes the operands, checks each peer's answer, replies {"peers": [..]} or {"wrong": sentence}
    {"round": true}      replies {peer: milliseconds}, one sample of each
    {"unload": true}     frees the operands, replies {}

A workload is an expression over named operands, in Python's syntax with a few functions: sqrt, exp, log, tanh, sin, erf, where, u8 (a cast),
permute, flip (of all axes); for new results sum, amax, argmax, var, softmax, cumsum (of an array and one axis or several) and matmul;
and, by NumPy alone, load and load_mapped (of a path), uniform and normal (of a number of elements). Each peer computes it in the best way it has: NumPy and PyTorch step by step into memory that exists, numexpr and JAX as a
whole. A peer that cannot compute a workload is left out of it.
"""

import ast
import gc
import json
import math
import os
import sys
import time

THREADS = int(sys.argv[1])
for variable in ("OMP", "MKL", "OPENBLAS", "NUMEXPR"):
    os.environ[variable + "_NUM_THREADS"] = str(THREADS)
os.environ["NUMEXPR_MAX_THREADS"] = str(THREADS)
os.environ["JAX_PLATFORMS"] = "cpu"
if hasattr(os, "sched_setaffinity"):
    # XLA has no setting of its own: it starts a thread for each processor it may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])

# What packages print goes to standard error.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


special = optional("scipy.special")
if special:
    special = special.special
np, numexpr, jax, torch = optional("numpy"), optional("numexpr"), optional("jax"), optional("torch")
if jax:
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
if torch:
    torch.set_num_threads(THREADS)

# A sample of something quick covers this many seconds, in several calls.
SAMPLE = 1e-3

# Functions of one operand that all peers have under the same name.
FUNCTIONS = ["sqrt", "exp", "log", "tanh", "sin"]



def numpy_softmax(x, axis):
    x = np.exp(x - x.max(axis, keepdims=True))
    x /= x.sum(axis, keepdims=True)
    return x


# Functions that have no memory to compute into.
REDUCTIONS = {}
if np:
    REDUCTIONS["numpy"] = {name: getattr(np, name) for name in ["sum", "amax", "argmax", "var", "cumsum", "matmul"]}
    REDUCTIONS["numpy"]["softmax"] = numpy_softmax
if jax:
    REDUCTIONS["jax"] = {name: getattr(jnp, name) for name in ["sum", "argmax", "var", "cumsum", "matmul"]}
    REDUCTIONS["jax"].update(amax=jnp.max, softmax=jax.nn.softmax)
if torch:
    REDUCTIONS["torch"] = {name: getattr(torch, name) for name in ["sum", "amax", "argmax", "cumsum", "softmax", "matmul"]}
    REDUCTIONS["torch"]["var"] = lambda x, axis: torch.var(x, axis, correction=0)

OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Gt: "gt"}


def operand(spec):
    """The values of `data.rs`, by the same formula."""
    index = np.arange(math.prod(spec["shape"]), dtype=np.uint32)
    index *= np.uint32(2654435761)
    index += np.uint32(spec["seed"] * 40503)
    level = (index >> np.uint32(16)) % np.uint32(spec["levels"])
    dtype = np.dtype(spec["dtype"])
    value = level.astype(dtype)
    if dtype.kind == "f":
        value += dtype.type(1)
        value *= dtype.type(0.25)
    elif dtype.kind == "i":
        value -= dtype.type(32)
    return value.reshape(spec["shape"])


def is_leaf(node):
    """Whether a node is an operand, a constant, or an operand looked at in another way."""
    if isinstance(node, ast.UnaryOp):
        return is_leaf(node.operand)
    views = isinstance(node, ast.Call) and node.func.id in ("permute", "flip")
    return views or isinstance(node, (ast.Name, ast.Constant, ast.Subscript))


def parts(node):
    """The name and the arguments of an operation."""
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)], [node.left, node.right]
    if isinstance(node, ast.Compare):
        return OPERATORS[type(node.ops[0])], [node.left, node.comparators[0]]
    return node.func.id, node.args


def function(lines, namespace):
    """A function of these lines, so that nothing but the peer's own calls is timed."""
    exec("def run():\n" + "".join("    %s\n" % line for line in lines), namespace)
    return namespace["run"]


def steps(tree, call, namespace, out):
    """An expression as calls into memory that exists: the result's for steps that have its shape, buffers of their own for others."""
    lines, buffers = [], {"out": out}
    texts_of = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.BinOp, ast.Call))]
    done = {}

    def emit(node, first):
        text = ast.unparse(node)
        if is_leaf(node):
            return text
        if text in done:
            return done[text]
        name, args = parts(node)
        texts = [emit(arg, first and position == 0) for position, arg in enumerate(args)]
        buffer = "out"
        if node is not tree:
            like = eval(text, namespace)
            # What is used again is kept.
            again = texts_of.count(text) > 1
            if again or not (first and like.shape == out.shape and like.dtype == out.dtype):
                buffer = "buffer%d" % len(buffers)
                buffers[buffer] = np.empty(like.shape, like.dtype)
            if again:
                done[text] = buffer
        lines.append(call(name, texts, buffer))
        return buffer

    emit(tree, True)
    return lines + ["return out"], buffers


def with_numpy(tree, operands, out, into):
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "gt": "greater"}
    for name in FUNCTIONS:
        names[name] = name

    def call(name, args, buffer):
        if name == "erf":
            return "special.erf(%s, out=%s)" % (args[0], buffer)
        return "np.%s(%s, out=%s, casting='unsafe')" % (names[name], ", ".join(args), buffer)

    namespace = {
        "np": np,
        "special": special,
        **{name: getattr(np, name) for name in FUNCTIONS},
        **({"erf": special.erf} if special else {}),
        "where": np.where,
        "u8": lambda x: x.astype(np.uint8),
        "permute": np.transpose,
        "flip": np.flip,
        **REDUCTIONS["numpy"],
        **operands,
    }
    random = np.random.default_rng(1)
    namespace.update(
        load=np.load,
        load_mapped=lambda path: np.load(path, mmap_mode="r"),
        uniform=lambda n: random.random(n, dtype=np.float32),
        normal=lambda n: random.standard_normal(n, dtype=np.float32),
    )
    root = tree.func.id if isinstance(tree, ast.Call) else None
    # `where` has no `out`; two masked copies into it are slower.
    if not into or root == "where":
        return function(["return " + ast.unparse(tree)], namespace)
    if root == "u8":
        # The operation inside converts as it stores.
        tree = tree.args[0]
    lines, buffers = steps(tree, call, namespace, out)
    return function(lines, {**namespace, **buffers})


def with_torch(tree, operands, out, into):
    def call(name, args, buffer):
        if name == "u8":
            return "%s.copy_(%s)" % (buffer, args[0])
        return "torch.%s(%s, out=%s)" % (name, ", ".join(args), buffer)

    namespace = {
        "torch": torch,
        **{name: getattr(torch, name) for name in FUNCTIONS},
        "erf": torch.erf,
        "where": torch.where,
        "u8": lambda x: x.to(torch.uint8),
        "permute": torch.permute,
        "flip": lambda x: torch.flip(x, tuple(range(x.dim()))),
        **REDUCTIONS["torch"],
        **{name: torch.from_numpy(value) for name, value in operands.items()},
    }
    if not into:
        return function(["return " + ast.unparse(tree)], namespace)
    like = {**{name: getattr(np, name) for name in FUNCTIONS}, "erf": np.abs, "permute": np.transpose, "flip": np.flip, **operands}
    lines, buffers = steps(tree, call, like, out)
    return function(lines, {**namespace, **{name: torch.from_numpy(buffer) for name, buffer in buffers.items()}})


def with_numexpr(tree, operands, out, into):
    names = dict(operands)

    class Names(ast.NodeTransformer):
        """Views and constants as operands: numexpr knows names only, and would take a constant for a double."""

        def visit(self, node):
            if isinstance(node, ast.Call) and node.func.id == "u8":
                return self.visit(node.args[0])
            if not is_leaf(node):
                return self.generic_visit(node)
            if not isinstance(node, ast.Name):
                value = eval(ast.unparse(node), {"permute": np.transpose, "flip": np.flip, **operands})
                if isinstance(node, ast.Constant):
                    value = next(iter(operands.values())).dtype.type(value)
                name = "leaf%d" % len(names)
                names[name] = value
                return ast.Name(name, ast.Load())
            return node

    text = ast.unparse(Names().visit(ast.parse(ast.unparse(tree), mode="eval")).body)
    if into:
        numexpr.evaluate(text, local_dict=names, out=out, casting="unsafe")
    else:
        numexpr.evaluate(text, local_dict=names)
    return lambda: numexpr.re_evaluate(local_dict=names)


def with_jax(tree, operands, out, into):
    namespace = {
        **{name: getattr(jnp, name) for name in FUNCTIONS},
        "erf": jax.scipy.special.erf,
        "where": jnp.where,
        "u8": lambda x: x.astype(jnp.uint8),
        "permute": jnp.transpose,
        "flip": jnp.flip,
        **REDUCTIONS["jax"],
    }
    arguments = [jax.device_put(value) for value in operands.values()]
    text = "lambda %s: %s" % (", ".join(operands), ast.unparse(tree))
    compute = eval(text, namespace)
    if not into:
        compiled = jax.jit(compute)
        return lambda: compiled(*arguments).block_until_ready()
    # The memory of the last result is given away for the next one.
    compiled = jax.jit(lambda given, *rest: compute(*rest), donate_argnums=0, keep_unused=True)
    memory = [jnp.zeros(out.shape, out.dtype)]

    def run():
        memory[0] = compiled(memory[0], *arguments).block_until_ready()
        return memory[0]

    return run


PEERS = [
    ("numpy", np, with_numpy),
    ("numexpr", numexpr, with_numexpr),
    ("jax", jax, with_jax),
    ("torch", torch, with_torch),
]


def load(workload):
    """What each peer runs, and how many calls make a sample; or the first wrong answer."""
    tree = ast.parse(workload["expr"], mode="eval").body
    operands = {spec["name"]: operand(spec) for spec in workload["inputs"]}
    into = workload["mode"] == "into"
    out = np.zeros(workload["out"]["shape"], workload["out"]["dtype"]) if into else None
    index = np.array(workload["check"]["index"])
    want = np.array(workload["check"]["value"])
    loaded = {}
    for name, package, build in PEERS:
        if package is None:
            continue
        try:
            run = build(tree, operands, out, into)
            if into:
                out.fill(0)
            got = np.asarray(run()).reshape(-1)[index].astype(np.float64)
        except Exception as error:
            print("%s: not by %s: %s" % (workload["expr"], name, error), file=sys.stderr)
            continue
        off = np.abs(got - want) > workload["check"]["tolerance"] * (np.abs(want) + 1.0)
        if off.any() or np.isnan(got).any():
            at = int(np.argmax(off | np.isnan(got)))
            return None, "%s: element %d is %s instead of %s" % (name, index[at], got[at], want[at])
        loaded[name] = (run, calls_per_sample(run))
    return loaded, None


def timed(run, calls):
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return time.perf_counter() - start


def calls_per_sample(run):
    calls = 1
    while True:
        took = timed(run, calls)
        if took >= SAMPLE:
            return calls
        calls = math.ceil(calls * min(10.0, max(1.2, SAMPLE / max(took, 1e-9))))


def sample(run, calls):
    if calls > 1:
        run()
    return timed(run, calls) / calls * 1e3


def answer(value):
    print(json.dumps(value), file=ANSWERS, flush=True)


def main():
    versions = {name: package.__version__ for name, package, _ in PEERS if package} if np else {}
    answer({"versions": versions})
    loaded = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "round" in request:
            answer({name: sample(*peer) for name, peer in loaded.items()})
            continue
        loaded = {}
        gc.collect()
        if "load" in request and np:
            loaded, wrong = load(request["load"])
            loaded = loaded or {}
            answer({"wrong": wrong} if wrong else {"peers": list(loaded)})
        else:
            answer({})


main()
