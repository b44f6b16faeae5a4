"""One child process: run to its end or to its time limit, with output, wall time or peak memory.

Every child leads a process group of its own, so that a limit or Ctrl-C ends its children too.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

# Settings of the person at the keyboard that would change what a peer does.
_DROPPED = ("NODE_OPTIONS", "LUA_INIT", "LUA_INIT_5_4", "BUN_OPTIONS")
_PR_SET_CHILD_SUBREAPER = 36
# A shell gives its background children an empty standard input, so the line to wait for comes through descriptor 3.
_START_WHEN_TOLD = 'exec 3<&0; { read -r line <&3; exec "$@" 3<&-; } >/dev/null 2>&1 & echo $!'


class Failed(Exception):
    """A child that had to succeed did not; the text says how."""


@dataclass(frozen=True)
class Result:
    """How a child ended. `failure` is empty for exit code 0."""

    stdout: str
    stderr: str
    failure: str


def environment() -> dict[str, str]:
    """The environment children get."""
    return {name: value for name, value in os.environ.items() if name not in _DROPPED}


def run(command: Sequence[str], timeout: float) -> Result:
    """Runs `command` for at most `timeout` seconds. Does not raise for anything the command does."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(),
            process_group=0,
        )
    except OSError as error:
        return Result("", "", f"cannot start {command[0]}: {error.strerror}")
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            stdout, stderr = process.communicate()
            return Result(stdout, stderr, f"no end after {timeout:g} s")
        except BaseException:
            _kill_group(process.pid)
            raise
    return Result(stdout, stderr, _describe(process.returncode, stderr))


def wall_milliseconds(command: Sequence[str], timeout: float) -> float:
    """Wall time from the start of the process to its end, in milliseconds. Raises Failed."""
    with _silence() as actions:
        start = time.perf_counter_ns()
        pid = os.posix_spawn(command[0], tuple(command), environment(), file_actions=actions, setpgroup=0)
        status, _ = _wait(pid, timeout)
        elapsed = time.perf_counter_ns() - start
    _must_succeed(command, status)
    return elapsed / 1e6


def peak_kibibytes(command: Sequence[str], timeout: float) -> int:
    """Peak resident memory in KiB, whatever the child prints. Raises Failed.

    Linux counts the memory of the process that called exec into `ru_maxrss`, so a child started from here would
    report at least the size of this Python. A small shell starts it instead and exits; as the subreaper we inherit
    the child and read its own peak. The child waits for a line until the shell is gone, so that not the shell reaps it.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    shell = subprocess.Popen(
        ("/bin/sh", "-c", _START_WHEN_TOLD, "sh", *command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
        process_group=0,
    )
    assert shell.stdin is not None and shell.stdout is not None, "both were asked for as pipes"
    with shell.stdin, shell.stdout:
        pid = int(shell.stdout.readline())
        shell.wait()
        shell.stdin.write(b"go\n")
    status, usage = _wait(pid, timeout)
    _must_succeed(command, status)
    return usage.ru_maxrss


def _wait(pid: int, timeout: float) -> tuple[int, resource.struct_rusage]:
    # wait4 has no time limit of its own; the kill makes it return.
    limit = threading.Timer(timeout, os.kill, (pid, signal.SIGKILL))
    limit.start()
    try:
        _, status, usage = os.wait4(pid, 0)
    except KeyboardInterrupt:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        limit.cancel()
    return status, usage


def _must_succeed(command: Sequence[str], status: int) -> None:
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise Failed(f"{' '.join(command)}: {_describe(code, '')}")


def _describe(code: int, stderr: str) -> str:
    if code == 0:
        return ""
    what = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    if code == -signal.SIGKILL:
        what += " (the time limit, or out of memory)"
    told = " / ".join(stderr.strip().splitlines()[:3])
    return f"{what}: {told[:300]}" if told else what


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


@contextmanager
def _silence() -> Iterator[list[tuple[int, int, int]]]:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        yield [(os.POSIX_SPAWN_DUP2, null, stream) for stream in (0, 1, 2)]
    finally:
        os.close(null)
