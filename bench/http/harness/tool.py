"""The load tools: ours (`load/`), and ab and wrk as second opinions."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit.cargo import Missing, build

from .servers import BODY, Broken

_FOLDER = Path(__file__).resolve().parent.parent / "load"
# Beyond what a run asks for: connecting, the last answers.
_SPARE_SECONDS = 120.0


class Tool:
    """Our load tool, kept to its own processor."""

    def __init__(self, cpus: Sequence[int]) -> None:
        self._program = str(build("load", _FOLDER))
        self._cpus = cpus

    def command(self, port: int, *flags: object, body: str | None = BODY) -> list[str]:
        """The command line of a run whose answers are all checked."""
        checked = () if body is None else ("--expect-body", body)
        return [self._program, "--json", *map(str, flags), *checked, f"127.0.0.1:{port}"]

    def start(self, port: int, *flags: object, body: str | None = BODY) -> subprocess.Popen[str]:
        """Begins a run."""
        return subprocess.Popen(
            self.command(port, *flags, body=body),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, self._cpus),
        )

    def finish(self, process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
        """Waits for a run that takes `seconds`, and reads its counts."""
        try:
            out, err = process.communicate(timeout=seconds + _SPARE_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Broken("the load tool did not end") from error
        if process.returncode not in (0, 1):
            raise Broken(f"the load tool could not measure: {err.strip()}")
        counts: dict[str, Any] = json.loads(out)
        return counts

    def run(self, port: int, seconds: float, *flags: object, body: str | None = BODY) -> dict[str, Any]:
        """A whole run of `seconds`."""
        return self.finish(self.start(port, "--duration", seconds, *flags, body=body), seconds)


def ab(port: int, connections: int, requests: int, cpus: Sequence[int]) -> dict[str, Any]:
    """ApacheBench without keep-alive: requests a second, failures, milliseconds at 99 %."""
    program = shutil.which("ab")
    if program is None:
        raise Missing("ab is missing: apt-get install apache2-utils")
    command = (program, "-q", "-c", str(connections), "-n", str(requests), f"http://127.0.0.1:{port}/")
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    )
    return _read_ab(done.stdout, done.stderr)


def _read_ab(out: str, err: str) -> dict[str, Any]:
    rate = re.search(r"Requests per second:\s+([\d.]+)", out)
    if rate is None:
        raise Broken(f"ab did not finish: {err.strip()[-300:]}")
    wrong = sum(int(found) for found in re.findall(r"(?:Failed requests|Non-2xx responses):\s+(\d+)", out))
    tail = re.search(r"^\s*99%\s+(\d+)", out, re.MULTILINE)
    return {"throughput": float(rate[1]), "wrong": wrong, "p99_ms": int(tail[1]) if tail else None}


def wrk(port: int, connections: int, seconds: float, cpus: Sequence[int]) -> dict[str, Any]:
    """wrk's requests a second, as a second opinion on the closed loop."""
    program = shutil.which("wrk")
    if program is None:
        raise Missing("wrk is missing: apt-get install wrk")
    command = (program, "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", f"http://127.0.0.1:{port}/")
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    )
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if rate is None:
        raise Broken(f"wrk did not finish: {done.stderr.strip()[-300:]}")
    return {"throughput": float(rate[1])}
