"""Imports that a command can do without: half of the time that a short one takes.

scikit-learn imports scipy.stats for functions that few commands call, and pandas, where it is installed, to know its
version. The first is loaded when something of it is first used; the second isn't there while scikit-learn looks.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_LOADS = ("__all__", "__path__", "__version__")  # names of this kind that are used; others are asked of any module
_loading = threading.RLock()


class _LateModule(ModuleType):
    """Stands in for a module until an attribute is asked for; then has all of the module's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in _LOADS:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        with _loading:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            module = import_module(self.__name__)
            self.__dict__.update(module.__dict__)
        return getattr(module, name)


def load_late(name: str) -> None:
    """Importing this module costs nothing from now on; the first use of it loads it.

    Only for a program's own process: other code may rely on a module being there once it is imported.

    Parameters
    ----------
    name : str
        A module that is installed, or nothing happens; nor does anything if it is loaded already. One that is part of
        another (scipy.stats) must be an attribute of it that is looked for when it is used, as scipy's are. Code that
        imports a part of it (`import NAME.part`) before it uses the module itself would load that part twice.
    """
    if name in sys.modules or (spec := _spec_of(name)) is None:
        return
    late = _LateModule(name)
    late.__spec__, late.__file__, late.__loader__ = spec, spec.origin, spec.loader
    sys.modules[name] = late


def _spec_of(name: str) -> ModuleSpec | None:
    """Where it is; the module that it is part of is not imported for that."""
    parent, _, _ = name.rpartition(".")
    if not parent:
        return find_spec(name)
    whole = _spec_of(parent)
    return None if whole is None else PathFinder.find_spec(name, whole.submodule_search_locations)


class _HiddenFrom(MetaPathFinder):
    """Says that a module is not installed, while another one is being imported."""

    def __init__(self, importer: str, name: str) -> None:
        self._importer, self._name = importer, name

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname == self._name and _is_being_imported(self._importer):
            raise ModuleNotFoundError(f"{fullname!r} is hidden from {self._importer!r}", name=fullname)


def _is_being_imported(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))


def hide_from(importer: str, name: str) -> None:
    """A module that another one imports only where it is installed is not there for it, unless it is loaded already.

    Only for a program's own process. For all others, and once the importer is loaded, nothing changes.

    Parameters
    ----------
    importer : str
        The module that would import it.
    name : str
        The module that it can do without.
    """
    sys.meta_path.insert(0, _HiddenFrom(importer, name))
