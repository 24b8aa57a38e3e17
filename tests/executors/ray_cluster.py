"""A Ray cluster of several nodes on this machine, with a token, made and ended by a test."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RAY = str(Path(sys.executable).with_name("ray"))


class Cluster:
    """A head without CPUs and nodes of one CPU each; every node is a session of its own, ended as such."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))  # short: sockets lie below it
        token = self.folder / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = os.environ | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self.head = self._start("--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false")
        wait_for(self._answers, "the head")
        self.nodes: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def add_node(self) -> subprocess.Popen[bytes]:
        """A node that has its raylet; one that comes too early for the head gives up, and is started again."""
        for _ in range(5):
            node = self._start(f"--address={self.address}", "--num-cpus=1")
            wait_for(lambda node=node: bool(raylets_of([node])) or node.poll() is not None, "a node")
            if node.poll() is None:
                self.nodes.append(node)
                return node
            time.sleep(1)
        raise RuntimeError(f"no node joined the cluster: {(self.folder / 'log').read_text()[-2000:]}")

    def remove_node(self, node: subprocess.Popen[bytes]) -> None:
        self.nodes.remove(node)
        _end(node)

    def workers(self) -> list[int]:
        """Processes that run a task of ours just now."""
        return [pid for node in self.nodes for pid, name in _session(node.pid) if name.startswith("ray::attempt")]

    def close(self) -> None:
        for node in [*self.nodes, self.head]:
            _end(node)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [RAY, "start", "--block", *options, "--object-store-memory=100000000", "--disable-usage-stats"]
        if "--head" in options:
            command += ["--node-ip-address=127.0.0.1", f"--temp-dir={self.folder}"]
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


def raylets_of(nodes: list[subprocess.Popen[bytes]]) -> list[int]:
    return [pid for node in nodes for pid, name in _session(node.pid) if "/raylet/raylet" in name.split(" ")[0]]


def wait_for(ready: Callable[[], bool], what: str, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} is not there after {seconds:.0f} s")
        time.sleep(0.05)


def _session(leader: int) -> list[tuple[int, str]]:
    """Processes of the session that a node is: (pid, command)."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            if session == leader:
                found.append((int(entry.name), (entry / "cmdline").read_text().replace("\0", " ")))
        except (OSError, ValueError):
            continue  # it has just ended
    return found


def _end(node: subprocess.Popen[bytes]) -> None:
    for pid, _ in _session(node.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    node.wait()
