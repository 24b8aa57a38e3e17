"""Every public class and function says what it takes, what it returns and what it raises."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

PUBLIC = [
    "attar",
    "attar.corpus",
    "attar.exports",
    "attar.recipe",
    "attar.scores",
    "attar.shapers",
    "attar.sweep",
    "attar.tasks",
    "attar.weights",
]
ALSO = [
    "attar.embedder.open_embedder",
    "attar.encoders.average.average_tokens",
    "attar.encoders.cached.Cached",
    "attar.encoders.opening.open_encoder",
    "attar.evaluation.evaluate",
    "attar.exports.mteb.Model",
    "attar.pipeline.Pipeline",
    "attar.pipeline.fit_pipeline",
    "attar.tokens.sentences.sentences",
    "attar.types.Encoder",
]


def public_objects() -> dict[str, Any]:
    found = {}
    for module in PUBLIC:
        room = import_module(module)
        for name in room.__all__:
            found[f"{module}.{name}"] = getattr(room, name)
    for path in ALSO:
        module, _, name = path.rpartition(".")
        found[path] = getattr(import_module(module), name)
    return {path: thing for path, thing in found.items() if inspect.isfunction(thing) or inspect.isclass(thing)}


OBJECTS = public_objects()
CLASSES = {path: thing for path, thing in OBJECTS.items() if inspect.isclass(thing)}
FUNCTIONS = {path: thing for path, thing in OBJECTS.items() if inspect.isfunction(thing)}


def parameters(function: Any) -> list[str]:
    names = list(inspect.signature(function).parameters)
    return [name for name in names if name not in ("self", "cls")]


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods that Attar defines for a class; those of scikit-learn and dataclasses are not ours."""
    for name in dir(cls):
        if name.startswith("_"):
            continue
        for owner in cls.__mro__:
            if name in vars(owner):
                member = inspect.getattr_static(owner, name)
                function = getattr(member, "__func__", member)
                if owner.__module__.startswith("attar") and inspect.isfunction(function):
                    yield name, inherited_doc(cls, name, function)
                break


def inherited_doc(cls: type, name: str, function: Any) -> Any:
    """The nearest documented definition of a method, as `inspect.getdoc` and API references find it."""
    for owner in cls.__mro__:
        member = vars(owner).get(name)
        candidate = getattr(member, "__func__", member)
        if getattr(candidate, "__doc__", None):
            return candidate
    return function


def has_section(doc: str, title: str) -> bool:
    return f"{title}\n{'-' * len(title)}\n" in doc


def missing_sections(path: str, function: Any) -> list[str]:
    doc = inspect.cleandoc(function.__doc__ or "")
    missing = [] if doc else [f"{path}: no docstring"]
    if parameters(function) and not has_section(doc, "Parameters"):
        missing.append(f"{path}: no Parameters")
    else:
        undescribed = [name for name in parameters(function) if not documents(doc, name)]
        missing += [f"{path}: parameter {name} is not described" for name in undescribed]
    returns = inspect.signature(function).return_annotation
    if returns not in ("None", None, "NoReturn", inspect.Signature.empty) and parameters(function):
        title = "Yields" if str(returns).startswith(("Iterator", "Generator")) else "Returns"
        if not has_section(doc, title):
            missing.append(f"{path}: no {title}")
    if "raise " in inspect.getsource(function) and not has_section(doc, "Raises"):
        missing.append(f"{path}: no Raises")
    return missing


def documents(doc: str, name: str) -> bool:
    """Whether a line of the form `name : type` or `name, other : type` is there."""
    heads = (line.partition(" :")[0] for line in doc.splitlines() if " :" in line or line.isidentifier())
    return any(name in [one.strip().lstrip("*") for one in head.split(",")] for head in heads)


@pytest.mark.parametrize("path", FUNCTIONS)
def test_public_functions_are_documented(path):
    assert missing_sections(path, FUNCTIONS[path]) == []


@pytest.mark.parametrize("path", CLASSES)
def test_public_classes_are_documented(path):
    cls = CLASSES[path]
    doc = inspect.cleandoc(cls.__doc__ or "")
    assert doc, f"{path} has no docstring"
    takes = [] if "Protocol" in str(cls.__mro__[1:2]) or issubclass(cls, BaseException) else parameters(cls.__init__)
    takes = [name for name in takes if name not in ("args", "kwargs")]
    if takes:
        assert has_section(doc, "Parameters"), f"{path} has no section Parameters"
    assert [name for name in takes if not documents(doc, name)] == []


@pytest.mark.parametrize("path", CLASSES)
def test_public_methods_are_documented(path):
    missing = [line for name, method in methods(CLASSES[path]) for line in missing_sections(f"{path}.{name}", method)]
    assert missing == []


def test_the_check_can_fail():
    def undocumented(texts: list[str]) -> int:
        raise ValueError(texts)

    def half(texts: list[str], size: int) -> Iterator[str]:
        """Chunks.

        Parameters
        ----------
        texts : list of str
            The texts.
        """
        yield from texts

    assert len(missing_sections("undocumented", undocumented)) == 4
    assert missing_sections("half", half) == ["half: parameter size is not described", "half: no Yields"]
