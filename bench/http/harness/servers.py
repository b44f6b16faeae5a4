"""The servers: how each is found, started, watched and stopped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from kit.cargo import WORKSPACE, Missing, build

PEERS = Path(__file__).resolve().parent.parent / "peers"
#: What every server answers to GET /.
BODY = '{"ok":true,"msg":"hello"}'

_START_SECONDS = 20.0
_STOP_SECONDS = 15.0


class Broken(Exception):
    """A server or the load tool did not do what it should; the text says which and what."""


@dataclass(frozen=True)
class Server:
    """A server that was found. `{port}` in the command stands for the port."""

    name: str
    title: str
    version: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def gander(program: Path | None, script: Path = PEERS / "gander.lk", *flags: str, name: str = "gander") -> Server:
    """Our own, built when no program is given."""
    path = str((program or build("gander")).resolve())
    command = (path, "serve", str(script), "--listen", "127.0.0.1:{port}", *flags)
    return Server(name, name.capitalize(), _version(path, "--version"), command)


def limit() -> Server:
    """The bare epoll server, compiled on the spot."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise Missing("the bare server needs a C compiler: apt-get install gcc")
    program = WORKSPACE / "target/bench-http/limit"
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run((compiler, "-O2", "-o", program, PEERS / "limit.c"), check=True)
    return Server("limit", "bare epoll", "", (str(program), "{port}"))


def node() -> Server:
    """Node's own HTTP server."""
    path = _find("node", "apt-get install nodejs")
    command = (path, str(PEERS / "node.js"), "{port}")
    return Server("node", "Node", _version(path, "--version"), command, {"NODE_ENV": "production"})


def bun() -> Server:
    """Bun.serve."""
    path = _find("bun", "npm install --global bun")
    return Server("bun", "Bun", _version(path, "--version"), (path, str(PEERS / "bun.js"), "{port}"))


def _find(program: str, install: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise Missing(f"no program `{program}` in PATH. To install it: {install}. Or choose others with --peers")
    return path


def _version(*command: str) -> str:
    told = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip().splitlines()
    return told[0] if told else "version unknown"


class Running:
    """A server process: started on entering, stopped on leaving."""

    def __init__(self, server: Server, cpus: Sequence[int]) -> None:
        self.server = server
        self.port = _free_port()
        #: Seconds from the start of the process to its first answer.
        self.first_answer = 0.0
        self._cpus = cpus
        self._log = tempfile.TemporaryFile()

    def __enter__(self) -> Running:
        command = [part.format(port=self.port) for part in self.server.command]
        began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, **self.server.environment},
            start_new_session=True,
            preexec_fn=lambda: os.sched_setaffinity(0, self._cpus),
        )
        while not self._answers():
            if self._process.poll() is not None or time.perf_counter() - began > _START_SECONDS:
                self.__exit__(None, None, None)
                raise Broken(f"{self.server.title} did not start: {self._said()}")
        self.first_answer = time.perf_counter() - began
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return client.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read()[-400:].decode(errors="replace").strip() or "it said nothing"

    def check(self) -> None:
        """Raises Broken when the process has ended."""
        if self._process.poll() is not None:
            raise Broken(f"{self.server.title} ended by itself (exit {self._process.returncode}): {self._said()}")

    def cpu_seconds(self) -> float:
        """Processor time so far of all threads that still run, to the nanosecond."""
        total = 0
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def memory(self) -> Memory:
        """What the process holds now."""
        fields = dict(
            line.split(":", 1) for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines() if ":" in line
        )
        return Memory(*(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")))


@dataclass(frozen=True)
class Memory:
    """Megabytes (2^20 bytes)."""

    resident: float
    anonymous: float


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
