"""The promises, each with what was measured for it and whether it held."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .scenarios import CONNECTIONS, IDLE_CONNECTIONS, OPEN_CONNECTIONS, Sample


@dataclass(frozen=True)
class Bar:
    """`held` is None where the run has no figures for it."""

    asked: str
    measured: str
    held: bool | None


class Figures:
    """Medians over the rounds of a run."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def all(self, scenario: str, server: str, **varied: object) -> list[Sample]:
        """The samples that fit."""
        return [
            sample
            for sample in self._samples
            if sample["scenario"] == scenario
            and sample["server"] == server
            and all(sample.get(key) == value for key, value in varied.items())
        ]

    def median(self, pick: Callable[[Sample], float], scenario: str, server: str, **varied: object) -> float | None:
        """None without samples."""
        found = [pick(sample) for sample in self.all(scenario, server, **varied)]
        return statistics.median(found) if found else None


def check(samples: Sequence[Sample]) -> list[Bar]:
    """Every promise against the samples of a run."""
    figures = Figures(samples)
    bars = []
    for connections in CONNECTIONS:
        bars += _closed(figures, connections)
    bars += _shape(figures)
    for connections in OPEN_CONNECTIONS:
        bars += _open(figures, connections)
    bars += [_shift(figures, "hog", "4 clients on a route of 1 s"), _shift(figures, "pipeliner", "1 endless pipeliner")]
    bars += _memory(figures)
    bars += _ab(figures)
    found = figures.median(lambda sample: sample["milliseconds"], "start", "gander")
    bars.append(_at_most("start to first answer", found, 15, "ms"))
    return bars


def throughput(sample: Sample) -> float:
    """Requests a second."""
    return float(sample["throughput"])


def cpu(sample: Sample) -> float:
    """Microseconds of processor time for a request."""
    return float(sample["cpu_us"])


def latency(name: str) -> Callable[[Sample], float]:
    """Milliseconds."""
    return lambda sample: float(sample["latency"][name]) / 1000


def _closed(figures: Figures, connections: int) -> list[Bar]:
    def ratio(pick: Callable[[Sample], float], peer: str) -> float | None:
        mine = figures.median(pick, "closed", "gander", connections=connections)
        theirs = figures.median(pick, "closed", peer, connections=connections)
        return mine / theirs if mine and theirs else None

    where = f"c = {connections}"
    return [
        _at_least(f"{where}: requests a second against Bun", ratio(throughput, "bun"), 1.0, "×"),
        _at_least(f"{where}: requests a second against Node", ratio(throughput, "node"), 2.0, "×"),
        _at_most(f"{where}: CPU for a request against bare epoll", ratio(cpu, "limit"), 1.3, "×"),
        _at_most(f"{where}: CPU for a request against Bun", ratio(cpu, "bun"), 0.9, "×"),
    ]


def _shape(figures: Figures) -> list[Bar]:
    most = max(CONNECTIONS)
    tail = figures.median(
        lambda sample: sample["latency"]["p99"] / sample["latency"]["mean"], "closed", "gander", connections=most
    )
    spread = figures.median(
        lambda sample: sample["per_connection"]["most"] / max(1, sample["per_connection"]["least"]),
        "closed",
        "gander",
        connections=most,
    )
    never = figures.median(lambda sample: sample["per_connection"]["never"], "closed", "gander", connections=most)
    return [
        _at_most(f"c = {most}: p99 against the mean", tail, 1.5, "×"),
        _at_most(f"c = {most}: most answers of a connection against least", spread, 2, "×"),
        _at_most(f"c = {most}: connections never served", never, 0, ""),
    ]


def _open(figures: Figures, connections: int) -> list[Bar]:
    def found(pick: Callable[[Sample], float]) -> float | None:
        return figures.median(pick, "open", "gander", connections=connections)

    where = f"open loop, {connections} connections"
    return [
        _at_most(f"{where}: p99", found(latency("p99")), 2, "ms"),
        _at_most(f"{where}: p99.9", found(latency("p99.9")), 5, "ms"),
        _at_most(f"{where}: errors", found(lambda sample: sum(sample["failures"].values())), 0, ""),
    ]


def _shift(figures: Figures, scenario: str, what: str) -> Bar:
    alone = figures.median(latency("p99"), scenario, "gander", disturbed=False)
    beside = figures.median(latency("p99"), scenario, "gander", disturbed=True)
    moved = None if alone is None or beside is None else beside - alone
    return _at_most(f"{what}: p99 of the others moves by", moved, 5, "ms")


def _memory(figures: Figures) -> list[Bar]:
    def state(name: str) -> float | None:
        return figures.median(lambda sample: sample["anonymous"], "memory", "gander", state=name)

    def grown(before: str, after: str) -> float | None:
        least, most = state(before), state(after)
        return None if least is None or most is None else most - least

    # Where the limit of open files allowed fewer, what 20,000 would have added.
    held = figures.median(lambda sample: sample["held"], "memory", "gander", state="idle connections")
    added = grown("idle", "idle connections")
    per_idle = None if added is None or not held else added * IDLE_CONNECTIONS / held

    flat = [sample["anonymous"] for sample in figures.all("memory", "gander", state="flat")]
    drift = (max(flat) - min(flat)) / (max(flat) + min(flat)) * 100 if flat else None
    return [
        _at_most("anonymous memory at rest, example application, 2 workers", state("idle"), 1.5, "MB"),
        _at_most("20,000 idle connections that were each answered add", per_idle, 3, "MB"),
        _at_most("10 s after a burst of 10 MB bodies, above before", grown("before burst", "after burst"), 2, "MB"),
        _at_most("2,000,000 requests: farthest from the middle", drift, 2, "%"),
    ]


def _ab(figures: Figures) -> list[Bar]:
    mine, theirs = (figures.median(throughput, "ab", name) for name in ("gander", "bun"))
    ratio = mine / theirs if mine and theirs else None
    wrong = figures.median(lambda sample: sample["wrong"], "ab", "gander")
    return [
        _at_least("ab without keep-alive against Bun", ratio, 1.0, "×"),
        _at_most("ab without keep-alive: failures", wrong, 0, ""),
    ]


def _at_least(what: str, found: float | None, bar: float, unit: str) -> Bar:
    return _bar(f"{what}: at least {bar:g} {unit}", found, unit, lambda value: value >= bar)


def _at_most(what: str, found: float | None, bar: float, unit: str) -> Bar:
    return _bar(f"{what}: at most {bar:g} {unit}", found, unit, lambda value: value <= bar)


def _bar(asked: str, found: float | None, unit: str, holds: Callable[[float], bool]) -> Bar:
    if found is None:
        return Bar(asked.strip(), "not in this run", None)
    return Bar(asked.strip(), f"{found:.2f} {unit}".strip(), holds(found))
