"""Interleaved rounds: every runtime runs a row once before any runs it again.

Two times of one round lie seconds apart, so what the machine does meanwhile hits all runtimes alike. One process runs
one row: rows do not share a heap, and a crash or a time limit costs one sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from . import child
from .rows import Row
from .runtimes import Runtime

Run = Callable[[Sequence[str], float], child.Result]
#: Told before each process: how many are done, how many there will be, what comes now.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Sample:
    """One timed run of a row."""

    checksum: str
    milliseconds: float


@dataclass(frozen=True)
class Task:
    """A runtime and the row it runs."""

    runtime: Runtime
    row: str


@dataclass
class Measured:
    """What a measurement brought. A (runtime, row) that failed once is in `failures` and has no samples."""

    samples: dict[tuple[str, str], list[Sample]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def times(self, runtime: str, row: str) -> list[float]:
        """Milliseconds in the order measured; empty if the row failed or was not run."""
        return [sample.milliseconds for sample in self.samples.get((runtime, row), [])]

    def best(self, runtime: str, row: str) -> float | None:
        """The shortest time in milliseconds."""
        return min(self.times(runtime, row), default=None)

    def checksums(self, runtime: str, row: str) -> list[str]:
        """The different checksums seen: one if all is well."""
        return sorted({sample.checksum for sample in self.samples.get((runtime, row), [])})


def tasks(rows: Sequence[Row], ours: Sequence[Runtime], peers: Sequence[Runtime]) -> list[Task]:
    """What a round consists of, row by row. A row that only peers have runs there, beside our row it is set against."""
    ordered: dict[tuple[str, str], Task] = {}
    for row in rows:
        for runtime in ours:
            ordered.setdefault((runtime.name, row.ours), Task(runtime, row.ours))
        for runtime in peers:
            if not row.only or runtime.name in row.only:
                ordered.setdefault((runtime.name, row.name), Task(runtime, row.name))
    return list(ordered.values())


def measure(todo: Sequence[Task], rounds: int, timeout: float, progress: Progress, run: Run = child.run) -> Measured:
    """Runs every task `rounds` times, round by round; each process has `timeout` seconds."""
    measured = Measured()
    total = rounds * len(todo)
    for done in range(total):
        task = todo[done % len(todo)]
        key = (task.runtime.name, task.row)
        progress(done, total, f"round {done // len(todo) + 1}/{rounds}: {task.row} {task.runtime.title}")
        if key in measured.failures:
            continue
        result = run((*task.runtime.command, task.row), timeout)
        try:
            sample = parse(result, task.row)
        except child.Failed as failure:
            measured.failures[key] = str(failure)
            measured.samples.pop(key, None)
        else:
            measured.samples.setdefault(key, []).append(sample)
    progress(total, total, "done")
    return measured


def parse(result: child.Result, row: str) -> Sample:
    """Reads `name,checksum,milliseconds`. Raises Failed for anything else."""
    if result.failure:
        raise child.Failed(result.failure)
    fields = result.stdout.strip().split(",")
    try:
        name, checksum, milliseconds = fields[0], fields[1], float(fields[2])
    except (IndexError, ValueError):
        name, checksum, milliseconds = "", "", 0.0
    if len(fields) != 3 or name != row or not checksum or not 0 < milliseconds < math.inf:
        shown = result.stdout.strip()[:120] or "nothing"
        raise child.Failed(f"printed {shown!r} instead of {row},checksum,milliseconds")
    return Sample(checksum, milliseconds)
