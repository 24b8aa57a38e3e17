"""Who does the work: processes of this machine, or a Ray cluster. Jobs know only `Executor`."""

from __future__ import annotations

from attar.corpus.executors.executor import Done, Executor, Failed, Outcome
from attar.errors import InputError, unknown_name

__all__ = ["NAMES", "Done", "Executor", "Failed", "Outcome", "open_executor"]

NAMES = ("local", "ray")


def open_executor(name: str, *, workers: int | None = None, address: str | None = None) -> Executor:
    """By name. `workers`: how many local processes, or Ray tasks at once; `address`: of a running Ray cluster."""
    if name == "local":
        if address is not None:
            raise InputError(f"the address {address!r} is of a Ray cluster; the executor is 'local', choose 'ray'")
        from attar.corpus.executors.local import LocalProcesses

        return LocalProcesses(workers)
    if name == "ray":
        from attar.corpus.executors.ray import RayTasks

        return RayTasks(address, workers)
    raise unknown_name("executor", name, NAMES)
