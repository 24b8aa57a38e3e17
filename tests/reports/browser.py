"""Chromium without a window, spoken to over a pipe in its own protocol: no driver, no port."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are out of the way of descriptors 3 and 4."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


class Browser:
    """One page."""

    def __init__(self, program: str, profile: Path) -> None:
        to_read, self._to = _pipe()
        self._from, to_write = _pipe()

        def place() -> None:  # the browser reads commands from descriptor 3 and writes answers to 4
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        command = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(command, preexec_fn=place, pass_fds=(3, 4), stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._n, self._held = 0, b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._n += 1
        message: dict[str, Any] = {"id": self._n, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._held:
                more = os.read(self._from, 1 << 20)
                assert more, "the browser has gone"
                self._held += more
            raw, _, self._held = self._held.partition(b"\0")
            answer = json.loads(raw)
            if answer.get("id") == self._n:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, page: Path, width: int, height: int, part: str = "") -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Page.navigate", url="about:blank")  # a new #part alone would not load the page anew
        self.call("Page.navigate", url=page.as_uri() + part)
        for _ in range(600):
            ready = "document.readyState === 'complete' && !!document.querySelector('#foot')?.textContent"
            if self.run(ready):
                return
            time.sleep(0.1)
        raise AssertionError(f"{page} did not load")

    def run(self, script: str) -> Any:
        """The value of an expression on the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    @property
    def complaints(self) -> list[dict[str, Any]]:
        """Exceptions, errors in the log, and whatever was asked of the network."""
        wrong = [e for e in self.events if e["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return wrong + [{"url": url} for url in asked if not url.startswith(("file:", "data:", "blob:"))]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
