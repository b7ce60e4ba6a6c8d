"""Modules of StableHLO as functions of JAX."""

import re

import jax
import ml_dtypes
import numpy as np
from jax import export
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# Without this, f64 and i64 are not there.
jax.config.update("jax_enable_x64", True)

DTYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}


def aval(type_):
    """The shape and the dtype of a type such as `tensor<2x3xf32>`."""
    *shape, element = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", type_).groups()
    shape = tuple(int(extent) for extent in shape[0].split("x")[:-1])
    return jax.core.ShapedArray(shape, np.dtype(DTYPES[element]))


class Module:
    """A module, made a portable artifact of the version that its first line names."""

    def __init__(self, text):
        self.version = re.match(r"// StableHLO ([\d.]+); results: (.*)", text).group(1)
        self.results = re.match(r"// StableHLO [\d.]+; results: (.*)", text).group(1).split(", ")
        signature = re.search(r"@main\((.*)\) -> \((.*)\) \{", text)
        parameters = re.findall(r"%(\w+): (tensor<[\w<>]*>)(?:, |$)", signature.group(1))
        self.names = [name for name, _ in parameters]
        self.inputs = [aval(type_) for _, type_ in parameters]
        self.outputs = [aval(type_) for type_ in signature.group(2).split(", ")]
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            self.artifact = stablehlo.serialize_portable_artifact(module, self.version)

    def function(self):
        """The module as a function of arrays that JAX can compile, for any placement of them."""
        _, in_tree = jax.tree.flatten((tuple(self.inputs), {}))
        _, out_tree = jax.tree.flatten(tuple(self.outputs))
        return export.Exported(
            fun_name="main",
            in_tree=in_tree,
            in_avals=tuple(self.inputs),
            out_tree=out_tree,
            out_avals=tuple(self.outputs),
            in_shardings_hlo=(None,) * len(self.inputs),
            out_shardings_hlo=(None,) * len(self.outputs),
            **({"_has_named_shardings": False, "_in_named_shardings": (None,) * len(self.inputs),
                "_out_named_shardings": (None,) * len(self.outputs)}
               if "_has_named_shardings" in export.Exported.__dataclass_fields__ else {}),
            nr_devices=1,
            platforms=(jax.default_backend(),),
            ordered_effects=(),
            unordered_effects=(),
            disabled_safety_checks=(),
            mlir_module_serialized=self.artifact,
            calling_convention_version=export.maximum_supported_calling_convention_version,
            module_kept_var_idx=tuple(range(len(self.inputs))),
            uses_global_constants=False,
            _get_vjp=None,
        ).call


def load(path, aval, mode=None):
    """An array of a file, with the dtype that the module has for it."""
    array = np.load(path, mmap_mode=mode, allow_pickle=False)
    # `.npy` has no name for bf16: it has two bytes without a type.
    return array if array.dtype == aval.dtype else array.view(aval.dtype)
