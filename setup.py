"""Builds the small C kernels; where there is no compiler the package installs and works without them.

They hold no Python: ctypes opens them. So their names hold no version of Python either, and one wheel serves all.
With ATTAR_KERNELS=required in the environment a kernel that does not compile is an error.
"""

import os
import platform
import runpy
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ENGINE = Path("src/attar/engine")
BUILT = "src/attar/engine/_built.c"
DECODER = [f"src/attar/engine/{name}.c" for name in ("_decoder", "_stored", "_times_stored")]
VERSION = runpy.run_path("src/attar/_version.py")["__version__"]
stamp = runpy.run_path(str(ENGINE / "stamp.py"))["stamp"](VERSION, ENGINE)
sources = sorted(path.as_posix() for ending in "ch" for path in ENGINE.glob(f"_*.{ending}"))
on_x86 = platform.machine().lower() in ("x86_64", "amd64")
on_windows = sys.platform == "win32"
optional = os.environ.get("ATTAR_KERNELS") != "required"
link = ["-Wl,-S", *(["-static"] if on_windows else [])]  # without what a debugger reads, which is five times the rest


class BuildLibraries(build_ext):
    """Libraries for ctypes; on Windows by MinGW, since Microsoft's compiler lacks the vectors of GCC and Clang."""

    def finalize_options(self):
        super().finalize_options()
        if on_windows and self.compiler is None:
            self.compiler = "mingw32"

    def get_ext_filename(self, fullname):
        return os.path.join(*fullname.split(".")) + (".pyd" if on_windows else ".so")

    def get_export_symbols(self, ext):
        return ext.export_symbols

    def get_libraries(self, ext):
        return ext.libraries


class OneWheelForAllPythons(bdist_wheel):
    """py3-none-PLATFORM."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


kernels = Extension(
    "attar.engine._kernels",
    sources=sorted({path for path in sources if path.endswith(".c")} - set(DECODER)),
    depends=sources,  # all, for all are in the stamp
    define_macros=[("ATTAR_BUILT_FROM", f'"{stamp}"')],
    # Loaded only where the machine has these (attar.engine.library); files for wider vectors ask for them themselves.
    extra_compile_args=["-O3", "-ffp-contract=off", *(["-mavx2", "-mfma"] if on_x86 else [])],
    extra_link_args=link,
    libraries=["m"] if on_windows else ["m", "pthread"],
    optional=optional,
)
decoder = Extension(
    "attar.engine._decoder",
    sources=[*DECODER, BUILT],
    depends=sources,
    define_macros=[("ATTAR_BUILT_FROM", f'"{stamp}"')],
    # Likewise (attar.engine.decoder_library); wider vectors are asked for function by function.
    extra_compile_args=["-O3", "-ffp-contract=off", *(["-mavx2", "-mfma", "-mf16c"] if on_x86 else [])],
    extra_link_args=link,
    libraries=["m"],
    optional=optional,
)
setup(ext_modules=[kernels, decoder], cmdclass={"build_ext": BuildLibraries, "bdist_wheel": OneWheelForAllPythons})
