"""The other side of the oracle: `oracle.py FOLDER COUNT` runs FOLDER/N/main.mlir for each N on the
arguments beside it, and writes the elements of the result to FOLDER/N/got.bin, or what XLA says
against it to error.txt."""

import glob
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

jax.config.update("jax_enable_x64", True)

BACKEND = jax.devices("cpu")[0].client
DEVICES = xla_client.DeviceList(tuple(BACKEND.local_devices()[:1]))


def load(path, element):
    array = np.load(path)
    # `.npy` has no name for bf16.
    return array.view(ml_dtypes.bfloat16) if element == "bf16" else array


def run(folder):
    text = open(f"{folder}/main.mlir").read()
    version = text.split()[2].rstrip(";")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        # To the pinned version and back: what it does not have is refused here.
        artifact = stablehlo.serialize_portable_artifact(module, version)
        module = stablehlo.deserialize_portable_artifact(mlir.make_ir_context(), artifact)
        main = module.body.operations[0]
        types = [str(type_.element_type) for type_ in main.type.inputs]
    executable = BACKEND.compile_and_load(
        mlir.module_to_bytecode(module), DEVICES, xla_client.CompileOptions()
    )
    args = [jax.device_put(load(f"{folder}/arg{n}.npy", element)) for n, element in enumerate(types)]
    results = executable.execute_sharded(args).disassemble_into_single_device_arrays()
    return np.asarray(results[0][0])


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    for number in range(count):
        at = f"{folder}/{number}"
        for old in glob.glob(f"{at}/got.bin") + glob.glob(f"{at}/error.txt"):
            os.remove(old)
        try:
            with open(f"{at}/got.bin.part", "wb") as file:
                file.write(run(at).tobytes())
            os.rename(f"{at}/got.bin.part", f"{at}/got.bin")
        except Exception as error:
            with open(f"{at}/error.txt", "w") as file:
                file.write(" ".join(str(error).split())[:300])


main()
