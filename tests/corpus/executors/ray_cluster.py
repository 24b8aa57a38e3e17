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
from itertools import count
from pathlib import Path

RAY = str(Path(sys.executable).with_name("ray"))
STARTED = "Ray runtime started."  # `ray start` says so when the node is known to the head
TRIES = 5  # Ray gives a node half a minute, which can be too little where cores are few and busy


class ClusterError(Exception):
    """Ray does not start here."""


class Cluster:
    """A head without CPUs and nodes of one CPU each, every one at a loopback address of its own.

    A driver takes the head for its own node. Every node and job is a session of processes, ended as such.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))  # short: sockets lie below it
        token = self.folder / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        self.environment = os.environ | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_OBJECT_STORE_ALLOW_SLOW_STORAGE": "1",  # a container may have next to nothing in /dev/shm
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_enable_metrics_collection": "0",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        self.nodes: list[subprocess.Popen[bytes]] = []
        self.jobs: list[subprocess.Popen[bytes]] = []
        self._numbers = count(2)  # 127.0.0.1 itself is replaced by the address of another interface
        self.address = ""
        try:
            self.head = self._started(self._start_head)
        except BaseException:
            self.close()
            raise

    def add_node(self) -> None:
        self.nodes.append(self._started(lambda: self._start(f"--address={self.address}", "--num-cpus=1")))

    def kill_raylet(self, node: subprocess.Popen[bytes]) -> None:
        """The node is lost, at once; what it leaves behind is cleared away."""
        (raylet,) = [pid for pid, name in _session(node.pid) if "/raylet/raylet" in name.split(" ")[0]]
        os.kill(raylet, signal.SIGKILL)
        self.nodes.remove(node)
        _end(node)

    def node_of(self, pid: int) -> subprocess.Popen[bytes]:
        """The node that a worker belongs to."""
        return next(node for node in self.nodes if os.getsid(pid) == node.pid)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """A job: a driver of its own."""
        with open(self.folder / "jobs.log", "ab") as log:
            job = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.jobs.append(job)
        return job

    def finish(self, job: subprocess.Popen[bytes], seconds: float = 300.0) -> None:
        code = job.wait(seconds)
        assert code == 0, f"exit code {code}: {(self.folder / 'jobs.log').read_text()[-4000:]}"

    def end_jobs(self) -> None:
        while self.jobs:
            _end(self.jobs.pop())

    def close(self) -> None:
        self.end_jobs()
        for node in [*self.nodes, *([self.head] if hasattr(self, "head") else [])]:
            _end(node)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_head(self) -> subprocess.Popen[bytes]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"127.0.0.2:{port}"
        self._numbers = count(2)
        options = ["--head", f"--port={port}", "--num-cpus=0", "--include-dashboard=false"]
        return self._start(*options, f"--temp-dir={self.folder}")

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [RAY, "start", "--block", *options, "--disable-usage-stats", "--include-log-monitor=false"]
        command += [f"--node-ip-address=127.0.0.{next(self._numbers)}"]
        command += ["--object-store-memory=80000000", f"--plasma-directory={self.folder}"]
        with open(self.folder / "start.log", "wb") as log:
            return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def _started(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        log = self.folder / "start.log"
        for _ in range(TRIES):
            node = start()
            try:
                wait_for(lambda node=node: STARTED in log.read_text() or node.poll() is not None, "a node", 180.0)
                if node.poll() is None:
                    return node
            except BaseException:
                _end(node)
                raise
            _end(node)
        raise ClusterError(f"no node started in {TRIES} attempts: {log.read_text()[-2000:]}")


def wait_for(ready: Callable[[], bool], what: str, seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} is not there after {seconds:.0f} s")
        time.sleep(0.05)


def _session(leader: int) -> list[tuple[int, str]]:
    """Processes of a session: (pid, command)."""
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


def _end(leader: subprocess.Popen[bytes]) -> None:
    for pid, _ in _session(leader.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    leader.wait()
