"""An address where Ray is not is told soon, whoever else may be there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Thread
from types import SimpleNamespace

import pytest

from attar.corpus.executors import ray
from attar.errors import InputError


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        yield made


def address_of(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_somebody_silent(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "PATIENCE", 0.2)
    with pytest.raises(InputError, match=r"no Ray cluster at '127\.0\.0\.1:\d+': timed out; start one"):
        ray._check_reachable(address_of(listener))


@pytest.mark.parametrize(
    ("answer", "sound"), [(b"HTTP/1.1 400 Bad Request", False), (bytes([0, 0, 0, 4, *[0] * 5]), True)]
)
def test_somebody_who_answers(listener: socket.socket, answer: bytes, sound: bool) -> None:
    def serve() -> None:
        there, _ = listener.accept()
        with there:
            there.recv(len(ray.GREETING), socket.MSG_WAITALL)
            there.sendall(answer)

    server = Thread(target=serve)
    server.start()
    try:
        if sound:
            ray._check_reachable(address_of(listener))
        else:
            with pytest.raises(InputError, match="which is not gRPC"):
                ray._check_reachable(address_of(listener))
    finally:
        server.join()


@pytest.mark.parametrize(
    ("workers", "given"),
    [
        (None, {"address": "local", "num_cpus": None, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}),
        (2, {"address": "local", "num_cpus": 2, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}),
    ],
)
def test_without_an_address_a_cluster_of_its_own_is_started(
    monkeypatch: pytest.MonkeyPatch, workers: int | None, given: dict[str, object]
) -> None:
    asked: dict[str, object] = {}
    fake = SimpleNamespace(
        is_initialized=lambda: False, init=lambda **options: asked.update(options), remote=lambda **_: lambda work: work
    )
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "_ray", lambda: fake)
    ray.RayTasks(workers=workers)
    assert asked.items() >= given.items()
