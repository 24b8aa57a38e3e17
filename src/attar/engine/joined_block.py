"""A block of BERT-like models as one call of the compiled library (_block.c)."""

from __future__ import annotations

from ctypes import Structure, addressof, c_double, c_int64, c_void_p

import numpy as np

from attar.engine.compiled import CompiledKernels, PackedProduct, address
from attar.engine.kernels import Activate, Block, InPlace, Kernels, Steps
from attar.engine.library import Abilities
from attar.engine.threads import members
from attar.types import Floats, Ints


class _Dense(Structure):
    _fields_ = (("packed", c_void_p), ("bias", c_void_p), ("kind", c_int64), ("n", c_int64), ("k", c_int64))


class _Norm(Structure):
    _fields_ = (("gain", c_void_p), ("offset", c_void_p), ("epsilon", c_double))


class _Block(Structure):
    _fields_ = (
        *((name, _Dense) for name in ("qkv", "mix", "widen", "narrow")),
        *((name, _Norm) for name in ("middle", "last")),
        *((name, c_int64) for name in ("heads", "wide", "relu")),
        ("scale", c_double),
    )


def joined(kernels: Kernels, steps: Steps) -> Block | None:
    """All steps in one call, with the same numbers to the last bit; None where one of them is not in the library."""
    products = [steps.qkv, steps.mix, steps.widen, steps.narrow]
    biases = [steps.qkv_bias, steps.mix_bias, steps.wide_bias, steps.narrow_bias]
    if not isinstance(kernels, CompiledKernels):
        return None
    relu = _is_relu(kernels, steps.activate)
    weights = [product.weight for product in products if isinstance(product, PackedProduct)]
    d = len(steps.mix_bias)
    if relu is None or len(weights) < len(products) or d // steps.heads % kernels.HEAD:
        return None
    dense = [
        _Dense(weight.address, address(bias), weight.kind.number, weight.n_out, weight.n_in)
        for weight, bias in zip(weights, biases, strict=True)
    ]
    norms = [_Norm(address(n.gain), address(n.offset), n.epsilon) for n in (steps.attention_norm, steps.output_norm)]
    block = _Block(*dense, *norms, steps.heads, Abilities.WIDE in kernels.abilities, relu, steps.scale)
    at, width, call = addressof(block), max(4 * d, len(steps.wide_bias)) + d, kernels.functions.attar_block

    def run(x: Floats, lengths: Ints, _held: object = (block, steps)) -> Floats:
        x = np.ascontiguousarray(x, dtype=np.float32)
        n_threads = members()
        each = kernels.attention_scratch(lengths, d // steps.heads)
        work = np.empty(len(x) * width + each * min(n_threads, steps.heads), dtype=np.float32)
        out = np.empty((len(x), d), dtype=np.float32)
        call(at, address(x), len(x), address(lengths), len(lengths), address(work), each, address(out), n_threads)
        return out

    return run


def _is_relu(kernels: CompiledKernels, activate: Activate) -> bool | None:
    """None where it is neither of the two that the library has."""
    step = activate.step if isinstance(activate, InPlace) else None
    return True if step == kernels.bias_relu else False if step == kernels.bias_gelu else None
