"""Start-up: wall time and peak memory of a program that prints `hello`, runtimes taking turns.

The first line of the table is `/bin/true`: what the machine itself needs to start and end a process.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from . import child
from .measure import Progress
from .runtimes import Runtime

#: Runs per runtime; the result is their median.
RUNS = 20
TIMEOUT = 20.0

FLOOR = Runtime("floor", "/bin/true", "", command=(), hello=("/bin/true",))


@dataclass(frozen=True)
class Start:
    """One runtime's runs, in the order measured."""

    runtime: Runtime
    milliseconds: list[float]
    kibibytes: list[int]

    @property
    def median_milliseconds(self) -> float:
        """Median wall time."""
        return statistics.median(self.milliseconds)

    @property
    def median_kibibytes(self) -> float:
        """Median of the peaks."""
        return statistics.median(self.kibibytes)


def measure(runtimes: Sequence[Runtime], progress: Progress, runs: int) -> list[Start]:
    """Runs the hello program of every runtime `runs` times for time and as often for memory.

    Raises child.Failed when one of them does not print `hello` and end well.
    """
    for runtime in runtimes:
        # Also the warm-up: program and script are in the page cache afterwards.
        result = child.run(runtime.hello, TIMEOUT)
        if result.failure or result.stdout.strip() != "hello":
            reason = result.failure or f"printed {result.stdout.strip()[:80]!r} instead of hello"
            raise child.Failed(f"{runtime.title}: {' '.join(runtime.hello)}: {reason}")
    starts = [Start(runtime, [], []) for runtime in (FLOOR, *runtimes)]
    for done in range(runs):
        progress(done, runs, f"start-up {done + 1}/{runs}")
        for start in starts:
            start.milliseconds.append(child.wall_milliseconds(start.runtime.hello, TIMEOUT))
        for start in starts:
            start.kibibytes.append(child.peak_kibibytes(start.runtime.hello, TIMEOUT))
    progress(runs, runs, "done")
    return starts
