"""From samples to ratios: our best time ÷ the peer's best time per row, and a geometric mean per peer.

A row whose checksums differ anywhere has no ratio: it did not do the same work, so its time means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .measure import Measured
from .rows import Row
from .runtimes import Runtime


@dataclass(frozen=True)
class Line:
    """One row of the table. `ratios` holds the peers that have one."""

    row: Row
    our_milliseconds: float | None
    ratios: dict[str, float]
    #: Why the row is not reported; empty if it is.
    refused: str = ""


@dataclass(frozen=True)
class Summary:
    """A peer's column in short, over the rows of the same kind."""

    peer: str
    mean: float | None
    rows: int
    at_most_one: int
    worst: tuple[str, float] | None


def lines(rows: Sequence[Row], ours: Runtime, peers: Sequence[Runtime], measured: Measured) -> list[Line]:
    """One line per row, in order."""
    return [_line(row, ours, peers, measured) for row in rows]


def _line(row: Row, ours: Runtime, peers: Sequence[Runtime], measured: Measured) -> Line:
    having = [(ours, row.ours)] + [(peer, row.name) for peer in peers if not row.only or peer.name in row.only]
    seen = {runtime.title: measured.checksums(runtime.name, name) for runtime, name in having}
    if len({checksum for checksums in seen.values() for checksum in checksums}) > 1:
        told = ", ".join(f"{title} {' and '.join(checksums)}" for title, checksums in seen.items() if checksums)
        return Line(row, None, {}, refused=f"checksums differ: {told}")
    our_best = measured.best(ours.name, row.ours)
    ratios: dict[str, float] = {}
    for peer, name in having[1:]:
        peer_best = measured.best(peer.name, name)
        if our_best is not None and peer_best is not None:
            ratios[peer.name] = our_best / peer_best
    return Line(row, our_best, ratios)


def same_kind(row: Row, peer: Runtime) -> bool:
    """Whether the row counts in the peer's mean."""
    return row.in_mean and row.name not in peer.other_kind


def summary(peer: Runtime, table: Sequence[Line]) -> Summary:
    """The peer's geometric mean and extremes over the rows of the same kind."""
    counted = [
        (line.row.name, line.ratios[peer.name])
        for line in table
        if peer.name in line.ratios and same_kind(line.row, peer)
    ]
    return Summary(
        peer=peer.name,
        mean=geometric_mean([ratio for _, ratio in counted]),
        rows=len(counted),
        at_most_one=sum(1 for _, ratio in counted if ratio <= 1.0),
        worst=max(counted, key=lambda pair: pair[1], default=None),
    )


def geometric_mean(values: Sequence[float]) -> float | None:
    """None for no values."""
    if not values:
        return None
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))
