"""Builds the small C kernels; where there is no compiler the package installs and works without them."""

import platform
from glob import glob

from setuptools import Extension, setup

DECODER = [f"src/attar/engine/{name}.c" for name in ("_decoder", "_stored", "_times_stored")]
on_x86 = platform.machine().lower() in ("x86_64", "amd64")
kernels = Extension(
    "attar.engine._kernels",
    sources=sorted(set(glob("src/attar/engine/_*.c")) - set(DECODER)),
    depends=sorted(glob("src/attar/engine/_*.h")),
    # Loaded only where the machine has these (attar.engine.library); files for wider vectors ask for them themselves.
    extra_compile_args=["-O3", "-ffp-contract=off", *(["-mavx2", "-mfma"] if on_x86 else [])],
    libraries=["m", "pthread"],
    optional=True,
)
decoder = Extension(
    "attar.engine._decoder",
    sources=DECODER,
    depends=[f"src/attar/engine/{name}.h" for name in ("_vectors", "_arithmetic", "_stored", "_wide")],
    # Likewise (attar.engine.decoder_library); wider vectors are asked for function by function.
    extra_compile_args=["-O3", "-ffp-contract=off", *(["-mavx2", "-mfma", "-mf16c"] if on_x86 else [])],
    libraries=["m"],
    optional=True,
)
setup(ext_modules=[kernels, decoder])
