"""Runs a module that the crate `stablehlo` has written, with its inputs in shards.

    python run.py FOLDER NAME [--devices 8] [--expected FILE.npy]
    python run.py FOLDER NAME --devices 4 --processes 2 --process 0 --coordinator localhost:1234
    python run.py FOLDER NAME --devices 4 --processes 2 --process 1 --coordinator localhost:1234

The module is FOLDER/NAME.mlir, its arguments are FOLDER/ARGUMENT.npy. Arguments whose first axis can
be shared out evenly among all devices are; the others are on each device. A process reads the rows
of its own devices and no others. Each result is written to FOLDER/NAME.RESULT.npy by the first
process; with `--expected`, the first result is compared with that file.
"""

import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("name")
parser.add_argument("--devices", type=int, default=8, help="devices of this process")
parser.add_argument("--processes", type=int, default=1)
parser.add_argument("--process", type=int, default=0)
parser.add_argument("--coordinator")
parser.add_argument("--expected")
options = parser.parse_args()

# Before JAX is there: devices of the CPU are threads, on other machines they are what is there.
flag = f"--xla_force_host_platform_device_count={options.devices}"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}"

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from module import Module, load

if options.processes > 1:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(options.coordinator, options.processes, options.process)

mesh = Mesh(np.array(jax.devices()), ("rows",))
module = Module(open(f"{options.folder}/{options.name}.mlir").read())


def shard(name, aval):
    """An argument, by rows if they can be shared out."""
    rows = aval.ndim > 0 and aval.shape[0] % mesh.size == 0
    sharding = NamedSharding(mesh, PartitionSpec("rows") if rows else PartitionSpec())
    # A map of the file, of which each device takes its rows.
    file = load(f"{options.folder}/{name}.npy", aval, mode="r")
    return jax.make_array_from_callback(aval.shape, sharding, lambda index: file[index])


failed = False
arguments = [shard(name, aval) for name, aval in zip(module.names, module.inputs)]
results = jax.jit(module.function())(*arguments)
for name, result in zip(module.results, results):
    shards = len({str(shard.index) for shard in result.addressable_shards})
    if options.processes > 1:
        whole = multihost_utils.process_allgather(result, tiled=True)
    else:
        whole = np.asarray(result)
    if options.process == 0:
        print(f"{name}: {whole.dtype}{list(whole.shape)}, {shards} parts here, {mesh.size} devices")
        np.save(f"{options.folder}/{options.name}.{name}.npy", whole)
        if options.expected and name == module.results[0]:
            expected = np.load(options.expected)
            off = np.max(np.abs(whole - expected)) / np.max(np.abs(expected))
            same = np.array_equal(whole, expected)
            print(f"{name}: {'the same bits' if same else f'{off:.1e} of the largest element off'}")
            failed = not off < 1e-5

# All processes end together, also where a comparison fails.
if options.processes > 1:
    jax.distributed.shutdown()
if failed:
    raise SystemExit("the results differ")
