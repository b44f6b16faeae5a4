"""A run as Markdown: the promises first, then the tables they come from, then what was invalid."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from kit import table
from kit.table import BAD, DIM, GOOD, Cell

from . import bars
from .bars import Figures
from .scenarios import CONNECTIONS, OPEN_CONNECTIONS, Sample
from .servers import Server


def markdown(samples: Sequence[Sample], servers: Sequence[Server], colour: bool) -> str:
    """The whole report."""
    figures = Figures(samples)
    parts = ["## Promises", _promises(samples, colour)]
    present = {sample["scenario"] for sample in samples}
    for scenario, title, write in (
        ("closed", "Closed loop, one core", _closed),
        ("open", "Open loop at half of Gander's capacity", _open),
        ("hog", "Beside a route that computes for a second", _beside("hog")),
        ("pipeliner", "Beside a client that pipelines without pause", _beside("pipeliner")),
        ("ab", "Without keep-alive (ab)", _ab),
        ("start", "Start to first answer", _start),
        ("memory", "Memory of Gander", _memory),
    ):
        if scenario in present:
            parts += [f"## {title}", write(figures, servers, colour)]
    parts += ["## Validity", _validity(samples)]
    return "\n\n".join(parts) + "\n"


def _promises(samples: Sequence[Sample], colour: bool) -> str:
    tones = {True: GOOD, False: BAD, None: DIM}
    words = {True: "yes", False: "NO", None: "–"}
    body = [
        [Cell(bar.asked), Cell(bar.measured), Cell(words[bar.held], tones[bar.held])] for bar in bars.check(samples)
    ]
    return table.render(("asked", "measured", "held"), body, colour)


def _closed(figures: Figures, servers: Sequence[Server], colour: bool) -> str:
    columns: list[tuple[str, Callable[[Sample], float], str]] = [
        ("requests/s", bars.throughput, ",.0f"),
        ("wrk", lambda sample: sample["wrk"], ",.0f"),
        ("CPU µs", bars.cpu, ".2f"),
        ("mean ms", bars.latency("mean"), ".2f"),
        ("p99 ms", bars.latency("p99"), ".2f"),
        ("p99.9 ms", bars.latency("p99.9"), ".2f"),
        ("least", lambda sample: sample["per_connection"]["least"], ",.0f"),
        ("median", lambda sample: sample["per_connection"]["median"], ",.0f"),
        ("most", lambda sample: sample["per_connection"]["most"], ",.0f"),
        ("errors", _errors, ".0f"),
        ("Little", lambda sample: sample["little"], ".2f"),
        ("MB", lambda sample: sample["resident"], ".1f"),
        ("anon", lambda sample: sample["anonymous"], ".1f"),
    ]
    rows = [(f"c = {count}", {"connections": count}) for count in CONNECTIONS]
    return _grid(figures, "closed", rows, servers, columns, colour)


def _open(figures: Figures, servers: Sequence[Server], colour: bool) -> str:
    columns: list[tuple[str, Callable[[Sample], float], str]] = [
        ("requests/s", bars.throughput, ",.0f"),
        *((f"{name} ms", bars.latency(name), ".2f") for name in ("p50", "p90", "p99", "p99.9", "max")),
        ("errors", _errors, ".0f"),
        ("own lag p99", lambda sample: sample["lag"]["p99"] / 1000, ".2f"),
    ]
    rows = [(f"{count} connections", {"connections": count}) for count in OPEN_CONNECTIONS]
    return _grid(figures, "open", rows, servers, columns, colour)


def _beside(scenario: str) -> Callable[[Figures, Sequence[Server], bool], str]:
    def write(figures: Figures, servers: Sequence[Server], colour: bool) -> str:
        columns: list[tuple[str, Callable[[Sample], float], str]] = [
            *((f"{name} ms", bars.latency(name), ".2f") for name in ("p50", "p99", "p99.9", "max")),
            ("errors", _errors, ".0f"),
            ("others' answers", lambda sample: sample.get("other", {}).get("answers", 0), ",.0f"),
        ]
        rows = [("alone", {"disturbed": False}), ("beside", {"disturbed": True})]
        return _grid(figures, scenario, rows, servers, columns, colour)

    return write


def _ab(figures: Figures, servers: Sequence[Server], colour: bool) -> str:
    columns: list[tuple[str, Callable[[Sample], float], str]] = [
        ("requests/s", bars.throughput, ",.0f"),
        ("p99 ms", lambda sample: sample["p99_ms"] or 0, ".0f"),
        ("failures", lambda sample: sample["wrong"], ".0f"),
    ]
    return _grid(figures, "ab", [("", {})], servers, columns, colour)


def _start(figures: Figures, servers: Sequence[Server], colour: bool) -> str:
    columns: list[tuple[str, Callable[[Sample], float], str]] = [
        ("median ms", lambda sample: sample["milliseconds"], ".1f")
    ]
    return _grid(figures, "start", [("", {})], servers, columns, colour)


def _memory(figures: Figures, _servers: Sequence[Server], colour: bool) -> str:
    body = [
        [
            Cell(
                sample["state"]
                + (f", {sample['answers']:,} answers" if "answers" in sample else "")
                + (f", {sample['held']:,} held" if "held" in sample else "")
            ),
            Cell(f"{sample['resident']:.2f}"),
            Cell(f"{sample['anonymous']:.2f}"),
        ]
        for sample in figures.all("memory", "gander")
    ]
    return table.render(("state", "resident MB", "anonymous MB"), body, colour)


def _errors(sample: Sample) -> float:
    return float(sum(sample["failures"].values()))


def _grid(
    figures: Figures,
    scenario: str,
    rows: Sequence[tuple[str, dict[str, object]]],
    servers: Sequence[Server],
    columns: Sequence[tuple[str, Callable[[Sample], float], str]],
    colour: bool,
) -> str:
    body = []
    for label, varied in rows:
        for server in servers:
            found = figures.all(scenario, server.name, **varied)
            if found:
                cells = [format(statistics.median(pick(sample) for sample in found), shape) for _, pick, shape in columns]
                body.append([Cell(f"{label} {server.title}".strip()), *map(Cell, cells)])
    return table.render(("", *(title for title, _, _ in columns)), body, colour)


def _validity(samples: Sequence[Sample]) -> str:
    lines = []
    for sample in samples:
        for problem in sample.get("problems", ()):
            varied = ", ".join(f"{key} {sample[key]}" for key in ("connections", "disturbed", "state") if key in sample)
            lines.append(f"- {sample['scenario']} {sample['server']} ({varied}, round {sample['round'] + 1}): {problem}")
    return "\n".join(lines) or "Every run was valid: all answers checked, Little's law within 10 %, every connection served."
